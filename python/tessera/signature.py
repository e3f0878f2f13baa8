# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call gives, by the signature of a kernel: names, compile-time values, outputs."""

import difflib
import re
import typing

from . import calls, tensors
from .errors import ArgumentError

# The element types of the language by the names in metadata, which the protocols are read into.
LANGUAGE = {
    "f32": "f32", "f16": "f16", "bf16": "bf16", "f8E4M3FN": "f8e4m3", "f8E5M2": "f8e5m2",
    "i8": "i8", "i32": "i32", "i64": "i64", "i1": "bool",
}

_NAME = {"name": str, "line": int, "column": int}
_PLAIN_NAME = (str, type(None))
# The form (json_file.check) of the rows that tilec --emit=signatures writes.
ROWS = [{
    **_NAME,
    "parameters": [{**_NAME, "access": str, "conditional": bool, "type": _PLAIN_NAME, "dims?": [_PLAIN_NAME]}],
    "compileTime": [{**_NAME, "type": str, "hasDefault": bool, "default": _PLAIN_NAME}],
    "sizes": [str],
}]


class Call(typing.NamedTuple):
    """The arguments of a call by their names."""

    arguments: dict
    # Values of compile-time parameters, as they are given.
    compile_time: dict
    sizes: dict


class Signature:
    """A kernel as its source declares it: a row of what tilec --emit=signatures writes."""

    def __init__(self, path, row):
        self._path = path
        self._row = row
        self.name = row["name"]
        self.parameters = {parameter["name"]: parameter for parameter in row["parameters"]}
        self.compile_time = {parameter["name"]: parameter for parameter in row["compileTime"]}
        # Plain defaults, as texts; others depend on the values of other parameters.
        self.defaults = {name: row["default"] for name, row in self.compile_time.items()
                         if row.get("default") is not None}
        # What no argument need bind by itself: names in dimensions that are declared nowhere else.
        self.sizes = list(row["sizes"])
        self.outputs = [name for name, row in self.parameters.items() if row["access"] == "out"]
        inputs = [row for row in self.parameters.values() if row["access"] != "out"]
        self.by_position = [row["name"] for row in inputs if not row["conditional"]]
        # Those of an operator: what the kernel has only sometimes comes last.
        self.inputs = self.by_position + [row["name"] for row in inputs if row["conditional"]]

    def place(self, name=None):
        """Where a parameter, or the kernel, is declared."""
        row = self.parameters.get(name) or self.compile_time.get(name) or self._row
        return f"{self._path}:{row['line']}:{row['column']}"

    def error(self, message, name=None):
        """An ArgumentError at a parameter, or at the kernel."""
        return ArgumentError(f"{self.place(name)}: kernel '{self.name}'{message}")

    def locate(self, error):
        """An ArgumentError of those who know no source, at the parameter that it names first."""
        text = str(error)
        if text.startswith(f"{self._path}:"):
            return error
        text = text.removeprefix(f"kernel '{self.name}': ")
        name = next((name for name in re.findall(r"'(\w+)'", text) if name in self.parameters), None)
        return self.error(f": {text}", name)

    def sort(self, values, named, out):
        """The Call of arguments by position and by name, and outputs."""
        if len(values) > len(self.by_position):
            raise self.error(f" takes {len(self.by_position)} arguments by position "
                             f"({', '.join(self.by_position) or 'none'}), got {len(values)}")
        call = Call(dict(zip(self.by_position, values)), {}, {})
        for name, value in named.items():
            if name in call.arguments:
                raise self.error(f": '{name}' is given twice", name)
            if name in self.compile_time:
                call.compile_time[name] = value
            elif name in self.parameters:
                call.arguments[name] = value
            elif name in self.sizes:
                call.sizes[name] = value
            else:
                raise self.error(f" has no parameter '{name}'" + self._suggest(name))
        for name, value in self._name_outputs(out).items():
            if name in call.arguments:
                raise self.error(f": '{name}' is given twice", name)
            call.arguments[name] = value
        for name in self.by_position:
            if name not in call.arguments:
                raise self.error(f": '{name}' is missing", name)
        return call

    def names(self, values, named, out):
        """The parameters that the arguments of a call are for, in the order in which they are given."""
        return [*self.by_position[:len(values)], *named, *self._name_outputs(out)]

    def _suggest(self, name):
        known = [*self.parameters, *self.compile_time, *self.sizes, "out", "stream"]
        # Case is what is confused most, and what the distance counts in full.
        by_fold = {other.casefold(): other for other in known}
        near = difflib.get_close_matches(name.casefold(), by_fold, n=1)
        return f"; did you mean '{by_fold[near[0]]}'?" if near else f"; it has {', '.join(known[:-2])}"

    def _name_outputs(self, out):
        if out is None:
            return {}
        if isinstance(out, dict):
            for name in out:
                if name not in self.outputs:
                    raise self.error(f": 'out' names '{name}', but the outputs are "
                                     f"{', '.join(self.outputs) or 'none'}")
            return out
        # Conditional ones are by name: which of them there are is known once it is compiled.
        names = [name for name in self.outputs if not self.parameters[name]["conditional"]]
        given = calls.outputs_of(out)
        if len(given) != len(names):
            raise self.error(f": expected {len(names)} outputs in 'out' ({', '.join(names) or 'none'}), "
                             f"got {len(given)}")
        return dict(zip(names, given))

    def infer(self, call, described):
        """The values of compile-time parameters as texts, by name and in the order of the kernel.
        `described` has the tensors.Tensor of each argument that is a tensor."""
        values = {name: self._format(name, value) for name, value in call.compile_time.items()}
        givers = dict.fromkeys(values)
        for name, tensor in described.items():
            parameter = self.parameters[name]
            self._check_rank(parameter, tensor)
            self._infer_type(parameter, tensor, values, givers)
            for dimension, (text, extent) in enumerate(zip(parameter["dims"], tensor.shape)):
                if self._type_of(text) != "int":
                    continue
                self._agree(name, text, str(int(extent)), values, givers,
                            f"has {extent} elements in dimension {dimension}")
        for name, row in self.compile_time.items():
            if name not in values and not row["hasDefault"]:
                raise self.error(f": '{name}' has no default, and no argument says it; give {name}=", name)
        return {name: values[name] for name in self.compile_time if name in values}

    def sizes_of(self, call, described):
        """The sizes of a call that arguments bind by themselves, or that it gives."""
        sizes = dict(call.sizes)
        for name, tensor in described.items():
            for text, extent in zip(self.parameters[name].get("dims", ()), tensor.shape):
                if text in self.sizes:
                    sizes.setdefault(text, extent)
        return sizes

    def choose(self, compile_time):
        """The same for a kernel that is not called: all without a default must be given."""
        for name in compile_time:
            if name not in self.compile_time:
                raise self.error(f" has no compile-time parameter '{name}'; it has "
                                 f"{', '.join(self.compile_time) or 'none'}", name)
        return self.infer(Call({}, compile_time, {}), {})

    def _type_of(self, name):
        return self.compile_time.get(name, {}).get("type")

    def _check_rank(self, parameter, tensor):
        name, rank = parameter["name"], len(parameter.get("dims", ()))
        if "dims" not in parameter:
            raise self.error(f": expected a number for '{name}', got a tensor", name)
        if len(tensor.shape) != rank:
            raise self.error(f": expected '{name}' to have rank {rank}, got {len(tensor.shape)}", name)

    def _infer_type(self, parameter, tensor, values, givers):
        name, wanted = parameter["name"], parameter["type"]
        found = LANGUAGE.get(tensor.dtype)
        if self._type_of(wanted) == "type":
            if found is None:
                raise self.error(f": '{name}' has elements of {tensor.dtype}, which is no type of the "
                                 "language", name)
            self._agree(name, wanted, found, values, givers, f"has elements of {found}")
        elif wanted in LANGUAGE.values() and wanted != found:
            raise self.error(f": expected '{name}' to have elements of {wanted}, got "
                             f"{found or tensor.dtype}", name)

    def _agree(self, name, parameter, value, values, givers, what):
        """Takes a value from the argument `name`, which has to be that of all others."""
        known = values.setdefault(parameter, value)
        giver = givers.setdefault(parameter, name)
        if known != value:
            source = f"'{giver}' gives {parameter} = {known}" if giver else f"{parameter} = {known} is given"
            raise self.error(f": '{name}' {what}, but {source}", name)

    def _format(self, name, value):
        """A compile-time value as tilec -D takes it."""
        wanted = self.compile_time[name]["type"]
        kind = type(value).__name__
        # NumPy's truth values are no bool.
        if wanted == "bool" and kind in ("bool", "bool_"):
            return "true" if value else "false"
        if wanted == "int" and hasattr(value, "__index__") and kind != "bool":
            return str(value.__index__())
        if wanted == "float" and hasattr(value, "__float__") and not isinstance(value, bool):
            return repr(float(value))
        if wanted == "type":
            found = value if value in LANGUAGE.values() else LANGUAGE.get(tensors.dtype_name(value))
            if found:
                return found
        expected = f"a type, such as {', '.join(LANGUAGE.values())}" if wanted == "type" else wanted
        raise self.error(f": expected {name} to be {expected}, got {value!r}", name)
