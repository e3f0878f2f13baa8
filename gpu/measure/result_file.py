# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the results of a measurement as JSON with one row per line, so that a diff shows the rows that changed."""

import json
import pathlib


def write(path, table):
    """Writes `table`, whose list `rows` has a dictionary for each measured shape, to the file `path`."""
    head = json.dumps({key: value for key, value in table.items() if key != "rows"}, indent=1)[:-2]
    rows = ",\n".join("  " + json.dumps(row) for row in table["rows"])
    pathlib.Path(path).write_text(f'{head},\n "rows": [\n{rows}\n ]\n}}\n')
