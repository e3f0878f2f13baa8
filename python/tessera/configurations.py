# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations of kernels by predicted time: one choice of tilec for each class of sizes, kept in the cache.

docs/design/configurations.md has the rules."""

from .errors import ArgumentError, CacheError, CacheMissError
from .support import json_file
from .support.once import Once

CHOICES = ("predicted", "default")

# Sizes up to this one are classes of their own.
_MOST_EXACT = 64
# Larger ones are rounded up to this many significant binary digits.
_DIGITS = 3
# The largest power of two whose multiples a class distinguishes: 16 bytes of 8-bit elements.
_MOST_FACTOR = 16


def check(configuration):
    """Returns the configuration argument of load."""
    if configuration not in CHOICES:
        raise ArgumentError(f"configuration is {' or '.join(map(repr, CHOICES))}, got {configuration!r}")
    return configuration


def represent(size):
    """Returns the size that represents the class of `size`: the largest size of the class."""
    unit = 1 << max(size.bit_length() - _DIGITS, 0)
    if size <= _MOST_EXACT or size % unit == 0:
        return size
    return size - size % unit + unit - min(size & -size, _MOST_FACTOR)


class Choices:
    """The choices for a kernel of a source."""

    def __init__(self, kernel):
        self._kernel, self._known = kernel, Once()

    def choose(self, values, sizes):
        """Returns the compile-time values that are chosen for a call: texts by name.

        `values` has those of the call, `sizes` the numbers that its arguments bind."""
        compile_time = self._kernel.signature.compile_time
        if self._kernel.source.configuration == "default" or all(
                name in values or "values" not in row for name, row in compile_time.items()):
            return {}
        shape = tuple(sorted((name, represent(int(size))) for name, size in sizes.items() if size >= 0))
        if not shape:
            return {}
        return self._known.get((tuple(values.items()), shape), lambda: self._ask(values, shape))

    def _ask(self, values, shape):
        arguments = ["--emit=configuration", "--shape", ",".join(f"{name}={size}" for name, size in shape)]
        try:
            return self._kernel.output(values, ".json", "the configuration of kernel", _read, arguments=arguments)
        except CacheMissError:
            # A program in production keeps running with new sizes.
            return {}


def _read(path):
    """Returns the choice in a file of tilec; {} for the defaults, which have a package already."""
    try:
        file = json_file.read(path, {"choice": dict, "configurations": [{"values": dict}]})
        if not all(isinstance(value, str) for value in file["choice"].values()):
            raise ValueError("a value is not a text")
        return {} if file["choice"] == file["configurations"][0]["values"] else file["choice"]
    except (OSError, ValueError, IndexError) as error:
        raise CacheError(f"{path} is damaged ({error}); delete it") from None
