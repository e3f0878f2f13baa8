#!/usr/bin/env python3
"""tilec, with a line in the file TILE_TUNE_TILEC for each time that it runs."""

import os
import sys

with open(os.environ["TILE_TUNE_TILEC"], "a") as log:
    log.write(" ".join(sys.argv[1:]) + "\n")
os.execvp("tilec", ["tilec", *sys.argv[1:]])
