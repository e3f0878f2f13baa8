"""Reduces a file with a defect: a source, the IR of a phase, or PTX.

    reduce_file.py FILE --finds REGEX -o SMALLER -- COMMAND... {} ...

The file replaces {} in the command. The script removes lines, first many at a time and then fewer, and opens blocks,
as long as the output of the command matches the regular expression. A change after which the file is rejected for
another reason does not match. The script therefore needs no knowledge of the language.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile


class Test:
    """Tests whether lines still have the same defect."""

    def __init__(self, command, finds, suffix, folder, timeout):
        self.command, self.finds, self.timeout = command, re.compile(finds), timeout
        self.file = folder / f"candidate{suffix}"
        self.runs = 0

    def __call__(self, lines):
        self.file.write_text("".join(lines))
        self.runs += 1
        words = [word.replace("{}", str(self.file)) for word in self.command]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            return False
        return bool(self.finds.search(done.stdout + done.stderr))


def drop_runs(lines, fails):
    """Removes runs of lines, from half of all down to single ones."""
    size = max(1, len(lines) // 2)
    while True:
        place = 0
        while place < len(lines):
            fewer = lines[:place] + lines[place + size:]
            if fails(fewer):
                lines = fewer
            else:
                place += size
        if size == 1:
            return lines
        size //= 2


def find_end(lines, first):
    """Returns the line that closes the block which line `first` opens, or None."""
    depth = 0
    for place in range(first, len(lines)):
        depth += lines[place].count("{") - lines[place].count("}")
        if depth <= 0:
            return place if place > first else None
    return None


def open_blocks(lines, fails):
    """Removes the lines around a block, or the block."""
    place = 0
    while place < len(lines):
        end = find_end(lines, place)
        for fewer in ([] if end is None else [lines[:place] + lines[end + 1:],
                                              lines[:place] + lines[place + 1:end] + lines[end + 1:]]):
            if fails(fewer):
                lines = fewer
                break
        else:
            place += 1
    return lines


def reduce(lines, fails):
    while True:
        fewer = drop_runs(open_blocks(lines, fails), fails)
        if len(fewer) == len(lines):
            return fewer
        lines = fewer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--finds", required=True, metavar="REGEX", help="what the command prints")
    parser.add_argument("-o", dest="output", type=pathlib.Path, required=True, metavar="SMALLER")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one run")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    lines = options.file.read_text().splitlines(keepends=True)
    with tempfile.TemporaryDirectory(prefix="tessera-") as scratch:
        fails = Test(options.command, options.finds, options.file.suffix, pathlib.Path(scratch), options.timeout)
        if not fails(lines):
            sys.exit(f"error: the command does not print '{options.finds}' for {options.file}")
        smaller = reduce(lines, fails)
    options.output.write_text("".join(smaller))
    print(f"{options.output}: {len(smaller)} of {len(lines)} lines, after {fails.runs} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
