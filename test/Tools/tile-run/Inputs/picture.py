"""Makes arrays with non-finite elements, and reads the picture of --plot. Usage: picture.py make | check SMALL LARGE"""

import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np

SVG = "{http://www.w3.org/2000/svg}"
NAN, INFINITY = "#ff00ff", "#000000"


def make():
    x = np.arange(40, dtype=np.float32)
    x[7], x[20] = np.nan, -np.inf
    np.save("x.npy", x)
    a = np.full((2, 3, 5), -1, np.float32)
    a[0, 0], a[1, 2, 4], a[1, 0, 0], a[0, 2, 1] = 1, np.nan, np.inf, 0
    np.save("a.npy", a)
    large = np.zeros((2, 300, 700), np.float32)
    large[1, 299, 699] = np.nan
    large[:, :, :6] = 3
    np.save("large.npy", large)


def cells(picture):
    """Returns the colour of each cell of the heat map."""
    found = {}
    group = next(group for group in picture.iter(f"{SVG}g") if "crispEdges" in group.attrib.values())
    for path in group:
        for x, y, run, back in re.findall(r"M(\d+) (\d+)h(\d+)v1H(\d+)z", path.get("d")):
            assert x == back
            for column in range(int(x), int(x) + int(run)):
                assert (int(y), column) not in found
                found[int(y), column] = path.get("fill")
    return found


def check(small, large):
    small, large = (ElementTree.parse(file).getroot() for file in (small, large))
    found, a = cells(small), np.load("a.npy").reshape(6, 5)
    assert set(found) == {(row, column) for row in range(6) for column in range(5)}, found
    for place, color in found.items():
        expected = {1: "#b2182b", -1: "#2166ac", 0: "#f7f7f7", np.inf: INFINITY}.get(a[place], NAN)
        assert color == expected, (place, color, expected)
    line = next(path.get("d") for path in small.iter(f"{SVG}path") if path.get("stroke") == "#08519c")
    # Interrupted at NaN: three parts of 7, 12 and 19 points, from the bottom to the top.
    parts = [len(re.findall("[ML]", part)) for part in re.findall("M[^M]*", line)]
    assert parts == [7, 12, 19] and line.startswith("M6.40 192.00") and line.endswith("L505.60 0.00"), line
    ticks = [(path.get("stroke"), path.get("d")) for path in small.iter(f"{SVG}path") if "v-14" in path.get("d")]
    assert ticks == [(NAN, "M96.00 192v-14"), (INFINITY, "M262.40 192v-14")], ticks

    # 600 x 700 elements: cells of 5 x 6; the last column has 4.
    found = cells(large)
    assert set(found) == {(row, column) for row in range(120) for column in range(117)}
    for (row, column), color in found.items():
        expected = NAN if (row, column) == (119, 116) else "#fde725" if column == 0 else "#440154"
        assert color == expected, (row, column, color)


make() if sys.argv[1] == "make" else check(*sys.argv[2:])
