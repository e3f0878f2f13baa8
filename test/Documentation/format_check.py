"""Lists the sources that clang-format-22 would change.

Usage: format_check.py ROOT
"""

import pathlib
import subprocess
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    folders = ("include", "lib", "tools", "test")
    paths = [p for f in folders for p in (root / f).rglob("*") if p.suffix in (".cpp", ".h")]
    result = subprocess.run(
        ["clang-format-22", "--dry-run", "--Werror", "--ferror-limit=1", *paths],
        capture_output=True,
        text=True,
    )
    print(result.stderr, end="")
    print(f"{len(paths)} sources")
    return 1 if result.returncode or len(paths) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
