# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the compiler, tilec."""

import difflib
import functools
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import typing
import warnings

from .errors import ArgumentError, CompileError, CompilerWarning

# The options of tilec that load takes: those that compile, and those that inspect on the way.
OPTIONS = ("--allow-hazards", "--checks", "--configuration", "--fetch-stages", "--line-tables", "--no-trial",
           "--ptx-only", "--ptxas", "--raster-group", "--refuse-hazards", "--register-leeway", "--remarks", "--report",
           "--save-phases", "--shape", "--target", "--tuned", "-D")


# The GPUs to compile for, as --target names them.
TARGETS = ("sm_90a",)


def _places():
    """Returns the paths that tilec may have: in a wheel, in the folder of a bundle, in a build.

    A wheel has all tools in one program, which acts as the tool by whose name it is called."""
    here = pathlib.Path(__file__).resolve().parent
    root = here.parents[1]
    return [here / "bin" / "tessera", root / "bin" / "tilec", root / "build" / "bin" / "tilec"]


def _find_path():
    named = os.environ.get("TESSERA_TILEC")
    if named:
        if not pathlib.Path(named).exists():
            raise CompileError(f"no tilec at {named}, which TESSERA_TILEC names")
        return named
    near = next((str(path) for path in _places() if path.exists()), None)
    return near or shutil.which("tilec")


def _copy(source, folder):
    """Writes a source and the files that it uses to a folder. Returns the paths of the copies, the source first, with
    those of the originals."""
    texts = {str(source.path): source.text, **{file.path: file.text for file in source.files}}
    root = os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in texts])
    copies = {}
    for path, text in texts.items():
        copy = folder / os.path.relpath(os.path.abspath(path), root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if text is not None:
            copy.write_bytes(text)
        copies[copy] = path
    return copies


class Compiler(typing.NamedTuple):
    """A tilec. `identity` is a hash of everything except the sources that its packages depend on."""

    path: str
    identity: str

    def run(self, source, arguments, output, option="-o"):
        """Runs tilec on `source`, a Source, even if its files have changed since. `option` names the output."""
        with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
            copies = _copy(source, pathlib.Path(folder))
            # Messages of tilec begin with the names of the files that it reads.
            file = next(iter(copies))
            try:
                done = subprocess.run(["tilec", str(file), *arguments, option, str(output)],
                                      executable=self.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE)
            except OSError as error:
                raise CompileError(f"cannot run {self.path}: {error}") from None
            text = done.stderr.decode(errors="replace").strip()
            for copy, path in copies.items():
                text = text.replace(str(copy), str(path))
        if done.returncode != 0:
            if "'--ptx-only' makes a package" in text:
                text += ("\nIn Python, tessera.load(path, options=[\"--ptx-only\"]) compiles without ptxas, and device=\"cpu\", "
                         "\"sim\" and \"ptx\" need none. pip install 'tessera-compiler[ptxas]' installs ptxas.")
            raise CompileError(text or f"{self.path} ended with status {done.returncode}")
        if text:
            line = re.search(r":(\d+):\d+: ", text)
            warnings.warn_explicit(text, CompilerWarning, str(source.path), int(line[1]) if line else 1)


def define(values):
    """Returns compile-time values as arguments of tilec. A name may also be an option of tilec."""
    arguments = []
    for name, text in values.items():
        arguments += [f"{name}={text}"] if name.startswith("--") else ["-D", f"{name}={text}"]
    return arguments


def check_options(options):
    """Checks the names of options of tilec where tilec does not: kernels on arrays of the host are compiled without it.

    A value may follow its option as a separate text."""
    waiting = ""
    for option in options:
        name, _, value = option.partition("=")
        name = "-D" if name.startswith("-D") else name if name.startswith("--") else "-" + name
        if option.startswith("-") and name in OPTIONS:
            waiting = "" if "=" in option else name
        elif option.startswith("-") or not waiting:
            near = difflib.get_close_matches("--" + name.lstrip("-"), OPTIONS, 1)
            raise ArgumentError(f"options=: tilec has no option {option!r}"
                                + (f"; did you mean {near[0]!r}?" if near else ";")
                                + f" expected {', '.join(OPTIONS[:-1])} or {OPTIONS[-1]}")
        else:
            name, value, waiting = waiting, option, ""
        if name == "--target" and not waiting and value not in TARGETS:
            raise ArgumentError(f"unknown target {value!r}; there is {', '.join(TARGETS)}")


def command(source, arguments, output, option="-o"):
    """Returns the shell command that does the same as Compiler.run."""
    return shlex.join(["tilec", str(source.path), *arguments, option, str(output)])


def _ask(path, option):
    """Returns the output of tilec for an option, or b"none" if it fails."""
    try:
        done = subprocess.run(["tilec", option], executable=path, stdin=subprocess.DEVNULL,
                              capture_output=True)
    except OSError as error:
        raise CompileError(f"cannot run {path}: {error}") from None
    return done.stdout if done.returncode == 0 else b"none"


def _contents(path):
    """Returns the file with the code of a tilec: the library of the program `tessera`, or the program itself."""
    program = pathlib.Path(path).resolve()
    if program.name == "tessera":
        for folder in (program.parents[1], program.parents[1] / "lib"):
            if (folder / "libtessera_compiler.so").exists():
                return folder / "libtessera_compiler.so"
    return program


def _digest(path):
    """Returns the hash of a tilec. A wheel stores the hash next to its program, since the library is large."""
    beside = pathlib.Path(path).with_suffix(".sha256")
    if beside.exists():
        return beside.read_bytes()
    return hashlib.sha256(_contents(path).read_bytes()).digest()


@functools.cache
def _identify(path, *_):
    version = _ask(path, "--version")
    # Only the version of ptxas matters, which is in the last line; its path does not.
    ptxas = _ask(path, "--find-ptxas").splitlines()[-1:]
    parts = [_digest(path), version, *ptxas]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def find():
    """Returns the compiler of this process, or None if there is none."""
    path = _find_path()
    if path is None:
        return None
    status = os.stat(_contents(path))
    # A rebuilt tilec is a different compiler.
    return Compiler(path, _identify(path, status.st_mtime_ns, status.st_size,
                                    os.environ.get("TESSERA_PTXAS")))


def require():
    """Returns the compiler; the error lists the paths that were tried."""
    found = find()
    if found is None:
        raise CompileError("no tilec; looked for " + ", ".join(map(str, _places()))
                           + " and in PATH; name it in TESSERA_TILEC")
    return found
