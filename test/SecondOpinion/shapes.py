# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of other shapes, parts of tiles and sorted tiles."""

import numpy as np

from . import bounds, elements
from .problems import NotUnderstood, Undecided
from .values import NEW, WHOLE, Tile


def rearranged(compute, *tiles):
    """Applies a function of arrays to the elements, their errors and their masks."""
    for tile in tiles:
        if type(tile) is not Tile or tile.data.ndim == 0 or tile.dtype != tiles[0].dtype:
            raise NotUnderstood(f"{tile!r} has no shape to change")
    data = np.asarray(compute(*(t.data for t in tiles)))
    mask = None
    if data.ndim and any(t.mask is not None for t in tiles):
        masks = (np.ones(t.shape, bool) if t.mask is None else np.broadcast_to(t.mask, t.shape) for t in tiles)
        mask = np.asarray(compute(*masks))
    if any(type(t.error) is np.ndarray for t in tiles):
        error = np.asarray(compute(*(bounds.of_elements(t.error, t.shape) for t in tiles)))
    else:
        error = max(t.error for t in tiles)
    return Tile(tiles[0].dtype, data, error, mask)


def extents(numbers):
    if not numbers or not all(type(n) is int and n > 0 for n in numbers):
        raise NotUnderstood("an extent is known at compile time")
    return numbers


def check_axis(tile, axis):
    if type(tile) is not Tile or type(axis) is not int or not 0 <= axis < tile.data.ndim:
        raise NotUnderstood(f"no axis {axis!r} of {tile!r}")


def reshape(tile, *shape):
    return rearranged(lambda x: x.reshape(extents(shape)), tile)


def permute(tile, *axes):
    return rearranged(lambda x: np.transpose(x, axes), tile)


def broadcast(tile, *shape):
    if type(tile) is not Tile or len(shape) != tile.data.ndim:
        raise NotUnderstood(f"{tile!r} is not repeated to {shape}")
    return rearranged(lambda x: np.broadcast_to(x, extents(shape)), tile)


def flip(tile, axis):
    check_axis(tile, axis)
    return rearranged(lambda x: np.flip(x, axis), tile)


def split(tile):
    return rearranged(lambda x: x[..., 0::2], tile), rearranged(lambda x: x[..., 1::2], tile)


def join(x, y):
    return rearranged(lambda a, b: np.stack((a, b), -1).reshape((*a.shape[:-1], -1)), x, y)


def concat(tiles, axis):
    check_axis(tiles[0], axis)
    return rearranged(lambda *parts: np.concatenate(parts, axis), *tiles)


def part(tile, indices):
    """t[a:b, 3, :, _] with known bounds."""
    if sum(i != NEW for i in indices) != tile.data.ndim:
        raise NotUnderstood("an index keeps or takes each dimension")
    key, dim = [], 0
    for index in indices:
        if index == NEW:
            key.append(None)
            continue
        extent, dim = tile.shape[dim], dim + 1
        if index == WHOLE:
            key.append(slice(None))
        elif type(index) is tuple:
            low, high = 0 if index[0] is None else index[0], extent if index[1] is None else index[1]
            if type(low) is not int or type(high) is not int or not 0 <= low < high <= extent:
                raise NotUnderstood(f"no part {low}:{high} of {extent}")
            key.append(slice(low, high))
        elif type(index) is int and 0 <= index < extent:
            key.append(index)
        else:
            raise NotUnderstood(f"{index!r} is no index of a tile")
    return rearranged(lambda x: x[tuple(key)], tile)


def ranks(tile, axis, descending):
    """Returns numbers of equal order: NaN is the greatest element, and zeros are equal."""
    check_axis(tile, axis)
    if tile.dtype == "bool":
        raise NotUnderstood("truth values have no order")
    data = np.asarray(tile.data, np.float64) if tile.dtype in elements.FLOATS else tile.data
    numbers = np.unique(data + 0 if tile.dtype in elements.FLOATS else data, return_inverse=True)[1].reshape(data.shape)
    return -numbers if descending else numbers


def at_positions(tile, positions, axis):
    data = np.take_along_axis(tile.data, positions, axis)
    return np.where(data == 0, np.zeros_like(data), data)


def sort(tile, axis, descending=False):
    positions = np.argsort(ranks(tile, axis, descending), axis, kind="stable")
    error = tile.error
    if type(error) is np.ndarray:
        error = np.broadcast_to(error.max(axis, keepdims=True), tile.shape)
    return Tile(tile.dtype, at_positions(tile, positions, axis), error)


def argsort(tile, axis, descending=False):
    numbers = ranks(tile, axis, descending)
    if bounds.is_some(tile.error):
        raise Undecided("the order of inexact elements")
    return Tile("i32", np.argsort(numbers, axis, kind="stable").astype(np.int32))


def top(tile, k, axis, descending=True):
    positions = argsort(tile, axis, descending)
    if type(k) is not int or not 1 <= k <= tile.shape[axis]:
        raise NotUnderstood(f"no {k!r} elements")
    taken = np.take(positions.data, np.arange(k), axis)
    return Tile(tile.dtype, at_positions(tile, taken, axis)), Tile("i32", taken)


# Functions of any number of arguments by position: the least number.
VARIADIC = {"reshape": (2, reshape), "permute": (2, permute), "broadcast": (2, broadcast)}
FUNCTIONS = {
    "flip": (("x", "axis"), 2, flip),
    "split": (("x",), 1, split),
    "join": (("x", "y"), 2, join),
    "sort": (("x", "axis", "descending"), 2, sort),
    "argsort": (("x", "axis", "descending"), 2, argsort),
    "top": (("x", "k", "axis", "descending"), 3, top),
}
POSITIONAL = {"flip": 1, "sort": 1, "argsort": 1, "top": 2}
