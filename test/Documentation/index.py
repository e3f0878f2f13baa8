"""Checks that index pages list all pages.

Usage: index.py ROOT

docs/README.md links each page below docs, directly or by its folder, and nothing that does not exist; README.md
names each folder of lib.
"""

import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    docs = root / "docs"
    problems = []
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (docs / "README.md").read_text())
    targets = {(docs / link).resolve() for link in links}
    problems += [f"docs/README.md links {target}, which does not exist"
                 for target in targets if not target.exists()]
    pages = [page for page in docs.rglob("*.md") if page.name != "README.md"]
    problems += [f"docs/README.md does not link {page.relative_to(docs)}" for page in pages
                 if not targets & {page.resolve(), page.parent.resolve()}]
    row = next(line for line in (root / "README.md").read_text().splitlines()
               if line.startswith("| `include/`, `lib/` |"))
    folders = {folder.name for folder in (root / "lib").iterdir() if folder.is_dir()}
    named = set(re.findall(r"`(\w+)`", row))
    problems += [f"README.md does not name lib/{folder}" for folder in sorted(folders - named)]
    problems += [f"README.md names lib/{folder}, which does not exist"
                 for folder in sorted(named - folders)]
    for problem in problems:
        print(problem)
    print(f"{len(pages)} pages, {len(folders)} folders")
    return 1 if problems or not pages or not folders else 0


if __name__ == "__main__":
    sys.exit(main())
