# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running sums and linear recurrences."""

import numpy as np

from inputs import half, single as array


def reverse_sum(x, axis):
    return np.flip(np.cumsum(np.flip(x, axis), axis), axis)


@case("chunk_cumsum_kernel", "recurrences", "running")
def running(rng):
    s = array(rng, 6, 150)
    return {"s": s}, {"o": np.cumsum(s, 1)}


@case("reversed_cumsum_scalar", "recurrences", "running", REVERSE=True)
def running_back(rng):
    s = array(rng, 6, 150)
    return {"s": s}, {"o": reverse_sum(s, 1)}


@case("chunk_cumsum_vector", "recurrences", "running_vectors")
def running_vectors(rng):
    s = array(rng, 3, 70, 50)
    return {"s": s}, {"o": np.cumsum(s, 1)}


@case("reversed_cumsum", "recurrences", "running_vectors", REVERSE=True)
def running_vectors_back(rng):
    s = array(rng, 3, 70, 50)
    return {"s": s}, {"o": reverse_sum(s, 1)}


def states(x, g, h0):
    h, o = h0, []
    for t in range(x.shape[1]):
        h = g[:, t] * h + x[:, t]
        o.append(h)
    return np.stack(o, 1)


@case("fused_recurrent_hgrn", "recurrences", "gated")
def gated(rng):
    x, g, h0 = array(rng, 2, 40, 50), rng.uniform(0, 1, (2, 40, 50)), array(rng, 2, 50)
    o = states(x, g, h0)
    return {"x": x, "g": g, "h0": h0}, {"o": o, "last": o[:, -1]}


@case("fused_recurrent_hgrn", "recurrences", "gated_grad")
def gated_grad(rng):
    x, g, h0, grad = array(rng, 2, 40, 50), rng.uniform(0, 1, (2, 40, 50)), array(rng, 2, 50), array(rng, 2, 40, 50)
    o = states(x, g, h0)
    dx, dh = np.zeros_like(x), np.zeros((2, 50))
    for t in reversed(range(40)):
        dh = dh + grad[:, t]
        dx[:, t] = dh
        dh = dh * g[:, t]
    return {"g": g, "o": o, "h0": h0, "grad": grad}, {"dx": dx, "dg": dx * np.concatenate([h0[:, None], o[:, :-1]], 1)}


@case("fused_rwkv6_kernel", "recurrences", "rwkv6")
@case("fused_rwkv6_kernel", "recurrences", "rwkv6", REVERSE=True)
def rwkv6(rng, REVERSE=False):
    q, k, w = array(rng, 3, 2, 2, 20, 32)
    w, v, u, h0 = -np.exp(w), array(rng, 2, 2, 20, 50), array(rng, 2, 32), array(rng, 2, 2, 32, 50)
    state, o = h0.copy(), np.zeros_like(v)
    for t in range(20)[::-1 if REVERSE else 1]:
        outer = k[:, :, t, :, None] * v[:, :, t, None]
        o[:, :, t] = ((state + outer * u[:, :, None]) * (0.25 * q[:, :, t, :, None])).sum(2)
        state = state * np.exp(w[:, :, t, :, None]) + outer
    return {"q": q, "k": k, "v": v, "w": w, "u": u, "scale": 0.25, "h0": h0}, {"o": o, "last": state}


@case("attention_fwd_triton1", "recurrences", "linear", rms=5e-3)
@case("lightning_attention", "recurrences", "linear", rms=5e-3, CAUSAL=True)
def linear(rng, CAUSAL=False):
    q, k, v = half(rng, 3, 2, 100, 64)
    state, o, before = np.zeros((2, 64, 64)), np.zeros_like(v), []
    for t in range(0, 100, 32):
        part = slice(t, t + 32)
        before.append(state)
        s = q[:, part] @ k[:, part].swapaxes(1, 2)
        o[:, part] = 0.125 * ((np.tril(s) if CAUSAL else s) @ v[:, part] + q[:, part] @ state)
        state = state + k[:, part].swapaxes(1, 2) @ v[:, part]
    return {"q": q, "k": k, "v": v, "scale": 0.125}, {"o": o, "states": np.stack(before, 1)}


def diagonal_inputs(rng, parts):
    """Returns the inputs by name; the states, l and the gradient of y as numbers; a function for parts of numbers."""
    s, x, grad = array(rng, 2, 50, parts), array(rng, 20, 2, 50, parts), array(rng, 20, 2, 50, parts)
    l = np.float32(rng.uniform(-0.6, 0.6, (50, parts)))
    split = lambda z: z[..., None] if parts == 1 else np.stack([z.real, z.imag], -1)
    given = {"s": s, "x": x, "l": l.astype(float), "grad": grad}
    s, x, l, grad = ((z[..., 0] if parts == 1 else z[..., 0] + 1j * z[..., 1]) for z in given.values())
    y = [s]
    for t in range(20):
        y.append(l * y[-1] + x[t])
    return given, np.stack(y), l, grad, split


@case("diag_ssm_triton", "diagonal", "diagonal")
@case("diag_ssm_triton", "diagonal", "diagonal", PARTS=2)
def diagonal(rng, PARTS=1):
    given, y, _, _, split = diagonal_inputs(rng, PARTS)
    return {name: given[name] for name in "sxl"}, {"y": split(y[1:])}


@case("diag_ssm_triton", "diagonal", "diagonal_grad")
@case("diag_ssm_triton", "diagonal", "diagonal_grad", PARTS=2)
def diagonal_grad(rng, PARTS=1):
    given, y, l, grad, split = diagonal_inputs(rng, PARTS)
    g, dx = np.zeros_like(y[0]), np.zeros_like(grad)
    for t in reversed(range(20)):
        dx[t] = g = grad[t] + np.conj(l) * g
    given = {name: given[name] for name in ("s", "l", "grad")} | {"y": split(y[1:])}
    return given, {"ds": split(np.conj(l) * g), "dx": split(dx), "dl": split((dx * np.conj(y[:-1])).sum(0))}


def heads(rng, *shape):
    return array(rng, 2, 3, *shape)


@case("fused_recurrent_retention", "matrices", "retention")
def retention(rng):
    q, k, v, state = heads(rng, 20, 32), heads(rng, 20, 32), heads(rng, 20, 50), heads(rng, 32, 50)
    r, o = (1 - 2.0 ** (-5 - np.arange(3)))[:, None, None], np.zeros_like(v)
    given = {"q": q, "k": k, "v": v, "scale": 0.25, "h0": state}
    for t in range(20):
        state = r * state + k[:, :, t, :, None] * v[:, :, t, None]
        o[:, :, t] = 0.25 * np.einsum("bhk,bhkv->bhv", q[:, :, t], state)
    return given, {"o": o, "last": state}


@case("fused_recurrent_retention", "matrices", "retention_grad")
def retention_grad(rng):
    """The gradients of o = scale (D * q k^T) v + scale r^(t + 1) q h0, where D has the powers of r."""
    q, k, v, grad = heads(rng, 20, 32), heads(rng, 20, 32), heads(rng, 20, 50), heads(rng, 20, 50)
    h0, r, i = heads(rng, 32, 50), 1 - 2.0 ** (-5 - np.arange(3)), np.arange(20)
    d = np.tril(r[:, None, None] ** np.abs(i[:, None] - i)) * 0.25
    ds = d * (grad @ v.swapaxes(2, 3))
    dq = ds @ k + 0.25 * (r[:, None] ** (i + 1))[..., None] * (grad @ h0.swapaxes(2, 3))
    given = {"q": q, "k": k, "v": v, "grad": grad, "scale": 0.25, "h0": h0, "dq": 0 * q, "dk": 0 * k}
    dv = (d * (q @ k.swapaxes(2, 3))).swapaxes(2, 3) @ grad
    return given, {"dq": dq, "dk": ds.swapaxes(2, 3) @ q, "dv": dv}


def delta_steps(q, k, v, beta, state):
    e, o, states = np.zeros_like(v), np.zeros_like(v), [state]
    for t in range(q.shape[2]):
        e[:, :, t] = v[:, :, t] - np.einsum("bhkv,bhk->bhv", state, k[:, :, t])
        state = state + k[:, :, t, :, None] * (beta[:, :, t] * e[:, :, t])[:, :, None]
        o[:, :, t] = 0.25 * np.einsum("bhk,bhkv->bhv", q[:, :, t], state)
        states.append(state)
    return e, o, states


def delta_inputs(rng, wide):
    q, k, v, h0 = heads(rng, 12, 32), heads(rng, 12, 32), heads(rng, 12, 50), heads(rng, 32, 50)
    k = np.float32(k / np.linalg.norm(k, axis=3, keepdims=True)).astype(float)
    beta = rng.uniform(0.2, 1, (2, 3, 12, 50 if wide else 1)).astype(np.float32).astype(float)
    return q, k, v, beta, h0


@case("fused_recurrent_delta", "matrices", "delta")
@case("fused_recurrent_delta", "matrices", "delta", WIDE=True)
def delta(rng, WIDE=False):
    q, k, v, beta, h0 = delta_inputs(rng, WIDE)
    e, o, states = delta_steps(q, k, v, beta, h0)
    return {"q": q, "k": k, "v": v, "beta": beta, "scale": 0.25, "h0": h0}, {"e": e, "o": o, "last": states[-1]}


@case("fused_recurrent_delta", "matrices", "delta_grad")
@case("fused_recurrent_delta", "matrices", "delta_grad", WIDE=True)
def delta_grad(rng, WIDE=False):
    q, k, v, beta, h0 = delta_inputs(rng, WIDE)
    e, _, states = delta_steps(q, k, v, beta, h0)
    grad, ds = heads(rng, 12, 50), heads(rng, 32, 50)
    given = {"q": q, "k": k, "e": e, "beta": beta, "grad": grad, "dlast": ds, "scale": 0.25, "h0": h0}
    new = {"dq": 0 * q, "dk": 0 * k, "dv": 0 * v, "dbeta": 0 * beta}
    given |= new
    new = {name: array.copy() for name, array in new.items()}
    for t in reversed(range(12)):
        kt, bt, et, gt = k[:, :, t], beta[:, :, t], e[:, :, t], grad[:, :, t]
        new["dq"][:, :, t] = 0.25 * np.einsum("bhkv,bhv->bhk", states[t + 1], gt)
        ds = ds + 0.25 * q[:, :, t, :, None] * gt[:, :, None]
        d = np.einsum("bhkv,bhk->bhv", ds, kt)
        new["dv"][:, :, t] = bt * d
        new["dbeta"][:, :, t] = d * et if WIDE else (d * et).sum(2, keepdims=True)
        new["dk"][:, :, t] = np.einsum("bhkv,bhv->bhk", ds, bt * et) - np.einsum("bhkv,bhv->bhk", states[t], bt * d)
        ds = ds - kt[..., None] * (bt * d)[:, :, None]
    return given, new | {"dh0": ds}
