# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec, as a program that is run."""

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

from .errors import CompileError, CompilerWarning


def _places():
    """Where tilec may be: in a wheel, which has all tools in one program that goes by the name it is called,
    in the folder of a bundle, in a build."""
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


class Compiler(typing.NamedTuple):
    """A tilec. `identity` is a hash of all that its packages depend on beside their source."""

    path: str
    identity: str

    def run(self, source, arguments, output):
        """Runs tilec on `source`, a Source, whatever has become of the file by now."""
        with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
            # Messages begin with the name of the file that tilec reads.
            file = pathlib.Path(folder) / source.path.name
            file.write_bytes(source.text)
            try:
                done = subprocess.run(["tilec", str(file), *arguments, "-o", str(output)],
                                      executable=self.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE)
            except OSError as error:
                raise CompileError(f"cannot run {self.path}: {error}") from None
            text = done.stderr.decode(errors="replace").replace(str(file), str(source.path)).strip()
        if done.returncode != 0:
            raise CompileError(text or f"{self.path} ended with status {done.returncode}")
        if text:
            line = re.search(r":(\d+):\d+: ", text)
            warnings.warn_explicit(text, CompilerWarning, str(source.path), int(line[1]) if line else 1)


def define(values):
    """Compile-time values as arguments of tilec; names of its options may be among them."""
    arguments = []
    for name, text in values.items():
        arguments += [f"{name}={text}"] if name.startswith("--") else ["-D", f"{name}={text}"]
    return arguments


def command(source, arguments, output):
    """The command that a person runs for what Compiler.run does."""
    return shlex.join(["tilec", str(source.path), *arguments, "-o", str(output)])


def _ask(path, option):
    """What tilec prints for an option, or why it does not."""
    try:
        done = subprocess.run(["tilec", option], executable=path, stdin=subprocess.DEVNULL,
                              capture_output=True)
    except OSError as error:
        raise CompileError(f"cannot run {path}: {error}") from None
    return done.stdout if done.returncode == 0 else b"none"


def _digest(path):
    """Of the contents of a program. A wheel has it beside its own, which is large."""
    beside = pathlib.Path(path).with_suffix(".sha256")
    if beside.exists():
        return beside.read_bytes()
    return hashlib.sha256(pathlib.Path(path).read_bytes()).digest()


@functools.cache
def _identify(path, *_):
    version = _ask(path, "--version")
    # The path of ptxas is its own affair; its version stands in the second line.
    ptxas = _ask(path, "--find-ptxas").splitlines()[-1:]
    parts = [_digest(path), version, *ptxas]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def find():
    """The compiler of this process, or None if there is none."""
    path = _find_path()
    if path is None:
        return None
    status = os.stat(path)
    # Built anew while we run, it is another one.
    return Compiler(path, _identify(path, status.st_mtime_ns, status.st_size,
                                    os.environ.get("TESSERA_PTXAS")))


def require():
    """The compiler; an error says where it was looked for."""
    found = find()
    if found is None:
        raise CompileError("no tilec; looked for " + ", ".join(map(str, _places()))
                           + " and in PATH; name it in TESSERA_TILEC")
    return found
