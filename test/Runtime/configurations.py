"""Tests values that calls choose by predicted time: for each class of sizes, kept in the cache; priorities; devices.

Usage: configurations.py FOLDER"""

import itertools
import os
import pathlib
import pickle
import re
import sys
import warnings

import numpy as np
import tessera
import tessera.configurations
import torch

SOURCE = """
kernel scale<T: type = f32, BM: int in {2, 8} = 2, BN: int in {64, 2048} = 2048>(x: T[M, N], s: f32, out y: T[M, N])
  grid (m in tiles(M, BM), n in tiles(N, BN))
{
  y[m, n] = (x[m, n] as f32 * s) as T;
}
kernel repeated<BN: int in {64, 512} = 64>(x: f32[N], times: int, out y: f32[N]) grid (n in tiles(N, BN)) {
  var t = x[n];
  for i in range(0, times) { t = t + 1.0; }
  y[n] = t;
}
kernel either<BN: int in {64, 512} = 64, FLAT: bool = false>(
    x: f32[if FLAT { 1 } else { B }, N], out y: f32[if FLAT { 1 } else { B }, N])
  grid (n in tiles(N, BN), b in if FLAT { 1 } else { B })
{
  y[b, n] = 2.0 * x[b, n];
}
"""
WINNERS = """
[[winner]]
kernel = "scale"
sizes = { M = { max = 100 } }
choose = { BN = 128 }
"""


def check_classes():
    represent = tessera.configurations.represent
    for size, expected in [(0, 0), (1, 1), (64, 64), (65, 79), (66, 78), (80, 80), (96, 96), (1024, 1024), (1025, 1279),
                           (1280, 1280), (3600, 4080), (3601, 4095), (3584, 3584), (4000, 4080), (4004, 4092)]:
        assert represent(size) == expected, (size, represent(size))
    for size in range(1, 5000):
        found = represent(size)
        # A class is an interval of sizes with one factor, and its largest size represents it.
        assert found >= size and represent(found) == found and found < 1.25 * size + 1, (size, found)
        assert min(found & -found, 16) == min(size & -size, 16) or size <= 64, (size, found)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True)
    path = folder / "scale.tile"
    path.write_text(SOURCE)
    options = {"options": ("--ptx-only",)}
    check_classes()
    numbers = itertools.count()

    def call(rows, columns, cache=None, load=None, **compile_time):
        """Returns the tile of the kernel of a call, which must give the right result."""
        cache = cache or folder / f"cache{next(numbers)}"
        before = set(cache.glob("*.tpk"))
        x = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns) % 64
        kernel = tessera.load(path, cache=tessera.Cache(cache), **options, **(load or {}))["scale"]
        y = kernel(torch.tensor(x, torch.float32), 2.0, **compile_time)
        np.testing.assert_array_equal(y.numpy(), 2 * x)
        made = set(cache.glob("*.tpk")) - before
        if not made:
            return None
        (package,) = made
        grid = tessera.Package(package).metadata["kernels"][0]["grid"]
        return tuple(map(int, re.findall(r"ceildiv (\d+)", " ".join(grid))))

    # Short rows take the short tile. A given value is kept, and the switch keeps the defaults.
    assert call(200, 64) == (2, 64)
    assert call(200, 64, BM=8) == (8, 64)
    assert call(200, 64, BN=256) == (2, 256)
    assert call(200, 64, load={"configuration": "default"}) == (2, 2048)
    assert call(200, 64, BM=2, BN=2048) == (2, 2048)
    try:
        tessera.load(path, configuration="fast")
    except tessera.ArgumentError as error:
        assert str(error) == "configuration is 'predicted' or 'default', got 'fast'", error
    else:
        raise AssertionError("an unknown configuration")

    # A class of sizes has one file, and other processes find it.
    cache = folder / "classes"
    assert call(200, 64, cache) == (2, 64)
    (choice,) = [file for file in cache.glob("scale-*.json") if "choice" in file.read_text()]
    made = choice.stat().st_mtime_ns
    assert call(216, 64, cache) is None and call(206, 64, cache) is None
    files = {file for file in cache.glob("scale-*.json") if "choice" in file.read_text()}
    assert len(files) == 2 and choice.stat().st_mtime_ns == made, files
    # A damaged file is made again.
    choice.write_text('{"choice": {"BM": 2}, "configurations": [{"values": {}}]}')
    tessera.sources._sources = tessera.sources.Once()
    assert call(200, 64, cache) is None and '"BM": "2"' in choice.read_text()
    # A read-only cache uses its choices, and the defaults for other classes.
    tessera.load(path, cache=tessera.Cache(cache), configuration="default", **options)["scale"].compile(T="f32")
    kernel = tessera.load(path, cache=tessera.Cache(cache, read_only=True), **options)["scale"]
    assert kernel.compile(T="f32", M=200, N=64) != kernel.compile(T="f32")
    assert kernel.compile(T="f32", M=2000, N=64) == kernel.compile(T="f32")

    # Tuned choices have priority where a row applies.
    (folder / "scale.tuned.toml").write_text(WINNERS)
    assert call(100, 64) == (2, 128)
    assert call(101, 64) == (2, 64)
    os.remove(folder / "scale.tuned.toml")

    # Sizes by name, `int` arguments, pickles, and the declaration.
    source = tessera.load(path, cache=tessera.Cache(cache), **options)
    assert source["scale"].compile(M=200, N=64) == source["scale"].compile(BM=2, BN=64)
    assert source["scale"].compile(BM=2, M=200, N=65536) == source["scale"].compile(BM=2)
    assert pickle.loads(pickle.dumps(source["scale"])) is source["scale"]
    assert "BM: int in {2, 8} = 2" in source["scale"].signature.declaration()
    y = source["repeated"](torch.tensor(np.zeros(4096, np.float32), torch.float32), 3)
    np.testing.assert_array_equal(y.numpy(), 3)
    assert any('"repeated"' in file.read_text() for file in cache.glob("repeated-*.json"))

    # The defaults hold if arguments do not tell all sizes, as those of conditional extents.
    x = torch.tensor(np.ones((3, 700), np.float32), torch.float32)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.testing.assert_array_equal(source["either"](x).numpy(), 2)
    assert any("'either' keeps its defaults" in str(warning.message) and "also depends on B" in str(warning.message)
               for warning in caught), [str(warning.message) for warning in caught]

    # The defaults run without a GPU.
    for device in ("cpu", "interpreter", "sim"):
        kernel = tessera.load(path, device=device, cache=tessera.Cache(folder / device))["scale"]
        np.testing.assert_array_equal(kernel(np.ones((5, 7), np.float32), 2.0), 2)
    assert not (folder / "cpu").exists() or not list((folder / "cpu").iterdir())


main()
