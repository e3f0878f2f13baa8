"""Prints the output of bench.py for peers, and for packages that were not compiled. Usage: printed.py GPU_FOLDER"""

import sys

sys.path.insert(0, sys.argv[1])
import bench  # noqa: E402


def side(name, ms):
    return {"name": name, "ms": ms}


work = {"flops": 10**12}
wide = "not compiled: kernel.tile:3:1: error: too wide " + 20 * "for this "
rows = [
    {"shape": "one", **work, "peers": [side("fast", 1.0), side("slow", 2.0)],
     "ceilings": [side("product", 0.5)], "ours": side("tall", 0.8),
     "packages": {"128x256": wide, "64x64": "ValueError: wrong", "peer flat": "c has a hole"}},
    {"shape": "two", "bytes": 10**9, "peers": [side("old", 0.5)], "ours": side("tall", 1.0),
     "packages": {"128x256": wide, "256x128": wide.replace(":3:", ":9:")}},
    {"shape": "three", **work, "peers": [], "ours": side("tall", 1.0), "packages": {}},
    {"shape": "four", "error": "no memory"},
]
for row in rows:
    bench.print_row(row)
bench.print_not_compiled(rows)
for row in rows:
    row["group"] = "all"
bench.print_means(rows)
table = {"absent": {}}
for _ in range(2):
    bench.note_absent(table, {"absent": {"A": "ModuleNotFoundError: a"}})
print(table)
