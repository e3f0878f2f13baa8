#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes a notebook and compares the printed outputs with those in the file.

Usage: notebook.py NOTEBOOK [--write]

nbclient executes it, as `jupyter nbconvert --execute` does, if this Python has nbclient and ipykernel. Otherwise this
script runs the cells itself, with the magics that the notebook uses, and prints that. Printed texts are compared; the
way in which Jupyter displays a value is not. --write stores the outputs in the file.
"""

import contextlib
import importlib.util
import io
import json
import pathlib
import sys


class Shell:
    """The part of IPython's shell that %load_ext and %%tile use."""

    def __init__(self):
        self.names, self.magics, self.execution_count = {"__name__": "__main__"}, {}, 0

    def register_magic_function(self, function, kind, name):
        self.magics[name] = function

    def push(self, names):
        self.names.update(names)

    def run(self, text):
        self.execution_count += 1
        first, _, rest = text.partition("\n")
        if first.startswith("%%"):
            name, _, line = first[2:].partition(" ")
            self.magics[name](line, rest)
            return
        lines = []
        for line in text.splitlines():
            if line.startswith("%load_ext "):
                line = f"import {line.split()[1]}; {line.split()[1]}.load_ipython_extension(__shell__)"
            lines.append(line)
        self.names["__shell__"] = self
        exec(compile("\n".join(lines), f"cell {self.execution_count}", "exec"), self.names)


def run_here(cells):
    """Returns the printed text of each code cell."""
    shell, texts = Shell(), []
    for cell in cells:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            shell.run("".join(cell["source"]))
        texts.append(printed.getvalue())
    return texts


def run_by_nbclient(path):
    import nbclient
    import nbformat
    notebook = nbformat.read(path, 4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    shown = 0
    texts = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            shown += sum("text/html" in output.get("data", {}) for output in cell.outputs)
            texts.append("".join(output.text for output in cell.outputs
                                 if output.output_type == "stream" and output.name == "stdout"))
    print(f"{shown} displayed")
    return texts


def main():
    path, write = pathlib.Path(sys.argv[1]), "--write" in sys.argv
    notebook = json.loads(path.read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    has_jupyter = all(importlib.util.find_spec(name) for name in ("nbclient", "ipykernel"))
    texts = run_by_nbclient(path) if has_jupyter else run_here(cells)
    print(f"{len(cells)} cells, run by {'nbclient' if has_jupyter else 'this script, without nbclient and ipykernel'}")
    status = 0
    for number, (cell, text) in enumerate(zip(cells, texts), 1):
        stored = "".join(line for output in cell["outputs"] for line in output.get("text", []))
        if write:
            cell["execution_count"] = number
            cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)}] if text else []
        elif text != stored:
            print(f"cell {number} prints\n{text}but the notebook has\n{stored}")
            status = 1
    if write:
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
