"""Compares the plans of the examples' kernels, at their default parameters, with a listing.

    plans.py TILEC ROOT [--update]

The listing is plans.txt in this folder; --update writes it. A kernel without a plan is one role whose threads store
its results. A kernel with parameters without defaults is skipped.
"""

import json
import pathlib
import re
import subprocess
import sys

import listing

PLAN = re.compile(r"^ +sm\.kernel @(\w+)\([^\n]*(?:\n +plan<(.*?)>(?= (?:\{|attributes)))?", re.S | re.M)


def run(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def list_plans(tilec, root):
    for source in sorted(root.glob("examples/*/kernel.tile")):
        yield f"{source.parent.name}"
        for kernel in json.loads(run(tilec, source, "--emit=signatures", "-o", "-"))["kernels"]:
            if not all(parameter["hasDefault"] for parameter in kernel["compileTime"]):
                continue
            text = run(tilec, source, f"--kernel={kernel['name']}", "--emit=plan", "-o", "-")
            plan = PLAN.search(text)[2]
            yield f"  {kernel['name']}" + ("" if plan else ": one role")
            for line in (plan or "").split("\n"):
                if line:
                    yield f"    {line.strip().rstrip(',')}"


def main():
    tilec, root = sys.argv[1], pathlib.Path(sys.argv[2])
    return listing.compare(pathlib.Path(__file__).with_name("plans.txt"), list_plans(tilec, root), "roles = ", "kernels with roles")


if __name__ == "__main__":
    sys.exit(main())
