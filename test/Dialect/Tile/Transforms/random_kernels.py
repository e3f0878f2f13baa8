"""Runs random kernels before and after the passes and compares the results.

Usage: random_kernels.py [--first N] [--count N] [--keep FILE]

A kernel loops over tiles of 4 columns and carries up to three rows of 8. Its body is a random mixture of patterns that
the passes rewrite:

- scales of either sign
- masks of positions, with infinities and numbers after them
- maxima, sums, exp and log of sums and differences
- accumulations with and without factors

The test has fixed seeds; a search uses other ones. After an overflow, the two results may be different infinities or
NaN; the seeds of the test do not overflow.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

TILE, ROW, MASK = "tensor<8x4xf32>", "tensor<8xf32>", "tensor<8x4xi1>"
HEAD = """\
tile.kernel @random(%x: !tile.global<[M, N] x f32>, %r: !tile.global<[M] x f32>,
                    %c: !tile.global<[N] x f32>, %a: f32, %b: f32, %w: i32,
                    %o0: !tile.global<[M] x f32, out>, %o1: !tile.global<[M] x f32, out>,
                    %o2: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 8)) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %half = arith.constant dense<0.5> : tensor<8xf32>
  %low = arith.constant dense<0xFF800000> : tensor<8xf32>
  %lows = arith.constant dense<0xFF800000> : tensor<8x4xf32>
  %highs = arith.constant dense<0x7F800000> : tensor<8x4xf32>
  %zeros = arith.constant dense<0.0> : tensor<8x4xf32>
  %minus = arith.constant dense<-0.75> : tensor<8x4xf32>
  %plus = arith.constant dense<1.5> : tensor<8x4xf32>
  %row = tile.load %r[%m] : !tile.global<[M] x f32>, !tile.range<8 of M> -> tensor<8xf32>
"""
BODY = """\
    %n = tile.range %i to %N : !tile.range<4 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<8 of M>, !tile.range<4 of N> -> tensor<8x4xf32>
    %g0 = tile.load %c[%n] : !tile.global<[N] x f32>, !tile.range<4 of N> -> tensor<4xf32>
    %g1 = tile.scan sum %g0 axis 0 : tensor<4xf32>
    %g2 = tile.expand_dims %g1 axis 0 : tensor<4xf32> -> tensor<1x4xf32>
    %g = tile.broadcast %g2 : tensor<1x4xf32> -> tensor<8x4xf32>
    %v0 = tile.valid %n : !tile.range<4 of N> -> tensor<4xi1>
    %v1 = tile.expand_dims %v0 axis 0 : tensor<4xi1> -> tensor<1x4xi1>
    %valid = tile.broadcast %v1 : tensor<1x4xi1> -> tensor<8x4xi1>
    %m0 = tile.indices %m : !tile.range<8 of M> -> tensor<8xi32>
    %m1 = tile.expand_dims %m0 axis 1 : tensor<8xi32> -> tensor<8x1xi32>
    %mi = tile.broadcast %m1 : tensor<8x1xi32> -> tensor<8x4xi32>
    %n0 = tile.indices %n : !tile.range<4 of N> -> tensor<4xi32>
    %n1 = tile.expand_dims %n0 axis 0 : tensor<4xi32> -> tensor<1x4xi32>
    %ni = tile.broadcast %n1 : tensor<1x4xi32> -> tensor<8x4xi32>
    %ws = tensor.splat %w : tensor<8x4xi32>
    %mw = arith.subi %mi, %ws : tensor<8x4xi32>
"""
PIPELINES = (
    "tile-fold-exp2",
    "tile-peel-masks,tile-defer-reductions",
    "canonicalize,cse,tile-fold-exp2,canonicalize,cse,tile-peel-masks{peel-loads=true},"
    "tile-defer-reductions",
)


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.count = 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def emit(self, text):
        self.count += 1
        self.lines.append(f"    %k{self.count} = {text}")
        return f"%k{self.count}"

    def tile(self):
        return self.random.choice(self.tiles)

    def any_row(self):
        return self.random.choice(self.rows)

    def repeated_row(self, row=None):
        column = self.emit(f"tile.expand_dims {row or self.any_row()} axis 1 : {ROW} -> tensor<8x1xf32>")
        return self.emit(f"tile.broadcast {column} : tensor<8x1xf32> -> {TILE}")

    def add_mask(self):
        left, right = self.random.sample(("%mi", "%mw", "%ni"), 2)
        predicate = self.pick("sge", "sgt", "sle", "slt")
        mask = self.emit(f"arith.cmpi {predicate}, {left}, {right} : tensor<8x4xi32>")
        if self.random.random() < 0.3:
            mask = self.emit(f"arith.andi {mask}, {self.random.choice(self.masks)} : {MASK}")
        self.masks.append(mask)

    def add_tile(self):
        kind = self.random.randrange(8)
        if kind == 0:
            made = self.emit(f"arith.{self.pick('addf', 'subf')} {self.tile()}, {self.tile()} : {TILE}")
        elif kind in (1, 2):
            splat = self.emit(f"tensor.splat {self.pick('%a', '%b')} : {TILE}")
            op, values = "mulf", [splat, self.tile()]
            self.random.shuffle(values)
            if self.random.random() < 0.2:
                op, values = "divf", [self.tile(), splat]
            made = self.emit(f"arith.{op} {values[0]}, {values[1]} : {TILE}")
        elif kind == 3:
            made = self.emit(f"arith.mulf {self.tile()}, {self.pick('%minus', '%plus')} : {TILE}")
        elif kind == 4:
            op = self.pick("maximumf", "minimumf")
            made = self.emit(f"arith.{op} {self.tile()}, {self.tile()} : {TILE}")
        elif kind in (5, 6):
            values = [self.tile(), self.pick("%lows", "%lows", "%zeros", "%plus", "%highs", self.tile())]
            if self.random.random() < 0.2:
                values.reverse()
            mask = self.random.choice(self.masks)
            made = self.emit(f"arith.select {mask}, {values[0]}, {values[1]} : {MASK}, {TILE}")
        else:
            made = self.emit(f"arith.negf {self.tile()} : {TILE}")
        self.tiles.append(made)

    def add_exponentials(self):
        repeated = self.repeated_row()
        op = self.pick("addf", "subf", "subf")
        made = self.emit(f"arith.{op} {self.tile()}, {repeated} : {TILE}")
        self.tiles.append(made)
        if self.random.random() < 0.7:
            powers = self.emit(f"math.exp {made} : {TILE}")
            self.tiles.append(powers)
            self.rows.append(self.emit(f"tile.reduce sum {powers} axis 1 : {TILE} -> {ROW}"))

    def add_row(self):
        kind = self.random.randrange(6)
        if kind < 3:
            op = self.pick("max", "max", "min", "sum")
            made = self.emit(f"tile.reduce {op} {self.tile()} axis 1 : {TILE} -> {ROW}")
        elif kind == 3:
            op = self.pick("addf", "subf", "maximumf")
            made = self.emit(f"arith.{op} {self.any_row()}, {self.any_row()} : {ROW}")
        elif kind == 4:
            difference = self.emit(f"arith.subf {self.any_row()}, {self.any_row()} : {ROW}")
            made = self.emit(f"math.exp {difference} : {ROW}")
        else:
            size = self.emit(f"math.absf {self.any_row()} : {ROW}")
            above = self.emit(f"arith.addf {size}, %one : {ROW}")
            made = self.emit(f"math.log {above} : {ROW}")
        self.rows.append(made)

    def add_softmax(self):
        """Adds the step of a softmax whose tiles have no other use."""
        splat = self.emit(f"tensor.splat {self.pick('%a', '%b')} : {TILE}")
        made = self.emit(f"arith.mulf {self.pick('%t', '%g', self.tile())}, {splat} : {TILE}")
        for _ in range(self.random.randint(0, 2)):
            made = self.emit(
                f"arith.select {self.random.choice(self.masks)}, {made}, %lows : {MASK}, {TILE}")
        largest = self.emit(f"tile.reduce max {made} axis 1 : {TILE} -> {ROW}")
        bound = self.emit(f"arith.maximumf {largest}, {self.any_row()} : {ROW}")
        difference = self.emit(f"arith.subf {made}, {self.repeated_row(bound)} : {TILE}")
        powers = self.emit(f"math.exp {difference} : {TILE}")
        self.rows += [bound, self.emit(f"tile.reduce sum {powers} axis 1 : {TILE} -> {ROW}")]

    def update(self, carried):
        """Returns a new value of the carried row."""
        kind, other = self.random.randrange(3), self.any_row()
        if kind == 0:
            return self.emit(f"arith.maximumf {carried}, {other} : {ROW}")
        if kind == 1:
            carried = self.emit(f"arith.mulf {carried}, {self.pick('%half', self.any_row())} : {ROW}")
        return self.emit(f"arith.addf {carried}, {other} : {ROW}")

    def kernel(self):
        number = self.random.randint(1, 3)
        carried = [f"%l{i}" for i in range(number)]
        types = ", ".join([ROW] * number)
        inits = ", ".join(f"{name} = {self.pick('%zero', '%low', '%one', '%row')}" for name in carried)
        self.tiles, self.rows, self.masks = ["%t", "%g"], ["%row", *carried], ["%valid"]
        for _ in range(self.random.randint(0, 2)):
            self.add_mask()
        for _ in range(self.random.randint(5, 16)):
            self.pick(self.add_tile, self.add_tile, self.add_exponentials, self.add_row,
                      self.add_softmax)()
        yields = ", ".join([self.update(name) for name in carried])
        body, self.lines = self.lines, []
        results = [f"%s#{i}" for i in range(number)]
        for i in range(3):
            value, other = self.random.choice(results), self.random.choice([*results, "%row"])
            if self.random.random() < 0.5:
                difference = self.emit(f"arith.subf {value}, {other} : {ROW}")
                value = self.emit(f"math.exp {difference} : {ROW}")
            else:
                size = self.emit(f"math.absf {other} : {ROW}")
                log = self.emit(f"math.log {size} : {ROW}")
                value = self.emit(f"arith.addf {value}, {log} : {ROW}")
            self.lines.append(f"    tile.store {value} to %o{i}[%m] : {ROW}, "
                              "!tile.global<[M] x f32, out>, !tile.range<8 of M>")
        return "\n".join([
            f"{HEAD}  %s:{number} = scf.for %i = %c0 to %N step %c4 iter_args({inits}) -> ({types}) {{",
            BODY + "\n".join(body), f"    scf.yield {yields} : {types}", "  }", *self.lines, "}", ""])

    def arguments(self):
        m, n = self.pick(1, 8, 11), self.pick(0, 1, 4, 7, 13, 20)
        values = {"x": f"randn({m},{n})", "r": f"rand({m})", "c": f"rand({n})",
                  "a": self.pick(0.6, -0.4, 0, 1.3), "b": self.pick(0.3, -1.1, 0.9),
                  "w": self.pick(0, 1, 3, 9, -2), **{f"o{i}": f"({m})" for i in range(3)}}
        return [f"--arg={name}={value}" for name, value in values.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=40, help="number of kernels")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the last kernel there")
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        source = options.keep or pathlib.Path(folder, "kernel.mlir")
        for seed in range(options.first, options.first + options.count):
            generator = Generator(seed)
            source.write_text(generator.kernel())
            command = ["tile-run", str(source), "--seed", str(seed), *generator.arguments()]
            variants = [[f"--save=o{i}={folder}/o{i}.npy" for i in range(3)]] + [
                [f"--expect=o{i}={folder}/o{i}.npy" for i in range(3)]
                + ["--rtol=1e-4", "--atol=1e-5",
                   f"--pass-pipeline=builtin.module(tile.kernel({pipeline}))"]
                for pipeline in PIPELINES]
            for variant in variants:
                done = subprocess.run(command + variant, capture_output=True, text=True)
                if done.returncode != 0:
                    failures += 1
                    print(f"seed {seed}:", " ".join(command + variant), done.stdout, done.stderr, sep="\n")
    print(f"{options.count} kernels, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
