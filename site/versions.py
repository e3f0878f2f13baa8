# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the versions of a site: each is a folder next to the others.

The theme reads versions.json and shows a menu of versions on each page, if a server serves the pages.
"""

import argparse
import json
import re

RELEASE = re.compile(r"\d+(\.\d+)*")
REDIRECT = """<!DOCTYPE html>
<meta charset="utf-8">
<title>Tessera</title>
<meta http-equiv="refresh" content="0; url={version}/index.html">
<a href="{version}/index.html">Tessera {version}</a>
"""


def check(name):
    """Returns the name of a version, which becomes a folder."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise argparse.ArgumentTypeError(f"'{name}' is not the name of a version; expected one such as 0.1.0")
    return name


def sort_newest_first(names):
    """Returns the releases by their numbers, after names such as main."""
    def key(name):
        numbers = tuple(map(int, name.split("."))) if RELEASE.fullmatch(name) else None
        return (numbers is None, numbers or (), name)
    return sorted(names, key=key, reverse=True)


def write(site):
    """Writes the list of versions, and the page that opens the newest release."""
    names = sort_newest_first(page.parent.name for page in site.glob("*/index.html"))
    newest = next((name for name in names if RELEASE.fullmatch(name)), names[0])
    rows = [{"version": name, "title": name, "aliases": ["latest"] if name == newest else []} for name in names]
    (site / "versions.json").write_text(json.dumps(rows, indent=2) + "\n")
    (site / "index.html").write_text(REDIRECT.format(version=newest))
