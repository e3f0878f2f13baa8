# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lays out the pages of the site in a folder, under their paths in the repository.

Links between pages are therefore unchanged. Links to folders go to their README, and links to other files to a page
that shows the file. Generated pages are in reference/ and api/.
"""

import os
import pathlib
import re
import shutil

from api import ApiError
from c_api import write_c_api
from pages import find_pages
from python_api import write_python_api

# Generated references of interfaces.
INTERFACES = {"api/python.md": write_python_api, "api/c.md": write_c_api}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
FENCE = re.compile(r"^ *```.*?^ *```$|`[^`\n]+`", re.S | re.M)
ITEM = re.compile(r" *([-*]|\d+\.) ")
# Files that a reader opens with another program: links to them are downloads.
DOWNLOADS = {".ipynb"}
KINDS = {".py": "python", ".tile": "tile", ".mlir": "mlir", ".h": "cpp", ".cpp": "cpp", ".toml": "toml",
         ".sh": "sh", ".json": "json", ".ptx": "ptx", ".txt": "text"}
# The search finds pages of the documentation, not files that they link.
UNSEARCHED = "---\nsearch: {exclude: true}\n---\n\n"
# The largest number of characters of a file on a page that shows it.
SHOWN = 200_000


def part_lists(text):
    """Returns the text with an empty line before each list, which MkDocs needs and GitHub does not."""
    lines, is_code = [], False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            is_code = not is_code
        before = lines[-1] if lines else ""
        begins = ITEM.match(line) and before.strip() and not ITEM.match(before) and not before.startswith(" ")
        if begins and not is_code:
            lines.append("")
        lines.append(line)
    return "\n".join(lines) + "\n"


class Staging:
    def __init__(self, root, build, out):
        self.root, self.build, self.out = root, build, out
        self.problems = []
        self.sources = set()

    def run(self):
        """Writes all pages and returns the problems of their links."""
        shutil.rmtree(self.out, ignore_errors=True)
        for page, write in INTERFACES.items():
            try:
                self.write(pathlib.Path(page), write(self.root))
            except ApiError as error:
                self.problems.append(str(error))
        for page in find_pages(self.root):
            self.write(page, (self.root / page).read_text())
        for folder in sorted({page.parent for page in find_pages(self.root)} - {pathlib.Path("gpu")}):
            if not (self.root / folder / "README.md").exists():
                self.write(folder / "README.md", self.list_folder(folder))
        for page in sorted((self.build / "docs").glob("*.md")):
            # The title comes first, for the navigation.
            text = re.sub(r"^<!-- .*? -->\n+", "", page.read_text()).replace("[TOC]\n", "")
            if not text.startswith("# "):
                text = f"# {page.stem}\n\n{text}"
            self.write(pathlib.Path("reference") / page.name, text)
        for name in ("site.css", "iframe-worker.js"):
            shutil.copy(pathlib.Path(__file__).with_name(name), self.out)
        return self.problems

    def list_folder(self, folder):
        """Returns an index of pages for a folder without a README."""
        lines = [f"# {folder.name.capitalize()}\n"]
        for page in sorted((self.root / folder).glob("*.md")):
            title = re.search(r"^# (.*)", page.read_text(), re.M)
            lines.append(f"- [{title[1] if title else page.stem}]({page.name})")
        return "\n".join(lines) + "\n"

    def write(self, page, text):
        target = self.out / page
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(part_lists(self.link(page, text)))

    def link(self, page, text):
        """Returns the text with links adapted to the site; code stays unchanged."""
        place, parts = 0, []
        for code in FENCE.finditer(text):
            parts += [LINK.sub(lambda match: self.relink(page, match), text[place : code.start()]), code[0]]
            place = code.end()
        # The text of a link may contain code.
        whole = "".join(parts) + LINK.sub(lambda match: self.relink(page, match), text[place:])
        return re.sub(r"\[(`[^`\n]+`)\]\(([^()\s]+)\)",
                      lambda match: self.relink(page, ["", "", match[1], match[2]]), whole)

    def relink(self, page, match):
        image, words, target = match[1], match[2], match[3]
        whole = f"{image}[{words}]({target})"
        path, _, anchor = target.partition("#")
        if not path or "://" in target or target.startswith("mailto:"):
            return whole
        found = pathlib.Path(os.path.normpath(page.parent / path))
        there = self.root / found
        if found.parts[0] == "sources" and page.parts[0] == "docs":
            return whole
        if not there.exists():
            self.problems.append(f"{page}: links {target}, which does not exist")
            return words
        if image or there.suffix in DOWNLOADS:
            (self.out / found).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(there, self.out / found)
            return whole if image else f"{whole}{{download}}"
        if there.is_dir():
            if (there / "README.md").exists() or any(there.glob("*.md")):
                found = found / "README.md"
            else:
                self.problems.append(f"{page}: links the folder {target}, which has no pages")
                return words
        elif there.suffix != ".md":
            found = self.show(found)
        path = os.path.relpath(found, page.parent)
        return f"[{words}]({path}{'#' + anchor if anchor else ''})"

    def show(self, path):
        """Returns a page that shows a file of the repository."""
        page = pathlib.Path("sources") / f"{path}.md"
        if page not in self.sources:
            self.sources.add(page)
            text = (self.root / path).read_text()[:SHOWN]
            ticks = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
            kind = KINDS.get(path.suffix, "text")
            (self.out / page).parent.mkdir(parents=True, exist_ok=True)
            (self.out / page).write_text(f"{UNSEARCHED}# {path}\n\n{ticks}{kind}\n{text.rstrip()}\n{ticks}\n")
        return page
