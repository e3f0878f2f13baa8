# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices of calls: the GPU, and devices that need none."""

import ctypes
import difflib
import functools
import os
import re
import warnings

from ..errors import ArgumentError, DeviceWarning
from ..tensors import GPU, is_host, is_tensor

# The devices of include/tessera-c/Compiler.h. The first one is chosen for arrays of the host.
HOST = ("cpu", "interpreter", "sim", "ptx")
# Options of runs by the devices that have them, with their names on the command line of tile-run.
_ORDERS = {
    "order": "order", "seed": "sim-seed", "seeds": "seeds", "max_deviations": "max-deviations",
    "max_runs": "max-runs", "replay": "replay", "multiprocessors": "multiprocessors",
}
_INTERLEAVINGS = ("program", "late", "early", "random", "exhaustive")
# The least values of options that are numbers.
_LEAST = {
    "seed": 0, "seeds": 1, "max_deviations": 0, "max_runs": 1, "multiprocessors": 1, "grid_order": 0, "step_limit": 1,
}
_OTHERS = {"grid_order": "grid-order", "step_limit": "step-limit", "fill_outside": "fill-outside"}
# The arguments of load.
ARGUMENTS = ("cache", "target", "options", "tuned", "configuration", "checks", "device", *_ORDERS, *_OTHERS)
_DASHED = {dashed: name for name, dashed in {**_ORDERS, **_OTHERS}.items()}


def check(device, options):
    """Returns the options of a run that were given, as tile-run takes them."""
    if device not in (None, GPU, *HOST):
        raise ArgumentError(f"unknown device {device!r}; expected {', '.join(map(repr, (GPU, *HOST)))}, or None to "
                            "choose by the arguments")
    given = {name: value for name, value in options.items() if value is not None}
    for name in options:
        if name not in _ORDERS and name not in _OTHERS:
            near = difflib.get_close_matches(name, ARGUMENTS, 1)
            raise TypeError(f"load has no argument '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))
    for name in given:
        wanted = ("sim", "ptx") if name in _ORDERS else ("cpu", "interpreter") if name == "grid_order" else HOST
        if device not in wanted:
            raise ArgumentError(f"{name}= is for device={' or '.join(map(repr, wanted))}; pass device= to load")
    _check_orders(given)
    return tuple(f"--{_ORDERS.get(name) or _OTHERS[name]}={_format(value)}" for name, value in given.items())


def _check_orders(given):
    """Checks the interleavings, before a kernel is compiled for them."""
    names = [name.strip() for name in _format(given.get("order", "")).split(",")] if "order" in given else []
    for name in names:
        if name not in _INTERLEAVINGS:
            near = difflib.get_close_matches(name, _INTERLEAVINGS, 1)
            raise ArgumentError(f"order=: expected {', '.join(_INTERLEAVINGS[:-1])} or {_INTERLEAVINGS[-1]}, "
                                f"got {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    for name, least in _LEAST.items():
        value = given.get(name)
        if value is not None and not (_format(value).isdigit() and int(_format(value)) >= least):
            raise ArgumentError(f"{name}=: expected a number of at least {least}, got {value!r}")
    if "seed" in given and "seeds" not in given and "random" not in names:
        raise ArgumentError("seed= is for random interleavings; pass order='random' as well")


def _format(value):
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


_SPELLED = re.compile(r"--(" + "|".join(_DASHED) + r")(?: (\d[\d:,]*|program|late|early|random|exhaustive)\b)?")


def translate(text):
    """Returns a message of the library with options as load takes them: --sim-seed 3 is seed=3."""
    def name(found):
        value = found[2] or ""
        return f"{_DASHED[found[1]]}={value if value.isdigit() else value and repr(value)}"

    return _SPELLED.sub(name, text)


@functools.cache
def has_driver():
    """Returns whether the CUDA driver can be loaded."""
    try:
        ctypes.CDLL(os.environ.get("TESSERA_CUDA_DRIVER") or "libcuda.so.1")
    except OSError:
        return False
    return True


@functools.cache
def _warn_once():
    # The frames of this module, of calls and of sources are not those of the user.
    warnings.warn(f"this machine has no CUDA driver, so kernels run on the CPU, more slowly; "
                  f"tessera.load(path, device={HOST[0]!r}) chooses this without a warning, and device='sim' finds races",
                  DeviceWarning, stacklevel=7)


def choose(device, values):
    """Returns the device of a call with these tensors: the one that load names, or that of the tensors."""
    if device is not None:
        return device
    found = [value for value in values if is_tensor(value) or is_host(value)]
    if not found or not all(map(is_host, found)):
        return GPU
    if not has_driver():
        _warn_once()
    return HOST[0]
