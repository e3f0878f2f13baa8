# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as torch operators, which torch.compile and torch.export take into a graph.

    flash = tessera.load("flash.tile")["flash_fwd"]
    attend = tessera.torch_ops.register("mine::attend", flash, CAUSAL=True)
    o, lse = attend(q, k, v, 0.088)

Plain calls under torch.compile and torch.export become such operators automatically.
"""

from __future__ import annotations

import typing

try:
    import torch
except ModuleNotFoundError:
    raise ModuleNotFoundError("operators of torch need torch: pip install torch", name="torch") from None

from . import calls, tensors
from .errors import ArgumentError
from .host import devices
from .support.once import Once
from .signature import Call

if typing.TYPE_CHECKING:
    from .sources import SourceKernel

_traced = Once()
_SCALARS = {"int": "SymInt", "i8": "SymInt", "i16": "SymInt", "i32": "SymInt", "i64": "SymInt", "bool": "bool"}


class _Operator:
    """A kernel with compile-time values, and the parameters that the operator takes and returns."""

    def __init__(self, kernel, compile_time, outputs):
        self.kernel, self.compile_time = kernel, compile_time
        signature = kernel.signature
        always = [name for name in signature.outputs if not signature.parameters[name]["conditional"]]
        self.outputs = list(outputs) if outputs is not None else always
        for name in self.outputs:
            if name not in signature.outputs:
                raise signature.error(f": '{name}' is not an output; expected {', '.join(signature.outputs) or 'none'}")
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
        # Torch may execute an operator with constant arguments while it traces, so this must not be a call that is
        # traced. Arguments by position allow parameters of any name.
        count = len(self.kernel.signature.by_position)
        sometimes = {name: value for name, value in self._name(values).items()
                     if self.kernel.signature.parameters[name]["conditional"]}
        return self.kernel.run_eagerly(values[:count], {**sometimes, **self.compile_time})

    def foresee(self, *values):
        """Returns the results of `run` for tensors without elements."""
        kernel, signature = self.kernel, self.kernel.signature
        call = Call(self._name(values), self.compile_time, {})
        described = {
            name: tensors.Tensor(0, tensors.dtype_name(value.dtype), tuple(value.shape), None)
            for name, value in call.arguments.items() if isinstance(value, torch.Tensor)
        }
        chosen = signature.infer(call, described)
        device = devices.choose(kernel.source.device, [value for value in values if isinstance(value, torch.Tensor)])
        metadata = kernel.metadata(chosen, device)
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
                raise signature.error(f" has no output '{name}' for these compile-time parameters"
                                      + signature.explain_absence(name), name)
        for name in shapes:
            if name not in self.outputs:
                raise signature.error(f": '{name}' is written, but the operator does not return it", name)
        like = next((value for value in values if isinstance(value, torch.Tensor)), None)
        if like is None:
            raise signature.error(": no argument is a tensor, so the device of the outputs is unknown")
        return calls.result([
            like.new_empty(shapes[name], dtype=getattr(torch, tensors.torch_name(present[name]["dtype"])))
            for name in self.outputs])


def register(name: str, kernel: SourceKernel, outputs: typing.Sequence[str] | None = None,
             **compile_time: typing.Any) -> torch.library.CustomOpDef:
    """Makes the operator `name` ("library::operator") of a kernel of a source file, and returns it.

    The result is a torch.library.CustomOpDef; its register_autograd binds gradients. The operator takes the inputs
    of the kernel in their order. Conditional inputs come last and are None by default. The operator returns the
    outputs; `outputs` names them if some are conditional. `compile_time` has the values of compile-time parameters
    that no argument determines.
    """
    for parameter in compile_time:
        if parameter not in kernel.signature.compile_time:
            raise kernel.signature.error(f" has no compile-time parameter '{parameter}'")
    operator = _Operator(kernel, compile_time, outputs)
    made = torch.library.custom_op(name, operator.run, mutates_args=operator.mutated, schema=operator.schema())
    made.register_fake(operator.foresee)
    return made


def reason_against(given: dict[str, torch.Tensor],
                   dtypes: typing.Sequence[torch.dtype] = (torch.float16, torch.bfloat16)) -> str | None:
    """Returns why kernels for elements of `dtypes` cannot take the tensors, or None if they can.

    Kernels take tensors of a GPU, and of the CPU. `given` has the tensors by name. Callers use it to fall back to
    torch operations."""
    first, other = next(iter(given.items()))
    for name, tensor in given.items():
        if tensor.device.type not in (tensors.DEVICE_TYPE, "cpu"):
            return f"'{name}' is on the device '{tensor.device}'"
        if tensor.device != other.device:
            return f"'{name}' is on the device '{tensor.device}', and '{first}' on '{other.device}'"
        if tensor.dtype not in dtypes:
            return f"'{name}' has elements of {tensor.dtype}"
        if tensor.dtype != other.dtype:
            return f"'{name}' has elements of {tensor.dtype}, and '{first}' of {other.dtype}"
    return None


def register_by_values(kernel, compile_time):
    """Makes the operator of a plain call that is traced, and returns its name in the library "tessera".

    The name identifies the source and the values."""
    signature = kernel.signature
    sometimes = [name for name in signature.outputs if signature.parameters[name]["conditional"]]
    if sometimes:
        raise signature.error(f" returns {', '.join(sometimes)} only under a condition; register an operator "
                              "with tessera.torch_ops.register, which names the outputs")
    values = sorted((name, str(value)) for name, value in compile_time.items())
    name = f"{kernel.name}_{kernel.source.hash(kernel.name, values)}"
    # The same text may be loaded from several paths.
    _traced.get(name, lambda: register(f"tessera::{name}", kernel, **compile_time))
    return name
