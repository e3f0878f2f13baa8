#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests of the interpreter with code for the processor.

    interpreter_tests.py FOLDER

Copies test/Interpreter to FOLDER with `tile-run --device cpu` in place of `tile-run`, and runs lit. The code must give
the same results and report the same defects. Runs that expect a report of conflicting accesses are left out, and so
is `--grid-order`: only the interpreter has them.
"""

import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "Interpreter"
CONFLICTS = r"RUN: .*(--grid-order|FileCheck.*--check-prefix=(RACE|UNORDERED|NEIGHBOURS|SUCCESSOR|MIXED|LANES)\b)"

CONFIG = """
import os, lit.formats
config.name = "Interpreter tests on the processor"
config.test_format = lit.formats.ShTest(False)
config.suffixes = [".mlir", ".tile", ".test"]
config.environment["PATH"] = os.environ["PATH"]
config.substitutions.append(("%python", "/usr/bin/python3"))
"""


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lit.cfg").write_text(CONFIG)
    for path in SOURCE.iterdir():
        # Reads without a barrier, and reads of what other programs write, are conflicts.
        if path.name in ("barrier.tile", "sums-of-programs.tile"):
            continue
        text = path.read_text()
        if path.suffix == ".py":
            text = text.replace('"tile-run"', '"tile-run", "--device", "cpu"')
        else:
            text = re.sub(r"(RUN|DEFINE): (.*)tile-run ", r"\1: \2tile-run --device cpu ", text)
            text = re.sub(CONFLICTS, "left out:", text)
        (folder / path.name).write_text(text)
    return subprocess.run(["lit", "-v", str(folder)]).returncode


if __name__ == "__main__":
    sys.exit(main())
