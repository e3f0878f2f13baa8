# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds dead links of a built site: to missing files, or to missing anchors.

MkDocs checks links of Markdown. This module checks the output, including links of the theme and of HTML in pages.
"""

import html.parser
import pathlib
import urllib.parse


class _Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.places = [], set()

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.places.add(value)
            elif name in ("href", "src") and value:
                self.links.append((value, self.getpos()[0]))


def find_dead_links(site: pathlib.Path) -> tuple:
    """Returns the dead links, and the number of checked links. Links to other sites are not checked."""
    pages = {}
    # 404.html is served at any address, so its links are absolute.
    for page in site.rglob("*.html"):
        if page.name != "404.html":
            pages[page] = _Reader()
            pages[page].feed(page.read_text())
    dead, count = [], 0
    for page, reader in sorted(pages.items()):
        for link, line in reader.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = (page.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else page
            place = urllib.parse.unquote(parts.fragment)
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                dead.append(f"{page.relative_to(site)}:{line}: links {link}, which does not exist")
            elif place and target in pages and place not in pages[target].places:
                dead.append(f"{page.relative_to(site)}:{line}: links {link}, which has no such anchor")
    return dead, count
