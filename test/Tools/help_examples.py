"""Executes the examples of each tool's --help in one folder. Usage: help_examples.py KERNEL.tile SCRATCH TOOL...

A comment after an example gives the reason why the test does not execute it: a GPU, ptxas, an editor, or a file.
"""

import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = re.compile(r"#.*\b(on a GPU|needs|started by an editor)\b")


def main() -> None:
    kernel, scratch, *tools = sys.argv[1:]
    folder = pathlib.Path(scratch)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(kernel, folder / "kernel.tile")
    count = 0
    for tool in tools:
        text = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
        examples = re.findall(r"^  (til\S+ .*)$", text.split("\nEXAMPLES:\n")[1], re.MULTILINE)
        if not any(example.startswith(tool) for example in examples):
            sys.exit(f"{tool} --help has no example of {tool}")
        for example in examples:
            if SKIPPED.search(example):
                continue
            done = subprocess.run(example, shell=True, cwd=folder, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{example}: status {done.returncode}\n{done.stderr}")
            count += 1
    print(f"{count} examples")


if __name__ == "__main__":
    main()
