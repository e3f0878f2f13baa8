#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the pictures of the documentation as SVG, or compares them with the committed files.

    draw.py [--check] [--out FOLDER] [PICTURE...]

A PICTURE is a path in the repository, as `draw.py --list` prints it; default: all. Layouts and schedules are those that
`tile-layout` and `tilec` print, so the tools must be in PATH. --check fails if a committed file differs.
"""

import argparse
import functools
import pathlib
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import levels  # noqa: E402
import loops  # noqa: E402
import registers  # noqa: E402
import schedules  # noqa: E402
import speeds  # noqa: E402
import tiles  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = "docs/pictures"
PICTURES = {
    f"{FOLDER}/architecture.svg": levels.draw_architecture,
    f"{FOLDER}/causal-blocks.svg": tiles.draw_causal_blocks,
    f"{FOLDER}/grid.svg": tiles.draw_grid,
    f"{FOLDER}/mask-peeling.svg": loops.draw_mask_peeling,
    f"{FOLDER}/matmul.svg": tiles.draw_matmul,
    f"{FOLDER}/online-softmax.svg": loops.draw_online_softmax,
    f"{FOLDER}/product-registers.svg": registers.draw_product_registers,
    f"{FOLDER}/ring.svg": loops.draw_ring,
    f"{FOLDER}/speeds.svg": speeds.draw_speeds,
    f"{FOLDER}/vector-grid.svg": tiles.draw_vector_grid,
    **{f"examples/{name}/schedule.svg": functools.partial(schedules.draw_schedule, name) for name in schedules.KERNELS},
}
# The largest size of a picture in bytes.
LARGEST = 30_000


def find_unknown():
    """Returns the committed pictures that nothing here draws."""
    found = [*(ROOT / FOLDER).glob("*.svg"), *(ROOT / "examples").glob("*/*.svg")]
    return sorted({str(path.relative_to(ROOT)) for path in found} - PICTURES.keys())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", nargs="*", metavar="PICTURE", help="default: all")
    parser.add_argument("--check", action="store_true", help="compare the drawings with the committed files")
    parser.add_argument("--list", action="store_true", help="print the names of the pictures")
    parser.add_argument("--out", metavar="FOLDER", type=pathlib.Path, default=ROOT, help="default: the repository")
    options = parser.parse_args()
    if options.list:
        print("\n".join(PICTURES))
        return
    if unknown := set(options.pictures) - PICTURES.keys():
        parser.error(f"no picture is named {sorted(unknown)[0]}; --list prints the names")
    for tool in ("tilec", "tile-layout"):
        if not shutil.which(tool):
            sys.exit(f"error: {tool} is not in PATH; add build/bin, which ./tessera build makes")
    problems = [] if options.pictures else [f"{name}: no function of {__file__} draws it" for name in find_unknown()]
    for name in options.pictures or PICTURES:
        text, path = PICTURES[name]().render(), options.out / name
        if len(text.encode()) > LARGEST:
            problems.append(f"{name}: {len(text.encode())} bytes; the limit is {LARGEST}")
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            problems.append(f"{name} differs from its drawing; run site/pictures/draw.py {name}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(options.pictures or PICTURES)} pictures")


if __name__ == "__main__":
    main()
