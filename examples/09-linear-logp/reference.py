"""Float64 reference of linear_logp: all logits, then log_softmax, entropy and their gradients.

Run as a script, it compares the gradients with finite differences of the results.
"""

import types

import numpy as np


def count_words(case):
    """Returns the number of words of the whole vocabulary; the rows of w after them are padding."""
    return case.words or case.V


def inputs(case, rng):
    words = count_words(case)
    # A masked word has no probability, and as a target no gradient.
    seen = np.setdiff1d(np.arange(words), case.masked)
    target = rng.choice(seen, case.N).astype(np.int32)
    target[: len(case.targets)] = case.targets
    w = case.spread * rng.standard_normal((case.V, case.D)) / np.sqrt(case.D)
    bias = rng.standard_normal(case.V)
    bias[case.masked] = -np.inf
    # Results must not depend on the padding.
    w[words:], bias[words:] = np.nan, np.nan
    given = {
        "h": rng.standard_normal((case.N, case.D)),
        "w": w,
        "bias": bias,
        "temperature": rng.uniform(0.5, 2.0, case.N),
        "target": target,
        "S": case.S,
        "words": words,
        "ignore": case.ignore,
        "ignored": float(case.ignored),
        # Results must not depend on gradients of ignored rows.
        "dlogp": np.where(target == case.ignore, np.nan, rng.standard_normal(case.N)),
        "dentropy": rng.standard_normal(case.N),
        # Outputs for the parts of all shards and the gradients of all chunks.
        "dw": np.full((case.V, case.D), np.nan),
        "dbias": np.full(case.V, np.nan),
        "total": np.zeros((case.N, case.D)),
    }
    pieces = split_shards(case)
    if len(pieces) > 1:
        for name in ("plse", "ppick", "pentropy", "pvariance"):
            given[name] = np.full((case.S * len(pieces), case.N), np.nan)
    if case.steps:
        # Logits that grow per tile of words by steps so large that no type can represent all exponentials.
        given["bias"] += case.steps * (np.arange(case.V) // case.BV)
        # One word may dominate each gradient; its sum over rows must not cancel.
        given["dlogp"] = np.abs(given["dlogp"])
    return given


def split_shards(case):
    """Returns (first, end, whether its exponentials are stored) of each shard, which is cut after the last stored
    word."""
    ends = case.shards or [0, case.V]
    stored = min(case.stored, count_words(case))
    cuts = sorted({*ends, stored}) if stored > ends[0] else ends
    return [(first, end, end <= stored) for first, end in zip(cuts, cuts[1:])]


ALWAYS_F32 = {"temperature", "dlogp", "dentropy", "total", "plse", "ppick", "pentropy", "pvariance"}


def launches(case):
    """Yields the launches of each shard, then of the merge, then of the chunks of C words in the shards, if C is not
    0."""
    pieces = split_shards(case)
    stored = [number for number, piece in enumerate(pieces) if piece[2]]
    h = "h=w" if case.tied else "h"
    moments = ["lse", "pick"] + ["entropy"] * case.ENTROPY + ["variance"] * case.VARIANCE

    def inputs_of(first, end):
        rows = f"[{first}:{end}]"
        return f"{h} w=w{rows}" + f" bias=bias{rows}" * case.BIAS + " temperature" * case.TEMPERATURE

    for number, (first, end, is_stored) in enumerate(pieces):
        planes = f"[{number * case.S}:{(number + 1) * case.S}]" if len(pieces) > 1 else ""
        if is_stored:
            yield ("linear_logp_bound", "T BM BV BK BIAS TEMPERATURE", inputs_of(first, end), f"bound=bound{number}")
        yield (
            "linear_logp",
            "T BM BV BK BIAS TEMPERATURE ENTROPY VARIANCE" + " STORED=true" * is_stored,
            inputs_of(first, end) + f" target first={first} S" + (f" bound=bound{number}" if is_stored else " words"),
            " ".join(f"p{name}=p{name}{planes}" for name in moments) + f" p=p{number}" * is_stored,
        )
    # A device with a stored shard merges for itself, by its own bound.
    for number in stored or [None]:
        mine = number is not None
        yield (
            "linear_logp_merge",
            "BM ENTROPY VARIANCE" + " STORED=true" * mine,
            " ".join(f"p{name}" for name in moments) + " target words ignore ignored"
            + f" bound=bound{number}" * mine,
            " ".join(["logp", *(name for name in moments if name != "pick")])
            + f" shift=shift{number} flag=flag{number}" * mine,
        )
    for number in stored:
        first, end, _ = pieces[number]
        yield ("linear_logp_restore", "T BM BV BK BIAS TEMPERATURE",
               inputs_of(first, end) + f" lse shift=shift{number} flag=flag{number} S p=p{number}", f"p=p{number}")
        yield ("linear_logp_target", "T", f"target first={first} ignore logp shift=shift{number} p=p{number}",
               f"p=p{number}")
    if not case.C:
        return
    yield from launch_gradients(case, pieces, inputs_of, h)


def launch_gradients(case, pieces, inputs_of, h):
    """Yields the launches of gradients: stored shards whole, and the rest in chunks of C words."""
    entropy = f"ENTROPY={str(case.DENTROPY).lower()}"
    upstream = " dlogp" + " dentropy" * case.DENTROPY
    chunks = [(first, end, number) for number, (first, end, is_stored) in enumerate(pieces) if is_stored]
    chunks += [(low, min(low + case.C, end), None) for first, end, is_stored in pieces if not is_stored
               for low in range(first, end, case.C)]
    for low, high, number in chunks:
        rows, is_stored = f"[{low}:{high}]", number is not None
        is_first, is_last = is_stored and low == chunks[0][0], high == chunks[-1][1]
        if is_stored:
            yield ("linear_logp_scale", "T TEMPERATURE",
                   h + " temperature" * case.TEMPERATURE + f" target words ignore shift=shift{number} dlogp", "a ah")
        else:
            yield (
                "linear_logp_dz",
                f"T BM BV BK BIAS TEMPERATURE {entropy}",
                inputs_of(low, high) + f" target first={low} words ignore lse" + " entropy" * case.DENTROPY + upstream,
                "dz",
            )
        dz, scale, options = (f"dz=p{number}", " a", " STORED=true") if is_stored else ("dz", "", "")
        yield (
            "linear_logp_dh",
            f"T BM BD BK LAST={str(is_last).lower()}" + " FIRST=true" * is_first + options,
            f"{dz} w=w{rows} first={low} words" + scale + " total" * (not (is_first and is_last)),
            " ".join(["total"] * (not (is_first and is_last)) + ["dh"] * is_last),
        )
        yield "linear_logp_dw", "T BM BD BK", dz + (" h=ah" if is_stored else f" {h}"), f"dw=dw{rows}"
        if case.BIAS:
            yield "linear_logp_dbias", "T BV BK" + options, dz + scale, f"dbias=dbias{rows}"
    if case.TEMPERATURE and case.ENTROPY:
        yield (
            "linear_logp_dtemperature",
            f"BM {entropy}",
            "temperature target words ignore logp entropy" + " variance" * case.DENTROPY + upstream,
            "dtemperature",
        )


def reference(case, given):
    words, t = given["words"], given["target"]
    h = given["w"] if case.tied else given["h"]
    w = given["w"][:words]
    temperature = given["temperature"] if case.TEMPERATURE else np.ones(case.N)
    z = h @ w.T
    if case.BIAS:
        z = z + given["bias"][:words]
    z = z / temperature[:, None]

    top = z.max(axis=1, keepdims=True)
    lse = np.log(np.exp(z - top).sum(axis=1)) + top[:, 0]
    logs = z - lse[:, None]
    p = np.exp(logs)
    finite = np.where(p > 0, logs, 0.0)
    entropy = -(p * finite).sum(axis=1)
    exists = (t >= 0) & (t < words)
    rows = np.arange(case.N)
    logp = np.where(exists, logs[rows, np.where(exists, t, 0)], np.nan)
    logp[t == case.ignore] = case.ignored
    results = {"logp": logp, "lse": lse}
    if case.ENTROPY:
        results["entropy"] = entropy
    if case.VARIANCE:
        results["variance"] = (p * (finite + entropy[:, None]) ** 2).sum(axis=1)
    if not case.C:
        return results

    g = np.where(exists & (t != case.ignore), given["dlogp"], 0.0)
    dz = -g[:, None] * p
    dz[rows[exists], t[exists]] += g[exists]
    if case.DENTROPY:
        dz -= given["dentropy"][:, None] * p * (finite + entropy[:, None])
    if case.TEMPERATURE and case.ENTROPY:
        # By the chain rule for each word; words without probability do not contribute.
        results["dtemperature"] = -(dz * np.where(p > 0, z, 0.0)).sum(axis=1) / temperature
    dz /= temperature[:, None]
    padding = case.V - words
    results["dh"] = dz @ w
    results["dw"] = np.pad(dz.T @ h, ((0, padding), (0, 0)))
    if case.BIAS:
        results["dbias"] = np.pad(dz.sum(axis=0), (0, padding))
    return results


def check_gradients():
    """Returns the largest difference between the gradients and finite differences."""
    case = types.SimpleNamespace(
        N=5, D=4, V=9, words=8, S=1, targets=[-100, 9], ignore=-100, ignored=0.0, spread=2.0, masked=[3],
        shards=[], tied=False, C=9, stored=0, steps=0.0, BV=4,
        BIAS=True, TEMPERATURE=True, ENTROPY=True, VARIANCE=True, DENTROPY=True)
    given = inputs(case, np.random.default_rng(1))
    given["target"][2:] = [0, 1, 7]
    expected = reference(case, given)

    def loss(changed):
        results = reference(case, changed)
        counts = (changed["target"] != case.ignore) & (changed["target"] < case.words)
        return (changed["dlogp"] * results["logp"])[counts].sum() + changed["dentropy"] @ results["entropy"]

    worst, step = 0.0, 1e-5
    for name in ("h", "w", "bias", "temperature"):
        for place in np.ndindex(given[name].shape):
            if not np.isfinite(given[name][place]):
                continue
            sides = []
            for sign in (1, -1):
                changed = {key: np.copy(value) for key, value in given.items()}
                changed[name][place] += sign * step
                sides.append(loss(changed))
            slope = (sides[0] - sides[1]) / (2 * step)
            worst = max(worst, abs(slope - expected["d" + name][place]))
    return worst


if __name__ == "__main__":
    print(f"gradients differ by at most {check_gradients():.1e}")
