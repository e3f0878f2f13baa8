# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of .tile files, compiled at their first call."""

from __future__ import annotations

import functools
import hashlib
import json
import operator
import os
import pathlib
import re
import sys
import typing

from . import calls, compiler, configurations
from .cache import Cache
from .errors import (ArgumentError, CacheError, CompileError, DeviceError, FileError, KernelError, MissingFileError,
                     PackageError, TesseraError, unknown_kernel)
from .host import devices
from .kernels import Device, Package
from .notebook import page as pages
from .signature import ROWS, Signature
from .support import json_file, modules
from .support.once import Once
from .tuned import find_winners

_sources = Once()
_devices = Once()

# Part of the names of files in the cache: a new format gets new names.
_FORMAT = 1

# Files that are not sources, by suffix, and how to use them.
_OTHER_FILES = {".tpk": "tessera.Package(path) opens a package", ".py": "kernels are in .tile files"}


def _hash(*parts):
    return hashlib.sha256(json.dumps([_FORMAT, *parts]).encode()).hexdigest()[:32]


def _below(file):
    """Returns a path without its first folder."""
    return pathlib.PurePosixPath(*file.parts[1:])


def _path_of(path, what):
    """Returns the path of a source; raises a TypeError for values of other types."""
    try:
        return pathlib.Path(path)
    except TypeError:
        raise TypeError(f"{what}: expected a path, got {path!r}") from None


def load(path: str | os.PathLike[str], *, cache: Cache | None = None, target: str | None = None,
         options: typing.Sequence[str] = (), tuned: str | os.PathLike[str] | typing.Literal[False] | None = None,
         configuration: str = "predicted", checks: bool = False, device: str | None = None,
         **run: typing.Any) -> Source:
    """Returns the kernels of a .tile file by name: load("flash.tile")["flash_fwd"].

    The same texts at the same path give the same object. The files that a source uses are read with it. `options` are
    further options of tilec, such as "--ptx-only". `tuned` is a file of tuned choices, or False for none. The default is
    flash.tuned.toml in the folder of flash.tile, if it exists. `configuration` is "predicted" or "default": whether
    parameters that declare several values get those with the least predicted time for the sizes of a call on a GPU.

    With `checks`, `check` and `print` run on a GPU too: a call waits, prints the lines, and raises KernelError if a
    check does not hold. Without a GPU they always run.

    `device` is "cuda", or "cpu", "interpreter", "sim" or "ptx" for arrays of the host. By default the arguments of
    a call determine the device. `run` has options of runs without a GPU by the names of tile-run, such as
    order="random" and seed=3 (docs/python.md, "Without a GPU")."""
    given, file = devices.check(device, run), _path_of(path, "load")
    if file.suffix in _OTHER_FILES:
        raise PackageError(f"'{file}' is not a source; {_OTHER_FILES[file.suffix]}")
    try:
        text = file.read_bytes()
    except OSError as error:
        way_out = ""
        if "{" in str(file):
            way_out = "; tessera.compile(text) takes a source as text"
        elif file.parts[:1] == ("examples",):
            way_out = f"; the examples are in the folder tessera.examples: load(tessera.examples / '{_below(file)}')"
        kind = MissingFileError if isinstance(error, FileNotFoundError) else FileError
        raise kind(f"cannot read '{file}': {error.strerror}{way_out}") from None
    return _find_source(file, text, cache, target, options, find_winners(file, tuned), device, given, configuration,
                        checks)


def compile(text: str | bytes, *, file: str | os.PathLike[str] = "kernel.tile", cache: Cache | None = None,
            target: str | None = None, options: typing.Sequence[str] = (), configuration: str = "predicted",
            checks: bool = False, device: str | None = None, **run: typing.Any) -> Source:
    """Returns the kernels of a source that is passed as text: compile("kernel add(…) …")["add"].

    `file` is the name of the source in messages; the source uses files relative to the folder of `file`. The other
    arguments are those of load. Errors that no compile-time value avoids are raised here."""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"compile takes the text of a source, got {type(text).__name__}; "
                        "tessera.load(path) reads a file")
    path = _path_of(file, "compile(file=)")
    if isinstance(text, str):
        if text.endswith(".tile"):
            raise ArgumentError(f"compile takes the text of a source, got the path '{text}'; "
                                "tessera.load(path) reads a file")
        text = text.encode()
    source = _find_source(path, text, cache, target, options, None, device, devices.check(device, run),
                          configuration, checks)
    # Checks the text.
    source.keys()
    return source


def _find_source(path, text, cache, target, options, winners, device, run, configuration, checks):
    if not isinstance(cache, (Cache, type(None))):
        raise TypeError(f"cache= takes a tessera.Cache; write cache=tessera.Cache({cache!r})")
    cache = cache or Cache()
    configurations.check(configuration)
    if isinstance(options, str):
        raise TypeError(f"options= takes a list of texts; write options=[{options!r}]")
    options = (*([f"--target={target}"] if target else []), *(["--checks"] if checks else []), *options)
    if device in devices.HOST:
        compiler.check_options(options)
    files = modules.read(path, text)
    return _share_source(path, text, files, cache, options, winners, device, run, configuration)


def _share_source(path, text, files, cache, options, winners, device, run, configuration):
    """Returns the Source of these texts: the same object in one process."""
    key = (os.path.abspath(path), text, files, options, cache.folder, cache.read_only, winners and winners.identity,
           device, run, configuration)
    return _sources.get(
        key, lambda: Source(path, text, cache, options, winners, device, run, files, configuration))


class Source:
    """A .tile file with the text that it had when it was loaded, and those of the files that it uses."""

    def __init__(self, path, text, cache, options, winners=None, device=None, run=(), files=(),
                 configuration="predicted"):
        self.path, self.text, self.files = path, text, files
        self.cache, self.options, self.winners = cache, options, winners
        self.configuration = configuration
        # The device that was chosen for all calls, or None; options of runs without a GPU.
        self.device, self.run = device, run
        self.digest = hashlib.sha256(text).hexdigest()
        if files:
            folder = os.path.dirname(path)
            texts = [(os.path.relpath(file.path, folder), file.text and hashlib.sha256(file.text).hexdigest()) for file in files]
            self.digest = _hash(self.digest, *texts)
        self._kernels = Once()

    def __reduce__(self):
        # A copy is the same object; another process compiles the same text.
        return _share_source, (self.path, self.text, self.files, self.cache, self.options, self.winners, self.device,
                               self.run, self.configuration)

    def __repr__(self):
        return f"<source {self.path} with the kernels {self._list()}>"

    def __getattr__(self, name: str) -> typing.NoReturn:
        raise AttributeError(f"a source has no attribute '{name}'; load(path)[\"{name}\"] is the kernel of that name")

    def __call__(self, /, *values: object, **named: object) -> typing.NoReturn:
        raise TypeError(f"{self.path} has the kernels {self._list()}; call one of them: load(path)[\"name\"](…)")

    def _list(self):
        try:
            return ", ".join(self.signatures)
        except TesseraError:
            return "…"

    def hash(self, *parts):
        """Returns a hash of the text, the options and the given parts."""
        return _hash(self.digest, *self.options, *parts)

    @functools.cached_property
    def signatures(self) -> dict[str, Signature]:
        """Returns the Signature of each kernel."""
        if self.device in devices.HOST:
            from .host import library
            kernels = json.loads(library.describe(self))["kernels"]
            return {row["name"]: Signature(self.path, row) for row in kernels}
        stem = f"{re.sub(r'[^A-Za-z0-9]', '_', self.path.stem)}-{_hash(self.digest, 'signatures')}"
        kernels = self.make(stem, ".json", ["--emit=signatures"], f"{self.path}: its signatures are", _read_rows)
        return {row["name"]: Signature(self.path, row) for row in kernels}

    def __getitem__(self, name: str) -> SourceKernel:
        if name not in self.signatures:
            raise unknown_kernel(self.path, name, self.signatures)
        return self._kernels.get(name, lambda: SourceKernel(self, self.signatures[name]))

    def __iter__(self) -> typing.Iterator[str]:
        return iter(self.signatures)

    def keys(self) -> typing.KeysView[str]:
        """Returns the names of the kernels."""
        return self.signatures.keys()

    def __len__(self) -> int:
        return len(self.signatures)

    def make(self, stem, suffix, arguments, what, read, option="-o"):
        """Returns the result of `read` for the file that tilec makes of the source with these arguments.

        `what` names the file in errors. `read` raises a CacheError or a PackageError for a damaged file, which is
        then made again unless the cache is read-only."""
        path = self._find(stem, suffix, arguments, what, option)
        try:
            return read(path)
        except (CacheError, PackageError):
            if self.cache.read_only:
                raise
        self.cache.drop(path)
        return read(self._find(stem, suffix, arguments, what, option))

    def _find(self, stem, suffix, arguments, what, option):
        if self.cache.read_only:
            found = compiler.find()
            return self.cache.find(
                stem, suffix, found.identity if found else None,
                lambda path: f"{what} not in the cache {self.cache.folder}, which is read-only; this command "
                             f"adds the file:\n  {compiler.command(self, arguments, path, option)}")
        tilec = compiler.require()
        return self.cache.fill(stem, suffix, tilec.identity,
                               lambda output: tilec.run(self, arguments, output, option))


def _read_rows(path):
    """Returns the rows of a file of signatures."""
    try:
        return json_file.read(path, {"kernels": ROWS})["kernels"]
    except (OSError, ValueError) as error:
        raise CacheError(f"{path} is damaged ({error}); delete it") from None


class SourceKernel:
    """A kernel of a file. Every call launches the kernel; the first call with new compile-time values also compiles the kernel."""

    def __init__(self, source, signature):
        self.source, self.signature = source, signature
        self.name = self.__name__ = signature.name
        self._metadata, self._kernels, self._operators = Once(), Once(), Once()
        self._choices = configurations.Choices(self)
        self._plans = calls.Plans()
        # For help(), inspect and notebooks.
        self.__doc__ = signature.help()
        self.__signature__ = signature.for_python()

    def __reduce__(self):
        return operator.getitem, (self.source, self.name)

    def __repr__(self):
        return f"<kernel {self.name} of {self.source.path}>"

    def _repr_html_(self):
        return pages.summarise(self)

    def __getattr__(self, name: str) -> typing.NoReturn:
        called = self.__dict__.get("name", "kernel")
        raise AttributeError(f"a kernel has no attribute '{name}'; {called}(…) compiles and runs the kernel, and "
                             f"{called}.compile() only compiles it")

    def _refuse_values(self, function, values):
        """Raises an error if a function of compile-time values gets other arguments, by position."""
        if values:
            first = next(iter(self.signature.compile_time), None)
            example = f"{function}({first}=…)" if first else f"{function}()"
            raise TypeError(f"{self.name}.{function} takes compile-time parameters by name, as in {self.name}.{example}, "
                            f"and no arrays; a call {self.name}(…) compiles for its arguments and runs the kernel")

    def page(self, /, *values: object, **named: typing.Any) -> pages.Page:
        """Returns the page of the compilation for compile-time values; a notebook displays it.

        The page shows source, phases and PTX side by side, as that of `tilec --html`. No ptxas is needed."""
        self._refuse_values("page", values)
        return pages.Page(self.output(self.signature.choose(named), ".html", "the page of kernel", lambda path: path,
                                      option="--html"))

    def __getitem__(self, grid: object) -> typing.NoReturn:
        raise self.signature.error(f" takes no grid, since the source declares it; call {self.name}(…) without [{grid}]")

    def __call__(self, /, *values: typing.Any, **named: typing.Any) -> typing.Any:
        torch = sys.modules.get("torch")
        if torch is not None and torch.compiler.is_compiling():
            return self._trace(torch, values, named)
        return self.run_eagerly(values, named)

    def run_eagerly(self, values, named):
        """Makes a call outside of a graph. The function may change the dict."""
        try:
            made = self._plans.call(values, named)
            return self._run(values, named) if made is NotImplemented else made
        except ArgumentError as error:
            raise self.signature.locate(error).with_traceback(None) from None
        except (CompileError, KernelError) as error:
            # The place of the error is in the kernel or the call; the frames of this package would only hide it.
            raise error.with_traceback(None) from None

    def _run(self, values, named):
        """Makes a call for which the extension has no plan."""
        out, stream = named.pop("out", None), named.pop("stream", None)
        torch = sys.modules.get("torch")
        key = self._plans.key(torch, values, named, out)
        plan = self._plans.find(key)
        if plan is not None:
            return plan(values, named, out, stream)
        return self._call(torch, key, values, named, out, stream)

    def _trace(self, torch, values, named):
        """Makes a call that torch.compile or torch.export traces into a graph; they trace this function as well."""
        given = dict(zip(self.signature.by_position, values))
        has_more = any(named.pop(name, None) is not None for name in ("out", "stream"))
        constants = []
        for name, value in named.items():
            if name in self.signature.inputs:
                given[name] = value
            else:
                constants.append((name, value))
        operator = getattr(torch.ops.tessera, self._operator(tuple(constants), has_more))
        return operator.default(*[given.get(name) for name in self.signature.inputs])

    def _operator(self, constants, has_more):
        """Returns the name of the torch operator for values of compile-time parameters; the first request makes it."""
        from . import torch_ops
        if has_more:
            raise self.signature.error(": torch.compile takes calls without 'out' and 'stream'")
        return self._operators.get(constants, lambda: torch_ops.register_by_values(self, dict(constants)))

    # The mark of torch.compiler.assume_constant_result: torch calls the function while it traces a graph.
    _operator._dynamo_marked_constant = True  # type: ignore[attr-defined]

    def compile(self, /, *values: object, **named: typing.Any) -> pathlib.Path:
        """Compiles the kernel for compile-time values, without a device, and returns the path of the package.

        Sizes select tuned choices and configurations."""
        self._refuse_values("compile", values)
        sizes = {name: named.pop(name) for name in self.signature.size_names if name in named}
        sizes.update((name, self.signature.size(name, sizes[name])) for name in self.signature.sizes if name in sizes)
        return self._make(self.tune(self.signature.choose(named), sizes))[0]

    def _make(self, values):
        """Returns the path of the package for compile-time values, given as texts, and the Package."""
        return self.output(values, ".tpk", "kernel", self._open)

    def output(self, values, suffix, what, read, arguments=(), option="-o"):
        """Returns what `read` returns for an output of tilec; `what` names it in errors."""
        source, name = self.source, self.name
        arguments = ["--kernel", name, *source.options, *compiler.define(values), *arguments]
        stem = f"{name}-{_hash(source.digest, *arguments)}"
        return source.make(stem, suffix, arguments, f"{self.signature.place()}: {what} '{name}' is", read, option)

    def _open(self, path):
        package = Package(path)
        if self.name not in package.names:
            raise PackageError(f"{path} is damaged (it has no kernel '{self.name}'); delete it")
        return path, package

    def tune(self, values, sizes, device=devices.GPU):
        """Returns the compile-time values of a call, completed by the choices for its sizes.

        A tuned choice fixes all values; without one, predicted times choose."""
        if device != devices.GPU:
            return values
        chosen = self.source.winners and self.source.winners.choose(self.name, values, self.signature.defaults, sizes)
        if not chosen:
            return {**values, **self._choices.choose(values, sizes)}
        for name in chosen:
            if name not in self.signature.compile_time and not name.startswith("-"):
                raise self.signature.error(f" has no compile-time parameter '{name}', which "
                                           f"{self.source.winners.path} chooses")
        return {**values, **chosen}

    def metadata(self, values, device=devices.GPU):
        """Returns the metadata of the kernel for compile-time values, without a GPU."""
        if device != devices.GPU:
            return self.load(values, 0, device).metadata
        return self._metadata.get(tuple(values.items()), lambda: next(
            row for row in self._make(values)[1].metadata["kernels"] if row["name"] == self.name))

    def load(self, values, ordinal, device=devices.GPU):
        """Returns the kernels.Kernel or the host.kernel.HostKernel for compile-time values, on a device."""
        return self._kernels.get((tuple(values.items()), device, ordinal), lambda: self._load(values, device, ordinal))

    def _load(self, values, device, ordinal):
        if device != devices.GPU:
            from .host.kernel import HostKernel
            compiler.check_options(self.source.options)
            return HostKernel(self.source, self.signature, values, device, self.source.run)
        _, package = self._make(values)
        try:
            package.device = _devices.get(ordinal, lambda: Device(ordinal))
        except DeviceError as error:
            if devices.has_driver():
                raise
            raise DeviceError(f"{error}; load(path, device=\"cpu\") runs kernels on arrays of the host without a GPU") from None
        return package.kernel(self.name)

    def _call(self, torch, key, values, named, out, stream):
        self.signature.check_reserved(
            name for name, value in (("out", out), ("stream", stream)) if value is not None)
        call = self.signature.sort(values, named, out)
        calls.warn_of_gradients(torch, self.signature, call)
        device = devices.choose(self.source.device, [value for name, value in call.arguments.items()
                                                     if "dims" in self.signature.parameters[name]])
        bound = calls.bind(self, call, stream, device)
        outputs = bound.allocate()
        arguments = bound.describe(outputs)
        if key is None or device != devices.GPU:
            bound.kernel.run((), arguments, stream)
        else:
            launch = bound.kernel.prepare(**arguments)
            launch(stream)
            names = self.signature.names(values, named, out)
            self._plans.keep(torch, key, calls.Plan(bound, launch, names), values, named, out)
        return calls.result([outputs[name] for name in self.signature.outputs if name in outputs])
