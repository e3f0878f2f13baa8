# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of a kernel: one that is bound for the first time, and what is kept of it for the next."""

import sys
import typing

from . import allocation, library, sizes, streams, tensors

# Numbers are a part of what a plan is found by, and some kernels get another one each time.
_MOST_PLANS = 1024


class Bound(typing.NamedTuple):
    """Arguments that were checked against the source, and the kernel that is compiled for them."""

    kernel: object
    # By name and in the order of the kernel, tensors as a tensors.Tensor; without those to allocate.
    arguments: dict
    sizes: dict
    # The tensors that were given for outputs, and the shape and type of those to allocate.
    given: dict
    missing: dict
    # A tensor that says where to allocate, or None.
    like: object

    def allocate(self):
        """All outputs by name, in the order of the kernel."""
        return {
            name: self.given[name] if name in self.given
            else allocation.allocate(name, *self.missing[name], self.like)
            for name in (row["name"] for row in self.kernel.parameters)
            if name in self.given or name in self.missing
        }

    def describe(self, outputs):
        """All arguments by name, with outputs as they were allocated."""
        made = {name: tensors.describe(name, outputs[name]) for name in self.missing}
        return {**self.arguments, **made, **self.sizes}


def result(outputs):
    """What a call returns: nothing, a tensor, or a tuple."""
    return outputs[0] if len(outputs) == 1 else tuple(outputs) or None


def require_present(signature, call, values, present):
    """Checks that a kernel with these compile-time values has the parameters that are given for it, and
    that those which it needs are given. `present` has the rows of its metadata by name."""
    for name in call.arguments:
        if name not in present:
            raise signature.error(f" has no '{name}' for these compile-time parameters: "
                                  + (", ".join(f"{k} = {v}" for k, v in values.items()) or "none"), name)
    for name, row in present.items():
        if name not in call.arguments and row.get("access") != "write":
            raise signature.error(f": '{name}' is missing", name)


def bind(source_kernel, call, stream):
    """Binds a signature.Call, compiling the kernel if nobody has."""
    signature = source_kernel.signature
    described = {}
    for name, value in call.arguments.items():
        if "dims" in signature.parameters[name] or tensors.is_tensor(value):
            described[name] = tensors.describe(name, value, stream)
    values = signature.infer(call, described)
    ordinal = next((t.device for t in described.values() if t.device is not None), 0)
    kernel = source_kernel.load(values, ordinal)
    present = {row["name"]: row for row in kernel.parameters}
    require_present(signature, call, values, present)
    arguments = {name: described.get(name, call.arguments[name]) for name in present
                 if name in call.arguments}
    missing = [name for name in present if name not in arguments]
    shapes = kernel.shapes(**arguments, **call.sizes) if missing else {}
    return Bound(
        kernel, arguments, call.sizes,
        {name: call.arguments[name] for name in signature.outputs if name in call.arguments},
        {name: (shapes[name], present[name]["dtype"]) for name in missing},
        next((call.arguments[name] for name in described), None))


class Plan:
    """A prepared launch for tensors of torch with certain shapes, strides, types and device."""

    def __init__(self, bound, launch, names):
        """`names` are the parameters that the tensors and numbers of a call are for, in order."""
        torch = sys.modules["torch"]
        rows = bound.kernel.parameters
        self._launch = launch
        self._handle = launch._handle
        self._run = library.load().prepared_launch_at
        self._ordinal = bound.kernel.device.ordinal
        self._makers = [(shape, getattr(torch, tensors.torch_name(dtype)), bound.like.device)
                        for shape, dtype in bound.missing.values()]
        self._empty = torch.empty
        # What is made comes after what is given.
        pool = [*names, *bound.missing]
        order = [pool.index(row["name"]) for row in rows if row["kind"] == "tensor"]
        self._order = order
        self._count = len(order)
        self._addresses = library.addresses(len(order))
        self._results = [pool.index(row["name"]) for row in rows
                         if row["name"] in bound.given or row["name"] in bound.missing]
        self._stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)

    def __call__(self, values, named, out, stream):
        pool = [*values, *named.values()]
        if out is not None:
            pool += out.values() if isinstance(out, dict) else \
                out if isinstance(out, (tuple, list)) else (out,)
        for shape, dtype, device in self._makers:
            pool.append(self._empty(shape, dtype=dtype, device=device))
        if stream is None and self._stream is not None:
            stream = self._stream(self._ordinal)
        else:
            stream = streams.handle(stream, self._ordinal)
        self._run(self._handle, self._addresses(*[pool[i].data_ptr() for i in self._order]),
                  self._count, stream)
        results = self._results
        if len(results) == 1:
            return pool[results[0]]
        return tuple([pool[i] for i in results]) or None


def _key_of(value, torch):
    """What a plan depends on of an argument; None if no plan is kept for such arguments."""
    if isinstance(value, torch.Tensor):
        return value.shape, value.stride(), value.dtype, value.device, value.is_neg()
    kind = type(value)
    if kind is float:
        # The two zeros are equal.
        return kind, value or repr(value)
    if kind in (int, bool, str, torch.dtype):
        return kind, value
    return None


class Plans:
    """The plans of a kernel."""

    def __init__(self):
        self._plans = {}

    def key(self, values, named, out):
        """What a plan is found by, or None."""
        torch = sys.modules.get("torch")
        if torch is None:
            return None
        key = [tuple(named), len(values)]
        for value in (*values, *named.values()):
            part = _key_of(value, torch)
            if part is None:
                return None
            key.append(part)
        if out is not None:
            if isinstance(out, dict):
                key.append(tuple(out))
                out = out.values()
            for value in out if not isinstance(out, torch.Tensor) else (out,):
                if not isinstance(value, torch.Tensor):
                    return None
                key.append(_key_of(value, torch))
        return tuple(key)

    def find(self, key):
        return self._plans.get(key)

    def keep(self, key, plan):
        if len(self._plans) >= _MOST_PLANS:
            self._plans.clear()
        self._plans[key] = plan
