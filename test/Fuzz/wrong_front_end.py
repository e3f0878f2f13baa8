#!/usr/bin/python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replaces a tile-run by one with a wrong front end, which drops a value that both branches of an `if` assign.

All later stages then agree with each other.
"""

import collections
import pathlib
import re
import shutil
import subprocess
import sys

ASSIGNMENT = re.compile(r"^ +(v\d+ = t\d+);\n", re.M)

words = sys.argv[1:]
for place, word in enumerate(words):
    if word.endswith("kernel.tile"):
        path = pathlib.Path(word)
        text = path.read_text()
        counts = collections.Counter(ASSIGNMENT.findall(text))
        path = path.with_name("misread.tile")
        path.write_text(ASSIGNMENT.sub(lambda match: "" if counts[match[1]] == 2 else match[0], text))
        words[place] = str(path)
sys.exit(subprocess.run([shutil.which("tile-run"), *words]).returncode)
