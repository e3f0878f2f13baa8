#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the time of each configuration in each of several folders of packages, in one run.

    compare_folders.py FOLDER... --only REGEX

compile.py writes such folders; scripts of this folder edit sources or PTX on the way. Results are not checked, so an
edit may make them wrong: only the times matter. Times are in microseconds, the medians of bursts of the folders in
alternation.
"""

import argparse
import pathlib
import re
import statistics
import sys

GPU = pathlib.Path(__file__).resolve().parents[1]


def measure(options):
    sys.path[:0] = [str(GPU), str(GPU.parent / "python")]
    import torch

    import families
    import tables
    from measure import bench_run
    from tessera.tune import timing

    indexes = {folder: tables.Index(folder) for folder in options.folders}
    for shape in families.load_shapes():
        if not re.search(options.only, shape.id):
            continue
        print(shape.id)
        with torch.cuda.stream(torch.cuda.Stream()):
            problem = shape.make_problem()
            works = {}
            for folder, index in indexes.items():
                for one in index.configurations(shape):
                    if not index.configuration_error(one, shape):
                        works[one.name, folder] = bench_run.Launches(index, one, shape, problem, {})
            samples = timing.measure_bursts(works, options.rounds)
        for name in dict.fromkeys(name for name, _ in works):
            times = (f"{pathlib.Path(folder).name} {statistics.median(samples[name, folder]) * 1e3:.1f}"
                     for folder in options.folders if (name, folder) in works)
            print(f"  {name:24}", *times, sep="  ", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Compare the times of the configurations of folders of packages.")
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="a folder that compile.py wrote")
    parser.add_argument("--only", default="^attention-backward", metavar="REGEX", help="only shapes that match")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="bursts of each configuration")
    measure(parser.parse_args())


if __name__ == "__main__":
    main()
