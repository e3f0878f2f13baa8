# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices, packages, kernels and prepared launches."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import sys
import typing
import weakref

from . import arguments, calls, library, sizes, streams, tensors
from .errors import ArgumentError, MissingFileError, PackageError, unknown_kernel
from .support.numbers import integer, size


def _path(value, what):
    """Returns a path as the library takes it; a zero byte would end it early."""
    path = os.fsencode(value)
    if b"\0" in path:
        raise ArgumentError(f"{what} {value!r} contains a zero byte")
    return path


class _Handle:
    """Owns an object that a function of the library made."""

    def __init__(self, make, free, *inputs):
        handle = ctypes.c_void_p()
        make(*inputs, ctypes.byref(handle))
        self._handle = handle
        # At process exit the driver may already be gone; it frees everything itself.
        weakref.finalize(self, free, handle).atexit = False

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        raise TypeError(f"a {type(self).__name__} belongs to its process; open the package in each process")


class Device(_Handle):
    """The primary context of a GPU, which torch also uses."""

    def __init__(self, ordinal: int = 0, driver: str | os.PathLike[str] | None = None) -> None:
        runtime = library.load()
        driver = driver or os.environ.get("TESSERA_CUDA_DRIVER")
        path = _path(driver, "the driver") if driver else None
        self.ordinal = integer(ordinal, "the ordinal of the device", bits=32)
        super().__init__(runtime.device_open, runtime.device_free, path, self.ordinal)
        self.name = runtime.device_name(self._handle).decode()

    @staticmethod
    @functools.cache
    def default() -> Device:
        """Returns the first device of the system's driver."""
        return Device()


class Package(_Handle):
    """The kernels of a .tpk file."""

    def __init__(self, path: str | os.PathLike[str], device: Device | None = None) -> None:
        runtime = library.load()
        try:
            super().__init__(runtime.package_open, runtime.package_free, _path(path, "the package"))
        except PackageError as error:
            raise error if os.path.exists(path) else MissingFileError(*error.args) from None
        self.path = path
        self.device = device
        self._kernels: dict[str | None, Kernel] = {}
        self.metadata = json.loads(runtime.package_metadata(self._handle))
        self.names = [kernel["name"] for kernel in self.metadata["kernels"]]

    def kernel(self, name: str | None = None) -> Kernel:
        """Returns the kernel of that name, or the only one, on the device; loads it once."""
        if name not in self._kernels:
            if name is not None and name not in self.names:
                raise unknown_kernel(self.path, name, self.names)
            self._kernels[name] = Kernel(self, name)
        return self._kernels[name]


class Signature:
    """The parameters of a compiled kernel, from its metadata."""

    def __init__(self, metadata):
        self.metadata = metadata
        self.name = metadata["name"]
        self.parameters = metadata["parameters"]

    def shapes(self, /, *values: typing.Any, **named: typing.Any) -> dict[str, tuple[int, ...]]:
        """Returns the shapes of the tensors that are not passed, by name, from the other arguments."""
        known, given = self._sort(values, named)
        for parameter in self.parameters:
            name = parameter["name"]
            if parameter["kind"] == "tensor" and name in known:
                known[name] = tensors.describe(name, known[name]).shape
        return sizes.shapes(self.metadata, known, given)

    def _sort(self, values, named):
        """Returns the arguments by parameter, and the sizes."""
        names = [parameter["name"] for parameter in self.parameters]
        if len(values) > len(names):
            raise ArgumentError(
                f"kernel '{self.name}': expected {len(names)} arguments, got {len(values)}")
        known, given = dict(zip(names, values)), {}
        for name, value in named.items():
            if name in known:
                raise ArgumentError(f"kernel '{self.name}': '{name}' is given twice")
            if name in names:
                known[name] = value
            elif name in self.metadata["sizes"]:
                try:
                    given[name] = size(name, value)
                except ArgumentError as error:
                    raise ArgumentError(f"kernel '{self.name}': {error}") from None
            else:
                raise ArgumentError(f"kernel '{self.name}' has no parameter or size '{name}'; it "
                                    f"has {', '.join([*names, *self.metadata['sizes']])}")
        return known, given

    def _pack(self, values, named, ordinal, stream=None):
        known, given = self._sort(values, named)
        array = (library.Argument * max(len(self.parameters), 1))()
        made_on = set()
        for slot, parameter in zip(array, self.parameters):
            if parameter["name"] not in known:
                hint = ""
                if parameter["name"] == "stream":
                    hint = "; pass it by position, since stream= gives the stream of a call"
                raise ArgumentError(f"kernel '{self.name}': '{parameter['name']}' is missing{hint}")
            made_on.add(arguments.fill(slot, parameter, known[parameter["name"]],
                                       ordinal, stream))
        return array, arguments.make_sizes(given), len(given), made_on - {None}


class Kernel(_Handle, Signature):
    """A kernel on a device. A call passes one argument per parameter, in order or by name.

    Sizes that no argument binds are passed by name. Calls with tensors of torch keep their plans (calls.py)."""

    def __init__(self, package, name=None):
        self.device = package.device or Device.default()
        runtime = library.load()
        super().__init__(runtime.kernel_load, runtime.kernel_free, self.device._handle,
                         package._handle, None if name is None else _path(name, "the kernel"))
        kernels = package.metadata["kernels"]
        Signature.__init__(self, next(k for k in kernels if name is None or k["name"] == name))
        self._runtime = runtime
        self._plans = calls.Plans()

    def __getitem__(self, grid: object) -> typing.NoReturn:
        raise ArgumentError(f"kernel '{self.name}' takes no grid, since its source declares it; call it without [{grid}]")

    def __call__(self, /, *values: typing.Any, stream: typing.Any = None, **named: typing.Any) -> None:
        torch = sys.modules.get("torch")
        # A parameter of that name is a tensor here, not the outputs of the call.
        if torch is None or "out" in named:
            return self.run(values, named, stream)
        if self._plans.call(values, named if stream is None else {**named, "stream": stream}) is None:
            return None
        key = self._plans.key(torch, values, named, None)
        plan = self._plans.find(key)
        if plan is not None:
            return plan(values, named, None, stream)
        if key is None:
            return self.run(values, named, stream)
        known, sizes_given = self._sort(values, named)
        # A description keeps no tensor alive, as a tensor in the plan would.
        described = {name: tensors.describe(name, value) if tensors.is_tensor(value) else value
                     for name, value in known.items()}
        launch = self.prepare(**described, **sizes_given)
        launch(stream)
        names = [row["name"] for row in self.parameters[:len(values)]]
        bound = calls.Bound(self, {}, {}, {}, {}, None, tensors.GPU)
        self._plans.keep(torch, key, calls.Plan(bound, launch, [*names, *named]), values, named, None)
        return None

    def run(self, values, named, stream=None):
        """Makes a call; its named arguments may have any name."""
        stream = streams.handle(stream, self.device.ordinal)
        array, extra, count, made_on = self._pack(values, named, self.device.ordinal, stream)
        # The default stream is 0 for the driver and 1 for the array interface.
        for other in made_on - {stream or 1}:
            self._runtime.stream_follow(self.device._handle, stream, other)
        self._runtime.kernel_launch(self._handle, array, len(self.parameters), extra, count, stream)

    def prepare(self, /, *values: typing.Any, **named: typing.Any) -> Launch:
        """Checks the arguments and returns a Launch, which launches the kernel with them."""
        array, extra, count, made_on = self._pack(values, named, self.device.ordinal)
        # Launches may come on any stream, so wait here for the streams that produce the inputs.
        for stream in made_on:
            self._runtime.stream_wait(self.device._handle, stream)
        kept = [value for value in (*values, *named.values()) if tensors.is_tensor(value)]
        return Launch(self, kept, array, len(self.parameters), extra, count)


class Launch(_Handle):
    """A kernel with its arguments. Keeps the tensors alive."""

    def __init__(self, kernel, tensors, *call):
        runtime = library.load()
        super().__init__(runtime.kernel_prepare, runtime.prepared_free, kernel._handle, *call)
        self.kernel = kernel
        self._tensors = tensors
        self._launch = runtime.prepared_launch

    def __call__(self, stream: typing.Any = None) -> None:
        self._launch(self._handle, streams.handle(stream, self.kernel.device.ordinal))
