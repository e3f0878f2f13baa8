#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the front end warns of no example.

    warn_of_examples.py TILEC FILE...

Compiles each kernel with its default values, and with each choice of up to two other values of its `bool` parameters.
The kernel rejects some choices. Files without kernels are for other files.
"""

import itertools
import json
import pathlib
import re
import subprocess
import sys


def compile_to_tiles(tilec, file, *options):
    return subprocess.run([tilec, file, "-o", "-", *options], capture_output=True, text=True)


def get_choices(kernel):
    """Returns the command-line options of each choice."""
    flags = [(flag["name"], flag.get("default") == "true") for flag in kernel["compileTime"] if flag["type"] == "bool"]
    for count in range(3):
        for chosen in itertools.combinations(flags, count):
            yield [option for name, value in chosen for option in ("-D", f"{name}={str(not value).lower()}")]


def main():
    tilec, *files = sys.argv[1:]
    compiled, rejected, warned = 0, 0, 0
    for file in files:
        if not re.search(r"^kernel\b", pathlib.Path(file).read_text(), re.MULTILINE):
            continue
        for kernel in json.loads(compile_to_tiles(tilec, file, "--emit=signatures").stdout)["kernels"]:
            for choice in get_choices(kernel):
                result = compile_to_tiles(tilec, file, "--emit=tile", "--kernel", kernel["name"], *choice)
                compiled += not result.returncode
                rejected += result.returncode != 0
                if "warning" in result.stderr:
                    print(" ".join([kernel["name"], *choice]), result.stderr, sep="\n")
                    warned += 1
    print(f"{compiled} compiled, {rejected} rejected, {warned} with warnings")
    return 1 if warned or rejected > compiled else 0


if __name__ == "__main__":
    sys.exit(main())
