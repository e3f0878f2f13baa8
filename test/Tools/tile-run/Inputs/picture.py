"""Makes arrays with non-finite elements, and reads the picture of --plot. Usage: picture.py make | check SMALL LARGE |
pixels PNG SVG | terminal COMMAND..."""

import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zlib

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


def read_png(path):
    """Returns the rows of an image as bytes, 3 for a pixel, after checking all chunks."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
    chunks, at = [], 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body), kind
        chunks.append((kind, body))
        at += 12 + length
    assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"], chunks
    width, height, depth, color, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
    assert (width, depth, color, rest) == (2 * 632, 8, 2, [0, 0, 0])
    bytes_of_row = 1 + 3 * width
    rows = zlib.decompress(chunks[1][1])
    assert len(rows) == height * bytes_of_row
    assert not any(rows[::bytes_of_row]), "rows with a filter"
    return [rows[y * bytes_of_row + 1 : (y + 1) * bytes_of_row] for y in range(height)]


def check_pixels(png, svg):
    """Checks that each cell of the heat map has its colour in the middle."""
    image, picture = read_png(png), ElementTree.parse(svg).getroot()
    group = next(group for group in picture.iter(f"{SVG}g") if "crispEdges" in group.attrib.values())
    width, height = (2 * float(part) for part in re.findall(r"[\d.]+", group.get("transform")))

    def is_at(top, row, column, color):
        x, y = int(32 + (column + 0.5) * width), int(top + (row + 0.5) * height)
        return y < len(image) and "#" + image[y][3 * x : 3 * x + 3].hex() == color

    found = [(*place, color) for place, color in sorted(cells(picture).items())]
    assert any(all(is_at(top, *cell) for cell in found) for top in range(len(image))), "no heat map of these colours"


def print_on_terminal(command):
    """Prints what a command prints on a terminal of many colours."""
    reader, terminal = pty.openpty()
    with subprocess.Popen(command, stdout=terminal, env={**os.environ, "TERM": "xterm-256color"}) as process:
        os.close(terminal)
        output = b""
        try:
            while part := os.read(reader, 1 << 16):
                output += part
        except OSError:  # The other side is closed.
            pass
    print(output.decode())
    sys.exit(process.returncode)


STEPS = {
    "make": lambda: make(),
    "check": lambda: check(*sys.argv[2:]),
    "pixels": lambda: check_pixels(*sys.argv[2:]),
    "terminal": lambda: print_on_terminal(sys.argv[2:]),
}
STEPS[sys.argv[1]]()
