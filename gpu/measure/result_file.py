# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the results of a measurement as JSON with one row per line, so that a diff shows the rows that changed."""

import json
import pathlib


def write(path, table, rows="rows"):
    """Writes `table` to the file `path`; its list `rows` has a dictionary for each measured shape or kernel."""
    head = json.dumps({key: value for key, value in table.items() if key != rows}, indent=1)[:-2]
    lines = ",\n".join("  " + json.dumps(row) for row in table[rows])
    pathlib.Path(path).write_text(f'{head},\n "{rows}": [\n{lines}\n ]\n}}\n')
