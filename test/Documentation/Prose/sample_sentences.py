"""Draws sentences at random from the pages and comments of a revision or a folder, as a table.

Usage: sample_sentences.py REVISION|FOLDER [-n NUMBER] [--seed SEED]
"""

import argparse
import io
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from prose import ratchet, texts  # noqa: E402


def draw(root, number, seed):
    """Returns [(path, line, sentence)] in the order of the files."""
    found = [sentence for kind in texts.PATTERNS for sentence in ratchet.find_sentences(root, kind)]
    return sorted(random.Random(seed).sample(found, min(number, len(found))))


def print_table(drawn):
    print("| place | sentence |\n| --- | --- |")
    for path, line, sentence in drawn:
        print(f"| {path}:{line} | {sentence.replace('|', chr(92) + '|')} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="REVISION|FOLDER", help="a revision of git, such as HEAD, or a folder")
    parser.add_argument("-n", type=int, default=40, dest="number", help="default: 40")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    options = parser.parse_args()
    if pathlib.Path(options.source).is_dir():
        return print_table(draw(pathlib.Path(options.source), options.number, options.seed))
    root = pathlib.Path(__file__).resolve().parents[3]
    done = subprocess.run(["git", "archive", options.source], cwd=root, capture_output=True)
    if done.returncode:
        sys.exit(f"error: {done.stderr.decode().strip()}")
    with tempfile.TemporaryDirectory() as folder:
        tarfile.open(fileobj=io.BytesIO(done.stdout)).extractall(folder)
        print_table(draw(pathlib.Path(folder), options.number, options.seed))


if __name__ == "__main__":
    main()
