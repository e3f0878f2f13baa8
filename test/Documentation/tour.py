"""Compares the listings of docs/tour.md with what tilec prints.

Usage: tour.py TILEC ROOT. A block of ```sh holds one command; the lines of the next block stand in
its output, in this order, up to the numbers of values. `…` on a line of its own leaves lines out,
within a line what stands there; elsewhere lines are neighbours.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)


def normalize(line):
    return re.sub(r"%\w+(:\d+|#\d+)?", "%", line.strip())


def matches(shown, line):
    parts = [re.escape(part) for part in normalize(shown).split("…")]
    return re.fullmatch(".*".join(parts), normalize(line)) is not None


def find_mismatch(shown, output):
    """The first line of a listing that the output lacks, or None."""
    place, neighbour = 0, False
    for line in shown:
        if line.strip() == "…":
            neighbour = False
            continue
        candidates = range(place, place + 1 if neighbour else len(output))
        found = next((i for i in candidates if i < len(output) and matches(line, output[i])), None)
        if found is None:
            return line
        place, neighbour = found + 1, True
    return None


def main():
    tilec, root = sys.argv[1], pathlib.Path(sys.argv[2])
    blocks = BLOCK.findall((root / "docs" / "tour.md").read_text())
    compared = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for (kind, text), (_, listing) in zip(blocks, [*blocks[1:], ("", "")]):
            if kind == "tile":
                pathlib.Path(folder, "matmul.tile").write_text(text)
            if kind != "sh":
                continue
            compared += 1
            command = [tilec, *text.split()[1:]]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            lacking = find_mismatch(listing.splitlines(), done.stdout.splitlines())
            if done.returncode != 0 or lacking is not None:
                failures += 1
                print(f"{text.strip()}: {done.stderr or 'does not print, or not here:'}\n  {lacking}")
    print(f"{compared} listings, {failures} failures")
    return 1 if failures or compared < 6 else 0


if __name__ == "__main__":
    sys.exit(main())
