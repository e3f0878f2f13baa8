# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares lines that a script makes with a committed listing, or writes the listing with --update."""

import difflib
import sys


def compare(listing, lines, counted, what):
    """Prints the differences, and how many lines, which are `what`, contain `counted`; returns the exit status."""
    made = [line + "\n" for line in lines]
    if "--update" in sys.argv:
        listing.write_text("".join(made))
        return 0
    known = listing.read_text().splitlines(keepends=True)
    changes = list(difflib.unified_diff(known, made, listing.name, "now", n=1))
    sys.stdout.writelines(changes)
    count = sum(counted in line for line in made)
    print(f"{count} {what}; {'another' if changes else 'the same'} listing")
    return 1 if changes or not count else 0
