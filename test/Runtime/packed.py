# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs check_cu_seqlens on bounds of packed sequences and prints their errors.

    packed.py KERNEL.tile SCRATCH
"""

import pathlib
import subprocess
import sys

import numpy as np
import tessera

source, scratch = sys.argv[1], pathlib.Path(sys.argv[2])
scratch.mkdir(parents=True, exist_ok=True)
for bounds in ([0, 5, 5, 9], [2, 5, 9], [0, 5, 3, 9], [0, 5, 5, 10], [0, 2, 9]):
    np.save(scratch / "cu.npy", np.int32(bounds))
    subprocess.run(
        ["tile-run", source, "--kernel", "check_cu_seqlens", "--arg", f"cu=@{scratch / 'cu.npy'}",
         "--arg", "rows=9", "--arg", "longest=6", "--save", f"bad={scratch / 'bad.npy'}"],
        check=True, stdout=subprocess.DEVNULL)
    try:
        tessera.require_sequences(np.load(scratch / "bad.npy"), "cu_q")
        print(f"{bounds}: right")
    except tessera.ArgumentError as error:
        print(f"{bounds}: {error}")
