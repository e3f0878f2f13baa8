#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints for each kernel of the examples with roles whether it is proven that no role waits for ever.

    progress.py ROOT [REGEX]

The kernels are those in the output of `--report`, at default parameters and at those below, which give other roles.
"""

import pathlib
import re
import subprocess
import sys

OTHERS = {
    "03-matmul": ["WARPGROUPS=1 BM=128 BN=128", "WARPGROUPS=1 BM=128 BN=128 CLUSTER=2", "CLUSTER=2"],
    "07-flash-attention": ["CAUSAL=true", "PERSISTENT=true", "PERSISTENT=true CAUSAL=true",
                           "PERSISTENT=true CAUSAL=true DYNAMIC=true", "CLUSTER=2", "CLUSTER=2 CAUSAL=true"],
    "10-varlen-attention": ["CAUSAL=true", "DK=64 DV=64", "DK=64 DV=64 CAUSAL=true", "BM=64", "BM=64 CAUSAL=true",
                            "BM=64 PERSISTENT=true", "BM=64 PACK=4 CAUSAL=true"],
    "14-scaled-matmul": ["WARPGROUPS=1 BM=64"],
}  # fmt: skip


def report(source, parameters):
    """Returns by kernel the report on its progress."""
    defines = [word for parameter in parameters.split() for word in ("-D", parameter)]
    # Not all kernels of a file have the parameters of the first.
    name = re.search(r"(?m)^kernel (\w+)", source.read_text()).group(1)
    command = ["tilec", source, "--emit=expand", "--report", "-o", "/dev/null", *defines]
    done = subprocess.run(command + (["--kernel", name] if defines else []), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{source} {parameters}: {done.stderr}")
    return re.findall(r"(?m)^kernel '(\w+)'(?:.*\n(?!kernel))*?  progress:\n    (.*)", done.stderr)


def main():
    root, only = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    proven = kernels = 0
    for source in sorted((root / "examples").glob("*/kernel.tile")):
        example = source.parent.name
        if not re.search(only, example):
            continue
        for parameters in ["", *OTHERS.get(example, [])]:
            for kernel, said in report(source, parameters):
                proven += said.startswith("proven")
                kernels += 1
                print(f"{example} {kernel} {parameters}: {said}")
    print(f"{proven} of {kernels} kernels are proven")


if __name__ == "__main__":
    main()
