# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of a kernel: binds the arguments of a first call, and keeps a plan for later calls like it."""

import math
import struct
import sys
import typing
import warnings

from . import allocation, library, native, sizes, streams, tensors

# Numbers are part of the key of a plan, and some kernels get a different number in each call.
_MOST_PLANS = 1024
# A kernel with larger outputs takes longer than the call itself, and its memory may not be available twice.
_MOST_ELEMENTS_FREED = 2**22


class Bound(typing.NamedTuple):
    """Arguments that were checked against the source, and the kernel that was compiled for them."""

    kernel: object
    # By name, in the order of the kernel; tensors as tensors.Tensor. Outputs to allocate are missing.
    arguments: dict
    sizes: dict
    # Tensors that were passed for outputs; shapes and types of outputs to allocate.
    given: dict
    missing: dict
    # The tensor whose library and device allocate outputs, or None.
    like: object
    device: str

    def allocate(self):
        """Returns all outputs by name, in the order of the kernel."""
        return {
            name: self.given[name] if name in self.given
            else allocation.allocate(name, *self.missing[name], self.like, self.device)
            for name in (row["name"] for row in self.kernel.parameters)
            if name in self.given or name in self.missing
        }

    def describe(self, outputs):
        """Returns all arguments by name, including the allocated outputs."""
        made = {name: tensors.describe(name, outputs[name], device=self.device) for name in self.missing}
        return {**self.arguments, **made, **self.sizes}


def outputs_of(out):
    """Returns the tensors of the argument `out=`, which may be a single tensor."""
    if isinstance(out, dict):
        return tuple(out.values())
    return out if isinstance(out, (tuple, list)) else (out,)


def result(outputs):
    """Returns the result of a call: None, a tensor, or a tuple."""
    return outputs[0] if len(outputs) == 1 else tuple(outputs) or None


def warn_of_gradients(torch, signature, call):
    """Warns of a call outside of operators whose inputs require gradients, since its outputs have none.

    Torch disables gradients inside of an operator, a function with `backward`, and `torch.no_grad()`."""
    if torch is None or not torch.is_grad_enabled():
        return
    for name in signature.inputs:
        if getattr(call.arguments.get(name), "requires_grad", False):
            # The frames of this module and of sources are not those of the user.
            warnings.warn(f"{signature.name}: '{name}' requires a gradient, but a plain call records none; "
                          "tessera.torch_ops.register makes an operator, and its register_autograd binds gradients; "
                          "torch.no_grad() around the call is without a warning", stacklevel=6)
            return


def require_present(signature, call, values, present):
    """Checks arguments against the parameters that a kernel has for these compile-time values.

    Unknown arguments and missing ones are errors. `present` has the rows of the kernel's metadata by name."""
    for name in call.arguments:
        if name not in present:
            raise signature.error(f" has no '{name}' for these compile-time parameters: "
                                  + (", ".join(f"{k} = {v}" for k, v in values.items()) or "none")
                                  + signature.explain_absence(name), name)
    for name, row in present.items():
        if name not in call.arguments and row.get("access") != "write":
            raise signature.error(f": '{name}' is missing", name)


def bind(source_kernel, call, stream, device):
    """Binds a signature.Call; compiles the kernel for the device unless it is in the cache."""
    signature = source_kernel.signature
    described = {}
    for name, value in call.arguments.items():
        if "dims" in signature.parameters[name] or tensors.is_tensor(value):
            described[name] = tensors.describe(name, value, stream, device, signature.dtype(name))
    values = signature.infer(call, described)
    values = source_kernel.tune(values, signature.sizes_of(call, described), device)
    ordinal = next((t.device for t in described.values() if t.device is not None), 0)
    kernel = source_kernel.load(values, ordinal, device)
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
        next((call.arguments[name] for name in described), None), device)


def _pattern(torch, shape, dtype, device):
    """Returns a tensor of almost no memory for which torch.empty_like makes a dense tensor of this shape.

    torch.empty_like is faster than torch.empty with a shape."""
    if math.prod(shape) <= _MOST_ELEMENTS_FREED:
        dense = torch.empty(shape, dtype=dtype, device=device)
        dense.untyped_storage().resize_(0)
        return dense
    # A view that repeats one element also gives a dense tensor, but in more time.
    return torch.empty((), dtype=dtype, device=device).expand(shape)


class Plan:
    """A prepared launch for torch tensors with certain shapes, strides, types and device."""

    def __init__(self, bound, launch, names):
        """`names` lists the parameters of the tensors and numbers of a call, in order."""
        torch = sys.modules["torch"]
        rows = bound.kernel.parameters
        # Allocated outputs follow the arguments.
        pool = [*names, *bound.missing]
        self._order = [pool.index(row["name"]) for row in rows if row["kind"] == "tensor"]
        self._results = [pool.index(row["name"]) for row in rows
                         if row["name"] in bound.given or row["name"] in bound.missing]
        made = [(tuple(shape), getattr(torch, tensors.torch_name(dtype))) for shape, dtype in bound.missing.values()]
        self._quick = tuple((shape, allocation.dense_strides(shape), dtype) for shape, dtype in made)
        self._patterns = tuple(_pattern(torch, shape, dtype, bound.like.device) for shape, dtype in made)
        self._empty_like = torch.empty_like
        self._quick_empty = allocation.quick_empty(torch)
        self._current_device = allocation.device_finder(torch)
        self._current = streams.finder(torch)
        self._ordinal = bound.kernel.device.ordinal
        # Keeps the handle alive.
        self._launch = launch
        self._handle = launch._handle
        self._run = library.prepared_launch_at()
        # Consecutive native integers of 64 bits form an array of addresses.
        self._pack = struct.Struct(f"{len(self._order)}Q").pack

    def __call__(self, values, named, out, stream):
        pool = [*values, *named.values()]
        if out is not None:
            pool += outputs_of(out)
        if self._quick_empty and (self._current_device is None or self._current_device() == self._ordinal):
            for arguments in self._quick:
                pool.append(self._quick_empty(*arguments))
        else:
            for pattern in self._patterns:
                pool.append(self._empty_like(pattern))
        stream = self._current(self._ordinal) if stream is None else streams.handle(stream, self._ordinal)
        addresses = self._pack(*[pool[i].data_ptr() for i in self._order])
        status = self._run(self._handle, addresses, len(self._order), stream)
        if status:
            raise library.error(status)
        return result([pool[i] for i in self._results])

    def give(self, native_calls, values, named):
        """Offers the plan to a tessera_calls.Calls for calls like this one. Returns whether it keeps the plan."""
        return native_calls.keep(values, named, self._order, self._results, self._quick, self._patterns,
                                 self._launch, self._handle.value, self._ordinal)


# The types of arguments other than tensors that a key includes by value.
_PLAIN = {int, bool, str, type(None)}


def _find_none(values, named):
    return NotImplemented


class Plans:
    """The plans of a kernel: those of the extension, and those for calls that the extension does not handle."""

    def __init__(self):
        self._plans = {}
        self._native = None
        # Makes a call if the extension has a plan for it, else returns NotImplemented. Takes the arguments by position
        # and by name, `out` and `stream` included.
        self.call = _find_none

    @property
    def has_extension(self):
        """Whether the extension makes calls, which it does from the second call on."""
        return self._native is not None

    def __len__(self):
        return len(self._plans) + len(self._native or ())

    def key(self, torch, values, named, out):
        """Returns the key of a plan; None without torch, or if an argument rules out a plan."""
        if torch is None:
            return None
        tensor = torch.Tensor
        parts = [len(values), *named]
        given = (*values, *named.values())
        if out is not None:
            if isinstance(out, dict):
                parts += out
            out = outputs_of(out)
            given += (len(out), *out)
        # Few steps matter here: this loop is a third of the time of a call.
        for value in given:
            kind = type(value)
            if kind is tensor or isinstance(value, tensor):
                parts.append((value.shape, value.dtype, value.get_device(), value.is_neg(),
                              value.is_contiguous() or value.stride()))
                continue
            if kind is float:
                # 0.0 and -0.0 compare equal.
                value = value or repr(value)
            elif kind not in _PLAIN and kind is not torch.dtype:
                return None
            parts.append((kind, value))
        return tuple(parts)

    def find(self, key):
        return self._plans.get(key)

    def keep(self, torch, key, plan, values, named, out):
        if self._native is None:
            self._native = native.make_calls(torch, _MOST_PLANS)
            if self._native is not None:
                self.call = self._native.call
        if self._native is not None and plan.give(self._native, values, {**named, "out": out}):
            return
        if len(self._plans) >= _MOST_PLANS:
            self._plans.clear()
        self._plans[key] = plan
