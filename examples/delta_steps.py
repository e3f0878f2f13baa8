# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Float64 references of delta rules and their gradients: one step after the other, without chunks."""

import math

import numpy as np

ALWAYS_F32 = {"g", "beta", "initial", "dfinal"}


def make_inputs(case, rng, gates):
    """Returns the arguments of a case. `gates` has the sizes of g: one gate for each head, or one for each row of the
    state."""
    sizes = (case.B, case.L, case.H)
    # With similar keys, the powers of the matrix that is inverted grow before they vanish.
    k = case.similar * rng.standard_normal((case.B, 1, case.H, case.DK))
    k = k + rng.standard_normal((*sizes, case.DK))
    given = {
        "q": rng.standard_normal((*sizes, case.DK)),
        "k": k / np.linalg.norm(k, axis=3, keepdims=True),
        "v": rng.standard_normal((*sizes, case.DV)),
        "g": case.decay * np.log(rng.uniform(0.2, 1.0, gates)),
        "do": rng.standard_normal((*sizes, case.DV)),
        "beta": rng.uniform(0.0, 1.0, sizes) if case.similar == 0 else np.ones(sizes),
        "scale": case.DK**-0.5,
    }
    if case.INITIAL:
        given["initial"] = rng.standard_normal((case.B, case.H, case.DK, case.DV))
        given["dfinal"] = rng.standard_normal((case.B, case.H, case.DK, case.DV))
    return given


def bars(case):
    """The gradients of g and beta are differences of sums over rows, whose terms have the errors of rounded operands.
    After a strong decay, the gradient of g is small, but its terms are not."""
    if case.T == "f32":
        return {"dg": (1e-4, math.inf)} if case.decay > 10 else {}
    return {name: (1.5e-2, math.inf) for name in ("dg", "dbeta")} if case.T == "bf16" else {}


def walk(q, k, v, a, beta, s, scale):
    """Returns o, the state before each step, and the final state, of one head that begins with the state s.

    a has the decays of each step: one, or one for each row of the state."""
    o, states, a = np.zeros(v.shape), [], a[..., None]
    for t in range(len(q)):
        states.append(s)
        s = a[t] * s
        s = s + np.outer(k[t], beta[t] * (v[t] - k[t] @ s))
        o[t] = scale * (q[t] @ s)
    return o, states, s


def walk_back(q, k, v, a, beta, states, final, scale, do, ds):
    """Returns the gradients of the arguments of walk, from those of o and of the final state."""
    dq, dk, dv, dg, dbeta = (np.zeros(x.shape) for x in (q, k, v, a, beta))
    after, a = final, a[..., None]
    for t in reversed(range(len(q))):
        dq[t] = scale * after @ do[t]
        ds = ds + scale * np.outer(q[t], do[t])
        decayed = a[t] * states[t]
        error = v[t] - k[t] @ decayed
        dcorrection = k[t] @ ds
        dv[t] = beta[t] * dcorrection
        dbeta[t] = dcorrection @ error
        dk[t] = ds @ (beta[t] * error) - decayed @ dv[t]
        ds = ds - np.outer(k[t], dv[t])
        rows = (ds * decayed).sum(1)
        dg[t] = rows if dg.ndim == 2 else rows.sum()
        ds, after = a[t] * ds, states[t]
    return {"dq": dq, "dk": dk, "dv": dv, "dg": dg, "dbeta": dbeta, "dinitial": ds}


def reference(case, given):
    found = {"d" + name: np.zeros(given[name].shape) for name in ("q", "k", "v", "g", "beta")}
    found |= {"o": np.zeros(given["v"].shape)}
    found |= {name: np.zeros((case.B, case.H, case.DK, case.DV)) for name in ("final", "dinitial")}
    for b, h in np.ndindex(case.B, case.H):
        initial, dfinal = ((given[name][b, h] if case.INITIAL else np.zeros((case.DK, case.DV)))
                           for name in ("initial", "dfinal"))
        head = [given[name][b, :, h] for name in ("q", "k", "v", "g", "beta")]
        head[3] = np.exp(head[3])
        o, states, final = walk(*head, initial, given["scale"])
        gradients = walk_back(*head, states, final, given["scale"], given["do"][b, :, h], dfinal)
        found["final"][b, h], found["dinitial"][b, h] = final, gradients.pop("dinitial")
        for name, array in {"o": o, **gradients}.items():
            found[name][b, :, h] = array
    return found
