#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks on a GPU that the CUDA tools name lines of a .tile file that was compiled with --line-tables. Nsight Compute
must name executed lines, and compute-sanitizer the line of an out-of-bounds access.

    gpu/checks/show_lines.py --pack build/lines      # machine with the build: kernel, package and runtime
    gpu/checks/show_lines.py build/lines             # machine with the GPU, on the copied folder

The test plants the out-of-bounds access: it passes the runtime one row more than was allocated. The exit status is 1
if a tool does not name the right lines, otherwise 2 if a tool is not installed. --keep stores the output of the
tools.
"""

import argparse
import csv
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "gpu" / "checks" / "lines" / "kernel.tile"
ROWS, COLUMNS, AT = 65536, 33, 7


def line_of(text):
    return next(number for number, line in enumerate(SOURCE.read_text().splitlines(), 1) if text in line)


COMMENT, LOAD = line_of("//"), line_of("x[n, at]")


def pack(folder, build):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(SOURCE, folder)
    shutil.copy(build / "lib" / "libtessera_runtime.so", folder)
    # Line tables name the file as on the command line.
    subprocess.run([build / "bin" / "tilec", "kernel.tile", "--line-tables", "-o", "lines.tpk"], cwd=folder, check=True)


class Memory:
    """Allocates with the driver, so that an allocation ends exactly where requested."""

    def __init__(self):
        self.driver = ctypes.CDLL(os.environ.get("TESSERA_CUDA_DRIVER", "libcuda.so.1"))
        context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        status = getattr(self.driver, name)(*arguments)
        if status:
            sys.exit(f"error: {name} returns {status}")

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        self.call("cuMemsetD8_v2", address, ctypes.c_ubyte(0), ctypes.c_size_t(size))
        return address.value


def launch(folder, is_short):
    os.environ["TESSERA_RUNTIME_LIBRARY"] = str(folder / "libtessera_runtime.so")
    sys.path.insert(0, str(ROOT / "python"))
    import tessera
    from tessera.tensors import Tensor
    memory = Memory()
    y = Tensor(memory.allocate(4 * ROWS), "f32", (ROWS,), None)
    x = Tensor(memory.allocate(4 * COLUMNS * (ROWS - is_short)), "f32", (ROWS, COLUMNS), None)
    tessera.Package(str(folder / "lines.tpk")).kernel("column")(x=x, at=AT, y=y)
    memory.call("cuCtxSynchronize")


def run(command, keep, name):
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{name}.txt").write_text(f"$ {' '.join(map(str, command))}\n{done.stdout}\nstatus {done.returncode}\n")
    return done


def counts_of(line, listing):
    """Returns the positive numbers in rows of a CSV listing for this source line, and whether there are such rows."""
    text = SOURCE.read_text().splitlines()[line - 1].strip()
    rows = [row for row in csv.reader(listing.splitlines()) if any(field.strip() == text for field in row)]
    numbers = [field.replace(",", "") for row in rows for field in row if field.strip() not in (text, str(line))]
    return [float(field) for field in numbers if re.fullmatch(r"\d+(\.\d+)?", field) and float(field)], bool(rows)


def check_profiler(folder, itself, keep):
    report = (keep or folder) / "lines.ncu-rep"
    report.parent.mkdir(parents=True, exist_ok=True)
    taken = run(["ncu", "--force-overwrite", "--export", report, "--section", "SourceCounters", "--import-source", "yes",
                 "--source-folders", folder, "--kernel-name", "column", "--launch-count", "1", *itself], keep, "ncu")
    if taken.returncode or not report.exists():
        return False, f"fails: {taken.stdout.strip()[-600:]}"
    for view in ("cuda,sass", "cuda"):
        shown = run(["ncu", "--import", report, "--page", "source", "--print-source", view, "--csv"], keep,
                    f"ncu-{view.replace(',', '-')}")
        if shown.returncode == 0:
            break
    else:
        return False, f"does not show the source: {shown.stdout.strip()[-600:]}"
    counts, is_shown = counts_of(LOAD, shown.stdout)
    comment, _ = counts_of(COMMENT, shown.stdout)
    if not is_shown or "kernel.tile" not in shown.stdout + taken.stdout:
        return False, f"does not show line {LOAD} of kernel.tile"
    if not counts or comment:
        return False, f"counts {counts} at line {LOAD}, and {comment} at a comment"
    return True, f"shows kernel.tile, with {len(counts)} counters at line {LOAD}"


def check_sanitizer(folder, itself, keep):
    tool = ["compute-sanitizer", "--tool", "memcheck", "--error-exitcode", "99"]
    right = run([*tool, *itself], keep, "sanitizer-right")
    if right.returncode:
        return False, f"reports an error in the right launch: {right.stdout.strip()[-600:]}"
    wrong = run([*tool, *itself, "--short"], keep, "sanitizer-wrong")
    found = re.search(r"Invalid __global__ read of size 4.*?kernel\.tile:(\d+)", wrong.stdout, re.DOTALL)
    if not found or int(found[1]) != LOAD:
        return False, f"does not name kernel.tile:{LOAD}: {wrong.stdout.strip()[:1200]}"
    return True, f"names kernel.tile:{LOAD} if one row too few is allocated"


def check(folder, keep):
    itself = [sys.executable, __file__, folder, "--launch"]
    plain = run(itself, keep, "plain")
    if plain.returncode:
        print(f"the launch fails: {plain.stdout.strip()}")
        return 1
    results = []
    for tool, function in (("ncu", check_profiler), ("compute-sanitizer", check_sanitizer)):
        if not shutil.which(tool):
            print(f"{tool}: not on PATH")
            results.append(None)
            continue
        passed, text = function(folder, itself, keep)
        print(f"{tool}: {text}")
        results.append(passed)
    return 1 if False in results else 2 if None in results else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pack", action="store_true", help="make the folder, on the machine with the build")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="a folder for the output of the tools")
    for internal in ("--launch", "--short"):
        parser.add_argument(internal, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.folder.resolve()
    if options.pack:
        pack(folder, options.build.resolve())
        return 0
    if options.launch:
        launch(folder, options.short)
        return 0
    return check(folder, options.keep.resolve() if options.keep else None)


if __name__ == "__main__":
    sys.exit(main())
