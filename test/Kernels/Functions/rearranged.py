# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random chains of changes of shape, maxima and sorts on all devices, and compares with NumPy.

    rearranged.py FOLDER [--count 20] [--first 0] [--devices interpreter,cpu,sim,ptx]
"""

import argparse
import pathlib
import sys
from random import Random

import devices
import numpy as np

DTYPES = [np.float32, np.int8, np.float16, np.int64, np.int32, bool, np.uint16]
SHAPES = [(32, 64), (8, 48), (256,), (4, 16, 8), (1, 96), (16, 6, 4), (128, 2), (3, 5, 7), (64,), (2, 2, 2, 32),
          (1, 333), (17, 3), (200,), (3, 40), (2, 5, 24)]
MOST = 1 << 13


class Chain:
    """A tile, as text and as an array, and its changes."""

    def __init__(self, random, array):
        self.random, self.lines, self.array = random, ["let t0 = x[" + ", ".join(":" for _ in array.shape) + "];"], array
        self.name = "t0"

    def set(self, text, array):
        self.name = f"t{len(self.lines)}"
        self.lines.append(f"let {self.name} = {text};")
        self.array = np.ascontiguousarray(array)

    def axis(self):
        return self.random.randrange(self.array.ndim)

    def reshape(self):
        rest, shape = self.array.size, []
        while len(shape) < 4 and (rest > 1 or not shape):
            extent = self.random.choice([n for n in range(1, rest + 1) if rest % n == 0])
            shape.append(extent)
            rest //= extent
        shape.append(rest)
        self.random.shuffle(shape)
        self.set(f"reshape({self.name}, {', '.join(map(str, shape))})", self.array.reshape(shape))

    def permute(self):
        axes = list(range(self.array.ndim))
        self.random.shuffle(axes)
        self.set(f"permute({self.name}, {', '.join(map(str, axes))})", self.array.transpose(axes))

    def flip(self):
        axis = self.axis()
        self.set(f"flip({self.name}, axis = {axis})", np.flip(self.array, axis))

    def split(self):
        if self.array.shape[-1] % 2:
            return None
        names = f"e{len(self.lines)}", f"o{len(self.lines)}"
        self.lines.append(f"let {', '.join(names)} = split({self.name});")
        if self.random.random() < 0.5:
            swapped = self.array.reshape(*self.array.shape[:-1], -1, 2)[..., ::-1].reshape(self.array.shape)
            return self.set(f"join({names[1]}, {names[0]})", swapped)
        which = self.random.randrange(2)
        return self.set(names[which], self.array[..., which::2])

    def join(self):
        if self.array.size > MOST // 2:
            return
        axis = self.axis()
        other = np.flip(self.array, axis)
        self.set(f"join({self.name}, flip({self.name}, axis = {axis}))",
                 np.stack((self.array, other), -1).reshape(*self.array.shape[:-1], -1))

    def concat(self):
        if self.array.size > MOST // 2:
            return
        axis = self.axis()
        key, text = self.key(axis)
        self.set(f"concat({self.name}, {self.name}[{text}], axis = {axis})", np.concatenate((self.array, self.array[key]), axis))

    def key(self, axis):
        """Draws a part along one axis."""
        extent = self.array.shape[axis]
        low = self.random.randrange(extent)
        high = self.random.randint(low + 1, extent)
        if extent % 2 == 0 and self.random.random() < 0.5:
            low, high = self.random.choice([(0, extent // 2), (extent // 2, extent)])
        text = f"{low if low or self.random.random() < 0.5 else ''}:{high if high < extent or self.random.random() < 0.5 else ''}"
        return ((slice(None),) * axis + (slice(low, high),), ", ".join(text if n == axis else ":" for n in range(self.array.ndim)))

    def part(self):
        key, text = self.key(self.axis())
        self.set(f"{self.name}[{text}]", self.array[key])

    def index(self):
        if self.array.ndim == 1:
            return
        axis = self.axis()
        number = self.random.randrange(self.array.shape[axis])
        text = ", ".join(str(number) if n == axis else ":" for n in range(self.array.ndim))
        self.set(f"{self.name}[{text}]", self.array.take(number, axis))

    def broadcast(self):
        axis, extent = self.random.randint(0, self.array.ndim), self.random.choice([2, 3, 4])
        if self.array.size > MOST // extent or self.array.ndim > 5:
            return
        text = ", ".join("_" if n == axis else ":" for n in range(self.array.ndim + 1))
        array = np.repeat(np.expand_dims(self.array, axis), extent, axis)
        self.set(f"broadcast({self.name}[{text}], {', '.join(map(str, array.shape))})", array)

    def greatest(self):
        if self.array.ndim == 1 or self.array.dtype == bool:
            return
        axis = self.axis()
        self.set(f"max({self.name}, axis = {axis})", self.array.max(axis))

    def sort(self):
        axis = self.axis()
        if self.array.shape[axis] > 512 or self.array.dtype == bool:
            return
        self.set(f"sort({self.name}, axis = {axis})", np.sort(self.array, axis))


WAYS = [Chain.reshape, Chain.permute, Chain.flip, Chain.split, Chain.join, Chain.concat, Chain.part, Chain.index, Chain.broadcast,
        Chain.greatest, Chain.sort]


def draw(number):
    """Returns the text, the argument and the results of a program."""
    random, data = Random(number), np.random.default_rng(number)
    shape, dtype = random.choice(SHAPES), DTYPES[number % len(DTYPES)]
    x = data.integers(0, 2, shape).astype(bool) if dtype is bool else data.integers(0, 100, shape).astype(dtype)
    chain, expected, stores = Chain(random, x), {}, []
    for _ in range(random.randint(1, 5)):
        before = len(chain.lines)
        random.choice(WAYS)(chain)
        if len(chain.lines) > before and random.random() < 0.5:
            expected[f"y{len(expected)}"] = chain.array
            stores.append(chain.name)
    if not expected:
        expected["y0"], stores = chain.array, [chain.name]
    lines = chain.lines + [f"{name}[{', '.join(':' for _ in array.shape)}] = {tile};" for (name, array), tile in zip(expected.items(), stores)]
    parameters = [devices.declare("x", x)] + [devices.declare(name, array, "out") for name, array in expected.items()]
    text = f"kernel k({', '.join(parameters)}) schedule (warps = {random.choice((1, 2, 4, 8, 16))}) {{\n  " + "\n  ".join(lines) + "\n}\n"
    return text, {"x": x}, expected


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--devices", default="interpreter,cpu,sim,ptx")
    parser.add_argument("--passes", help="passes of kernels that the interpreter runs first")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failures = runs = 0
    for number in range(options.first, options.first + options.count):
        program = draw(number)
        for device in options.devices.split(","):
            runs += 1
            passes = [f"--pass-pipeline=builtin.module(tile.kernel({options.passes}))"] if options.passes else []
            for problem in devices.check(program[0], device, *program[1:], options.folder, passes):
                failures += 1
                print(f"{number} {device}: {problem}\n{program[0]}", flush=True)
    print(f"{runs} runs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
