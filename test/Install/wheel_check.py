#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs a wheel in a clean environment and tries the first steps of a user.

Usage: wheel_check.py WHEEL FOLDER FAKE_CUDA [--ptxas FILE] [--slack X] [--pythons]

Two tools check that the wheel works with its oldest Python, without that Python. The tool abi3audit knows since which
version functions of the C interface are stable. The tool vermin knows since which version modules and syntax exist.
Both are in the folder of this Python.

The environment has only the wheel, and PATH only its commands. --ptxas names the program that takes the place of the
package of the extra [ptxas]. Prints sizes and the time of first calls, which include the compiler and a driver that
launches nothing. A call may take 3 s if it compiles the kernel, and 50 ms if the kernel is in the cache. With
--slack both limits are multiplied, for busy machines. With --pythons each Python from 3.9 to 3.14 in PATH installs the
wheel and runs a kernel as well.
"""

import argparse
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
PROGRAM = HERE / "Inputs" / "wheel_program.py"
TUNED = HERE.parent / "Tools" / "tile-tune" / "Inputs"
COLD, CACHED = 3.0, 0.05
# The oldest Python of the extension; older ones work without it.
EXTENSION_PYTHON = "3.10"
# Modules that are imported if they exist.
OPTIONAL = ["tomllib"]
# The library with all tools.
COMPILER = "libtessera_compiler.so"
# Libraries that a program may use from the system.
SYSTEM = {"linux-vdso.so.1", "ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6"}


class Environment:
    def __init__(self, folder, wheel, python=None):
        """Installs the wheel for this Python, or for another one by the pip that comes with it."""
        self.folder = folder
        self.bin = folder / "bin"
        venv = [python or sys.executable, "-m", "venv", "--clear", *([] if python else ["--without-pip"]), str(folder)]
        subprocess.run(venv, check=True)
        its = self.bin / "python"
        pip = [its, "-m", "pip"] if python else [sys.executable, "-m", "pip", "--python", its]
        subprocess.run([*pip, "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", wheel],
                       check=True)

    def run(self, *command, **variables):
        """Returns the output of a command of the environment."""
        done = subprocess.run(
            [str(self.bin / command[0]), *map(str, command[1:])], cwd=self.folder, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PATH": str(self.bin), "HOME": str(self.folder), **variables})
        if done.returncode:
            sys.exit(f"'{' '.join(map(str, command))}' fails with status {done.returncode}:\n{done.stdout}")
        return done.stdout


def check_needs(package):
    """Checks that all machine code needs only the C library."""
    programs = [package / "bin" / "tessera", *package.glob("*.so")]
    for program in programs:
        text = subprocess.run(["ldd", str(program)], check=True, capture_output=True, text=True).stdout
        found = {pathlib.Path(line.split()[0]).name for line in text.splitlines()}
        if found - SYSTEM - {COMPILER}:
            sys.exit(f"{program.name} needs {', '.join(sorted(found - SYSTEM))}")
    # The package takes this hash for that of its contents; all tools are in the library.
    hashed = programs[0].with_suffix(".sha256").read_text()
    if hashlib.sha256((package / COMPILER).read_bytes()).hexdigest() != hashed:
        sys.exit(f"{programs[0].name}.sha256 is that of another {COMPILER}")
    return programs


def check_bill(wheel, package, programs):
    """Checks that the bill of materials names the installed programs and the libraries that are linked in."""
    name = next(name for name in wheel.namelist() if name.endswith("/sboms/tessera-compiler.cdx.json"))
    bill = json.loads(wheel.read(name))
    components = {component["bom-ref"]: component for component in bill["components"]}
    for program in programs:
        said = components[program.name]["hashes"][0]["content"]
        if said != hashlib.sha256(program.read_bytes()).hexdigest():
            sys.exit(f"{name} has the hash of another {program.name}")
    libraries = [component for component in components.values() if component["type"] == "library"]
    lacking = [library["name"] for library in libraries if not {"version", "licenses", "purl"} <= set(library)]
    if lacking:
        sys.exit(f"{name} has no version or licence of {', '.join(lacking)}")
    needs = {entry["ref"]: entry["dependsOn"] for entry in bill["dependencies"]}
    if set(needs["tessera-compiler"]) != {program.name for program in programs}:
        sys.exit(f"{name} lists {', '.join(needs['tessera-compiler'])}")
    dangling = {ref for refs in needs.values() for ref in refs} - set(components)
    if dangling:
        sys.exit(f"{name} does not describe {', '.join(sorted(dangling))}")
    unused = {library["bom-ref"] for library in libraries} - {ref for refs in needs.values() for ref in refs}
    if unused:
        sys.exit(f"{name} lists {', '.join(sorted(unused))}, which no program contains")
    print("contains " + ", ".join(f"{library['name']} {library['version']}" for library in libraries))


def check_tools(environment, version):
    names = sorted(path.name for path in environment.bin.glob("ti*") if path.is_file())
    for name in names:
        if not environment.run(name, "--help").startswith(("OVERVIEW: ", "usage: tile-tune ")):
            sys.exit(f"{name} --help prints another text")
    said = environment.run("tessera", "--version").splitlines()[0]
    if said != f"Tessera {version}":
        sys.exit(f"tessera --version is '{said}', but the wheel is {version}")
    said = environment.run("python", "-c", "import tessera; print(tessera.__version__)").strip()
    if said != version:
        sys.exit(f"tessera.__version__ is '{said}', but the wheel is {version}")
    source = EXAMPLES / "01-vector-add" / "kernel.tile"
    environment.run("tessera", "compile", source, "--ptx-only", "-o", "add.tpk")
    shown = environment.run("tile-launch", "add.tpk", "--device", "ptx", "--arg", "x=randn(100)", "--arg",
                            "y=randn(100)")
    if not re.search(r"^z +out +f32 +\[100\]", shown, re.MULTILINE):
        sys.exit(f"tile-launch shows\n{shown}")
    tuned = [TUNED / "add.tile", "--tune", TUNED / "add.tune.toml", "--out", "tuned"]
    said = environment.run("tile-tune", "compile", *tuned, "--ptx-only")
    if " 0 refused" not in said:
        sys.exit(f"tile-tune compile prints\n{said}")
    return names


def check_extension(environment, package, can_load=sys.version_info >= (3, 10)):
    """Checks that the extension makes calls if the build has it and the Python of the environment loads it."""
    has = any(package.glob("tessera_calls.*"))
    said = environment.run("python", "-c", "from tessera import native; print(native._module() is not None)").strip()
    if said != str(has and can_load):
        sys.exit(f"the extension is {'there' if has else 'absent'}, but loaded is {said}")
    print(f"calls by {'the extension' if has and can_load else 'Python alone'}")


def check_old_pythons(wheel, package):
    """Checks that the files work with the Python that the wheel requires."""
    metadata = next(name for name in wheel.namelist() if name.endswith("/METADATA"))
    oldest = re.search(r"^Requires-Python: >=(.*)$", wheel.read(metadata).decode(), re.MULTILINE)[1]
    extensions = list(package.glob("*.abi3.so"))
    audits = [["vermin", f"--target={oldest}-", "--violations", "--no-tips", "--eval-annotations",
               *(text for name in OPTIONAL for text in ("--exclude", name)), package]]
    if extensions:
        audits.append(["abi3audit", "--strict", "--verbose", "--assume-minimum-abi3", EXTENSION_PYTHON, *extensions])
    for audit in audits:
        tool = pathlib.Path(sys.executable).parent / audit[0]
        done = subprocess.run([tool, *map(str, audit[1:])], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode:
            sys.exit(f"{audit[0]} finds features that an old Python lacks:\n{done.stdout}")
    print(f"its files work with Python {oldest}" + f", and the extension for {EXTENSION_PYTHON}" * bool(extensions))


def check_pythons(folder, wheel):
    """Runs a kernel with each Python that the wheel supports and this machine has."""
    absent = []
    for minor in range(9, 15):
        python = shutil.which(f"python3.{minor}")
        if not python or subprocess.run([python, "-c", ""], stderr=subprocess.DEVNULL).returncode:
            absent.append(f"3.{minor}")
            continue
        environment = Environment((folder / f"environment-3.{minor}").resolve(), wheel, python)
        package, = environment.folder.glob("lib/python3*/site-packages/tessera")
        print(f"Python 3.{minor}: ", end="")
        check_extension(environment, package, minor >= 10)
        print(environment.run("python", PROGRAM, "softmax", EXAMPLES,
                              TESSERA_CUDA_DRIVER=str(package / "libtessera_emulator.so"),
                              TESSERA_CACHE=str(environment.folder / "emulated")), end="")
    if absent:
        print(f"not on this machine: Python {', '.join(absent)}")


def find_ptxas(environment, package, given):
    """Returns the version of the ptxas that the tools of the wheel find, or None without one."""
    if not given:
        return None
    folder = package.parent / "nvidia" / "cu13" / "bin"
    folder.mkdir(parents=True)
    (folder / "ptxas").symlink_to(pathlib.Path(given).resolve())
    path, version = environment.run("tilec", "--find-ptxas").splitlines()
    if path != str(folder / "ptxas"):
        sys.exit(f"tilec uses {path}, expected the ptxas of the extra [ptxas]")
    return version


def time_first_call(environment, driver, ptxas):
    options = [] if ptxas else ["--ptx-only"]
    text = environment.run("python", PROGRAM, "attention", EXAMPLES, *options, TESSERA_CUDA_DRIVER=str(driver),
                           TESSERA_CACHE=str(environment.folder / "cache"))
    return float(text.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("fake_cuda", type=pathlib.Path)
    parser.add_argument("--ptxas")
    parser.add_argument("--pythons", action="store_true", help="try each Python from 3.9 to 3.14 in PATH")
    parser.add_argument("--slack", type=float, default=1.0)
    options = parser.parse_args()
    wheel = options.wheel.resolve()
    archive = zipfile.ZipFile(wheel)
    if any(line.startswith("Requires-Dist") and "extra ==" not in line
           for name in archive.namelist() if name.endswith("/METADATA")
           for line in archive.read(name).decode().splitlines()):
        sys.exit("the wheel depends on other packages")

    environment = Environment((options.folder / "environment").resolve(), wheel)
    package, = environment.folder.glob("lib/python3*/site-packages/tessera")
    programs = check_needs(package)
    for program in programs:
        print(f"{program.name}: {program.stat().st_size / 1e6:.1f} MB, needs libc and libm")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    print(f"commands: tessera {' '.join(check_tools(environment, wheel.name.split('-')[1]))}")

    check_bill(archive, package, programs)
    check_extension(environment, package)
    check_old_pythons(archive, package)

    emulator = package / "libtessera_emulator.so"
    print(environment.run("python", PROGRAM, "softmax", EXAMPLES, TESSERA_CUDA_DRIVER=str(emulator),
                          TESSERA_CACHE=str(environment.folder / "emulated")), end="")

    if options.pythons:
        check_pythons(options.folder, wheel)

    version = find_ptxas(environment, package, options.ptxas)
    times = [time_first_call(environment, options.fake_cuda.resolve(), version) for _ in range(6)]
    cold, cached = times[0], min(times[1:])
    print(f"first call of attention ({f'ptxas {version}' if version else 'PTX only'}): {cold * 1e3:.0f} ms, "
          f"{cached * 1e3:.0f} ms from the cache")
    if cold > COLD * options.slack or cached > CACHED * options.slack:
        sys.exit(f"expected at most {COLD * 1e3:.0f} and {CACHED * 1e3:.0f} ms (times {options.slack:g})")


if __name__ == "__main__":
    main()
