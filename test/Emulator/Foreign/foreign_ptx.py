#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs PTX of other compilers on the emulator, like any program that uses the CUDA driver.

Compiles the kernels of triton_kernels.py and nvcc_kernels.cu and launches them through the functions of
libtessera_emulator.so (ctypes). Compares the results with NumPy in double, and prints a table. The status is 1 if a
result is wrong, or if the emulator reports an unknown defect or an unknown instruction.

Some kernels have a known defect, a missing fence.proxy.async. For these the table has the finding of the emulator, and
the result with fences before all barriers. One kernel needs a feature that the emulator lacks. Instructions are
counted per warp.

Triton 3.6 or 3.7 is searched in $TESSERA_TRITON (a folder filled by `pip install --target`), in build/triton, where
`--install` puts it, and in this Python. The nvcc is searched in $TESSERA_NVCC, PATH and /usr/local/cuda*. With
--find PEER the script only prints the path, and fails if there is none.
"""

import argparse
import collections
import fnmatch
import pathlib
import re
import sys
import tempfile

import cuda_driver
import nvcc_cases
import peers
import triton_cases
from session import Session

ORDERS = ("program", "late", "early", "random")
CASES = {"triton": triton_cases, "nvcc": nvcc_cases}
Row = collections.namedtuple("Row", "compiler name steps result is_right")


def run_case(session, name, case, defect=""):
    """Runs a case; `defect` is a part of the known finding of the emulator for the kernel."""
    try:
        is_right = case(session) and not defect
    except cuda_driver.DriverError as error:
        text = re.sub(r"^\w+: (/\S*/)?", "", str(error))
        is_right = bool(defect) and defect in text
        place = text.split(": ")[0]
        session.result = f"stops at {place}: {defect}" if is_right else text
        if not is_right:
            print(session.get_findings(), end="", file=sys.stderr)
    finally:
        session.free()
    name += ", with fences" if session.adds_fences else ""
    return Row(session.compiler, name, session.steps, session.result, is_right)


def run_peer(peer, found, patterns, make_session):
    """Returns a row for each case; two rows for cases with a defect."""
    rows = []
    for name, case in CASES[peer].get_cases().items():
        if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            continue
        defect = CASES[peer].find_defect(found, name)
        rows.append(run_case(make_session(False), name, case, defect))
        if "fence" in defect:
            rows.append(run_case(make_session(True), name, case))
    return rows


def print_table(rows):
    print("| compiler | kernel | instructions | result |")
    print("| --- | --- | --- | --- |")
    for row in rows:
        steps = f"{row.steps:,}" if row.steps else ""
        print("| " + " | ".join((row.compiler, row.name, steps or "-", row.result)) + " |")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cases", nargs="*", default=["*"], help="kernels of the table, by patterns")
    parser.add_argument("--library", default=peers.ROOT / "build" / "lib" / "libtessera_emulator.so")
    parser.add_argument("--peer", choices=CASES, action="append", help="only this compiler; both")
    parser.add_argument("--order", choices=ORDERS, action="append", help="of the warps; program")
    parser.add_argument("--seed", type=int, default=1, help="of the order `random`")
    parser.add_argument("--install", choices=peers.TRITON_VERSIONS, help="this Triton, if none is found")
    parser.add_argument("--keep", type=pathlib.Path, help="a new folder for the PTX, which stays")
    parser.add_argument("--find", choices=CASES)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    if arguments.find:
        place = peers.FIND[arguments.find]()
        print(place or f"no {arguments.find}")
        return 0 if place else 1
    found = {peer: peers.FIND[peer]() for peer in arguments.peer or CASES}
    if arguments.install and "triton" in found and not found["triton"]:
        found["triton"] = peers.install_triton(arguments.install)
    driver = cuda_driver.Driver(arguments.library)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = arguments.keep or pathlib.Path(folder)
        scratch.mkdir(parents=True, exist_ok=True)
        for peer, place in found.items():
            if not place:
                print(f"{peer} is not installed", file=sys.stderr)
                continue
            for order in arguments.order or ORDERS[:1]:
                rows += run_peer(peer, place, arguments.cases, lambda adds_fences: Session(
                    driver, scratch, found, order, arguments.seed, adds_fences))
    print_table(rows)
    right = sum(row.is_right for row in rows)
    print(f"{right} of {len(rows)} launches are right")
    return 0 if rows and right == len(rows) and all(found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
