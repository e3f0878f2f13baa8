"""Prints the data that plot.py draws. Usage: plotted.py GPU_FOLDER JSON"""

import json
import sys

sys.path.insert(0, sys.argv[1])
from measure import plot  # noqa: E402

families = plot.collect_families(json.load(open(sys.argv[2]))["rows"])
for family, groups in families.items():
    print(family, plot.width(groups))
    for group, rows in groups.items():
        for row in rows:
            print(f"  {group}: {row['shape']}: {plot.collect_marks(row)}")
many = {"all": 44 * [None]}
print(plot.break_lines({"a": many, "b": {"x": [None], "y": 2 * [None]}, "c": many, "d": {"x": [None]}}))
newer = {"date": "2026-01-04", "protocol": "burst", "machine": {"gpu": "H"}}
older = {**newer, "date": "2026-01-02"}
print(plot.title([newer, older]), "|", plot.title([older]))
print(plot.darken('<style>*{}</style><path style="fill: #ffffff"/><text style="fill: #ffffff">1.0</text>'))
try:
    plot.darken("<svg/>")
except SystemExit as error:
    print(error)
