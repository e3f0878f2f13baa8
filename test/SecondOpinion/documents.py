# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the second opinion with the interpreter on handwritten programs.

    documents.py ROOT

Every `tile` block of docs/language.md runs on small random arrays, and the smallest cases of every example on its
inputs. Results may differ by accumulated rounding errors.
"""

import argparse
import itertools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from SecondOpinion import binding, evaluate, syntax  # noqa: E402
from SecondOpinion.expressions import TYPES, Expressions  # noqa: E402
from SecondOpinion.parser import parse  # noqa: E402

BLOCK = re.compile(r"^```tile\n(.*?)^```$", re.S | re.M)
# Extents of sizes, in turn; small, and not multiples of a tile.
EXTENTS = (37, 21, 3, 2, 5)
# Relative to the largest element; rounding to a 16-bit type may go either way.
TOLERANCE = {"f64": 1e-12, "f32": 1e-4, "f16": 2e-3, "bf16": 1.6e-2, "f8e4m3": 0.13, "f8e5m2": 0.26}
# Sizes of blocks with meaningful arguments.
SIZES = {"row_sums": {"M": 21}, "flash_fwd": {"B": 2, "H": 4, "HK": 2, "M": 37, "N": 53}, "packed_square": {"T": 37, "B": 3},
         "linear": {"T": 37, "B": 3}}
ARGUMENTS = {
    "packed_square": {"cu": np.array([0, 5, 5, 37], np.int32), "longest": 32},
    "linear": {"cu": np.array([0, 5, 5, 37], np.int32), "longest": 32},
    "gather_rows": {"n": 3},
    "column_sums": {"lock": np.zeros(1, np.int32)},
    "column_sums_of_parts": {"done": np.zeros(1, np.int32)},
    "spread": {"rows": np.random.default_rng(2).permutation(37).astype(np.int32)},
    "take": {"rows": np.random.default_rng(3).integers(0, 37, 21).astype(np.int32)},
    "row_sums": {"order": np.random.default_rng(1).permutation(21).astype(np.int32)},
}


class Difference(Exception):
    """The interpreter and the second opinion disagree."""


def spell(value):
    return str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)


def run(tool, source, kernel, arguments, defines, results, folder):
    """Runs tile-run and returns its results."""
    command = [tool, str(source), "--kernel", kernel]
    for name, value in defines.items():
        command += ["-D", f"{name}={spell(value)}"]
    for name, value in arguments.items():
        if np.ndim(value):
            np.save(folder / f"{name}-given.npy", value)
            value = f"@{folder}/{name}-given.npy"
        command += ["--arg", f"{name}={spell(value)}"]
    for name in results:
        command += ["--save", f"{name}={folder}/{name}.npy"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Difference(f"tile-run: {done.stderr}")
    return {name: np.load(folder / f"{name}.npy") for name in results}


def compare(name, dtype, expected, got):
    if expected.shape != got.shape:
        raise Difference(f"{name} has the shape {got.shape} and not {expected.shape}")
    if dtype not in TOLERANCE:
        if not np.array_equal(expected, got):
            raise Difference(f"{name}: integers differ")
        return
    same = (expected == got) | np.isnan(expected) & np.isnan(got)
    finite = np.isfinite(expected)
    bar = TOLERANCE[dtype] * max(1.0, float(np.abs(expected[finite]).max(initial=0.0)))
    with np.errstate(invalid="ignore"):
        wrong = ~(same | (np.abs(expected - got) <= bar))
    if wrong.any():
        place = np.unravel_index(np.argmax(wrong), wrong.shape)
        raise Difference(f"{name}{list(map(int, place))} is {got[place]} and not {expected[place]}")


def check(tool, source, kernel, arguments, defines, types, folder):
    opinion, _ = evaluate(source.read_text(), arguments, kernel, defines, folder=source.parent)
    results = run(tool, source, kernel, arguments, defines, opinion, folder)
    for name, expected in opinion.items():
        compare(name, types[name], expected, results[name])
    return results


def element_types(kernel, expressions):
    return {p.name: expressions.type(p.type.base) for p in binding.existing(expressions, kernel)
            if isinstance(p.type, syntax.Index)}


def known_of(kernel, defines):
    """Returns expressions with the compile-time parameters."""
    expressions = Expressions(None)
    for constant in kernel.constants:
        expressions.names[constant.name] = binding.constant_value(expressions, constant, defines)
    return expressions


def random_array(dtype, shape, generator):
    if dtype == "bool":
        return generator.integers(0, 2, shape).astype(bool)
    if dtype in binding.elements.INTEGERS:
        return generator.integers(-4 if dtype.startswith("i") else 0, 5, shape).astype(binding.elements.INTEGERS[dtype])
    return generator.standard_normal(shape).astype(np.float32)


def block_arguments(kernel, expressions, generator):
    """Returns random arguments of a kernel of the page."""
    arguments, sizes = dict(ARGUMENTS.get(kernel.name, {})), SIZES.get(kernel.name, {})
    extents = itertools.cycle(EXTENTS)
    parameters = binding.existing(expressions, kernel)
    scalars = [p for p in parameters if not isinstance(p.type, syntax.Index)]
    for parameter in scalars:
        dtype = expressions.type(parameter.type)
        if parameter.name not in arguments:
            arguments[parameter.name] = 3 if dtype == "int" or dtype in binding.elements.INTEGERS else True if dtype == "bool" else 0.5
    names = dict(expressions.names, **{p.name: arguments[p.name] for p in scalars})
    reader = Expressions(None)
    reader.names = names
    for parameter in parameters:
        if isinstance(parameter.type, syntax.Index):
            for dim in parameter.type.indices:
                for word in [dim] if isinstance(dim, syntax.Name) else [getattr(dim, "left", None)]:
                    if isinstance(word, syntax.Name) and word.name not in names:
                        names[word.name] = sizes.get(word.name) or next(extents)
            shape = tuple(reader.known_int(dim) for dim in parameter.type.indices)
            if parameter.access != "out" and parameter.name not in arguments:
                arguments[parameter.name] = random_array(reader.type(parameter.type.base), shape, generator)
    return arguments


def check_page(tool, root, folder):
    """Checks the blocks of the page of the language; returns their number."""
    count = 0
    source = folder / "kernel.tile"
    generator = np.random.default_rng(0)
    for block in BLOCK.finditer((root / "docs" / "language.md").read_text()):
        source.write_text(block[1])
        for kernel in parse(block[1]).kernels.values():
            expressions = known_of(kernel, {})
            arguments = block_arguments(kernel, expressions, generator)
            count += 1
            yield f"language.md: {kernel.name}", lambda: check(
                tool, source, kernel.name, arguments, {}, element_types(kernel, expressions), folder)


def find_value(values, bound):
    """Returns the argument that a launch of an example binds to a parameter."""
    if isinstance(bound.value, int):
        return bound.value
    value = values[bound.value]
    return value if bound.rows is None else value[bound.rows]


def check_examples(tool, root, folder, most):
    """Checks the smallest cases of each example, by the work that follows from the sizes of a case."""
    sys.path.insert(0, str(root / "examples"))
    import check as examples

    for place in sorted((root / "examples").glob("[0-9]*-*")):
        module = examples.load_example(place)
        source = place / "kernel.tile"
        kernels = parse(source.read_text()).kernels
        cases = [(case, examples.prepare(module, case, 7)) for case in examples.load_cases(place)]
        cases.sort(key=lambda entry: sum(np.size(value) for value in entry[1].values()))
        # The smallest cases are often empty.
        chosen = cases[::max(1, len(cases) // (2 * most))][:most]

        for case, given in chosen:
            def run_case(case=case, given=given, module=module, source=source, kernels=kernels):
                values = {name: np.float32(value) if np.ndim(value) and value.dtype.kind == "f" else value
                          for name, value in given.items()}
                for kernel, parameters, reads, writes in module.launches(case):
                    defines = examples.read_parameters(case, parameters)
                    types = element_types(kernels[kernel], known_of(kernels[kernel], defines))
                    arguments = {bound.parameter: find_value(values, bound)
                                 for bound in examples.read_bindings(reads)}
                    results = check(tool, source, kernel, arguments, defines, types, folder)
                    for bound in examples.read_bindings(writes):
                        if bound.rows is None:
                            values[bound.value] = results[bound.parameter]
                        else:
                            values[bound.value][bound.rows] = results[bound.parameter]

            yield f"{place.name}: {case.name} {case.T}", run_case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--tile-run", default=shutil.which("tile-run"))
    parser.add_argument("--cases", type=int, default=3, help="cases of each example")
    options = parser.parse_args()
    problems, counts = 0, [0, 0]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        sources = check_page(options.tile_run, options.root, folder), check_examples(options.tile_run, options.root, folder, options.cases)
        for kind, checks in enumerate(sources):
            for name, work in checks:
                counts[kind] += 1
                try:
                    work()
                except Exception as problem:  # After any error, the other cases are still checked.
                    problems += 1
                    print(f"{name}: {type(problem).__name__}: {problem}")
    print(f"{counts[0]} kernels of the page, {counts[1]} cases of examples, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
