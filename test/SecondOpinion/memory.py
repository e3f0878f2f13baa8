# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores: indices of a tensor, and the validity of elements."""

import numpy as np

from . import bounds, elements, positions
from .operations import element
from .positions import mask_of
from .problems import Illegal, NotUnderstood
from .values import WHOLE, Range, Tile, as_int, known_as


class Paired:
    """Ranges, tiles and integers whose positions are paired."""

    def __init__(self, tiles):
        self.tiles = tiles


class Access:
    """x[indices]: the elements to read or write."""

    def __init__(self, tensor, indices):
        data = tensor.data
        if sum(len(i.tiles) if type(i) is Paired else 1 for i in indices) != data.ndim:
            raise NotUnderstood(f"{tensor.name} has {data.ndim} dimensions")
        self.tensor = tensor
        self.shape = []
        # Positions in each dimension of the tensor and in each axis of the tile, with the number of their gather or
        # range. Equal numbers are paired.
        self.taken, self.placed = [], []
        self.numbers = 0
        self.is_empty = False
        self.has_gathers = False
        place = -1
        for index in indices:
            kind = type(index)
            if kind is Paired or kind is Tile and index.data.ndim > 0:
                gathered = index.tiles if kind is Paired else [index]
                self.add_gather(gathered, data.shape[place + 1 : place + 1 + len(gathered)])
                place += len(gathered)
                continue
            place += 1
            size = data.shape[place]
            if index is WHOLE:
                if not tensor.is_known[place]:
                    raise NotUnderstood(f"the extent of dimension {place} of {tensor.name} is not known")
                self.add_span(0, size, 0, size)
            elif kind is Range:
                first, last = max(index.start, 0), min(index.limit, index.start + index.extent, size)
                self.add_span(first, last, first - index.start, index.extent)
            else:
                if type(index) is int and (index < 0 or tensor.is_known[place] and index >= size):
                    raise Illegal(f"the index {index} of dimension {place} of {tensor.name}")
                position = as_int(index)
                if not 0 <= position < size:
                    self.is_empty = True
                    position = 0
                self.taken.append((position, None))

    def add_span(self, first, last, place, extent):
        if last <= first:
            self.is_empty = True
            first = last = place = 0
        self.taken.append((slice(first, last), self.numbers))
        self.placed.append((slice(place, place + last - first), self.numbers))
        self.shape.append(extent)
        self.numbers += 1

    def add_gather(self, gathered, sizes):
        """Adds the positions of a tile, or paired positions of several."""
        tiles = [positions.of_range(i) if type(i) is Range else i for i in gathered]
        shape = np.broadcast_shapes(*(i.data.shape for i in tiles if type(i) is Tile))
        if not shape:
            raise NotUnderstood("integers are not paired")
        valid, taken = np.ones(shape, bool), []
        for index, size in zip(tiles, sizes, strict=True):
            if type(index) is Tile and index.dtype not in elements.INTEGERS:
                raise NotUnderstood("positions are integers")
            place = np.broadcast_to(index.data if type(index) is Tile else as_int(index), shape).astype(np.int64)
            valid &= (place >= 0) & (place < size)
            if (mask := mask_of(index)) is not None:
                valid &= mask
            taken.append(place)
        self.has_gathers = True
        self.taken += [(place[valid], self.numbers) for place in taken]
        self.placed += [(where, self.numbers) for where in np.nonzero(valid)]
        self.shape += shape
        self.numbers += 1

    def keys(self):
        """Returns NumPy indices of the tensor's elements and of the tile's elements."""

        def key(entry):
            where, number = entry
            if number is None or not self.has_gathers:
                return where
            shape = [1] * self.numbers
            shape[number] = -1
            return (np.arange(where.start, where.stop) if type(where) is slice else where).reshape(shape)

        return tuple(map(key, self.taken)), tuple(map(key, self.placed))

    def load(self, fill=None):
        """Returns a tile, or a scalar; invalid elements are zero or the fill."""
        tensor = self.tensor
        if tensor.access == "out":
            raise NotUnderstood(f"{tensor.name} is only written")
        dtype = tensor.dtype
        empty = np.asarray(0, elements.carrier(dtype)) if fill is None else known_as(fill, dtype)
        if not self.shape:
            taken, _ = self.keys()
            data = empty if self.is_empty else np.asarray(tensor.data[taken])
            return Tile(dtype, data, self.error_at(taken, (), ()))
        result = np.full(self.shape, empty, elements.carrier(dtype))
        # Loaded elements may become positions.
        needs_mask = fill is None
        mask = np.zeros(self.shape, bool) if needs_mask else None
        if not self.is_empty:
            taken, placed = self.keys()
            result[placed] = tensor.data[taken]
            if needs_mask:
                mask[placed] = True
                if mask.all():
                    mask = None
        error = self.error_at(*(self.keys() if not self.is_empty else ((), ())), tuple(self.shape))
        return Tile(dtype, result, error, mask)

    def error_at(self, taken, placed, shape):
        """Returns the error of loaded elements."""
        error = self.tensor.error
        if type(error) is not np.ndarray:
            return error
        result = np.zeros(shape)
        if not self.is_empty:
            result[placed] = error[taken]
        return result

    def value_to_store(self, value):
        tensor = self.tensor
        if type(value) is Tile:
            if value.dtype != tensor.dtype or value.shape not in ((), tuple(self.shape)):
                raise NotUnderstood(f"{value!r} is stored to {tensor.dtype}{self.shape}")
            if not bounds.IS_BY_ELEMENT.get():
                tensor.error = max(tensor.error, value.error)
            return value.data
        return element(value, tensor.dtype)

    def store(self, value):
        data = np.broadcast_to(self.value_to_store(value), self.shape)
        if self.tensor.access == "in":
            raise NotUnderstood(f"{self.tensor.name} is only read")
        if not self.is_empty:
            taken, placed = self.keys()
            self.tensor.data[taken] = data[placed]
            if bounds.IS_BY_ELEMENT.get():
                errors = self.errors()
                errors[taken] = bounds.of_elements(getattr(value, "error", 0.0), self.shape)[placed]

    def errors(self):
        """Returns the errors of the tensor's elements, as an array to change."""
        if type(self.tensor.error) is not np.ndarray:
            self.tensor.error = np.full(self.tensor.data.shape, self.tensor.error)
        return self.tensor.error

    def add(self, value):
        """Executes atomic_add."""
        tensor = self.tensor
        before = tensor.error
        data = np.broadcast_to(self.value_to_store(value), self.shape)
        if tensor.access != "inout":
            raise NotUnderstood(f"{tensor.name} is not inout")
        if self.is_empty:
            return
        taken, placed = self.keys()
        if tensor.dtype in elements.INTEGERS:
            np.add.at(tensor.data, taken, data[placed])
            return
        if bounds.IS_BY_ELEMENT.get():
            return self.add_by_element(data, taken, placed, getattr(value, "error", 0.0))
        wide = tensor.data.astype(np.float64)
        np.add.at(wide, taken, data[placed])
        rounded = elements.round_float(tensor.dtype, wide)
        both = np.concatenate([np.ravel(data).astype(np.float64), np.ravel(tensor.data)])
        tensor.error = bounds.sum_error(tensor.dtype, both, bounds.magnitude(rounded) + bounds.magnitude(data),
                                        1, before + (getattr(value, "error", 0.0)))
        tensor.data[...] = rounded

    def add_by_element(self, data, taken, placed, own):
        """Adds to elements; `own` is the error of the data."""
        tensor, errors = self.tensor, self.errors()
        wide, total = tensor.data.astype(np.float64), bounds.finite(tensor.data).astype(np.float64)
        count, own = np.zeros(tensor.data.shape), bounds.of_elements(own, self.shape)
        for target, added in ((wide, data), (total, bounds.finite(data)), (count, np.ones(data.shape)), (errors, own)):
            np.add.at(target, taken, added[placed])
        both = np.concatenate([np.ravel(data).astype(np.float64), np.ravel(tensor.data)])
        tensor.error = np.where(count > 0, bounds.sum_error(tensor.dtype, both, total, count, errors), errors)
        tensor.data[...] = elements.round_float(tensor.dtype, wide)

    def replace(self, function, *values):
        """Executes another atomic operation, one element after the other."""
        tensor = self.tensor
        given = [np.broadcast_to(self.value_to_store(value), self.shape) for value in values]
        if tensor.access != "inout" or tensor.dtype not in elements.INTEGERS and function != "atomic_exchange":
            raise NotUnderstood(f"{function} of {tensor.name}")
        if self.is_empty:
            return
        taken, placed = self.keys()
        if function in REPLACEMENTS:
            REPLACEMENTS[function].at(tensor.data, taken, given[0][placed])
            return
        places = np.broadcast(*(np.asarray(t) for t in self.keys_of_elements(taken)))
        for place, *operands in zip(places, *(np.ravel(g[placed]) for g in given), strict=True):
            if function == "atomic_exchange":
                tensor.data[place] = operands[0]
            elif tensor.data[place] == operands[0]:
                tensor.data[place] = operands[1]

    def keys_of_elements(self, taken):
        """Returns the positions of each element in each dimension, as arrays that broadcast."""
        if self.has_gathers:
            return taken
        kept = [i for i, t in enumerate(taken) if type(t) is slice]
        return [np.arange(t.start, t.stop).reshape([-1 if i == j else 1 for j in kept]) if type(t) is slice else t
                for i, t in enumerate(taken)]


REPLACEMENTS = {"atomic_max": np.maximum, "atomic_min": np.minimum, "atomic_and": np.bitwise_and,
                "atomic_or": np.bitwise_or, "atomic_xor": np.bitwise_xor}
