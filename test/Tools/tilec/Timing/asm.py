# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the predicted times of kernels with long texts of `asm`, relative to a copy.

    asm.py FOLDER
"""

import pathlib
import re
import subprocess
import sys

TEXT = """kernel {name}(x: f32[N], out y: f32[N]) grid (n in tiles(N, 4096)) {{
  y[n] = asm(f32, ".reg .f32 t; mov.f32 t, $1;", "{text}", "mov.f32 $0, t;", x[n]);
}}
"""
# A program for each kind of unit.
KERNELS = {"moved": "", "added": 400 * "add.f32 t, t, t;", "special": 400 * "ex2.approx.ftz.f32 t, t;"}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "kernels.tile"
    path.write_text("".join(TEXT.format(name=name, text=text) for name, text in KERNELS.items()))
    explained = subprocess.run(["tilec", str(path), "--explain=N=4194304"], capture_output=True, text=True, check=True).stdout
    times = {name: float(time) for name, time in re.findall(r"kernel '(\w+)': ([\d.]+) us", explained)}
    print("sums take longer than moves:", times["added"] > 2 * times["moved"])
    print("special functions take longer than sums:", times["special"] > 2 * times["added"])


if __name__ == "__main__":
    main()
