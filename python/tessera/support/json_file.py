# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JSON files that may be damaged: every defect raises an OSError or a ValueError."""

import json

# The form of any text, which may have several lines.
TEXT = object()


def parse(text):
    """Calls json.loads; raises a ValueError for nesting that is too deep for Python."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read(path, form):
    """Returns the contents of a file that has the given form."""
    # Reading a pipe or /dev/zero may never end.
    if path.exists() and not path.is_file():
        raise OSError("it is not a regular file")
    value = parse(path.read_bytes())
    check(value, form)
    return value


def check(value, form, place="the file"):
    """Raises a ValueError unless a value has a form.

    A form is a type, a tuple of types, a list of one form for all items, or a dict of forms by keys. A key "key?" is
    optional."""
    if isinstance(form, dict):
        _expect(isinstance(value, dict), place, "an object")
        for name, part in form.items():
            key = name.rstrip("?")
            if key in value:
                check(value[key], part, f"'{key}' of {place}")
            elif key == name:
                raise ValueError(f"{place} has no '{key}'")
    elif isinstance(form, list):
        _expect(isinstance(value, list), place, "an array")
        for item in value:
            check(item, form[0], f"an item of {place}")
    elif form is TEXT:
        _expect(type(value) is str, place, "text")
    else:
        kinds = form if isinstance(form, tuple) else (form,)
        _expect(type(value) in kinds, place, " or ".join(kind.__name__ for kind in kinds))
        # Names appear in messages and in file names; half a surrogate pair breaks both.
        _expect(not isinstance(value, str) or value.isprintable(), place, "printable")


def _expect(holds, place, what):
    if not holds:
        raise ValueError(f"{place} is not {what}")
