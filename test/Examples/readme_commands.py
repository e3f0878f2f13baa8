"""Runs the tile-run and python3 commands of the examples' pages, so that they stay true.

Usage: readme_commands.py ROOT. The commands of a page run in order in a folder of their own, with
paths below examples/ taken from ROOT. A page without a tile-run command is a failure, except the
overview; commands of check.py are what examples.test runs.
"""

import pathlib
import re
import subprocess
import sys
import tempfile


def commands(page):
    """The commands of the ```sh blocks of a page, one string each."""
    for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.S | re.M):
        yield from block.replace("\\\n", " ").splitlines()


def main():
    root = pathlib.Path(sys.argv[1])
    total = failures = 0
    for page in sorted(root.glob("examples/*/README.md")):
        runs = 0
        with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
            for command in commands(page):
                if not command.startswith(("tile-run ", "python3 ")):
                    continue
                runs += command.startswith("tile-run ")
                command = command.replace(" examples/", f" {root}/examples/")
                command = re.sub("^python3", sys.executable, command)
                done = subprocess.run(command, shell=True, cwd=folder, text=True,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                if done.returncode != 0:
                    failures += 1
                    print(f"{page.relative_to(root)}: {command}\n{done.stderr}")
        total += runs
        if runs == 0:
            failures += 1
            print(f"{page.relative_to(root)}: no tile-run command")
    print(f"{total} commands, {failures} failures")
    return 1 if failures or not total else 0


if __name__ == "__main__":
    sys.exit(main())
