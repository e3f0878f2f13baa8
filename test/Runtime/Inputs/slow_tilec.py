#!/usr/bin/python3
"""A tilec that logs its command line and waits: SLOW_TILEC_LOG, SLOW_TILEC_SECONDS."""

import os
import sys
import time

with open(os.environ["SLOW_TILEC_LOG"], "a") as log:
    log.write(" ".join(sys.argv[1:]) + "\n")
if "--kernel" in sys.argv:
    time.sleep(float(os.environ.get("SLOW_TILEC_SECONDS", "0")))
os.execvp("tilec", ["tilec", *sys.argv[1:]])
