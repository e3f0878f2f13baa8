#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the registers, shared memory and rings that kernels of the examples need, at default and other tiles.

    tiles.py TILEC [--update] [--check]

Prints the table of docs/tiles.md; --update writes it to that page, --check compares. Needs neither ptxas nor a GPU.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/tiles.md"
# The error of the register estimate (docs/registers.md).
NEAR = 16
START, END = "<!-- printed by gpu/tiles.py: -->\n", "<!-- end -->\n"

# Kernels with products, and their sets of parameters; an empty set means the defaults.
KERNELS = [
    ("03-matmul", "matmul_nn", ["", "BN=128", "BM=256 BN=128", "BM=256 BN=256", "BM=64 BN=256 WARPGROUPS=1",
                                "BM=128 BN=128 WARPGROUPS=1", "BK=128"]),
    ("04-split-k-matmul", "split_k_partial_nn", [""]),
    ("06-lola", "lola", [""]),
    ("06-lola", "lola_online", [""]),
    ("07-flash-attention", "flash_fwd", ["", "BN=176", "D=64", "D=64 BN=256", "D=256 BN=64", "D=256"]),
    ("08-gated-attention", "gated_attention", ["", "DK=64 DV=64"]),
    ("08-gated-attention", "gated_attention_dq", [""]),
    ("08-gated-attention", "gated_attention_dkv", [""]),
    ("09-linear-logp", "linear_logp", ["", "STORED=true"]),
    ("09-linear-logp", "linear_logp_dz", [""]),
    ("09-linear-logp", "linear_logp_dh", [""]),
    ("09-linear-logp", "linear_logp_dw", [""]),
    ("10-varlen-attention", "varlen_fwd", ["", "DK=64 DV=64", "BM=64"]),
    ("11-attention-backward", "attention_bwd", ["", "BM=128"]),
    ("11-attention-backward", "attention_bwd_dq", [""]),
    ("12-varlen-backward", "varlen_bwd", ["", "DK=192"]),
    ("12-varlen-backward", "varlen_bwd_dq", [""]),
    ("13-decoding", "decode", ["", "D=64"]),
    ("14-scaled-matmul", "scaled_matmul", ["", "WARPGROUPS=1 BM=64"]),
    ("16-gated-delta-rule", "delta_chunks", ["", "DK=64 DV=64"]),
    ("16-gated-delta-rule", "delta_rule", ["", "DK=64 DV=64", "OUTPUTS=false STATES=true"]),
    ("16-gated-delta-rule", "delta_rule_back", [""]),
    ("16-gated-delta-rule", "delta_chunks_back", [""]),
    ("17-kimi-delta-attention", "kda_chunks", [""]),
    ("17-kimi-delta-attention", "kda", ["", "OUTPUTS=false STATES=true"]),
    ("17-kimi-delta-attention", "kda_back", [""]),
    ("17-kimi-delta-attention", "kda_values_back", [""]),
    ("17-kimi-delta-attention", "kda_chunks_back", [""]),
]  # fmt: skip


def describe(tilec, example, kernel, parameters):
    """Returns the row of one kernel."""
    command = [tilec, ROOT / "examples" / example / "kernel.tile", f"--kernel={kernel}", "--emit=allocate",
               "--report", "-o", "/dev/null"]
    command += [word for parameter in parameters.split() for word in ("-D", parameter)]
    done = subprocess.run(command, capture_output=True, text=True)
    cells = [f"`{kernel}`", f"`{parameters}`" if parameters else "defaults"]
    if done.returncode:
        error = re.search(r"error: (.*)", done.stderr)
        return [*cells, "no", re.sub(r"'.*?' op ", "", error.group(1)) if error else done.stderr, "", ""]
    text = re.search(rf"(?ms)^kernel '{kernel}': .*?(?=^kernel |\Z)", done.stderr).group(0)
    needs = [(int(need), int(budget)) for need, budget in re.findall(r"(?m)^    .*about (\d+) of (\d+)", text)]
    # Rings of loads; other rings hold computed values.
    rings = re.findall(r"(?m)^    ('.*'): (\d+) slots? of (\d+) bytes", text)
    size, = re.findall(r"(\d+) bytes of shared memory", text)
    over = max((need - budget for need, budget in needs), default=0)
    fits = "yes" if over <= 0 else "nearly" if over <= NEAR else "no"
    staged = ", ".join(f"{count} x ({names.replace(chr(39), '')})" for names, count, _ in rings)
    registers = " and ".join(sorted({f"{need} of {budget}" for need, budget in needs}))
    return [*cells, fits, registers, staged or "nothing", size]


def make_table(tilec):
    rows = [["kernel", "parameters", "fits", "registers of a thread", "staged", "bytes of shared memory"], ["---"] * 6]
    rows += [describe(tilec, example, kernel, parameters)
             for example, kernel, sets in KERNELS for parameters in sets]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main():
    parser = argparse.ArgumentParser(description="Print which tiles of the examples fit, and their rings.")
    parser.add_argument("tilec")
    parser.add_argument("--update", action="store_true", help="write the table to docs/tiles.md")
    parser.add_argument("--check", action="store_true", help="compare it with docs/tiles.md")
    options = parser.parse_args()
    table = make_table(options.tilec)
    page = PAGE.read_text()
    before, rest = page.split(START)
    old, after = rest.split(END)
    if options.update:
        PAGE.write_text(before + START + "\n" + table + "\n" + END + after)
    elif options.check:
        if old.strip() != table.strip():
            sys.exit(f"docs/tiles.md differs from this table; run gpu/tiles.py TILEC --update\n{table}")
    else:
        print(table, end="")


if __name__ == "__main__":
    main()
