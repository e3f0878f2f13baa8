"""Tests tuned choices in calls: the file of the source's folder, another file, none; values of a call have priority.

Usage: tuned.py SCALE_TILE FOLDER"""

import itertools
import os
import pathlib
import pickle
import re
import shutil
import sys

import numpy as np
import tessera
import torch

WINNERS = """
device = "paper"
[[winner]]
kernel = "scale"
class = "few rows"
given = { T = "f32" }
sizes = { M = { max = 8 } }
choose = { BM = 8, BN = 32 }
[[winner]]
kernel = "other"
choose = { BM = 128 }
[[winner]]
kernel = "scale"
class = "whole tiles"
given = { T = "f32" }
sizes = { N = { min = 32, multiple = 32 } }
choose = { BM = 4, BN = 32, "--raster-group" = 2 }
[[winner]]
kernel = "scale"
given = { T = "bf16" }
choose = { BM = 2 }
"""


def main():
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True)
    path = pathlib.Path(shutil.copy(sys.argv[1], folder / "scale.tile"))
    options = {"options": ("--ptx-only",)}

    numbers = itertools.count()

    def tile(rows, columns, load=None, dtype=torch.float32, **compile_time):
        """Returns the tile of the kernel of a call, which must give the right result."""
        cache = folder / f"cache{next(numbers)}"
        x = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns) % 64
        kernel = tessera.load(path, cache=tessera.Cache(cache), **options, **(load or {}))["scale"]
        y = kernel(torch.tensor(x, dtype), 2.0, **compile_time)
        np.testing.assert_array_equal(y.numpy(), 2 * x)
        (package,) = cache.glob("*.tpk")
        grid = tessera.Package(package).metadata["kernels"][0]["grid"]
        return tuple(map(int, re.findall(r"ceildiv (\d+)", " ".join(grid))))

    assert tile(8, 96) == (16, 16)  # There is no file yet.
    beside = folder / "scale.tuned.toml"
    beside.write_text(WINNERS)
    assert tile(8, 96) == (8, 32)
    assert tile(9, 96) == (4, 32)
    assert tile(9, 100) == (16, 16)
    assert tile(9, 64, dtype=torch.bfloat16) == (2, 16)
    # The value that a row requires, even if the call omits it; and a value that the row would choose.
    assert tile(8, 96, T="f32") == (8, 32)
    assert tile(8, 96, BM=16) == (16, 16)
    assert tile(8, 96, {"tuned": False}) == (16, 16)
    other = folder / "other.toml"
    other.write_text('winner = [{ kernel = "scale", choose = { BM = 64 } }]')
    assert tile(8, 96, {"tuned": other}) == (64, 16)
    # A rewritten file is read again.
    other.write_text('winner = [{ kernel = "scale", choose = { BM = 32 } }]')
    os.utime(other, ns=(1, 1))
    assert tile(8, 96, {"tuned": str(other)}) == (32, 16)

    # Without a call, the given sizes select the tuned choice.
    kernel = tessera.load(path, cache=tessera.Cache(folder / "compiled"), **options)["scale"]
    assert pickle.loads(pickle.dumps(kernel)) is kernel
    plain, few = kernel.compile(T="f32"), kernel.compile(T="f32", M=8, N=96)
    assert plain != few and kernel.compile(T="f32", BM=8, BN=32) == few

    other.write_text('winner = [{ kernel = "scale", choose = { BK = 32 } }]')
    os.utime(other, ns=(2, 2))
    try:
        tile(8, 96, {"tuned": other})
    except tessera.ArgumentError as error:
        assert str(error) == (f"{path}:2:8: kernel 'scale' has no compile-time parameter 'BK', which {other} "
                              "chooses"), error
    else:
        raise AssertionError("BK was chosen")
    try:
        tessera.load(path, tuned=folder / "absent.toml", **options)
    except tessera.TuningError as error:
        assert str(error) == f"cannot read '{folder / 'absent.toml'}': No such file or directory", error
    else:
        raise AssertionError("a file that is not there was read")


main()
