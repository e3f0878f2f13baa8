#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles examples with their default parameters to packages, once for all tests of machine code.

    example_packages.py ROOT FOLDER [EXAMPLE...]

Makes FOLDER/EXAMPLE.tpk and FOLDER/EXAMPLE.txt, the report of `tilec --report --refuse-hazards`, for the named
examples (default: all). A package is rebuilt if the compiler or the source has changed. Tests that run at the same
time wait for each other. The exit status is 1 if an example does not compile.
"""

import concurrent.futures
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys


def identify(tilec, source):
    """Returns a text that identifies the compiler and the source."""
    status = os.stat(tilec)
    ptxas = subprocess.run(["tile-ptx", "--find-ptxas"], capture_output=True, text=True).stdout
    return f"{status.st_size} {status.st_mtime_ns} {ptxas} {hashlib.sha256(source.read_bytes()).hexdigest()}"


def make_package(tilec, source, folder):
    """Makes the package of an example unless it exists; returns its report, or None after an error."""
    name = source.parent.name
    package, report, stamp = (folder / f"{name}{suffix}" for suffix in (".tpk", ".txt", ".stamp"))
    with open(folder / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        identity = identify(tilec, source)
        if not stamp.exists() or stamp.read_text() != identity:
            stamp.unlink(missing_ok=True)
            package.unlink(missing_ok=True)
            done = subprocess.run([tilec, source, "--emit=package", "-o", package, "--report", "--refuse-hazards"],
                                  capture_output=True, text=True)
            report.write_text(done.stderr)
            if done.returncode != 0:
                return None
            stamp.write_text(identity)
    return report.read_text()


def make_packages(root, folder, names):
    """Returns the reports by the source of each example; None for an example that does not compile."""
    tilec = shutil.which("tilec")
    folder.mkdir(parents=True, exist_ok=True)
    sources = [source for source in sorted(root.glob("examples/*/kernel.tile"))
               if not names or source.parent.name in names]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return dict(zip(sources, pool.map(lambda source: make_package(tilec, source, folder), sources)))


def main():
    root, folder, *names = sys.argv[1:]
    reports = make_packages(pathlib.Path(root), pathlib.Path(folder), names)
    failed = [source for source, report in reports.items() if report is None]
    for source in failed:
        print((pathlib.Path(folder) / f"{source.parent.name}.txt").read_text())
    print(f"{len(reports)} examples, {len(failed)} of them refused")
    return 1 if failed or not reports else 0


if __name__ == "__main__":
    sys.exit(main())
