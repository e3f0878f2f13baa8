"""Checks that each kernel.tune.toml of the examples declares candidates for each class.

Usage: examples.py EXAMPLES CACHE"""

import pathlib
import sys

import tessera
from tessera.tune import space


def main():
    paths = sorted(pathlib.Path(sys.argv[1]).glob("*/kernel.tune.toml"))
    assert len(paths) >= 2, paths
    for path in paths:
        source = tessera.load(path.parent / "kernel.tile", cache=tessera.Cache(sys.argv[2]), tuned=False)
        for tuning in space.load(path, source.signatures):
            for given in tuning.given:
                for row in tuning.classes:
                    found = [choice for choice in tuning.candidates(tuning.kernels[0], given)
                             if tuning.suits(given, choice, row.shapes)]
                    assert len(found) > 2, f"{path}: {given}: {row.name}: {found}"


main()
