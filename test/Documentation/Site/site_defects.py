"""Builds the site from pages with defects; the build must report each defect.

Usage: site_defects.py ROOT BUILD SCRATCH
"""

import pathlib
import shutil
import subprocess
import sys

# Additions to docs/tour.md, and the messages that report their defects. The first kind is found during staging, the
# second by MkDocs, the third in the output of MkDocs.
DEFECTS = [
    ("[a](nowhere.md) [b](../lib)", ["docs/tour.md: links nowhere.md, which does not exist",
                                     "docs/tour.md: links the folder ../lib, which has no pages"]),
    ("[a](language.md#nowhere)", ["'docs/language.md' does not contain an anchor '#nowhere'",
                                  "docs/orphan.md"]),
    ('<a href="language.html#nowhere">a</a> <a href="nowhere.html">b</a>',
     ["links language.html#nowhere, which has no such anchor", "links nowhere.html, which does not exist"]),
]


def make_root(root, copy, addition):
    """Makes a folder like the repository, with a copy of the pages in docs."""
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for entry in root.iterdir():
        if entry.name != "docs" and not entry.name.startswith((".", "build")):
            (copy / entry.name).symlink_to(entry)
    shutil.copytree(root / "docs", copy / "docs")
    with (copy / "docs" / "tour.md").open("a") as page:
        page.write(f"\n{addition}\n")


def main():
    root, build, scratch = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    failures = 0
    for addition, messages in DEFECTS:
        copy = scratch / "root"
        make_root(root, copy, addition)
        if "docs/orphan.md" in messages:
            (copy / "docs" / "orphan.md").write_text("# A page that the navigation lacks\n")
        done = subprocess.run([sys.executable, root / "site" / "build.py", copy, build, scratch / "out"],
                              capture_output=True, text=True)
        said = done.stdout + done.stderr
        for message in messages:
            if done.returncode == 0 or message not in said or "Traceback" in said:
                failures += 1
                print(f"{addition}: expected \"{message}\", got\n{said}")
    print(f"{len(DEFECTS)} builds, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
