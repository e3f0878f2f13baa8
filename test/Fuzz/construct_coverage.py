#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the random programs and the second opinion have all constructs of the language.

    construct_coverage.py ROOT [--count N] [--list]

The constructs are the built-in functions, members and hints of lib/Frontend/Vocabulary.cpp, the operators and the types
of docs/language.md, and the fns of the standard library. A construct counts if one of N programs of a generator has it.
Exceptions have a reason. An exception that a generator has is an error as well.
"""

import argparse
import collections
import itertools
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
from text import files, kernels, programs as text_programs  # noqa: E402
from trees import analysis, programs, random_programs  # noqa: E402

from SecondOpinion.expressions import BUILT_IN, TYPES  # noqa: E402

SPELLED = re.compile(r"[-+*/%&|^<>=!~@]+")
# Words that only the parser knows.
OF_RANGES = {"range", "tile", "tiles"}
KEYWORDS = """as assert bool break check else false fn for grid if in inf inout int kernel let nan numerics out part
return schedule true type float use var while""".split()
# Reasons why no text has a construct.
NOT_IN_TEXT = {"philox": "`random_word` calls it", "to_e2m1_pairs": "`to_e2m1` of a `split`",
               "from_e2m1_pairs": "a `join` of `from_e2m1`"}
# Reasons why no tree has a function, a type, a hint or a fn of the library.
NOT_IN_TREES = {
    "atomic_cas": "its value needs an expected one; texts have it", "broadcast": "operands are repeated by `[:, _]`",
    "iota": "trees have positions of ranges", "ones": "trees have `full`", "zeros": "trees have `full`",
    "contract": "no choice of the pipeline", "exchange": "for gradients of attention", "late_stores": "as `exchange`",
    "lazy_rescale": "texts have it", "exp2_f64": "as `exp_f64`", "log_f64": "as `exp_f64`",
    "philox": "`random_bits` calls it", "random_word": "`random_bits` calls it", "to_uniform": "`uniform` calls it",
    "normal": "its error has no bound in values.py", "round_to_bf16": "bits of an inexact number",
    "softmax": "attention writes it out", "softmax_step": "attention writes it out",
    "softmax_merge": "attention writes it out", "log_sum_exp": "an addition of a logarithm",
    **{f"{way}_{form}": "codes of numbers; texts have them"
       for way in ("to", "from") for form in ("e2m1", "e2m1_pairs", "e8m0")},
}


def table_of(page, title):
    """Returns the code words of the first table after a title of the page of the language."""
    rows = page[page.index(title):].split("\n\n", 2)[1 if "\n|" in page[page.index(title):].split("\n\n", 2)[1] else 2]
    code = re.compile(r"`([^`]+)`|<code>(.*?)</code>")
    return [first or second for row in rows.splitlines() for first, second in code.findall(row.split(" | ")[0])]


def constructs(root):
    """Returns the constructs of the language by kind."""
    tables = re.split(r"static constexpr WordText \w+\[\]", (root / "lib/Frontend/Vocabulary.cpp").read_text())[1:]
    functions, members, hints = (re.findall(r'^    \{"(\w+)",', table, re.M) for table in tables)
    page = (root / "docs/language.md").read_text()
    types = [word for words in table_of(page, "## Types and values") for word in words.split() if word.isalnum()]
    operators = [word.replace("&#124;", "|") for word in table_of(page, "## Expressions")]
    files = [path.read_text() for path in sorted((root / "std").glob("*.tile"))]
    library = [name for text in files for name in re.findall(r"^fn (\w+)", text, re.M)]
    # Fns that only other fns of their file call are no part of the page.
    library = [name for name in library if f"`{name}`" in page or re.search(rf"`[^`|]*\b{name}\([^`]*`", page)]
    return {"function": functions, "member": members, "hint": hints, "type": [t for t in types if t != "T"],
            "operator": [o for o in operators if SPELLED.fullmatch(o)], "library": library, "keyword": KEYWORDS}


def found_in(text):
    """Returns the constructs of a program, as pairs of a kind and a word."""
    text = re.sub(r"//.*", "", text)
    head = " ".join(re.findall(r"^  (?:schedule|numerics) \((.*)\)$", text, re.M))
    words = set(re.findall(r"[A-Za-z_]\w*", text))
    calls = set(re.findall(r"(\w+)\(", text))
    found = {"function": calls, "library": calls, "type": words, "keyword": words,
             "member": re.findall(r"\.(\w+)", text),
             "hint": re.findall(r"\w+", head), "operator": SPELLED.findall(text)}
    return {(kind, word) for kind, those in found.items() for word in those}


def texts_of(kind, count):
    numbers = range(count)
    if kind == "kernel":
        # Each program of this family has few of its functions.
        calls = (number for number in itertools.count() if kernels.family_of(number) == "calls")
        numbers = [*numbers, *itertools.islice(calls, 60)]
    if kind == "tree":
        numbers = [number for number in range(8 * count) if number % 8 == 7 and number // 8 % 2 or number < count // 4]
    for number in numbers:
        if kind == "tree":
            program = random_programs.random_program(number)
            yield programs.write(program, analysis.Analysis(program).texts)
        else:
            make = text_programs.random_text if kind == "text" else kernels.random_kernel
            yield "".join(files.spread(make(number).text).values())


def missing_of(known, found, exceptions, where):
    """Yields a message for each construct that is missing, and for each wrong exception."""
    for kind, words in known.items():
        for word in words:
            if found[kind, word] == 0 and word not in exceptions:
                yield f"{where}: no program has the {kind} `{word}`"
            if found[kind, word] > 0 and word in exceptions:
                yield f"{where}: `{word}` is an exception, but programs have it"
    every = {word for words in known.values() for word in words}
    yield from (f"{where}: the exception `{word}` is no construct" for word in exceptions if word not in every)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=200, help="programs of each generator")
    parser.add_argument("--list", action="store_true", help="print how many programs have each construct")
    options = parser.parse_args()
    known = constructs(options.root)
    counts = {"text": collections.Counter(), "tree": collections.Counter()}
    for kind, where in (("text", "text"), ("kernel", "text"), ("tree", "tree")):
        for text in texts_of(kind, options.count):
            counts[where].update(found_in(text))
    # Each operation of a tree is rare, so its text counts as well.
    atomic = [f"atomic_{name}()" for name in programs.ATOMIC]
    for text in (*programs.SPELLING.values(), *programs.FUNCTIONS.values(), *atomic):
        counts["tree"].update(found_in(text))
    if options.list:
        for kind, words in known.items():
            for word in words:
                print(f"{kind:9} {word:16} text {counts['text'][kind, word]:5} tree {counts['tree'][kind, word]:5}")
    problems = [f"the second opinion has no {kind} `{word}`" for kind, words in
                (("function", BUILT_IN | OF_RANGES), ("type", TYPES)) for word in known[kind] if word not in words]
    problems += missing_of(known, counts["text"], NOT_IN_TEXT, "text")
    of_trees = {kind: known[kind] for kind in ("function", "type", "hint", "library")}
    problems += missing_of(of_trees, counts["tree"], NOT_IN_TREES, "tree")
    print("\n".join(problems))
    print(f"{sum(map(len, known.values()))} constructs, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
