# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention in chunks and as products of whole sequences. The references take one step after the other."""

import numpy as np

from inputs import half, single

B, H, T, D, BT = 1, 2, 150, 64, 64
STARTS = range(0, T, BT)


def decays(rng, gate):
    """Returns the running sums of the logarithms of decays, of each chunk."""
    steps = [np.zeros((B, H, T)), np.broadcast_to(np.log1p(-2.0 ** (-5 - np.arange(H)))[None, :, None], (B, H, T)),
             -rng.uniform(0, 0.1, (B, H, T))][gate]
    return np.float32(np.concatenate([np.cumsum(steps[..., t:t + BT], 2) for t in STARTS], 2)).astype(float)


def walk(q, k, v, c, s, grad):
    """Returns o, all states, the gradients of q, k, v, c, and those of the states by later steps alone."""
    step = np.diff(c, prepend=0.0)
    step[..., ::BT] = c[..., ::BT]
    r = np.exp(step)[..., None, None]
    outer = lambda x, y: x[..., :, None] * y[..., None, :]
    states, o = [s], np.zeros_like(v)
    for t in range(T):
        states.append(r[:, :, t] * states[-1] + outer(k[:, :, t], v[:, :, t]))
        o[:, :, t] = 0.125 * np.einsum("bhk,bhkv->bhv", q[:, :, t], states[-1])
    dq, dk, dv, dstep, later = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v), np.zeros((B, H, T + 1)), [0 * s]
    for t in reversed(range(T)):
        ds = later[-1] + 0.125 * outer(q[:, :, t], grad[:, :, t])
        dq[:, :, t] = 0.125 * np.einsum("bhkv,bhv->bhk", states[t + 1], grad[:, :, t])
        dk[:, :, t] = np.einsum("bhkv,bhv->bhk", ds, v[:, :, t])
        dv[:, :, t] = np.einsum("bhkv,bhk->bhv", ds, k[:, :, t])
        later.append(r[:, :, t] * ds)
        dstep[:, :, t] = (later[-1] * states[t]).sum((2, 3))
    same = np.arange(1, T + 1) % BT != 0
    return o, states, dict(dq=dq, dk=dk, dv=dv, dg=dstep[..., :-1] - same * dstep[..., 1:]), later[::-1]


def chunk_case(rng, gate, inputs, outputs, initial=False):
    q, k, v, grad = half(rng, 4, B, H, T, D)
    k, c = half(rng, B, H, T, D) / 8, decays(rng, gate)
    s = single(rng, B, H, D, D) * initial
    o, states, grads, later = walk(q, k, v, c, s, grad)
    known = {"q": q, "k": k, "v": v, "g": c, "grad": grad, "h0": s, "scale": 0.125, "o": o, "last": states[-1],
             "before": np.stack([states[t] for t in STARTS], 2),
             "after": np.stack([later[min(t + BT, T)] for t in STARTS], 2)} | grads
    inputs = inputs.split() + ["g"] * (gate == 2)
    return {name: known[name] for name in inputs}, {name: known[name] for name in outputs.split()}


@case("chunk_linear_attn", "chunks", "states", rms=5e-3, INITIAL=True)
@case("chunk_retention chunk_retention_ops", "chunks", "states", rms=5e-3, GATE=1)
def states(rng, GATE=0, INITIAL=False):
    return chunk_case(rng, GATE, "k v h0" if INITIAL else "k v", "before last", INITIAL)


@case("chunk_linear_attn", "chunks", "outputs", rms=5e-3)
@case("chunk_retention chunk_retention_ops", "chunks", "outputs", rms=5e-3, GATE=1)
@case("chunk_gla_simple", "chunks", "outputs", rms=5e-3, GATE=2)
def outputs(rng, GATE=0):
    return chunk_case(rng, GATE, "q k v before scale", "o", True)


@case("chunk_linear_attn lightning_attention", "chunks", "state_grads", rms=5e-3)
@case("chunk_retention chunk_retention_ops", "chunks", "state_grads", rms=5e-3, GATE=1)
def state_grads(rng, GATE=0):
    return chunk_case(rng, GATE, "q grad scale", "after")


@case("chunk_linear_attn lightning_attention", "chunks", "grads", rms=5e-3)
@case("chunk_retention chunk_retention_ops", "chunks", "grads", rms=5e-3, GATE=1)
@case("chunk_bwd_dqkg", "chunks", "grads", rms=5e-3, GATE=2)
def grads(rng, GATE=0):
    outputs = "dq dk dv dg" if GATE == 2 else "dq dk dv"
    return chunk_case(rng, GATE, "q k v grad before after scale", outputs, True)


@case("chunk_delta_fwd", "chunks", "corrected_states", rms=5e-3, INITIAL=True)
def corrected_states(rng):
    k, w, u, s = half(rng, B, H, T, D) / 8, half(rng, B, H, T, D) / 8, half(rng, B, H, T, D), single(rng, B, H, D, D)
    given, e, before = {"k": k, "w": w, "u": u, "h0": s}, np.zeros_like(u), []
    for t in STARTS:
        part = np.s_[:, :, t:t + BT]
        before.append(s)
        e[part] = u[part] - w[part] @ s
        s = s + k[part].swapaxes(2, 3) @ e[part]
    return given, {"e": e, "before": np.stack(before, 2), "last": s}


def joined_inputs(rng, initial):
    added, decay, first = single(rng, 3, 5, 40, 50), rng.uniform(0.5, 1, (3, 5)), single(rng, 3, 40, 50) * initial
    before = [first]
    for n in range(4):
        before.append(decay[:, n, None, None] * before[-1] + added[:, n])
    return added, decay, first, np.stack(before, 1)


@case("chunk_gate_recurrence", "chunks", "joined_states")
@case("chunk_gate_recurrence", "chunks", "joined_states", INITIAL=True)
def joined_states(rng, INITIAL=False):
    added, decay, first, before = joined_inputs(rng, INITIAL)
    return {"added": added, "decay": decay} | ({"first": first} if INITIAL else {}), {"before": before}


@case("chunk_gate_recurrence", "chunks", "joined_states_grad")
def joined_states_grad(rng):
    _, decay, _, before = joined_inputs(rng, True)
    grad, ds = single(rng, *before.shape), np.zeros(before[:, 0].shape)
    dadded, ddecay = np.zeros_like(before), np.zeros_like(decay)
    for n in reversed(range(5)):
        dadded[:, n], ddecay[:, n] = ds, (ds * before[:, n]).sum((1, 2))
        ds = decay[:, n, None, None] * ds + grad[:, n]
    given = {"before": before, "decay": decay, "grad": grad, "ddecay": 0 * decay}
    return given, {"dadded": dadded, "ddecay": ddecay, "dfirst": ds}


def sums(x, size, reverse=False):
    parts = [x[:, t:t + size] for t in range(0, x.shape[1], size)]
    return np.concatenate([p[:, ::-1].cumsum(1)[:, ::-1] if reverse else p.cumsum(1) for p in parts], 1)


@case("chunk_gated_attention", "gated", "chunk_sums")
def chunk_sums(rng):
    x = single(rng, 3, 70, 50)
    return {"x": x}, {"y": sums(x, 32)}


@case("decay_cumsum", "gated", "chunk_sums", FACTOR=1.4426950408889634)
def chunk_sums_in_base_2(rng):
    x = single(rng, 3, 70, 50)
    return {"x": x}, {"y": sums(x, 32) / np.log(2)}


@case("chunked_cumsum_fwd", "gated", "step_sums")
@case("chunked_cumsum_fwd", "gated", "step_sums", BIAS=True, SOFTPLUS=True)
def step_sums(rng, BIAS=False, SOFTPLUS=False):
    dt, a, shift = single(rng, 2, 150, 5), -rng.uniform(0.1, 1, 5).astype(np.float32), single(rng, 5)
    x = dt + BIAS * shift
    x = np.clip(np.log1p(np.exp(x)) if SOFTPLUS else x, 0.1, 1.5)
    x = np.pad(x, [(0, 0), (0, 42), (0, 0)]).transpose(0, 2, 1).reshape(2, 5, 3, 64)
    given = {"dt": dt, "a": a, "least": np.float32(0.1), "most": 1.5} | ({"bias": shift} if BIAS else {})
    return given, {"steps": x, "sums": np.cumsum(x * a[:, None, None].astype(float), 3)}


@case("chunk_gated_attention", "gated", "states", rms=5e-3, INITIAL=True)
@case("chunk_gated_attention", "gated", "states", rms=5e-3, INITIAL=True, BY_KEY=False)
def gated_states(rng, BY_KEY=True):
    k, v, s = half(rng, B, H, T, D) / 8, half(rng, B, H, T, D), single(rng, B, H, D, D)
    steps = -rng.uniform(0, 0.1, (B, H, T, D))
    g = np.concatenate([np.cumsum(steps[:, :, t:t + BT], 2) for t in STARTS], 2)
    given, before = {"k": k, "v": v, "g": g, "h0": s}, []
    for t in range(T):
        if t % BT == 0:
            before.append(s)
        decay = np.exp(steps[:, :, t])
        s = (decay[..., None] if BY_KEY else decay[:, :, None]) * s + k[:, :, t, :, None] * v[:, :, t, None]
    return given, {"before": np.stack(before, 2), "last": s}


def gated_inputs(rng):
    """Returns q, k, v, the running sums of strong decays, and the scores of each chunk."""
    q, k, v = half(rng, 3, 2, T, D)
    g = sums(-rng.uniform(0, 2, (2, T, D)), BT).astype(np.float32).astype(float)
    a = np.zeros((2, T, BT))
    for t in range(T):
        past = np.s_[:, t - t % BT:t + 1]
        a[:, t, :t % BT + 1] = 0.125 * (q[:, t, None] * k[past] * np.exp(g[:, t, None] - g[past])).sum(2)
    return q, k, v, g, a


@case("chunk_gla_fwd", "gated", "scores", rms=5e-3)
def scores(rng):
    q, k, _, g, a = gated_inputs(rng)
    return {"q": q, "k": k, "g": g, "scale": 0.125, "a": 0 * a}, {"a": a}


@case("chunk_gla_fwd", "gated", "outputs", rms=5e-3)
def gla_outputs(rng):
    q, _, v, g, a = gated_inputs(rng)
    before, o = single(rng, 2, 3, D, D), np.zeros_like(v)
    for n, t in enumerate(STARTS):
        part = np.s_[:, t:t + BT]
        size = o[part].shape[1]
        o[part] = 0.125 * (q * np.exp(g))[part] @ before[:, n] + np.tril(a[part])[:, :, :size] @ v[part]
    return {"q": q, "v": v, "g": g, "a": a, "before": before, "scale": 0.125}, {"o": o}


def decay_inputs(rng):
    q, k, g = single(rng, 3, 70, 50), single(rng, 3, 70, 50), sums(-rng.uniform(0, 0.3, (3, 70, 50)), 32)
    ends = g[:, np.minimum(np.arange(70) // 32 * 32 + 31, 69)]
    return q, k, g, ends


@case("decay_cumsum", "gated", "decayed")
def decayed(rng):
    q, k, g, ends = decay_inputs(rng)
    return {"q": q, "k": k, "g": g, "scale": 0.125}, {"qg": 0.125 * q * 2**g, "kg": k * 2 ** (ends - g)}


@case("decay_cumsum", "gated", "decayed_grad")
def decayed_grad(rng):
    q, k, g, ends = decay_inputs(rng)
    dq_inner, dk_inner, dq, dk = single(rng, 4, 3, 70, 50)
    given = {"q": q, "k": k, "g": g, "dq_inner": dq_inner, "dk_inner": dk_inner, "dq": dq, "dk": dk}
    dq, dk = dq_inner + dq * 2**g, dk_inner + dk * 2 ** (ends - g)
    return given, {"dq": dq, "dk": dk, "dg": sums(dq * q - dk * k, 32, reverse=True)}


def parallel_case(rng, square, inputs, outputs):
    q, k, v, grad = half(rng, 4, B, H, T, D)
    dz, i = single(rng, B, H, T), np.arange(T)
    rates = np.zeros(H) if square else np.log1p(-2.0 ** (-5 - np.arange(H)))
    d = np.tril(np.exp(rates[:, None, None] * (i[:, None] - i)))
    s = 0.125 * q @ k.swapaxes(2, 3)
    w = d * (s * s if square else s)
    ds = 0.125 * d * ((grad @ v.swapaxes(2, 3) + dz[..., None]) * 2 * s if square else grad @ v.swapaxes(2, 3))
    known = {"q": q, "k": k, "v": v, "grad": grad, "dz": dz, "scale": 0.125, "o": w @ v, "z": w.sum(3), "dq": ds @ k,
             "dk": ds.swapaxes(2, 3) @ q, "dv": w.swapaxes(2, 3) @ grad}
    return {name: known[name] for name in inputs.split()}, {name: known[name] for name in outputs.split()}


@case("parallel_retention_attention", "parallel", "parallel", rms=5e-3)
@case("parallel_attention", "parallel", "parallel", rms=5e-3, SQUARE=True)
def parallel(rng, SQUARE=False):
    return parallel_case(rng, SQUARE, "q k v scale", "o z" if SQUARE else "o")


@case("parallel_retention_attention", "parallel", "parallel_grad_q", rms=5e-3)
@case("parallel_attention", "parallel", "parallel_grad_q", rms=5e-3, SQUARE=True)
def parallel_grad_q(rng, SQUARE=False):
    return parallel_case(rng, SQUARE, "q k v grad dz scale" if SQUARE else "q k v grad scale", "dq")


@case("parallel_retention_attention", "parallel", "parallel_grad_kv", rms=5e-3)
@case("parallel_attention", "parallel", "parallel_grad_kv", rms=5e-3, SQUARE=True)
def parallel_grad_kv(rng, SQUARE=False):
    return parallel_case(rng, SQUARE, "q k v grad dz scale" if SQUARE else "q k v grad scale", "dk dv")
