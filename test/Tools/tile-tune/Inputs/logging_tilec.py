#!/usr/bin/env python3
"""tilec that appends a line to the file TILE_TUNE_TILEC at each run."""

import os
import sys

with open(os.environ["TILE_TUNE_TILEC"], "a") as log:
    log.write(" ".join(sys.argv[1:]) + "\n")
os.execvp("tilec", ["tilec", *sys.argv[1:]])
