"""Counts sentences that break the rules of wording, per kind of file; the committed counts may only fall.

Usage: prose_counts.py ROOT [--list KIND RULE | --write]

Without an option the counts are compared with prose_counts.json. `--list` prints the sentences of a kind (pages,
dialects, comments, ods, messages, python) that break a rule (begins, banned, long). `--write` commits lower counts.
"""

import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from prose import ratchet, sentences, texts  # noqa: E402

COUNTS = pathlib.Path(__file__).with_suffix(".json")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--list", nargs=2, metavar=("KIND", "RULE"), help="print the sentences that break a rule")
    parser.add_argument("--write", action="store_true", help="write the counts of now")
    parser.add_argument("--counts", type=pathlib.Path, default=COUNTS, help="default: prose_counts.json")
    options = parser.parse_args()
    if options.list:
        kind, rule = options.list
        if kind not in texts.PATTERNS or rule not in sentences.RULES:
            parser.error(f"expected one of {', '.join(texts.PATTERNS)} and one of {', '.join(sentences.RULES)}")
        print("\n".join(ratchet.list_broken(options.root, kind, rule)))
        return 0
    found = ratchet.count_all(options.root)
    for kind, counts in found.items():
        print(f"{kind}: " + ", ".join(f"{name} {value}" for name, value in counts.items()))
    if options.write:
        ratchet.write(options.counts, found)
        return 0
    committed = json.loads(options.counts.read_text())
    problems = list(ratchet.compare(found, committed))
    print("\n".join(problems or [f"no count rose above those of {options.counts.name}"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
