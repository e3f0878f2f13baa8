#!/usr/bin/env python3
"""Executes the code blocks of the documentation, so that each page stays true.

Usage: code_blocks.py ROOT BUILD [PAGE...]. Without pages: all pages of the site.

The blocks of a page run in order in a folder of their own, which links to the contents of ROOT, with the tools of
BUILD. The promises of the kinds of blocks are:

- tile: a program that compiles
- tile-error: a program that does not compile; the `text` block after it is its first error
- mlir: IR that parses and verifies
- sh: commands that succeed; a listing after the block (`text`, `mlir` or `ptx`) is a part of their output
- console: commands after `$ `, each followed by its complete output
- python: a program that ends without an error, after the preceding `python` blocks of the page; a `text` block after
it is a part of its output
- c: a file that a C compiler accepts without warnings, with our headers
- cuda: a kernel that nvcc accepts
- json, toml: text that parses

Other kinds, and `text` that is not a listing, need a mark (fences.py). A block that is not executed and has no reason
is a problem, and so is an unknown mark. Commands and programs that are not executed must still parse.

A command that builds or installs is rejected, as it would change the tested build, or the machine.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import tomllib

DOCUMENTATION = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(DOCUMENTATION), str(DOCUMENTATION.parents[1] / "site")]

import pass_pages  # noqa: E402
from fences import read_blocks  # noqa: E402
from listings import find_mismatch  # noqa: E402
from pages import find_pages  # noqa: E402

ERROR = re.compile(r": error: (.*)")
LISTINGS = ("text", "mlir", "ptx")
MARKS = ("file", "needs", "sketch")
# Commands that another test executes; their lines are omitted here.
ELSEWHERE = {
    r"\./tessera (demo|test)\b": ".ci/run",
    r"(/usr/bin/python3 )?examples/check\.py\b": "test/Examples/examples.test",
}
# Commands that change more than the folder of the page, whose links lead to ROOT and BUILD.
CHANGES = re.compile(r"(?:^|[;&|(])\s*(?:!\s+|sudo\s+|\w+=\S*\s+)*"
                     r"(\./tessera|(?:\S*/)?(?:cmake|ctest|ninja|make|pip3?|python3? -m pip))(?=\s|$)")
PARSERS = {"json": json.loads, "toml": tomllib.loads}
# Tools that a block may need, and the commands that check for them.
NEEDS = {
    "ptxas": "tile-ptx --find-ptxas",
    "nvcc": "python3 test/Emulator/Foreign/foreign_ptx.py --find nvcc",
    "gpu": "python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'",  # TESSERA_TORCH_PYTHON
}
SECONDS = 120
# Replaces the output of an omitted block.
LEFT_OUT = object()


def executed_lines(block):
    return [line for line in block.text.splitlines() if not any(re.match(e, line) for e in ELSEWHERE)]


class Problem(Exception):
    """A problem of a block."""


class Page:
    """The blocks of one page, and the folder in which they run."""

    def __init__(self, root, build, path, folder):
        self.root, self.path, self.folder = root, path, folder
        for entry in root.iterdir():
            if not entry.name.startswith((".", "build")):
                (folder / entry.name).symlink_to(entry)
        # The page gets its own folder, so that nothing is written to the build.
        (folder / "build").mkdir()
        for name in ("bin", "docs", "lib", "python"):
            (folder / "build" / name).symlink_to(build / name)
        self.python = os.environ.get("TESSERA_TORCH_PYTHON", "/usr/bin/python3")
        given = os.environ.get("PATH", "")
        # lit puts the fast tools of the program `tessera` before those of bin.
        tools = [*(path for path in given.split(os.pathsep) if path.startswith(str(build / "test"))),
                 str(build / "bin"), str(pathlib.Path(self.python).parent), "/usr/lib/llvm-22/bin", "/usr/bin",
                 given]
        self.environment = {**os.environ, "PATH": os.pathsep.join(tools), "PYTHONDONTWRITEBYTECODE": "1",
                            "PYTHONPATH": str(root / "python")}
        self.environment.setdefault("TESSERA_CACHE", str(folder / "cache"))
        self.program = ""
        self.printed = None
        self.counts = {"executed": 0, "sketches": 0, "left out": 0}

    def run(self, command, given=None):
        """Runs a command, a list or a bash script, and returns the completed process."""
        if isinstance(command, str):
            command = ["bash", "-euo", "pipefail", "-c", command]
        process = subprocess.Popen(command, cwd=self.folder, env=self.environment, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        try:
            stdout, stderr = process.communicate(given or "", timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # With all its child processes.
            process.communicate()
            raise Problem(f"runs for more than {SECONDS} s") from None
        return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)

    def succeed(self, command, given=None):
        done = self.run(command, given)
        if done.returncode != 0:
            raise Problem(f"fails with exit status {done.returncode}\n{done.stdout}{done.stderr}".rstrip())
        return done

    def check(self):
        """Returns the problems of the page, each with its line."""
        text = self.path.read_text()
        blocks = read_blocks(text)
        examples = list(pass_pages.EXAMPLE.finditer(text)) if self.path.parent.name == "passes" else []
        problems = []
        for block, following in zip(blocks, [*blocks[1:], None]):
            if any(match.start() <= block.start < match.end() for match in examples):
                self.counts["executed"] += 1  # By pass_pages.py.
                continue
            try:
                self.counts[self.check_block(block, following)] += 1
            except Problem as problem:
                self.printed = None
                problems.append(f"{self.path.relative_to(self.root)}:{block.line}: {problem}")
        return problems

    def check_block(self, block, following):
        """Checks a block; returns the name of the count that it adds to."""
        # The output of the preceding block; only a listing directly after that block may show it.
        printed, self.printed = self.printed, None
        unknown = [mark for mark in block.marks if mark not in MARKS]
        if unknown:
            raise Problem(f"unknown mark '{unknown[0]}'; expected {', '.join(MARKS)}")
        if "sketch" in block.marks:
            if not block.marks["sketch"]:
                raise Problem("a sketch needs the reason why it is not executed")
            self.parse(block)
            return "sketches"
        if block.kind in ("sh", "console"):
            self.refuse_changes(block)
        if "file" in block.marks:
            (self.folder / block.marks["file"]).write_text(block.text)
        need = block.marks.get("needs")
        if need is not None and need not in NEEDS:
            raise Problem(f"unknown need '{need}'; expected {', '.join(NEEDS)}")
        if need is not None and self.run(NEEDS[need]).returncode != 0:
            self.printed = LEFT_OUT
            self.parse(block)
            return "left out"
        if block.kind not in LISTINGS or printed is None:
            self.printed = self.execute(block, following)
        elif printed is LEFT_OUT:
            return "left out"
        else:
            self.check_listing(block, printed)
        return "executed"

    def check_listing(self, block, printed):
        if not re.search(r"[^\s…]", block.text):
            raise Problem(f"the listing shows nothing; printed:\n{printed}")
        lacking = find_mismatch(block.text.splitlines(), printed.splitlines())
        if lacking is not None:
            raise Problem(f"the output lacks this line, or has it elsewhere: {lacking}\nprinted:\n{printed}")

    def execute(self, block, following):
        """Executes a block and returns its output if the next block may show it."""
        kind = block.kind
        if kind == "tile":
            self.succeed(["tilec", "-", "-o", "/dev/null"], block.text)
        elif kind == "tile-error":
            return self.check_error(block, following)
        elif kind == "mlir":
            self.succeed(["tile-opt", "-", "-o", "/dev/null"], block.text)
        elif kind == "sh":
            # A page shows one of two streams: IR is in one, reports are in the other.
            done = self.succeed("\n".join(executed_lines(block)))
            return done.stdout + done.stderr
        elif kind == "console":
            self.check_session(block)
        elif kind == "python":
            self.program += block.text
            return self.succeed([self.python, "-"], self.program).stdout
        elif kind == "c":
            flags = ["-Wall", "-Wextra", "-Werror", "-I.", "-Iinclude", "-fsyntax-only"]
            self.succeed(["cc", "-x", "c", *flags, "-"], block.text)
        elif kind == "cuda":
            nvcc = self.succeed(NEEDS["nvcc"]).stdout.strip()
            (self.folder / "block.cu").write_text(block.text)
            self.succeed([nvcc, "-arch=sm_90a", "-ptx", "block.cu", "-o", "block.ptx"])
        elif kind in PARSERS:
            try:
                PARSERS[kind](block.text)
            except ValueError as error:
                raise Problem(str(error)) from None
        else:
            raise Problem(f"nothing executes a block of kind '{kind}' here; "
                          "print it by a command, or give the reason: <!-- sketch: … -->")
        return None

    def parse(self, block):
        if block.kind == "sh":
            self.succeed(["bash", "-n"], block.text)
        elif block.kind == "python":
            try:
                compile(block.text, "block", "exec")
            except SyntaxError as error:
                raise Problem(str(error)) from None

    def refuse_changes(self, block):
        for line in executed_lines(block):
            if match := CHANGES.search(line.removeprefix("$ ")):
                raise Problem(f"'{match[1]}' would change the build or the machine from a test; "
                              "give the test that executes it, or a reason: <!-- sketch: … -->")

    def check_error(self, block, following):
        if not following or following.kind != "text":
            raise Problem("no message in a text block after it")
        done = self.run(["tilec", "-", "-o", "/dev/null"], block.text)
        error = ERROR.search(done.stderr)
        if done.returncode != 1 or not error:
            raise Problem(f"expected an error, got exit status {done.returncode}\n{done.stderr}")
        return error[1]

    def check_session(self, block):
        parts = re.split(r"^\$ ", block.text, flags=re.M)[1:]
        if not parts:
            raise Problem("has no command after '$ '")
        for part in parts:
            command, _, shown = part.partition("\n")
            printed = self.succeed(command).stdout
            if printed.split() != shown.split():
                raise Problem(f"'{command}' prints\n{printed}")


def check_page(root, build, path):
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        page = Page(root, build, path, pathlib.Path(folder))
        return page.check(), page.counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    root, build = arguments.root.resolve(), arguments.build.resolve()
    pages = [page.resolve() for page in arguments.pages] or [root / page for page in find_pages(root)]
    totals = {}
    problems = []
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        for found, counts in workers.map(lambda page: check_page(root, build, page), pages):
            problems += found
            for what, count in counts.items():
                totals[what] = totals.get(what, 0) + count
    for problem in problems:
        print(problem)
    summary = ", ".join(f"{count} {what}" for what, count in totals.items())
    print(f"{len(pages)} pages, {summary}, {len(problems)} problems")
    return 1 if problems or not totals.get("executed") else 0


if __name__ == "__main__":
    sys.exit(main())
