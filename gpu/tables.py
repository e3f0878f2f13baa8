# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is compiled, checked and measured, by name.

A *unit* is one kernel of an example with one choice of compile-time parameters, or the kernel of a
file of IR: what one package holds. Cases (the examples' own, and those in gpu/cases for GPU-sized tiles and larger arrays) and
configurations for measuring (configurations.toml) ask for units; most are asked for many times.
"""

import dataclasses
import importlib.util
import json
import pathlib
import re
import sys
import tomllib
import types

ROOT = pathlib.Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
OWN = pathlib.Path(__file__).resolve().parent

# When splitting the sum of a product is worth a try: the multiprocessors of an H100 or H200, and
# the steps over K that fill the rings of a part.
MULTIPROCESSORS = 132
MIN_STEPS = 16

# How the message for a configuration without a package begins.
NOT_COMPILED = "not compiled: "


def _load_examples():
    """examples/check.py as a module; its name is that of another script here."""
    sys.path.append(str(EXAMPLES))
    spec = importlib.util.spec_from_file_location("example_checks", EXAMPLES / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


examples = _load_examples()


@dataclasses.dataclass(frozen=True)
class Unit:
    # The folder of an example, or the path of a file of IR with one kernel
    example: str
    kernel: str
    # ((name, value as tilec takes it), ...) in the order of the table
    parameters: tuple
    # Options of tilec beyond the parameters
    options: tuple = ()

    @property
    def name(self):
        words = [f"{name}={value}" for name, value in self.parameters]
        words += [re.sub(r"\W+", "-", option).strip("-") for option in self.options]
        return ".".join([self.kernel, *words])

    @property
    def is_ir(self):
        return self.example.endswith(".mlir")

    @property
    def source(self):
        return ROOT / self.example if self.is_ir else EXAMPLES / self.example / "kernel.tile"

    @property
    def file(self):
        return f"{pathlib.Path(self.example).stem}.{self.name}.tpk"


def make_unit(example, kernel, parameters, options=()):
    """`parameters` is a dictionary; the order of its keys does not matter."""
    spelt = tuple(sorted((name, examples.spell(value)) for name, value in parameters.items()))
    return Unit(example, kernel, spelt, tuple(options))


@dataclasses.dataclass
class Case:
    """A case of an example: sizes, compile-time parameters, type."""

    example: str
    values: types.SimpleNamespace
    # Whether it is one of gpu/cases, whose references are computed on the GPU.
    large: bool

    @property
    def id(self):
        return f"{self.example}/{self.values.name}/{self.values.T}"

    @property
    def module(self):
        return _load_reference(self.example)

    def launches(self):
        """(unit, bindings read, bindings written) of each launch, in order."""
        for kernel, parameters, reads, writes in self.module.launches(self.values):
            unit = make_unit(self.example, kernel, examples.read_parameters(self.values, parameters))
            yield unit, [*examples.read_bindings(reads)], [*examples.read_bindings(writes)]


_references = {}


def _load_reference(example):
    if example not in _references:
        _references[example] = examples.load_example(EXAMPLES / example)
    return _references[example]


def _load_large(path):
    """The cases of one file of gpu/cases; defaults are those of the example, then its own."""
    table = tomllib.loads((EXAMPLES / path.stem / "cases.toml").read_text())
    own = tomllib.loads(path.read_text())
    cases = own.pop("cases")
    defaults = {**table, **own}
    del defaults["cases"]
    for name, values in cases.items():
        values = {**defaults, **values}
        for dtype in values.pop("dtypes"):
            yield types.SimpleNamespace(name=name, T=dtype, **values)


def load_cases(only=None):
    """All cases, those of the examples first; `only` is a regular expression on ids."""
    found = []
    for folder in sorted(EXAMPLES.glob("[0-9]*-*")):
        found += [Case(folder.name, values, False) for values in examples.load_cases(folder)]
    for path in sorted((OWN / "cases").glob("*.toml")):
        found += [Case(path.stem, values, True) for values in _load_large(path)]
    names = [case.id for case in found]
    doubles = {name for name in names if names.count(name) > 1}
    if doubles:
        raise ValueError(f"two cases are called {sorted(doubles)[0]}")
    return [case for case in found if not only or re.search(only, case.id)]


@dataclasses.dataclass(frozen=True)
class Configuration:
    """One way to compute what a kernel of shapes.py does: itself, or several launches that hand
    temporary arrays on."""

    name: str
    # The kernel of shapes.py, and what its parameters are here
    kernel: str
    parameters: frozenset
    units: tuple
    # Into how many parts the launches split the sum over K
    parts: int = 1

    def fits(self, shape):
        """Whether it computes the shape, and is worth a try."""
        wanted = {(name, examples.spell(value)) for name, value in shape.parameters.items()}
        if self.kernel != shape.kernel or not wanted <= self.parameters:
            return False
        return self.parts == 1 or self.shares(shape)

    def shares(self, shape):
        """Whether the parts find idle multiprocessors, and each has some work."""
        tile = {name: int(value) for name, value in self.parameters if name in ("BM", "BN", "BK")}
        tiles = -(-shape.M // tile["BM"]) * -(-shape.N // tile["BN"])
        return (tiles < 2 * MULTIPROCESSORS
                and MULTIPROCESSORS <= 2 * tiles * self.parts <= 8 * MULTIPROCESSORS
                and shape.K >= self.parts * MIN_STEPS * tile["BK"])

    @property
    def values(self):
        """Arguments beyond those of the shape."""
        return {"S": self.parts} if self.parts > 1 else {}


def _choices(row):
    """Lists of values stand for all combinations."""
    choices = [{}]
    for key, values in row.items():
        values = values if isinstance(values, list) else [values]
        choices = [{**choice, key: value} for choice in choices for value in values]
    return choices


def load_configurations():
    """What is measured, from configurations.toml."""
    table = tomllib.loads((OWN / "configurations.toml").read_text())
    found = []
    for row in table["configuration"]:
        row = dict(row)
        example, name, options = row.pop("example"), row.pop("name"), row.pop("options", [])
        for choice in _choices(row):
            kernel = choice.pop("kernel")
            unit = make_unit(example, kernel, choice, options)
            found.append(Configuration(name, kernel, frozenset(unit.parameters), (unit,)))
    for row in table["split"]:
        row = dict(row)
        example, name = row.pop("example"), row.pop("name")
        for choice in _choices(row):
            form, parts = choice.pop("form"), choice.pop("parts")
            sum_tile = {key: choice.pop(key) for key in ("BS", "BR", "BC")}
            first = make_unit(example, f"split_k_partial_{form}", choice)
            last = make_unit(example, "split_k_sum", {"T": choice["T"], **sum_tile})
            found.append(Configuration(f"split{parts} {name}", f"matmul_{form}",
                                       frozenset(first.parameters), (first, last), parts))
    return found


def collect_units(only=None):
    """{unit: {"cases": [ids], "configurations": [names]}}; `only` is a regular expression on the
    names of units and cases."""
    wanted = {}

    def want(unit):
        return wanted.setdefault(unit, {"cases": [], "configurations": []})

    for case in load_cases():
        for unit, _, _ in case.launches():
            want(unit)["cases"].append(case.id)
    for configuration in load_configurations():
        for unit in configuration.units:
            names = want(unit)["configurations"]
            if configuration.name not in names:
                names.append(configuration.name)
    return {unit: use for unit, use in wanted.items()
            if not only or any(re.search(only, name) for name in [unit.file, *use["cases"]])}


def first_error(text):
    """The line of a compiler's output that says what is wrong."""
    lines = [line for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[0] if lines else "")


class Index:
    """index.json of a folder of packages: what compile.py made, and what it could not."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        table = json.loads((self.folder / "index.json").read_text())
        self.source = table["source"]
        self.ptxas = ", ".join(sorted({row.get("ptxas") or "unknown"
                                       for row in table["packages"] if row["error"] is None}))
        self.rows = {}
        for row in table["packages"]:
            unit = make_unit(row["example"], row["kernel"], row["parameters"], row["options"])
            self.rows[unit] = row

    def error(self, unit):
        """Why there is no package for `unit`, or None."""
        row = self.rows.get(unit)
        return f"{unit.name} is not in the index" if row is None else row["error"]

    def path(self, unit):
        return self.folder / self.rows[unit]["file"]

    def configurations(self, shape):
        """What is to be measured for a shape, compiled or not, but for what --only left out."""
        return [configuration for configuration in load_configurations()
                if configuration.fits(shape)
                and all(unit in self.rows for unit in configuration.units)]

    def configuration_error(self, configuration):
        """Why a configuration cannot be run, or None."""
        errors = (self.error(unit) for unit in configuration.units)
        return next((error for error in errors if error), None)
