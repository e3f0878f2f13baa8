#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs reproducers of defects and typical mistakes with two builds, and writes their outputs.

    reproducers.py DEFECTS --before CHECKOUT --after CHECKOUT [--out FILE] [--only REGEX] [--limit SECONDS]

DEFECTS is a folder of external reports. A report is a folder `NN-name`. It has a script `run.sh`, which reads the
built checkout from TESSERA and its tools from BIN, or a program `check.py`, which takes a device. The folder
`mistakes` has sources that do not compile, one mistake each. The reports are copied before they run. FILE gets, for
each report and mistake, the output and exit status with both builds; a table on stdout counts the lines that differ.

Only a reader can judge whether a defect is repaired. The exit status is 1 if a report did not end within its time
limit with the second build, or if a signal ended `tilec` on a mistake.
"""

import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

DEVICES = ["cpu", "sim", "ptx"]
# The exit status of timeout(1) if a command was stopped.
STOPPED = 124


def execute(command, folder, checkout, limit):
    """Returns the output, exit status and seconds of a command that uses the tools of a built checkout."""
    tools = checkout / "build/bin"
    environment = {**os.environ, "TESSERA": str(checkout), "BIN": str(tools), "PATH": f"{tools}:{os.environ['PATH']}",
                   "PYTHONPATH": str(folder.parent), "LIMIT": str(limit)}
    begin = time.monotonic()
    done = subprocess.run(["timeout", "--kill-after=5", str(limit), *map(str, command)], cwd=folder, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    return done.stdout.decode(errors="replace"), done.returncode, time.monotonic() - begin


def commands(folder):
    """Yields the commands of a report, and the names of its parts."""
    if (folder / "run.sh").exists():
        yield "run.sh", ["bash", "run.sh"]
        return
    for device in DEVICES:
        yield f"check.py {device}", [sys.executable, "check.py", device]


def mistakes(folder):
    for path in sorted(folder.glob("*.tile")):
        yield path.name, ["tilec", path.name, "--emit=tile", "-o", os.devnull]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("defects", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path, required=True)
    parser.add_argument("--after", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("reproducers.txt"))
    parser.add_argument("--only", type=re.compile, default=re.compile(""))
    parser.add_argument("--limit", type=int, default=60, help="seconds for each command (default 60)")
    options = parser.parse_args()
    failed, changed = [], 0
    with tempfile.TemporaryDirectory() as work, open(options.out, "w") as out:
        copy = pathlib.Path(work) / "defects"
        shutil.copytree(options.defects, copy)
        reports = [(folder, commands(folder)) for folder in sorted(copy.glob("[0-9][0-9]-*"))]
        reports.append((copy / "mistakes", mistakes(copy / "mistakes")))
        print(f"{'report':52} {'before':>13} {'after':>13}  lines that differ")
        for folder, parts in reports:
            for name, command in parts:
                title = f"{folder.name} {name}"
                if not options.only.search(title):
                    continue
                sides = [execute(command, folder, checkout.resolve(), options.limit)
                         for checkout in (options.before, options.after)]
                difference = [line for line in difflib.ndiff(*(side[0].splitlines() for side in sides))
                              if line[:2] in ("- ", "+ ")]
                print(f"{title[:52]:52} " + " ".join(f"{code:>4} in {took:4.1f} s" for _, code, took in sides) +
                      f"  {len(difference)}", flush=True)
                for side, (text, code, _) in zip(("before", "after"), sides):
                    print(f"=== {title}, {side}: exit status {code}\n{text}", file=out)
                changed += bool(difference)
                if sides[1][1] == STOPPED or sides[1][1] < 0 or (folder.name == "mistakes" and sides[1][1] > STOPPED):
                    failed.append(title)
    print(f"{changed} differ; written to {options.out}")
    if failed:
        sys.exit("stopped or ended by a signal: " + ", ".join(failed))


if __name__ == "__main__":
    main()
