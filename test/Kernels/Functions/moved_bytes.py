# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts all bytes to floats, moved by constants before or after, on devices, and compares with NumPy.

    moved_bytes.py FOLDER DEVICE…

A warp has all bytes, so that threads convert words of four. The constants are at both sides of the limits up to which a
float has all integers.
"""

import pathlib
import sys

import numpy as np
from devices import check

LENGTH = 256
MOVES = {"bf16": (0, 1, 8, 127, 128, 129, 255, 256, 257, 1000), "f16": (0, 8, 1793, 1794, 2047, 2048, 3000),
         "f32": (0, 8, 16776961, 16776962, 16777217)}  # fmt: skip


def rounded(values, floats):
    """Returns values as floats of a type, rounded once, to nearest even."""
    if floats != "bf16":
        return np.asarray(values).astype({"f16": np.float16, "f32": np.float32}[floats]).astype(np.float64)
    mantissa, exponent = np.frexp(np.asarray(values, np.float64))
    return np.ldexp(np.rint(mantissa * 256), exponent - 8)


def list_expressions(bytes_type, floats):
    """Returns (text, expected) for the tile x of all bytes and the tile h of its first half."""
    x = np.arange(LENGTH, dtype=np.int64) - (128 if bytes_type == "i8" else 0)
    results = []
    for move in MOVES[floats]:
        for sign in (1, -1):
            shown, by = f"{'+' if sign > 0 else '-'} {move}", sign * move
            results.append((f"(x as i32 {shown}) as {floats}", rounded(x + by, floats)))
            if abs(by) < 1 << 15:
                wrapped = (x + by).astype(np.int16).astype(np.int64)
                results.append((f"(x as i16 {shown}) as {floats}", rounded(wrapped, floats)))
            for text, value in (("x", x), ("(x & 15)", x & 15), ("(x & 127)", x & 127)):
                converted, constant = rounded(value, floats), rounded(by, floats)
                results.append((f"{text} as {floats} {shown}", rounded(converted + constant, floats)))
    wide = (x + 32700).astype(np.int16).astype(np.int64)
    results.append((f"(x as i16 + 32700) as {floats}", rounded(wide, floats)))
    packed = np.arange(LENGTH // 2) if bytes_type == "u8" else np.arange(LENGTH // 2) - 128
    nibbles = np.stack((packed & 15, packed >> 4 & 15), axis=1).reshape(-1)
    results.append((f"join(h & 15, h >> 4 & 15) as i32 as {floats} - 8", nibbles - 8.0))
    results.append((f"(join(h & 15, h >> 4 & 15) as i32 - 8) as {floats}", nibbles - 8.0))
    return x, results


def main():
    folder, devices = pathlib.Path(sys.argv[1]), sys.argv[2:]
    count, problems = 0, []
    for bytes_type in ("u8", "i8"):
        for floats in MOVES:
            x, expressions = list_expressions(bytes_type, floats)
            count += len(expressions)
            outputs = ", ".join(f"out y{i}: f32[{LENGTH}]" for i in range(len(expressions)))
            stores = "\n".join(f"    y{i}[n] = ({text}) as f32;" for i, (text, _) in enumerate(expressions))
            text = (f"kernel k(a: {bytes_type}[{LENGTH}], {outputs}) grid ()\n  schedule (warps = 1)\n{{\n"
                    f"  for n in tiles({LENGTH}, {LENGTH}) {{\n"
                    f"    let x = a[n]; let h = a[tile(0, {LENGTH // 2}, {LENGTH // 2})];\n{stores}\n  }}\n}}\n")
            arguments = {"a": x.astype(np.uint8 if bytes_type == "u8" else np.int8)}
            expected = {f"y{i}": np.asarray(value, np.float32) for i, (_, value) in enumerate(expressions)}
            for device in devices:
                for problem in check(text, device, arguments, expected, folder, may_fall_back=False):
                    number = problem.split(":")[0].lstrip("y")
                    shown = expressions[int(number)][0] if number.isdigit() else ""
                    problems.append(f"{bytes_type} {device} {shown}: {problem}")
    print(*problems, sep="\n")
    print(f"{count} expressions, {len(problems)} problems")


if __name__ == "__main__":
    main()
