# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A chart of measured speeds: one bar for each family of kernels, from the results that gpu/summary.py reads."""

import json
import pathlib
import sys

from drawing import Drawing

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "gpu"))

import summary  # noqa: E402
from measure import rates  # noqa: E402

# Competitors with a mark of their own, wherever they were measured.
MARKED = {"Triton": "purple", "FlashAttention-3": "orange"}
LEFT, SCALE, ROW, TOP, LARGEST = 338, 153, 21, 76, 2


def collect_families(runs):
    """Returns {family: rows} with the newest row of each shape, in the order of the summary."""
    families = {name: [] for name, _ in summary.FAMILIES}
    for row in summary.newest_rows(runs).values():
        families.setdefault(summary.family_of(row["group"]), []).append(row)
    return {name: families[name] for name, _ in summary.FAMILIES if families[name]}


def find_speed(rows, name):
    """Returns the mean speed of a competitor, relative to the fastest one of each shape, or None."""
    speeds = [rates.best_peer(row)["ms"] / peer["ms"]
              for row in rows for peer in rates.list_peers(row) if peer["name"] == name]
    return rates.geometric_mean(speeds) if speeds else None


def list_fastest(rows):
    """Returns the names of the competitors that were the fastest one of a shape, without repeated words."""
    names = sorted({rates.best_peer(row)["name"].split(" with padded")[0] for row in rows})
    shared = [name for name in names if name.startswith("FlashAttention-")]
    return [name.replace("FlashAttention", "") if name in shared[1:] else name for name in names]


def add_mark(picture, x, y, kind):
    picture.parts.append(f'<path d="M{x:.1f} {y - 6:.1f}l5 6l-5 6l-5 -6z" class="{kind}-solid"/>')


def draw_speeds() -> Drawing:
    runs = [json.loads(path.read_text()) for path in summary.find_results()]
    families = collect_families(runs)
    shown = [row for rows in families.values() for row in rows]
    used = [run for run in runs if any(row in run["rows"] for row in shown)]
    dates = sorted({run["date"] for run in used})
    machines = ", ".join(sorted({run["machine"]["gpu"] for run in used}))
    picture = Drawing(868, TOP + ROW * len(families) + 40, f"Speed of {len(families)} families of kernels on an "
                      f"{machines}, relative to the fastest competitor of each shape")
    when = " to ".join(dict.fromkeys((dates[0], dates[-1])))
    picture.text(16, 26, f"Speed relative to the fastest competitor ({machines}, {when})", "b")
    picture.box(16, 40, 22, 11, "green", round=0)
    picture.text(46, 50, "Tessera: geometric mean of the shapes, with its range", "s")
    for number, (name, kind) in enumerate(MARKED.items()):
        add_mark(picture, 424 + number * 66, 46, kind)
        picture.text(434 + number * 66, 50, name, "s")
    picture.text(LEFT + LARGEST * SCALE + 18, 50, "the fastest competitors", "s")
    bottom = TOP + ROW * len(families)
    for tick in (0.5, 1, 1.5, 2):
        x = LEFT + tick * SCALE
        picture.line((x, TOP - 8), (x, bottom), dashed=tick != 1)
        picture.text(x, bottom + 16, f"{tick:g}", "s", "middle")
    picture.text(LEFT + SCALE, bottom + 32, "the fastest competitor", "s", "middle")
    for number, (family, rows) in enumerate(families.items()):
        y = TOP + number * ROW
        ratios = [rates.ratio(row) for row in rows]
        mean, low, high = rates.geometric_mean(ratios), min(ratios), max(ratios)
        picture.text(LEFT - 48, y + 12, family, "s", "end")
        picture.text(LEFT - 8, y + 12, f"{mean:.2f}", "b", "end")
        picture.box(LEFT, y, mean * SCALE, 15, "green", round=0)
        end = min(high, LARGEST)
        picture.line((LEFT + low * SCALE, y + 7.5), (LEFT + end * SCALE, y + 7.5), arrow=high > LARGEST)
        for name, kind in MARKED.items():
            if (speed := find_speed(rows, name)) is not None:
                add_mark(picture, LEFT + speed * SCALE, y + 7.5, kind)
        picture.text(LEFT + LARGEST * SCALE + 18, y + 12, ", ".join(list_fastest(rows)), "s")
    return picture
