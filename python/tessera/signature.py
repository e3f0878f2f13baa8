# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The signature of a kernel, and the arguments of a call sorted by it: names, compile-time values, outputs."""

import difflib
import inspect
import keyword
import re
import typing

from . import calls, tensors
from .errors import ArgumentError
from .host import devices
from .support import json_file, numbers

_METADATA = {name: dtype for dtype, name in tensors.LANGUAGE.items()}

_NAME = {"name": str, "line": int, "column": int}
_PLAIN_NAME = (str, type(None))
# The form (json_file.check) of the output of tilec --emit=signatures.
ROWS = [{
    **_NAME,
    "documentation?": json_file.TEXT,
    "parameters": [{**_NAME, "access": str, "conditional": bool, "condition?": str, "type": _PLAIN_NAME,
                    "dims?": [_PLAIN_NAME]}],
    "compileTime": [{**_NAME, "type": str, "hasDefault": bool, "default": _PLAIN_NAME,
                     "expression?": _PLAIN_NAME, "values?": str}],
    "sizes": [str],
}]


# Arguments that calls have in other languages, or that load has.
_ELSEWHERE = {
    "num_warps": "the schedule of the source sets it: schedule (warps = …)",
    "num_stages": "the schedule of the source sets it: schedule (stages = …)",
    "num_ctas": "the schedule of the source sets it: schedule (cluster = …)",
    "grid": "the source declares the grid",
    **dict.fromkeys(devices.ARGUMENTS, "pass it to load"),
}

# Arguments that every call has. A parameter of such a name is no argument by name.
OF_CALLS = {"out": "the outputs", "stream": "the stream"}

# Readers of constant defaults; the default of a type is its name.
_READERS = {"int": int, "float": float, "bool": "true".__eq__}


def read_default(row):
    """Returns the constant default of a compile-time parameter; raises a ValueError if it has another type."""
    return _READERS.get(row["type"], str)(row["default"])


def _has_constant(row):
    """Checks whether the default of a compile-time parameter is a constant of its type. The compiler reports others."""
    try:
        return row.get("default") is not None and read_default(row) is not None
    except ValueError:
        return False


def explain_reserved(name):
    """Returns the part of a message about a missing argument that calls cannot pass by name; empty for others."""
    return f"pass it by position, since {name}= gives {OF_CALLS[name]} of a call; " if name in OF_CALLS else ""


class Expression(str):
    """A default that depends on other parameters. Its representation is the text of the source."""

    __slots__ = ()
    __repr__ = str.__str__


class Call(typing.NamedTuple):
    """The arguments of a call by name."""

    arguments: dict
    # Values of compile-time parameters, as passed.
    compile_time: dict
    sizes: dict


class Signature:
    """A kernel as its source declares it: one row of the output of tilec --emit=signatures."""

    def __init__(self, path, row):
        self._path = path
        self._row = row
        self.name = row["name"]
        self.parameters = {parameter["name"]: parameter for parameter in row["parameters"]}
        self.compile_time = {parameter["name"]: parameter for parameter in row["compileTime"]}
        # Constant defaults; other defaults depend on other parameters.
        self._values = {name: read_default(row) for name, row in self.compile_time.items() if _has_constant(row)}
        # As texts of tilec -D.
        self.defaults = {name: repr(value) if self.compile_time[name]["type"] == "float"
                         else self.compile_time[name]["default"] for name, value in self._values.items()}
        # Names in dimensions that are declared nowhere else; no argument has to bind them.
        self.sizes = list(row["sizes"])
        # The names that --shape of tilec takes.
        self.size_names = self.sizes + [name for name, row in self.parameters.items()
                                        if row["type"] == "int" and "dims" not in row]
        self.outputs = [name for name, row in self.parameters.items() if row["access"] == "out"]
        inputs = [row for row in self.parameters.values() if row["access"] != "out"]
        self.by_position = [row["name"] for row in inputs if not row["conditional"]]
        # The inputs of an operator; conditional ones come last.
        self.inputs = self.by_position + [row["name"] for row in inputs if row["conditional"]]

    @property
    def documentation(self):
        """The `///` comment above the kernel, or an empty text."""
        return self._row.get("documentation", "").encode("utf-8", "replace").decode()

    def describe(self, name):
        """Returns the type of a parameter as the source declares it; expressions of dimensions are shown as …."""
        row = self.parameters[name]
        dims = f"[{', '.join(dim or '…' for dim in row['dims'])}]" if "dims" in row else ""
        return f"{row['type'] or '…'}{dims}"

    def default(self, name):
        """Returns the default of a compile-time parameter as text, or None."""
        row = self.compile_time[name]
        return row.get("expression") or self.defaults.get(name, "…") if row["hasDefault"] else None

    def declaration(self):
        """Returns the kernel's name and parameters as the source declares them, without the grid and the schedule."""
        choices = [f"{name}: {row['type']}" + (f" in {row['values']}" if "values" in row else "")
                   + (f" = {self.default(name)}" if row["hasDefault"] else "")
                   for name, row in self.compile_time.items()]
        parameters = [f"{row['access']} ".removeprefix("in ") + f"{name}: {self.describe(name)}"
                      + (f" if {row.get('condition', '…')}" if row["conditional"] else "")
                      for name, row in self.parameters.items()]
        chosen = f"<{', '.join(choices)}>" if choices else ""
        return f"kernel {self.name}{chosen}({', '.join(parameters)})"

    def explain_absence(self, name):
        """Returns the end of a message about a parameter whose condition is false: the condition and the way out."""
        condition = self.parameters[name].get("condition")
        if not condition:
            return ""
        choice, value = condition.removeprefix("!"), condition == condition.removeprefix("!")
        way_out = f"; pass {choice}={value}" if self.compile_time.get(choice, {}).get("type") == "bool" else ""
        return f"; '{name}' is a parameter if {condition}{way_out}"

    def help(self):
        """Returns the text of help(): the declaration and the comment."""
        return "\n\n".join(text for text in (self.declaration(), self.documentation) if text)

    def dtype(self, name):
        """Returns the name in NumPy and torch of the element type of a parameter; float32 if the call determines it."""
        return tensors.torch_name(_METADATA.get(self.parameters[name]["type"], "f32"))

    def for_python(self):
        """Returns the inspect.Signature of calls."""
        kinds, parameters = inspect.Parameter, {}

        def add(name, kind, default, annotation=kinds.empty):
            # A name of the language may be a keyword of Python; it is passed by **{name: …}.
            if name.isidentifier() and not keyword.iskeyword(name) and name not in parameters:
                parameters[name] = kinds(name, kind, default=default, annotation=annotation)

        for name in self.by_position:
            add(name, kinds.POSITIONAL_OR_KEYWORD, kinds.empty, self.describe(name))
        for name in [*self.inputs[len(self.by_position):], *self.outputs]:
            add(name, kinds.KEYWORD_ONLY, None, self.describe(name))
        inferred = {text for row in self.parameters.values() if "dims" in row for text in (row["type"], *row["dims"])}
        for name, row in self.compile_time.items():
            value = None if name in inferred else kinds.empty
            if name in self._values:
                value = self._values[name]
            elif row["hasDefault"]:
                value = Expression(self.default(name))
            add(name, kinds.KEYWORD_ONLY, value, row["type"])
        for name in [*self.sizes, *OF_CALLS]:
            add(name, kinds.KEYWORD_ONLY, None)
        return inspect.Signature(list(parameters.values()))

    def place(self, name=None):
        """Returns the location of the declaration of a parameter, or of the kernel."""
        row = self.parameters.get(name) or self.compile_time.get(name) or self._row
        return f"{self._path}:{row['line']}:{row['column']}"

    def error(self, message, name=None):
        """Returns an ArgumentError at a parameter, or at the kernel."""
        return ArgumentError(f"{self.place(name)}: kernel '{self.name}'{message}")

    def locate(self, error):
        """Adds a location to an ArgumentError without one: that of the first parameter that it names."""
        text = str(error)
        if text.startswith(f"{self._path}:"):
            return error
        text = text.removeprefix(f"kernel '{self.name}': ")
        name = next((name for name in re.findall(r"'(\w+)'", text) if name in self.parameters), None)
        return self.error(f": {text}", name)

    def check_reserved(self, given):
        """Checks that no argument of `given`, such as stream=, may be meant for a parameter that calls give by name."""
        for name in given:
            kind = self._kind_by_name(name)
            if kind:
                raise self.error(f": {name}= gives {OF_CALLS[name]} of a call, so no call passes the {kind} '{name}'; "
                                 "rename it", name)

    def _kind_by_name(self, name):
        """Returns what a name declares if calls can give it by name only, or None."""
        if name in self.compile_time:
            return "compile-time parameter"
        if name in self.sizes and not any(name in self.parameters[other].get("dims", ()) for other in self.inputs):
            return "size"
        return "parameter" if name in self.inputs[len(self.by_position):] else None

    def sort(self, values, named, out):
        """Returns the Call for arguments by position and by name, and outputs."""
        if len(values) > len(self.by_position):
            optional = self.inputs[len(self.by_position):]
            ways = [f"{', '.join(f'{name}=' for name in optional)} by name"] if optional else []
            if self.outputs:
                ways.append(f"outputs ({', '.join(self.outputs)}) by out=")
            way_out = f"; pass {' and '.join(ways)}" if ways else ""
            count = len(self.by_position)
            raise self.error(f" takes {count} argument{'' if count == 1 else 's'} by position "
                             f"({', '.join(self.by_position) or 'none'}), got {len(values)}{way_out}")
        call = Call(dict(zip(self.by_position, values)), {}, {})
        for name, value in named.items():
            if name in call.arguments:
                raise self.error(f": '{name}' is given twice", name)
            if name in self.compile_time:
                call.compile_time[name] = value
            elif name in self.parameters:
                call.arguments[name] = value
            elif name in self.sizes:
                call.sizes[name] = self.size(name, value)
            else:
                raise self.error(f" has no parameter '{name}'" + self._suggest(name))
        for name, value in self._name_outputs(out).items():
            if name in call.arguments:
                raise self.error(f": '{name}' is given twice", name)
            call.arguments[name] = value
        for name in self.by_position:
            if name not in call.arguments:
                raise self.error(f": '{name}' is missing; {explain_reserved(name)}{self._list_arguments()}", name)
        return call

    def names(self, values, named, out):
        """Returns the parameters of the arguments of a call, in the order in which they are passed."""
        return [*self.by_position[:len(values)], *named, *self._name_outputs(out)]

    def _suggest(self, name):
        if name in _ELSEWHERE:
            return f"; {_ELSEWHERE[name]}"
        known = [*self.parameters, *self.compile_time, *self.sizes, *OF_CALLS]
        # Wrong case is the most frequent error, and the edit distance would count it in full.
        by_fold = {other.casefold(): other for other in known}
        near = difflib.get_close_matches(name.casefold(), by_fold, n=1)
        if near:
            return f"; did you mean '{by_fold[near[0]]}'? {self._list_arguments()}"
        return f"; it has {', '.join(known[:-len(OF_CALLS)])}"

    def _list_arguments(self):
        """Returns the part of a message with the arguments by position."""
        return f"its arguments are {', '.join(self.by_position) or 'none'}"

    def _name_outputs(self, out):
        if out is None:
            return {}
        if isinstance(out, dict):
            for name in out:
                if name not in self.outputs:
                    raise self.error(f": 'out' names '{name}', but the outputs are "
                                     f"{', '.join(self.outputs) or 'none'}")
            return out
        # Conditional outputs are passed by name: compilation determines which of them exist.
        names = [name for name in self.outputs if not self.parameters[name]["conditional"]]
        given = calls.outputs_of(out)
        if len(given) != len(names):
            count = f"{len(names)} output{'' if len(names) == 1 else 's'}"
            raise self.error(f": expected {count} in 'out' ({', '.join(names) or 'none'}), "
                             f"got {len(given)}")
        return dict(zip(names, given))

    def infer(self, call, described):
        """Returns the values of compile-time parameters as texts, by name and in the order of the kernel.

        `described` has the tensors.Tensor of each tensor argument."""
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
                way_out = f"pass {name}="
                if name in OF_CALLS:
                    way_out = f"{name}= gives {OF_CALLS[name]} of a call, so rename it"
                raise self.error(f": '{name}' has no default, and no argument determines it; {way_out}", name)
        return {name: values[name] for name in self.compile_time if name in values}

    def sizes_of(self, call, described):
        """Returns the sizes that the arguments bind, or that the call passes, and `int` arguments."""
        sizes = dict(call.sizes)
        sizes.update((name, call.arguments[name]) for name in self.size_names[len(self.sizes):]
                     if hasattr(call.arguments.get(name), "__index__"))
        for name, tensor in described.items():
            for text, extent in zip(self.parameters[name].get("dims", ()), tensor.shape):
                if text in self.sizes:
                    sizes.setdefault(text, extent)
        return sizes

    def choose(self, compile_time):
        """Returns the values of compile-time parameters for a kernel that is not called; each one without a default
        is required."""
        for name in compile_time:
            if name not in self.compile_time:
                way_out = _ELSEWHERE.get(name) or f"it has {', '.join(self.compile_time) or 'none'}"
                raise self.error(f" has no compile-time parameter '{name}'; {way_out}", name)
        return self.infer(Call({}, compile_time, {}), {})

    def size(self, name, value):
        """Returns the value of a size as an int."""
        try:
            return numbers.size(name, value)
        except ArgumentError as error:
            raise self.locate(error) from None

    def _type_of(self, name):
        return self.compile_time.get(name, {}).get("type")

    def _check_rank(self, parameter, tensor):
        name, rank = parameter["name"], len(parameter.get("dims", ()))
        if "dims" not in parameter:
            raise self.error(f": expected a number for '{name}', got a tensor; .item() returns the number of one element",
                             name)
        if len(tensor.shape) != rank:
            hint = f"; .reshape({', '.join('1' * rank)}) makes one element a tensor of this rank" if not tensor.shape else ""
            raise self.error(f": expected '{name}' to have rank {rank}, got {len(tensor.shape)}"
                             f"; it is declared as {self._declare(name)}{hint}", name)

    def _declare(self, name):
        """Returns the declaration of a tensor: f32[M, N]."""
        parameter = self.parameters[name]
        return f"{parameter['type']}[{', '.join(parameter['dims'])}]"

    def _infer_type(self, parameter, tensor, values, givers):
        name, wanted = parameter["name"], parameter["type"]
        found = tensors.LANGUAGE[tensor.dtype]
        if self._type_of(wanted) == "type":
            self._agree(name, wanted, found, values, givers, f"has elements of {found}")
        elif wanted in tensors.LANGUAGE.values() and wanted != found:
            raise self.error(f": expected '{name}' to have elements of {wanted}, got {found}{self._convert(name)}", name)

    def _convert(self, name):
        """Returns the end of a message about a tensor of another type: how to pass one that fits."""
        dtype = self.dtype(name)
        if self.parameters[name]["access"] != "in":
            return f"; allocate it with the type {dtype}"
        adds = ", after import ml_dtypes," if dtype.startswith(("bfloat", "float8")) else ""
        return f"; convert it, for example by .astype('{dtype}') of NumPy{adds} or .to(torch.{dtype}) of torch"

    def _agree(self, name, parameter, value, values, givers, what):
        """Takes a compile-time value from the argument `name`; all arguments must agree on it."""
        known = values.setdefault(parameter, value)
        giver = givers.setdefault(parameter, name)
        if known != value:
            source = f"'{giver}' gives {parameter} = {known}" if giver else f"{parameter} = {known} is given"
            raise self.error(f": '{name}' {what}, but {source}", name)

    def _format(self, name, value):
        """Returns a compile-time value as tilec -D takes it."""
        wanted = self.compile_time[name]["type"]
        is_boolean = numbers.is_boolean(value)
        if wanted == "bool" and is_boolean:
            return "true" if value else "false"
        if wanted == "int" and numbers.index(value) is not None:
            found = numbers.index(value)
            if not -2**63 <= found < 2**63:
                raise self.error(f": {name}={found} is not an integer of 64 bits", name)
            return str(found)
        if wanted == "float" and hasattr(value, "__float__") and not is_boolean:
            return repr(float(value))
        if wanted == "type":
            found = value if value in tensors.LANGUAGE.values() else tensors.LANGUAGE.get(tensors.dtype_name(value))
            if found:
                return found
        expected = f"a type, such as {', '.join(tensors.LANGUAGE.values())}" if wanted == "type" else wanted
        raise self.error(f": expected {name} to be {expected}, got {value!r}", name)
