"""Float64 reference of the gradients of attention: the full score matrix, and the chain rule."""

import numpy as np

from rounding import round_to

ALWAYS_F32 = {"lse", "dk_sums", "dv_sums"}


def attend(case, given):
    """Returns the probabilities of all scores, o, and the log-sum-exp; rows without a key give 0 and -inf."""
    group = case.H // case.HK
    k, v = (np.repeat(given[name], group, axis=1) for name in ("k", "v"))
    s = given["scale"] * given["q"] @ k.swapaxes(2, 3)
    if case.CAUSAL:
        hidden = np.arange(case.N)[None, :] > np.arange(case.M)[:, None] + case.N - case.M
        s = np.where(hidden, -np.inf, s)
    top = np.maximum(s.max(axis=3, keepdims=True, initial=-np.inf), -1e300)
    e = np.exp(s - top)
    total = e.sum(axis=3, keepdims=True)
    with np.errstate(divide="ignore"):
        lse = (np.log(total) + top)[..., 0]
    p = e / np.where(total == 0, 1, total)
    return p, p @ v, lse


def inputs(case, rng):
    given = {
        "q": rng.standard_normal((case.B, case.H, case.M, case.DK)),
        "k": rng.standard_normal((case.B, case.HK, case.N, case.DK)),
        "v": rng.standard_normal((case.B, case.HK, case.N, case.DV)),
        "do": rng.standard_normal((case.B, case.H, case.M, case.DV)),
    }
    if case.APART:
        given["q"][..., 0], given["k"][..., 0] = case.APART, -case.APART
    given = {name: round_to(value, case.T) for name, value in given.items()}
    given["scale"] = case.scale
    # The forward pass of the rounded inputs.
    _, o, lse = attend(case, given)
    given |= {"o": o, "lse": lse}
    # Sums to which programs add dk and dv
    if case.PARTS > 1:
        given |= {f"d{name}_sums": np.zeros_like(given[name]) for name in "kv"}
    return given


def launches(case):
    tiles, shared = "BM FLIP", "q k v do shift delta scale"
    backward = f"T DK DV {tiles} BN CAUSAL WARPGROUPS STAGES"
    backward += "".join(f" {name}" for name in ("TURNS", "LATE") if getattr(case, name))
    if case.EXCHANGE:
        backward += " EXCHANGE"
    if case.ORDER:
        backward += " ORDER"
    if case.PARTS > 1:
        backward += " PARTS"
    start = [("attention_delta", f"T DK DV {tiles} SUMS={str(not case.ORDERED).lower()}",
              "o do lse", "delta shift" if case.ORDERED else "delta shift sums")]
    # dk and dv of large heads do not fit into the registers together.
    if case.SPLIT:
        values = ("attention_bwd", f"{backward} QUERIES=false KEYS=false", shared, "dv")
        choice, written = " VALUES=false", "dk"
    else:
        values, choice, written = None, "", "dk dv"
    if case.ORDERED:
        rest = [("attention_bwd", f"{backward}{choice} QUERIES=false", shared, written),
                ("attention_bwd_dq", f"T DK DV BM={case.QM} BN={case.QN} CAUSAL STAGES", shared, "dq")]
    else:
        rest = [("attention_dq", f"T DK {tiles}", f"sums scale M={case.M}", "dq")]
        if case.PARTS > 1:
            added = "sums dk_sums dv_sums"
            rest = [("attention_bwd", backward, f"{shared} {added}", added), *rest,
                    ("attention_dkv", "T DK DV", "dk_sums dv_sums", "dk dv")]
        else:
            rest.insert(0, ("attention_bwd", backward + choice, f"{shared} sums", f"{written} sums"))
    return start + ([values] if values else []) + rest


def reference(case, given):
    group = case.H // case.HK
    p, _, _ = attend(case, given)
    q, do = given["q"], given["do"]
    k, v = (np.repeat(given[name], group, axis=1) for name in ("k", "v"))
    dp = do @ v.swapaxes(2, 3)
    # rowsum(o ∘ do) of the unrounded o, since o = p v
    ds = p * (dp - (p * dp).sum(axis=3, keepdims=True))

    def per_key_head(gradient):
        return gradient.reshape(case.B, case.HK, group, *gradient.shape[2:]).sum(axis=2)

    # Zeros fill the rows up to a multiple of 4.
    padding = ((0, 0), (0, 0), (0, -case.M % 4))
    return {
        "delta": np.pad((given["o"] * do).sum(axis=3), padding),
        "dq": given["scale"] * ds @ k,
        "dk": given["scale"] * per_key_head(ds.swapaxes(2, 3) @ q),
        "dv": per_key_head(p.swapaxes(2, 3) @ do),
    }
