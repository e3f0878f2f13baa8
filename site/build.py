#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the documentation site: build.py ROOT BUILD OUT [--repository URL] [--version NAME]. Any warning or dead link
is an error.

ROOT is the repository. BUILD is a build folder with the generated references (target tessera-doc). OUT is a folder
for the laid-out pages (`pages`) and the site (`html`). Needs the packages of requirements.txt.

--repository, or TESSERA_REPOSITORY, is the address of the repository on a forge; pages then have links for editing.
--version adds the site as one of several versions: html/NAME, a menu of all versions in html, and a page that opens
the newest release.
"""

import argparse
import logging
import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent))

import links  # noqa: E402
import staging  # noqa: E402
import versions  # noqa: E402


def expand(entry, pages):
    """Returns an entry of the navigation with each folder replaced by its pages, the README first."""
    if isinstance(entry, dict):
        (name, value), = entry.items()
        expanded = expand(value, pages)
        return {name: expanded}
    if isinstance(entry, list):
        expanded = []
        for item in entry:
            found = expand(item, pages)
            # A folder within a list adds its pages to the list.
            expanded += found if isinstance(item, str) and isinstance(found, list) else [found]
        return expanded
    if not entry.endswith("/"):
        return entry
    found = sorted((pages / entry).rglob("*.md"), key=lambda page: (page.name != "README.md", page))
    top = [page for page in found if page.parent == pages / entry]
    rest = sorted(page for page in found if page not in top)
    return [str(page.relative_to(pages)) for page in top + rest]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("root", "build", "out"):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--repository", default=os.environ.get("TESSERA_REPOSITORY"), help="address on a forge")
    parser.add_argument("--version", type=versions.check, help="such as 0.1.0, or main")
    arguments = parser.parse_args()
    pages, html = arguments.out / "pages", arguments.out / "html"
    if arguments.version:
        html /= arguments.version
    if not list((arguments.build / "docs").glob("*.md")):
        sys.exit(f"{arguments.build}/docs has no references; build the target tessera-doc")
    problems = staging.Staging(arguments.root, arguments.build, pages).run()
    if problems:
        sys.exit("\n".join(problems))
    try:
        from mkdocs import exceptions
        from mkdocs.commands.build import build
        from mkdocs.config import load_config
    except ImportError as error:
        sys.exit(f"{error}; `./tessera site` installs the needed packages")
    # MkDocs reports problems as warnings, and counts them.
    logging.basicConfig(format="%(levelname)s: %(message)s", level=logging.WARNING)
    config = load_config(str(pathlib.Path(__file__).with_name("mkdocs.yml")), docs_dir=str(pages),
                         site_dir=str(html), strict=True, repo_url=arguments.repository,
                         edit_uri="edit/main/" if arguments.repository else None)
    if arguments.version:
        config.extra["version"] = {"provider": "mike"}
    config.nav = expand(config.nav, pages)
    try:
        config.plugins.on_startup(command="build", dirty=False)
        build(config)
    except exceptions.Abort:
        sys.exit(1)
    dead, count = links.find_dead_links(html)
    if dead:
        sys.exit("\n".join(dead))
    if arguments.version:
        versions.write(html.parent)
    print(f"{len(list(pages.rglob('*.md')))} pages, {count} links, in {html}/index.html")


if __name__ == "__main__":
    main()
