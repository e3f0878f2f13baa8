# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hashes of n-grams, and the gate of their embeddings."""

import numpy as np

from inputs import brain, single

T, H, D = 37, 4, 256


@case("engram_hash_kernel", "engram", "hash")
def hash_tokens(rng):
    token, multiplier = rng.integers(0, 2**31 - 1, (100, 3)), rng.integers(-2**62, 2**62, (2, 3))
    sizes, first = rng.integers(1000, 9999, (2, 2, 4)), rng.integers(0, 99999, (2, 2, 4))
    with np.errstate(over="ignore"):
        h = np.bitwise_xor.accumulate(token * multiplier[:, None], axis=2)[:, :, 1:, None]
    given = {"token": token.astype(np.int32), "multiplier": multiplier, "sizes": sizes.astype(np.int32),
             "first": first.astype(np.int32)}
    return given, {"y": (h % sizes[:, None] + first[:, None]).astype(np.int32)}


@case("engram_fused_weight_kernel", "engram", "fused_weight")
def fused_weight(rng):
    hidden, embed = brain(rng, H, 1000), brain(rng, H, 1000)
    return {"hidden": hidden, "embed": embed}, {"y": hidden * embed}


def gate_case(rng):
    x, k, v, weight, least = brain(rng, T, H, D), brain(rng, T, H, D), brain(rng, T, D), single(rng, H, D), 0.05
    dot, rx, rk = (x * weight * k).sum(2), *(((t * t).mean(2) + 1e-6)**-0.5 for t in (x, k))
    s = dot * rx * rk * D**-0.5
    gate = 1 / (1 + np.exp(-np.sign(s) * np.sqrt(np.maximum(abs(s), least))))
    return {"x": x, "k": k, "v": v, "weight": weight, "least": least}, {"dot": dot, "gate": gate, "rx": rx, "rk": rk}


@case("engram_gate_fwd_kernel", "engram", "gate", rms=2e-3)
def gate(rng):
    given, kept = gate_case(rng)
    y = given["x"] + kept["gate"][..., None] * given["v"][:, None]
    return given | {"eps": 1e-6}, kept | {"y": y}


@case("engram_gate_bwd_kernel", "engram", "gate_grad", rms=3e-3)
def gate_grad(rng):
    given, kept = gate_case(rng)
    x, k, v, weight, least = given.values()
    kept = {name: value.astype(np.float32).astype(float) for name, value in kept.items()}
    dot, g, rx, rk = kept.values()
    grad, s = brain(rng, T, H, D), dot * rx * rk * D**-0.5
    # The root has the derivative 1 / (2 sqrt |s|), and 0 where |s| was raised.
    ds = np.where(abs(s) < least, 0, (grad * v[:, None]).sum(2) * g * (1 - g) / 2 / np.sqrt(abs(s)))
    du = (ds * rx * rk * D**-0.5)[..., None]
    dx = grad + du * k * weight - x * (ds * s * rx**2 / D)[..., None]
    dk = du * x * weight - k * (ds * s * rk**2 / D)[..., None]
    ends = T * np.arange(6) // 5
    dweight = np.stack([(du * x * k)[a:b].sum(0) for a, b in zip(ends, ends[1:])])
    given = given | kept | {"grad": grad, "dweight": str(dweight.shape)}
    return given, {"dx": dx, "dk": dk, "dv": (grad * g[..., None]).sum(1), "dweight": dweight}


@case("engram_grad_w_reduce_kernel", "engram", "weight_grad")
def weight_grad(rng):
    parts, hidden, embed = single(rng, 7, H, 1000), brain(rng, H, 1000), brain(rng, H, 1000)
    dhidden, dembed = single(rng, H, 1000), single(rng, H, 1000)
    given = {"parts": parts, "hidden": hidden, "embed": embed, "dhidden": dhidden, "dembed": dembed}
    return given, {"dhidden": dhidden + parts.sum(0) * embed, "dembed": dembed + parts.sum(0) * hidden}
