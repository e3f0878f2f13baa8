"""Further launches of the kernels of ../Simulator/example_launches.py, so that each factor of an index matters.

They have several batches and heads, more tiles than one group of programs, and other remainders of sizes. By example
and row: the arguments of a launch, and options.
"""

import math

import numpy as np

from example_launches import scaled, tile_list

FEW = ["--multiprocessors=3"]


def spread(middle, *shape):
    """Returns distinct numbers around `middle`."""
    return np.linspace(middle - 1, middle + 1, math.prod(shape)).reshape(shape)


def attention(queries, keys):
    return {"q": (2, 4, queries, 64), "k": (2, 2, keys, 64), "v": (2, 2, keys, 64), "scale": 0.2}


def backward(queries, keys, sums=None):
    shape = {"q": (2, 4, queries, 128), "k": (2, 2, keys, 128), "v": (2, 2, keys, 64)}
    gradient = {"do": (2, 4, queries, 64)}
    vectors = {"lse": spread(8.0, 2, 4, queries), "delta": (2, 4, queries), "scale": 0.1}
    return {**shape, **gradient, **vectors, **({"sums": np.zeros((2, 4, *sums))} if sums else {})}


def gated(n, **others):
    return {**{name: (2, n, 3, 64) for name in "qkv"}, "c": (2, 3, n), "scale": 0.1, **others}


def gated_gradient(n, delta):
    return gated(n, do=(2, n, 3, 64), base=spread(1.0, 2, 3, n), **{delta: (2, 3, n)})


def packed(queries, keys, heads, columns=64):
    rows, own = sum(keys), heads[1]
    shape = {"q": (sum(queries), heads[0], columns), "k": (rows, own, columns), "v": (rows, own, 64)}
    ends = {name: np.cumsum([0, *lengths]).astype(np.int32)
            for name, lengths in (("cu_q", queries), ("cu_k", keys))}
    return {**shape, **ends, "scale": 0.1}


def listed(queries, keys):
    given = packed(queries, keys, (4, 2))
    del given["cu_q"], given["cu_k"]
    return {**given, "list": tile_list(queries, keys, 128), "tile": np.zeros(128, np.int8)}


def packed_gradients(queries, keys, columns, **more):
    rows = (2, sum(queries))
    return {**packed(queries, keys, (2, 2), columns), "do": (sum(queries), 2, 64),
            "shift": spread(3.0, *rows), "delta": rows, **more}


def words(rows, columns, vocabulary):
    target = (np.arange(rows) * 7 % vocabulary).astype(np.int32)
    return {"h": (rows, columns), "w": (vocabulary, columns), "target": target}


MORE = {
    ("01-vector-add", 0): [({"x": (n,), "y": (n,)}, []) for n in (128, 131, 7)],
    ("02-softmax", 0): [({"x": (9, 192)}, []), ({"x": (9, 131)}, [])],
    ("03-matmul", 0): [({"a": (1088, 64), "b": (64, 128)}, FEW)],
    ("03-matmul", 1): [({"a": (1088, 64), "b": (128, 64)}, FEW)],
    ("03-matmul", 2): [({"a": (64, 1088), "b": (64, 128)}, FEW)],
    ("03-matmul", 3): [({"a": (64, 1088), "b": (128, 64)}, FEW)],
    ("03-matmul", 4): [({"a": (1280, 64), "b": (64, 128)}, ["--multiprocessors=4"])],
    ("03-matmul", 5): [({"a": (704, 64), "b": (64, 64)}, FEW)],
    ("03-matmul", 6): [({"a": (1280, 64), "b": (64, 128)}, FEW)],
    ("04-split-k-matmul", 0): [
        ({"a": (1088, 128), "b": (128, 128), "S": 2, "c": np.zeros((1088, 128))}, FEW)],
    ("04-split-k-matmul", 1): [({"a": (1088, 128), "b": (128, 128), "S": 2}, FEW)],
    ("04-split-k-matmul", 2): [({"part": shape}, []) for shape in ((4, 9, 512), (4, 9, 131), (3, 6, 515))],
    ("05-layer-norm", 0): [({"x": (9, n), "gain": (n,), "bias": (n,), "eps": 0.001}, []) for n in (192, 131)],
    ("06-lola", 0): [
        ({"x": (m, k), "w": (k, n), "wsum": (n,), "bias": (n,), "eps": 0.001}, FEW)
        for m, k, n in ((1280, 64, 128), (130, 56, 120))],
    ("06-lola", 1): [
        ({"x": (m, k), "w": (k, n), "bias": (n,), "eps": 0.001}, FEW)
        for m, k, n in ((1280, 64, 128), (130, 56, 120))],
    ("06-lola", 2): [
        ({"w": (72, n), "bias": (n,), "gamma": (72,), "beta": (72,)}, []) for n in (192, 131)],
    ("06-lola", 3): [({"x": (9, n), "eps": 0.001}, []) for n in (192, 131)],
    ("06-lola", 4): [
        ({"x": (m, k), "w": (k, n), "mean": (m,), "rstd": (m,), "wsum": (n,), "bias": (n,)}, FEW)
        for m, k, n in ((640, 64, 128), (130, 56, 120))],
    ("07-flash-attention", 0): [(attention(128, 192), []), (attention(100, 120), [])],
    ("07-flash-attention", 1): [(attention(256, 192), []), (attention(100, 120), [])],
    ("07-flash-attention", 2): [(attention(256, 192), FEW), (attention(100, 120), [])],
    ("07-flash-attention", 3): [(attention(256, 192), []), (attention(100, 120), [])],
    ("08-gated-attention", 0): [({"g": (2, 64, 9)}, [])],
    ("08-gated-attention", 1): [(gated(n), []) for n in (140, 100)],
    ("08-gated-attention", 2): [(gated_gradient(n, "odo"), []) for n in (140, 100)],
    ("08-gated-attention", 3): [(gated_gradient(n, "delta"), []) for n in (140, 100)],
    ("08-gated-attention", 4): [({"dc": (2, 9, 64)}, [])],
    ("08-gated-attention", 5): [({"sink": (3,), "lse": spread(1.0, 2, 3, 130), "delta": (2, 3, 130)}, [])],
    ("09-linear-logp", 0): [
        ({**words(640, 64, 192), "bias": (192,), "first": 64, "words": 128, "S": 2}, FEW)],
    ("09-linear-logp", 1): [({"plse": (2, 150), "ppick": (2, 150), "target": np.arange(150, dtype=np.int32),
                              "words": 160, "ignore": 1, "ignored": 0.0}, [])],
    ("09-linear-logp", 2): [
        ({**words(1088, 64, 128), "lse": spread(20.0, 1088), "dlogp": (1088,), "first": 64, "words": 64,
          "ignore": 4}, FEW)],
    ("09-linear-logp", 3): [
        ({"dz": (1088, 128), "w": (128, 128), "total": (1088, 128), "first": 64, "words": 64}, FEW)],
    ("09-linear-logp", 4): [({"dz": (64, 1088), "h": (64, 128)}, FEW)],
    ("09-linear-logp", 5): [({"dz": (72, 192)}, [])],
    ("10-varlen-attention", 0): [
        (listed(queries, keys), []) for queries, keys in (([128, 256], [64, 192]), ([33, 100], [45, 99]))],
    ("10-varlen-attention", 1): [
        (listed(queries, keys), []) for queries, keys in (([128, 256], [64, 192]), ([33, 100], [45, 99]))],
    ("11-attention-backward", 0): [
        (backward(96, 128, (6, 128, 16)), []), (backward(33, 77, (3, 128, 16)), [])],
    ("11-attention-backward", 1): [(backward(96, 128), []), (backward(33, 77), [])],
    ("11-attention-backward", 2): [(backward(128, 96), []), (backward(33, 77), [])],
    ("12-varlen-backward", 0): [
        (packed_gradients([40, 150], [140, 30], 128, max_k=140, sums=np.zeros((2, 7, 128, 32)),
                          dk=np.zeros((170, 2, 128)), dv=np.zeros((170, 2, 64))), [])],
    ("12-varlen-backward", 1): [(packed_gradients([40, 70], [140, 30], 192, max_k=140,
                                                  sums=np.zeros((2, 8, 256, 16))), [])],
    ("12-varlen-backward", 2): [
        (packed_gradients([200, 40], [140, 30], 64, max_k=140), []),
        (packed_gradients([33, 77], [45, 99], 64, max_k=99), [])],
    ("12-varlen-backward", 3): [
        (packed_gradients([140, 30], [200, 40], 64, max_q=140), []),
        (packed_gradients([33, 77], [45, 99], 64, max_q=77), [])],
    ("12-varlen-backward", 4): [
        ({"o": (150, 3, 64), "do": (150, 3, 64), "lse": (150, 3), "cu_q": np.int32([0, 100, 150]),
          "scale": 0.1}, [])],
    ("12-varlen-backward", 5): [
        ({"sums": (3, 6, 128, 32), "cu_q": np.int32([0, 100, 150]), "owner": np.int32([0, 0, 0, 0, 1, 1]), "TQ": 150}, [])],
    ("12-varlen-backward", 6): [({"dk_part": (2, 70, 3, 64), "dv_part": (2, 70, 3, 64)}, [])],
    ("13-decoding", 0): [
        ({"q": (3, 16, 64), "k": (3, 200, 2, 64), "v": (3, 200, 2, 64), "lengths": np.int32([200, 1, 90]),
          "M": 2, "S": 3, "scale": 0.1}, []),
        ({"q": (2, 64, 64), "k": (2, 200, 1, 64), "v": (2, 200, 1, 64), "lengths": np.int32([200, 33]),
          "M": 16, "S": 2, "scale": 0.1}, [])],
    ("13-decoding", 1): [
        ({"q": (2, 16, 64), "k": (8, 64, 2, 64), "v": (8, 64, 2, 64), "lengths": np.int32([300, 130]),
          "table": np.int32([[4, 0, 2, 6, 7], [1, 3, 5, -1, -1]]), "M": 2, "S": 2, "scale": 0.1}, []),
        ({"q": (2, 64, 64), "k": (8, 64, 1, 64), "v": (8, 64, 1, 64), "lengths": np.int32([300, 33]),
          "table": np.int32([[4, 0, 2, 6, 7], [1, 3, 5, -1, -1]]), "M": 16, "S": 2, "scale": 0.1}, [])],
    ("13-decoding", 2): [({"part": (2, 3, 12, 64), "part_lse": (2, 3, 12)}, [])],
    ("14-scaled-matmul", 0): [(scaled(1280, 128, 256), FEW)],
    ("14-scaled-matmul", 1): [(scaled(704, 128, 256), FEW)],
}
