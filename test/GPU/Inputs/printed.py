"""Usage: printed.py GPU_FOLDER. What bench.py prints of packages that were not compiled."""

import sys

sys.path.insert(0, sys.argv[1])
import bench  # noqa: E402

peer = {"peer": {"ms": 1.0}, "flops": 10**12}
wide = "not compiled: kernel.tile:3:1: error: too wide " + 20 * "for this "
rows = [
    {"shape": "one", **peer, "packages": {"128x256": wide, "64x64": "ValueError: wrong"}},
    {"shape": "two", **peer, "packages": {"128x256": wide, "256x128": wide.replace(":3:", ":9:")}},
    {"shape": "three", "error": "no peer"},
]
for row in rows:
    bench.print_row(row)
bench.print_not_compiled(rows)
