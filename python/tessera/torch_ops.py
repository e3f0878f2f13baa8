# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as operators of torch, which its compiler and its exporter take into a graph.

    flash = tessera.load("flash.tile")["flash_fwd"]
    attend = tessera.torch_ops.register("mine::attend", flash, CAUSAL=True)
    o, lse = attend(q, k, v, 0.088)

Plain calls that torch.compile and torch.export meet become such operators by themselves.
"""

import torch

from . import calls, tensors
from .errors import ArgumentError
from .once import Once
from .signature import Call

_traced = Once()
_SCALARS = {"int": "SymInt", "i8": "SymInt", "i32": "SymInt", "i64": "SymInt", "bool": "bool"}


class _Operator:
    """A kernel with compile-time values, and the parameters that the operator takes and returns."""

    def __init__(self, kernel, compile_time, outputs):
        self.kernel, self.compile_time = kernel, compile_time
        signature = kernel.signature
        always = [name for name in signature.outputs if not signature.parameters[name]["conditional"]]
        self.outputs = list(outputs) if outputs is not None else always
        for name in self.outputs:
            if name not in signature.outputs:
                raise signature.error(f": '{name}' is no output; there is {', '.join(signature.outputs) or 'none'}")
        self.inputs = [signature.parameters[name] for name in signature.inputs]
        self.mutated = [row["name"] for row in self.inputs if row["access"] == "inout"]

    def schema(self):
        def declare(position, row):
            type = "Tensor" if "dims" in row else _SCALARS.get(row["type"], "float")
            if row["access"] == "inout":
                type += f"(a{position}!)"
            return f"{type}? {row['name']}=None" if row["conditional"] else f"{type} {row['name']}"

        arguments = ", ".join(declare(position, row) for position, row in enumerate(self.inputs))
        results = ", ".join("Tensor" for _ in self.outputs)
        return f"({arguments}) -> {results if len(self.outputs) == 1 else f'({results})'}"

    def _name(self, values):
        return {row["name"]: value for row, value in zip(self.inputs, values) if value is not None}

    def run(self, *values):
        # Compilers of torch may execute an operator whose arguments are constants, so this is no call that
        # would be traced. By position parameters may have any name.
        count = len(self.kernel.signature.by_position)
        sometimes = {name: value for name, value in self._name(values).items()
                     if self.kernel.signature.parameters[name]["conditional"]}
        return self.kernel.run(values[:count], {**sometimes, **self.compile_time})

    def foresee(self, *values):
        """The same for tensors without elements: what it will return."""
        kernel, signature = self.kernel, self.kernel.signature
        call = Call(self._name(values), self.compile_time, {})
        described = {
            name: tensors.Tensor(0, tensors.dtype_name(value.dtype), tuple(value.shape), None)
            for name, value in call.arguments.items() if isinstance(value, torch.Tensor)
        }
        chosen = signature.infer(call, described)
        metadata = kernel.metadata(chosen)
        present = {row["name"]: row for row in metadata["parameters"]}
        calls.require_present(signature, call, chosen, present)
        known = {name: described[name].shape if name in described else value
                 for name, value in call.arguments.items()}
        try:
            shapes = calls.sizes.shapes(metadata, known, {})
        except ArgumentError as error:
            raise signature.locate(error) from None
        for name in self.outputs:
            if name not in present:
                raise signature.error(f" has no output '{name}' for these compile-time parameters", name)
        for name in shapes:
            if name not in self.outputs:
                raise signature.error(f": '{name}' is written, but the operator does not return it", name)
        like = next((value for value in values if isinstance(value, torch.Tensor)), None)
        if like is None:
            raise signature.error(": no argument is a tensor, so where the outputs are to be is open")
        return calls.result([
            like.new_empty(shapes[name], dtype=getattr(torch, tensors.torch_name(present[name]["dtype"])))
            for name in self.outputs])


def register(name, kernel, outputs=None, **compile_time):
    """Makes the operator `name` ("library::operator") of a kernel of a source file, and returns it, a
    torch.library.CustomOpDef: to call, and to bind gradients with its register_autograd.

    It takes the parameters that are no outputs in the order of the kernel, those that the kernel has only
    sometimes last and as None by default, and returns the outputs, of which `outputs` names those that
    there are if the kernel has some only sometimes. `compile_time` are the values of compile-time
    parameters that the arguments do not say.
    """
    for parameter in compile_time:
        if parameter not in kernel.signature.compile_time:
            raise kernel.signature.error(f" has no compile-time parameter '{parameter}'")
    operator = _Operator(kernel, compile_time, outputs)
    made = torch.library.custom_op(name, operator.run, mutates_args=operator.mutated, device_types="cuda",
                                   schema=operator.schema())
    made.register_fake(operator.foresee)
    return made


def reason_against(given, dtypes=(torch.float16, torch.bfloat16)):
    """Why kernels for elements of these types are not for tensors, which are given by name; None if they are:
    for functions that do the same without a kernel otherwise."""
    first, other = next(iter(given.items()))
    for name, tensor in given.items():
        if tensor.device.type != tensors.DEVICE_TYPE:
            return f"'{name}' is on the device '{tensor.device}'"
        if tensor.dtype not in dtypes:
            return f"'{name}' has elements of {tensor.dtype}"
        if tensor.dtype != other.dtype:
            return f"'{name}' has elements of {tensor.dtype}, and '{first}' of {other.dtype}"
    return None


def register_by_values(kernel, compile_time):
    """Makes the operator of a plain call that is traced, and returns its name in the library "tessera",
    which says the source and the values."""
    signature = kernel.signature
    sometimes = [name for name in signature.outputs if signature.parameters[name]["conditional"]]
    if sometimes:
        raise signature.error(f" returns {', '.join(sometimes)} only sometimes; make an operator of it by "
                              "tessera.torch_ops.register, which says when")
    values = sorted((name, str(value)) for name, value in compile_time.items())
    name = f"{kernel.name}_{kernel.source.hash(kernel.name, values)}"
    # The same text may have been loaded from several paths.
    _traced.get(name, lambda: register(f"tessera::{name}", kernel, **compile_time))
    return name
