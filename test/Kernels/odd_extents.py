# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs odd-extents.tile with tiles of odd extents, and compares with NumPy: odd_extents.py KERNELS SCRATCH"""

import sys

import numpy as np

from tile_run import Source

source = Source(*sys.argv[1:])
rng = np.random.default_rng(3)
DEVICES = ("interpreter", "sim", "ptx")


def check_route(device, rows, experts, groups, taken, tile):
    logit = rng.permuted(np.tile(np.arange(experts) - experts // 3, (rows, 1)), axis=1).astype(np.float32)
    grouped = logit.reshape(rows, groups, -1)
    masked = np.where(grouped.sum(2, keepdims=True) > 0, grouped, -np.inf).reshape(rows, experts)
    positions = np.argsort(-masked, axis=1, kind="stable")[:, :taken]
    weight, load = source.run(device, "route", ["weight", "load"], f"-DE={experts}", f"-DG={groups}", f"-DK={taken}",
                              f"-DBM={tile}", logit=logit, load=np.zeros(experts, np.int32))
    assert np.array_equal(weight, np.take_along_axis(logit, positions, 1))
    assert np.array_equal(load, np.bincount(positions.ravel(), minlength=experts))
    print("right: route", device, experts, groups, taken, tile)


def check_maximum(device, rows, columns, groups, tile):
    x = rng.standard_normal((rows, columns)).astype(np.float32)
    grouped = x.reshape(rows, groups, -1)
    (y,) = source.run(device, "add_maximum", ["y"], f"-DE={columns}", f"-DG={groups}", f"-DBM={tile}", x=x)
    assert np.array_equal(y, (grouped + grouped.max(2, keepdims=True)).reshape(x.shape))
    print("right: add_maximum", device, columns, groups, tile)


def check_sorts(device, *shape):
    x = rng.integers(-99, 99, shape).astype(np.int32)
    extents = [f"-D{name}={extent}" for name, extent in zip("ABC", shape)]
    (y,) = source.run(device, "sort_middle", ["y"], *extents, x=x)
    assert np.array_equal(y, np.sort(x, axis=1))
    (y,) = source.run(device, "sort_both", ["y"], *extents, x=x)
    assert np.array_equal(y, np.sort(-np.sort(-x, axis=0), axis=1))
    print("right: sorts", device, *shape)


def check_join(device, rows, columns):
    x = rng.standard_normal((rows, columns)).astype(np.float32)
    (y,) = source.run(device, "join_reverse", ["y"], f"-DA={rows}", f"-DB={columns}", x=x)
    assert np.array_equal(y, np.concatenate([x, x[:, ::-1]], axis=1))
    print("right: join_reverse", device, rows, columns)


for on in DEVICES:
    for shape in ((7, 21, 3, 21, 3), (8, 21, 3, 21, 7), (25, 21, 7, 21, 24), (4, 15, 5, 15, 3), (4, 21, 3, 13, 3)):
        check_route(on, *shape)
    for shape in ((7, 21, 3, 3), (11, 35, 7, 5), (13, 45, 9, 13)):
        check_maximum(on, *shape)
    for shape in ((7, 5, 33), (31, 5, 7), (3, 3, 1)):
        check_sorts(on, *shape)
    for shape in ((31, 33), (5, 3)):
        check_join(on, *shape)
