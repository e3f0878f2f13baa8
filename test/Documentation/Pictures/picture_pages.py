"""Checks that a page shows each picture of docs/pictures and examples, with a text for readers that do not see it.

Usage: picture_pages.py ROOT
"""

import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    sys.path.append(str(root / "site"))
    from pages import find_pages
    shown = set()
    for page in find_pages(root):
        for words, target in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", (root / page).read_text()):
            if words:
                shown.add((root / page.parent / target).resolve())
    pictures = [path for folder in ("docs/pictures", "examples") for path in sorted((root / folder).rglob("*"))
                if path.suffix in (".svg", ".png")]
    missing = [path for path in pictures if path.resolve() not in shown]
    for path in missing:
        print(f"no page shows {path.relative_to(root)}")
    print(f"{len(pictures)} pictures, {len(missing)} without a page")
    return 1 if missing or not pictures else 0


if __name__ == "__main__":
    sys.exit(main())
