# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise kernels, random numbers, gated products."""

import math

import numpy as np

from inputs import single, uniform

N, M = 1003, 7


def vector(rng, *shape):
    return single(rng, *(shape or (N,)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@case("add_example vector_addition vector_addition_custom", "vectors", "add")
def add(rng):
    x, y = vector(rng), vector(rng)
    return {"x": x, "y": y}, {"z": x + y}


@case("add_value", "vectors", "add_number")
def add_number(rng):
    x = vector(rng)
    return {"x": x, "value": 10.0}, {"y": x + 10}


@case("triton_mul2", "vectors", "scale")
@case("triton_mul2", "vectors", "scale", B=16)
def scale(rng):
    x = vector(rng)
    return {"x": x}, {"y": 2 * x}


@case("triton_mul2", "vectors", "scale_in_place")
def scale_in_place(rng):
    x = vector(rng)
    return {"x": x}, {"x": 2 * x}


@case("mul_exponent_compensator", "vectors", "scale", FACTOR=2.0**112)
def compensate(rng):
    x = vector(rng)
    return {"x": x}, {"y": 2.0**112 * x}


@case("relu_triton_kernel relu_strided_buffer", "vectors", "clip_below")
def clip_below(rng):
    x = vector(rng)
    return {"x": x}, {"y": np.maximum(x, 0)}


@case("sin_kernel sin_computation", "vectors", "sine", rms=2e-7)
def sine(rng):
    x = 10 * vector(rng)
    x = x.astype(np.float32).astype(np.float64)
    return {"x": x}, {"y": np.sin(x)}


@case("cosine_compute", "vectors", "cosine", rms=2e-7)
def cosine(rng):
    x = vector(rng)
    return {"x": x}, {"y": np.cos(x)}


@case("pow_scalar_tensor", "vectors", "power", rms=2e-7)
def power(rng):
    x = vector(rng)
    return {"x": x, "base": 1.75}, {"y": 1.75**x}


@case("isfinite_kernel", "vectors", "finite")
def finite(rng):
    x = vector(rng)
    x[::3], x[1::7], x[2::11] = np.inf, np.nan, -np.inf
    return {"x": x}, {"y": np.isfinite(x)}


@case("kldiv_compute", "vectors", "divergence")
def divergence(rng):
    x, y = (rng.uniform(0.1, 1, (2, N))).astype(np.float32).astype(np.float64)
    return {"x": x, "y": y}, {"z": x * np.log(x / y)}


@case("masked_add_cuda", "vectors", "masked_add")
def masked_add(rng):
    grad, p, mask = vector(rng), vector(rng), rng.random(N) < 0.4
    return {"grad": grad, "p": p, "mask": mask, "alpha": 0.5}, {"grad": np.where(mask, grad, grad + 0.5 * p)}


def add_mul(rng, activate):
    x, y, bias = vector(rng, M, 200), vector(rng, M, 200), vector(rng, 200)
    return {"x": x, "y": y, "bias": bias, "factor": 0.5}, {"x": activate(0.5 * y + x + bias)}


@case("fused_activation", "vectors", "add_mul_activate")
def add_mul_sigmoid(rng):
    return add_mul(rng, sigmoid)


@case("fused_activation", "vectors", "add_mul_activate", SIGMOID=False)
def add_mul_relu(rng):
    return add_mul(rng, lambda x: np.maximum(x, 0))


@case("adam_update_triton", "vectors", "sign_momentum")
def sign_momentum(rng):
    p, grad, average = vector(rng), vector(rng), vector(rng)
    new = p * (1 - 0.25 * 0.125) - 0.25 * np.sign(average * 0.875 + 0.125 * grad)
    given = {"p": p, "grad": grad, "average": average, "lr": 0.25, "decay": 0.125, "beta1": 0.875, "beta2": 0.96875}
    return given, {"p": new, "average": average * 0.96875 + 0.03125 * grad}


@case("seeded_dropout", "random", "seeded_dropout")
def seeded_dropout(rng):
    x, keep = vector(rng), uniform(123456789012, np.arange(N)) >= 0.5
    return {"x": x, "p": 0.5, "seed": 123456789012}, {"y": np.where(keep, x * 2, 0)}


@case("dropout_triton", "random", "masked_dropout")
def masked_dropout(rng):
    x, keep = vector(rng), rng.random(N) > 0.25
    return {"x": x, "keep": keep, "p": 0.25}, {"y": np.where(keep, x / 0.75, 0)}


@case("uniform_sampling", "random", "uniform_between", rms=2e-7)
def uniform_between(rng):
    return {"seed": 77, "low": -1.0, "high": 3.0, "y": f"({N},)"}, {"y": uniform(77, np.arange(N)) * 4 - 1}


@case("swiglu_fwd swiglu_triton", "gated", "swiglu")
def swiglu(rng):
    a, b = vector(rng, M, 300), vector(rng, M, 300)
    return {"a": a, "b": b}, {"c": a * sigmoid(a) * b}


@case("swiglu_backward swiglu_triton", "gated", "swiglu_grad")
def swiglu_grad(rng):
    a, b, dc = (vector(rng, M, 300) for _ in range(3))
    s = sigmoid(a)
    return {"a": a, "b": b, "dc": dc}, {"da": dc * b * (s + a * s * (1 - s)), "db": dc * a * s, "c": a * s * b}


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@case("geglu_tanh_triton", "gated", "geglu")
def geglu(rng):
    a, b = vector(rng, M, 300), vector(rng, M, 300)
    return {"a": a, "b": b}, {"c": gelu_tanh(a) * b}


@case("geglu_tanh_triton", "gated", "geglu_grad")
def geglu_grad(rng):
    a, b, dc = (vector(rng, M, 300) for _ in range(3))
    tanh = np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a**3))
    slope = np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * a**2)
    return {"a": a, "b": b, "dc": dc}, {"da": dc * b * (0.5 * (1 + tanh) + 0.5 * a * (1 - tanh**2) * slope),
                                        "db": dc * gelu_tanh(a)}


@case("multinomial_sampling", "random", "multinomial")
def multinomial(rng):
    p, token = rng.dirichlet(np.full(150, 0.3), 20).astype(np.float32), rng.integers(0, 9999, (20, 150))
    seed, offset = rng.integers(0, 2**40, (2, 20))
    # Of the first row, no running sum reaches the number.
    p[0] = 0.0
    u = np.array([uniform(s, [o])[0] for s, o in zip(seed, offset)])
    reached = np.cumsum(p.astype(float), 1) >= u[:, None]
    drawn = token[np.arange(20), reached.argmax(1)]
    return {"p": p, "token": token, "seed": seed, "offset": offset}, {"drawn": drawn}


def harmonics_of(point):
    """Harmonics of degree 5 from Legendre polynomials: r^(5 - m) P^(m)(y / r) (z + i x)^m with their norms."""
    legendre, values = np.polynomial.legendre.Legendre.basis(5), np.zeros((len(point), 11))
    r = np.linalg.norm(point, axis=1)
    for m in range(6):
        norm = math.sqrt(11 * (2 if m else 1) * math.factorial(5 - m) / math.factorial(5 + m))
        zonal = norm * r ** (5 - m) * (legendre.deriv(m) if m else legendre)(point[:, 1] / r)
        power = (point[:, 2] + 1j * point[:, 0]) ** m
        values[:, 5 - m], values[:, 5 + m] = zonal * power.imag, zonal * power.real
    return values


@case("fifth_order_sph_harmonics", "harmonics", "harmonics")
def harmonics(rng):
    point, values = vector(rng, 150, 3), vector(rng, 150, 15)
    new = np.concatenate([values[:, :3], harmonics_of(point), values[:, 14:]], 1)
    return {"point": point, "first": 3, "values": values}, {"values": new}


@case("fifth_order_sph_harmonics", "harmonics", "harmonics_grad")
def harmonics_grad(rng):
    point, grad, by_point, step = vector(rng, 150, 3), vector(rng, 150, 15), vector(rng, 150, 3), 1e-5
    slopes = [(harmonics_of(point + step * e) - harmonics_of(point - step * e)) / (2 * step) for e in np.eye(3)]
    new = by_point + np.stack([(grad[:, 3:14] * s).sum(1) for s in slopes], 1)
    return {"point": point, "grad": grad, "first": 3, "by_point": by_point}, {"by_point": new}
