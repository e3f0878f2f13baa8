# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of units, cases and configurations: the things that scripts compile, check and measure, by name.

A *unit* is one kernel of an example with one choice of compile-time parameters, or the kernel of a file of IR: the
contents of one package. Cases and configurations for measuring (configurations.toml) ask for units; most units have
several uses. Cases are those of the examples, and those in gpu/cases for GPU-sized tiles and larger arrays.
"""

import dataclasses
import functools
import importlib.util
import json
import pathlib
import re
import sys
import tomllib
import types

import families

ROOT = pathlib.Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
OWN = pathlib.Path(__file__).resolve().parent

# Limits for splitting the sum of a product: the multiprocessors of an H100 or H200, and the steps over K that fill the
# rings of a part.
MULTIPROCESSORS = 132
MIN_STEPS = 16

# The beginning of the message for a configuration without a package.
NOT_COMPILED = "not compiled: "


def _load_examples():
    """Loads examples/check.py as a module; another script here has the same name."""
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
    """Returns the unit of a kernel; the order of `parameters`, a dict, does not matter."""
    spelt = tuple(sorted((name, examples.spell(value)) for name, value in parameters.items()))
    return Unit(example, kernel, spelt, tuple(options))


@dataclasses.dataclass
class Case:
    """A case of an example: sizes, compile-time parameters, type."""

    example: str
    values: types.SimpleNamespace
    # Whether the case is one of gpu/cases, whose references are computed on the GPU.
    large: bool

    @property
    def id(self):
        return f"{self.example}/{self.values.name}/{self.values.T}"

    @property
    def module(self):
        return _load_reference(self.example)

    def launches(self):
        """Yields (unit, bindings read, bindings written) of each launch, in order."""
        for kernel, parameters, reads, writes in self.module.launches(self.values):
            unit = make_unit(self.example, kernel, examples.read_parameters(self.values, parameters))
            yield unit, [*examples.read_bindings(reads)], [*examples.read_bindings(writes)]


_references = {}


def _load_reference(example):
    if example not in _references:
        _references[example] = examples.load_example(EXAMPLES / example)
    return _references[example]


def _load_large(path):
    """Yields the cases of one file of gpu/cases; its defaults override those of the example."""
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
    """Returns all cases, those of the examples first; `only` is a regular expression on ids."""
    found = []
    for folder in sorted(EXAMPLES.glob("[0-9]*-*")):
        found += [Case(folder.name, values, False) for values in examples.load_cases(folder)]
    for path in sorted((OWN / "cases").glob("*.toml")):
        found += [Case(path.stem, values, True) for values in _load_large(path)]
    names = [case.id for case in found]
    doubles = {name for name in names if names.count(name) > 1}
    if doubles:
        raise ValueError(f"two cases have the name {sorted(doubles)[0]}")
    return [case for case in found if not only or re.search(only, case.id)]


@dataclasses.dataclass(frozen=True)
class Step:
    """A launch of a configuration: a unit, and the bindings of its parameters."""

    unit: Unit
    # Bindings of examples/check.py; a parameter without one is bound to the array of its name.
    reads: tuple = ()
    writes: tuple = ()


@dataclasses.dataclass(frozen=True)
class Configuration:
    """One way to compute a shape: one kernel, or the launches of an example for a case, which pass arrays on."""

    name: str
    # The `kernel` of the shapes that it computes
    computes: str
    example: str
    # The choices of its row in configurations.toml: ((name, value), ...)
    choices: tuple
    # The kernel, if it is a single one whose parameters are the choices
    kernel: str | None = None
    # The kernels of the example that it launches; empty: all
    kernels: tuple = ()
    options: tuple = ()

    def fits(self, shape):
        """Whether it computes the shape and is a sensible choice for it."""
        if self.computes != shape.kernel:
            return False
        spelt = {name: examples.spell(value) for name, value in self.choices}
        if self.kernel:
            # A single kernel has no parameters except those of the row.
            wanted = shape.parameters
            if not wanted.keys() <= spelt.keys():
                return False
        else:
            wanted = {**shape.values, **shape.parameters}
        if any(spelt[name] != examples.spell(value)
               for name, value in wanted.items() if name in spelt):
            return False
        return not self.splits_product or self.shares(shape)

    @property
    def splits_product(self):
        return self.computes.startswith("matmul") and "S" in dict(self.choices)

    def shares(self, shape):
        """Whether splitting helps: the parts find idle multiprocessors, and each has enough work."""
        choices = dict(self.choices)
        tiles = -(-shape.M // choices["BM"]) * -(-shape.N // choices["BN"])
        parts = choices["S"]
        return (tiles < 2 * MULTIPROCESSORS
                and MULTIPROCESSORS <= 2 * tiles * parts <= 8 * MULTIPROCESSORS
                and shape.K >= parts * MIN_STEPS * choices["BK"])

    def case(self, shape):
        """Returns the case of the example for a shape: its defaults, the choices of the row, the shape."""
        table = tomllib.loads((EXAMPLES / self.example / "cases.toml").read_text())
        del table["cases"]
        values = {**table, **dict(self.choices), **shape.values, **shape.parameters}
        return types.SimpleNamespace(**values)

    @functools.cache
    def steps(self, shape):
        """Returns the launches for a shape, in order."""
        if self.kernel:
            return (Step(make_unit(self.example, self.kernel, dict(self.choices), self.options)),)
        case = self.case(shape)
        return tuple(
            Step(make_unit(self.example, kernel, examples.read_parameters(case, parameters),
                           self.options),
                 tuple(examples.read_bindings(reads)), tuple(examples.read_bindings(writes)))
            for kernel, parameters, reads, writes in _load_reference(self.example).launches(case)
            if not self.kernels or kernel in self.kernels)

    def units(self, shape):
        return tuple(dict.fromkeys(step.unit for step in self.steps(shape)))


def _choices(row):
    """Expands lists of values to all combinations."""
    choices = [{}]
    for key, values in row.items():
        values = values if isinstance(values, list) else [values]
        choices = [{**choice, key: value} for choice in choices for value in values]
    return choices


@functools.cache
def load_configurations():
    """Returns the configurations of configurations.toml; rows of missing examples are skipped."""
    found = []
    for row in tomllib.loads((OWN / "configurations.toml").read_text())["configuration"]:
        row = dict(row)
        example, name = row.pop("example"), row.pop("name")
        kernels, options = tuple(row.pop("kernels", ())), tuple(row.pop("options", ()))
        if not example.endswith(".mlir") and not (EXAMPLES / example).exists():
            continue
        for choice in _choices(row):
            kernel = choice.pop("kernel", None)
            computes = choice.pop("computes", kernel).format(**choice)
            found.append(Configuration(name.format(**choice), computes, example,
                                       tuple(choice.items()), kernel, kernels, options))
    return tuple(found)


def find_configurations(shape):
    """Returns the configurations to measure for a shape."""
    found = [configuration for configuration in load_configurations() if configuration.fits(shape)]
    names = [configuration.name for configuration in found]
    if len(set(names)) < len(names):
        raise ValueError(f"two configurations for {shape.id} have the same name among {names}")
    return found


def collect_units(only=None):
    """Returns {unit: {"cases": [ids], "configurations": [names]}}.

    `only` is a regular expression on the names of units and cases."""
    wanted = {}

    def want(unit):
        return wanted.setdefault(unit, {"cases": [], "configurations": []})

    for case in load_cases():
        for unit, _, _ in case.launches():
            want(unit)["cases"].append(case.id)
    for shape in families.load_shapes():
        for configuration in find_configurations(shape):
            for unit in configuration.units(shape):
                names = want(unit)["configurations"]
                if configuration.name not in names:
                    names.append(configuration.name)
    return {unit: use for unit, use in wanted.items()
            if not only or any(re.search(only, name) for name in [unit.file, *use["cases"]])}


def first_error(text):
    """Returns the line of a compiler's output that has the error."""
    lines = [line for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[0] if lines else "")


class Index:
    """index.json of a folder of packages: the packages of compile.py, and its failures."""

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
        """Returns why there is no package for `unit`, or None."""
        row = self.rows.get(unit)
        return f"{unit.name} is not in the index" if row is None else row["error"]

    def path(self, unit):
        return self.folder / self.rows[unit]["file"]

    def configurations(self, shape):
        """Returns the configurations of a shape, compiled or not, except those that --only excluded."""
        return [configuration for configuration in find_configurations(shape)
                if all(unit in self.rows for unit in configuration.units(shape))]

    def configuration_error(self, configuration, shape):
        """Returns why a configuration cannot run, or None."""
        errors = (self.error(unit) for unit in configuration.units(shape))
        return next((error for error in errors if error), None)
