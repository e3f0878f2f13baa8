#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels whose source is edited, to measure the share of one part in their time.

    source_edits.py EDIT --build BUILD --out FOLDER [--only REGEX] [--jobs N]
    compare_folders.py FOLDER... --only REGEX

Copies the examples and the scripts of this folder to FOLDER.tree, edits the sources there, and runs compile.py. Some
edits make results wrong; only the times matter.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BACKWARD = "11-attention-backward"
PACKED_BACKWARD = "12-varlen-backward"

# By name: what it shows, and the replacements in each example.
EDITS = {
    "scale-sign": ("no choice between maximum and minimum by the sign of the scale", {
        "07-flash-attention": [("scale * (qm @", "abs(scale) * (qm @")],
        "10-varlen-attention": [("scale * (qm @", "abs(scale) * (qm @")]}),
    "key-mask": ("no mask of keys past the last one", {
        BACKWARD: [("      p = where(n.valid[:, _], p, 0.0);\n", "")],
        PACKED_BACKWARD: [("        p = where(n.valid[:, _], p, 0.0);\n", "")]}),
    "all-masks": ("no masks at all", {
        BACKWARD: [("      p = where(n.valid[:, _], p, 0.0);\n", ""),
                   ("p = where(m.index[_, :] + (N - M) >= n.index[:, _], p, 0.0);", "")],
        PACKED_BACKWARD: [("        p = where(n.valid[:, _], p, 0.0);\n", ""),
                          ("p = where(m.index[_, :] + lag >= n.index[:, _], p, 0.0);", "")]}),
    "lse": ("no log-sum-exp, so none of its loads", {
        BACKWARD: [("- shift[b, h, rows][_, :]", "- c")],
        PACKED_BACKWARD: [("- shift[h, from][_, :]", "- c")]}),
    "delta": ("no delta, so none of its loads", {
        BACKWARD: [("(dp - delta[b, h, rows][_, :])", "(dp - scale)")],
        PACKED_BACKWARD: [("-delta[h, from][_, :]", "-c")]}),
    "rows": ("neither, and no barriers for them", {
        BACKWARD: [("- shift[b, h, rows][_, :]", "- c"),
                   ("(dp - delta[b, h, rows][_, :])", "(dp - scale)")],
        PACKED_BACKWARD: [("- shift[h, from][_, :]", "- c"), ("-delta[h, from][_, :]", "-c")]}),
}


def edit(path, replacements):
    """Applies replacements to the kernel that a file has first of those with the text."""
    text = path.read_text()
    for old, new in replacements:
        if old not in text:
            sys.exit(f"source_edits.py: error: {path} has no text {old!r}")
        text = text.replace(old, new, 1)
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description="Compile kernels whose source is edited.")
    parser.add_argument("edit", choices=EDITS, help="; ".join(f"{name}: {what}" for name, (what, _) in EDITS.items()))
    parser.add_argument("--out", required=True, type=pathlib.Path, metavar="FOLDER", help="folder of the packages")
    options, rest = parser.parse_known_args()
    tree = options.out.with_suffix(".tree")
    shutil.rmtree(tree, ignore_errors=True)
    for name in "examples", "gpu", "python":
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("results", "__pycache__"))
    for example, replacements in EDITS[options.edit][1].items():
        edit(tree / "examples" / example / "kernel.tile", replacements)
    sys.exit(subprocess.run([sys.executable, tree / "gpu/compile.py", "--out", options.out, *rest]).returncode)


if __name__ == "__main__":
    main()
