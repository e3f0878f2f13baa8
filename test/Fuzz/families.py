#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs of every family of random kernels with the compiler of a folder, and lists the findings.

    families.py --bin FOLDER [--seed N] [--count K] [--jobs J]

The table families-results.txt lists the findings in the compiler of 3d29b5cc, whose defects were the reason for
these families.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

from text import kernels as text_kernels

PROGRAM = re.compile(r"^program (\d+): (.*)$", re.MULTILINE)
# Numbers and names that differ between findings of one kind.
DETAIL = re.compile(r"\d+ of \d+ elements of|-?\d+(\.\d+)?(e[+-]?\d+)?|'[^']*'|\b[yz]\d+\b")


def kind_of(text):
    """Returns the kind of a finding; the kind of a mismatch includes whether the result is a number."""
    if "mismatch" in text:
        got = re.search(r": (\S+) and not (\S+)$", text)
        is_number = not got or got[1] != "nan" or got[2] == "nan"
        return text.split(":")[0] + (": another number" if is_number else ": NaN instead of a number")
    return DETAIL.sub("#", text)[:100]


def find(options, family, folder):
    """Returns the findings of a family: lists of programs, by kind."""
    command = [sys.executable, str(pathlib.Path(__file__).with_name("fuzz_programs.py")),
               "--kind", "kernel", "--family", family, "--find-only", "--findings", folder,
               "--seed", str(options.seed), "--count", str(options.count), "--jobs", str(options.jobs),
               "--tile-run", str(options.bin / "tile-run"), "--tilec", str(options.bin / "tilec")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    kinds = {}
    for number, text in PROGRAM.findall(done.stdout):
        kinds.setdefault(kind_of(text), []).append(number)
    return kinds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="the folder of tilec and tile-run")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for family in text_kernels.FAMILIES:
            kinds = find(options, family, folder)
            found = sum(map(len, kinds.values()))
            print(f"{family}: {options.count} programs from {options.seed} on, {found} found", flush=True)
            for kind, numbers in sorted(kinds.items(), key=lambda entry: -len(entry[1])):
                more = ", …" if len(numbers) > 8 else ""
                print(f"  {len(numbers)} {kind}: {', '.join(numbers[:8])}{more}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
