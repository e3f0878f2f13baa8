#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs PTX that other compilers made on the emulator, as any program that uses the CUDA driver.

Kernels of triton_kernels.py and nvcc_kernels.cu are compiled here, launched through the functions of
libtessera_emulator.so (ctypes), and compared with NumPy in double. Prints a table; the status is 1 if a
kernel gives something else, or if the emulator finds a defect that is not known, or an instruction that
it does not know. Of kernels with a known defect, a missing fence.proxy.async, the table says how it is
found, and what the kernel gives with fences before all barriers; one kernel asks for what the emulator has
not. Instructions are counted as warps execute them.

Triton 3.6 or 3.7 is looked for in $TESSERA_TRITON (a folder that `pip install --target` has filled), in
build/triton, where --install puts it, and in this Python; nvcc in $TESSERA_NVCC, PATH and
/usr/local/cuda*. --find PEER says where it is, and fails if it is nowhere.
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
    """`defect` is a part of what the emulator is known to say of the kernel."""
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
    """A row for each case; two for those with a defect."""
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
