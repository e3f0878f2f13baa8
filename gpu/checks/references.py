# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Float64 references on the GPU, for cases that take NumPy too long.

One function per example, with the contract of `reference` in examples/*/reference.py, on float64 torch tensors.
`check.py --references` compares these references with those of the examples.
"""

import itertools
import math

import torch


def vector_add(case, given):
    return {"z": given["x"] + given["y"]}


def softmax(case, given):
    return {"y": torch.softmax(given["x"], 1)}


def matmul(case, given):
    a = given["a"] if case.form[0] == "n" else given["a"].T
    b = given["b"] if case.form[1] == "n" else given["b"].T
    return {"c": a @ b}


def split_k_matmul(case, given):
    product = matmul(case, given)["c"]
    return {"c": product if case.ordered else given["c"] + product}


def layer_norm(case, given):
    x = given["x"]
    mean = x.mean(1)
    rstd = torch.rsqrt(x.var(1, correction=0) + given["eps"])
    y = (x - mean[:, None]) * rstd[:, None] * given["gain"] + given["bias"]
    return {"y": y, "mean": mean, "rstd": rstd}


def lola(case, given):
    x = given["x"]
    normed = (x - x.mean(1, keepdim=True)) / torch.sqrt(
        x.var(1, correction=0, keepdim=True) + given["eps"])
    if case.AFFINE:
        normed = normed * given["gamma"] + given["beta"]
    z = normed @ given["w"] + given["bias"]
    functional = torch.nn.functional
    return {"y": [z, functional.gelu(z, approximate="tanh"), functional.gelu(z), functional.silu(z)][case.ACT]}


def _attend(scores, v):
    """Returns the softmax of scores times v, and the log of the sum; rows without a key give 0 and -inf."""
    top = scores.amax(1, keepdim=True).clamp_min(-1e300) if scores.shape[1] else 0.0
    e = torch.exp(scores - top)
    total = e.sum(1, keepdim=True)
    lse = (torch.log(total) + top)[:, 0]
    return e @ v / torch.where(total == 0, 1.0, total), lse


def _hide(scores, offset):
    """Sets scores to minus infinity if key j comes after query i: j > i + offset."""
    i = torch.arange(scores.shape[0], device=scores.device)[:, None]
    j = torch.arange(scores.shape[1], device=scores.device)[None, :]
    return scores.masked_fill(j > i + offset, -math.inf)


def _attend_heads(case, scale, q, k, v):
    """Yields (sequence and head, o, lse) of each query head of dense attention."""
    for b in range(case.B):
        for h in range(case.H):
            group = h // (case.H // case.HK)
            s = scale * (q[b, h] @ k[b, group].T)
            if case.CAUSAL:
                s = _hide(s, case.N - case.M)
            yield (b, h), *_attend(s, v[b, group])


def flash_attention(case, given):
    q, k, v = given["q"], given["k"], given["v"]
    o = torch.empty_like(q)
    lse = torch.empty(q.shape[:3], dtype=q.dtype, device=q.device)
    for head, o_head, lse_head in _attend_heads(case, given["scale"], q, k, v):
        o[head], lse[head] = o_head, lse_head
    return {"o": o, "lse": lse}


def gated_attention(case, given):
    """Computes gradients by autograd, and decays as differences of a cumulative sum."""
    leaves = {name: given[name].clone().requires_grad_()
              for name in ("q", "k", "v", "g", "sink") if name in given}
    shape = given["do"].shape
    o, lse = torch.zeros_like(given["do"]), given["do"].new_zeros(shape[0], shape[2], shape[1])
    c = torch.zeros_like(lse)
    ends = [*zip(case.cu, case.cu[1:])] if case.VARLEN else [(0, shape[1])]
    for b, (first, end), h in itertools.product(range(shape[0]), ends, range(case.HQ)):
        if first == end:
            continue
        rows, kv = slice(first, end), h * case.H // case.HQ
        s = given["scale"] * (leaves["q"][b, rows, h] @ leaves["k"][b, rows, kv].T)
        if case.GATED:
            sums = torch.cumsum(leaves["g"][b, rows, h], 0)
            c[b, h, rows] = sums.detach()
            s = s + sums[:, None] - sums[None, :]
        i = torch.arange(end - first, device=s.device)
        distance = i[:, None] - i[None, :]
        s = s.masked_fill((distance < 0) | (distance >= (case.WINDOW or end)), -math.inf)
        if case.SINK:
            s = torch.cat([s, leaves["sink"][h].expand(len(i), 1)], 1)
        total = torch.logsumexp(s, 1)
        found = torch.exp(s - total[:, None])[:, : len(i)] @ leaves["v"][b, rows, kv]
        (found * given["do"][b, rows, h]).sum().backward()
        o[b, rows, h], lse[b, h, rows] = found.detach(), total.detach()
    gradients = {"d" + name: torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
                 for name, leaf in leaves.items()}
    return {"o": o, "lse": lse, **gradients, **({"c": c} if case.GATED else {})}


def linear_logp(case, given):
    """Computes gradients by autograd, with several N x V matrices in memory."""
    words, t = given["words"], given["target"].long()
    h = given["w" if case.tied else "h"].clone().requires_grad_()
    w, bias, temperature = (given[name].clone().requires_grad_() for name in ("w", "bias", "temperature"))
    leaves = {"dh": h, "dw": w, "dbias": bias, "dtemperature": temperature}
    z = h @ w[:words].T
    # Autograd would multiply the bias -inf by 0, so the bias comes last.
    masked = bias[:words] == -math.inf
    if case.BIAS:
        z = z + torch.where(masked, 0.0, bias[:words])
    if case.TEMPERATURE:
        z = z / temperature[:, None]
    if case.BIAS:
        z = torch.where(masked, -math.inf, z)
    lse = torch.logsumexp(z, 1)
    logs = z - lse[:, None]
    p = torch.exp(logs)
    finite = torch.where(p > 0, logs, 0.0)
    entropy = -(p * finite).sum(1)
    exists = (t >= 0) & (t < words)
    ignored = t == case.ignore
    logp = logs.gather(1, torch.where(exists, t, 0)[:, None])[:, 0]
    results = {
        "logp": torch.where(ignored, case.ignored, torch.where(exists, logp, math.nan)),
        "lse": lse,
    }
    if case.ENTROPY:
        results["entropy"] = entropy
    if case.VARIANCE:
        results["variance"] = (p * (finite + entropy[:, None]) ** 2).sum(1)
    if case.C:
        counts = exists & ~ignored
        loss = (given["dlogp"][counts] * logp[counts]).sum()
        if case.DENTROPY:
            loss = loss + (given["dentropy"] * entropy).sum()
        names = ["dh", "dw"] + ["dbias"] * case.BIAS
        names += ["dtemperature"] * (case.TEMPERATURE and case.ENTROPY)
        gradients = torch.autograd.grad(loss, [leaves[name] for name in names])
        results.update(zip(names, gradients))
    return {name: value.detach() for name, value in results.items()}


def _first_wrong(case, cu):
    """Returns (rule, sequence) of the first violation; checks all sequences at once."""
    begin, end = cu[:-1].long(), cu[1:].long()
    broken = torch.stack([end < begin, end > case.rows, end - begin > case.longest])
    found = [(0, 1, 0)] if cu[0] != 0 else []
    found += [(int(b), 2 + int(rule), int(b)) for rule, b in broken.nonzero()]
    return torch.tensor(min(found)[1:] if found else (0, 0), dtype=torch.int32)


def _list_tiles(case, cu_q, cu_k):
    """Returns the entries of varlen_tiles for all tiles at once.

    They are sorted by descending keys, sequence, and descending tile."""
    BM, rows, keys = case.BM // getattr(case, "PACK", 1), cu_q.diff(), cu_k.diff()
    count = len(rows)
    most = -(-int(max([0, *rows])) // BM)
    sequence, block = torch.arange(count).repeat_interleave(most), torch.arange(most).repeat(count)
    start = BM * block
    entries = torch.stack([cu_q[sequence], rows[sequence], start, cu_k[sequence], keys[sequence]], 1)
    exists = start < rows[sequence]
    order = sorted(exists.nonzero()[:, 0].tolist(), key=lambda i: (-keys[sequence[i]], sequence[i], -start[i]))
    left = min(int(cu_q[-1]) // BM + count, most * count) - len(order)
    empty = torch.tensor([[cu_q[-1], 0, BM * i, cu_k[-1], 0] for i in reversed(range(left))])
    return torch.cat([entries[order], empty.reshape(left, 5)]).int()


def varlen_attention(case, given):
    if case.cu:
        return {"bad": _first_wrong(case, given["cu"])}
    # With query heads packed into a tile, q, o and lse are tensors of one head.
    packed = getattr(case, "PACK", 1) > 1
    q, k, v = given["packed_q" if packed else "q"].reshape(-1, case.HQ, case.DK), given["k"], given["v"]
    o = torch.zeros(len(q), case.HQ, case.DV, dtype=q.dtype, device=q.device)
    lse = torch.full((len(q), case.HQ), -math.inf, dtype=q.dtype, device=q.device)
    for b in range(len(case.cu_q) - 1):
        rows, keys = slice(*case.cu_q[b : b + 2]), slice(*case.cu_k[b : b + 2])
        if rows.start == rows.stop or keys.start == keys.stop:
            continue
        for h in range(case.HQ):
            kv = h * case.H // case.HQ
            s = given["scale"] * (q[rows, h] @ k[keys, kv].T)
            if case.CAUSAL:
                s = _hide(s, s.shape[1] - s.shape[0] if case.BOTTOM_RIGHT else 0)
            o[rows, h], lse[rows, h] = _attend(s, v[keys, kv])
    if packed:
        o, lse = o.reshape(-1, 1, case.DV), lse.reshape(-1, 1)
    return {"o": o, "lse": lse, "list": _list_tiles(case, torch.tensor(case.cu_q), torch.tensor(case.cu_k)),
            "tile": torch.zeros(case.BM // getattr(case, "PACK", 1), dtype=torch.int8)}


def _find_owners(cu, tokens, size):
    """The sequence of each block of `size` rows, and the number of sequences for blocks after the last one's."""
    firsts = torch.tensor(cu[1:]) // size + torch.arange(1, len(cu))
    return torch.searchsorted(firsts, torch.arange(tokens // size + len(cu) - 1), right=True).int()


def varlen_backward(case, given):
    """Computes gradients by autograd, one sequence and head at a time."""
    grads = {name: torch.zeros_like(given[name[1:]]) for name in ("dq", "dk", "dv")}
    for b in range(len(case.cu_q) - 1):
        rows, keys = slice(*case.cu_q[b : b + 2]), slice(*case.cu_k[b : b + 2])
        queries, count = rows.stop - rows.start, keys.stop - keys.start
        if queries == 0 or count == 0:
            continue
        for h in range(case.HQ):
            kv = h * case.H // case.HQ
            q, k, v = (part.detach().requires_grad_() for part in (
                given["q"][rows, h], given["k"][keys, kv], given["v"][keys, kv]))
            s = given["scale"] * (q @ k.T)
            if case.CAUSAL:
                s = _hide(s, count - queries if case.BOTTOM_RIGHT else 0)
            # Nothing depends on a query that sees no key.
            sees = torch.isfinite(s)
            p = torch.softmax(s.masked_fill(~sees, -1e300), 1) * sees
            step = torch.autograd.grad((p @ v * given["do"][rows, h]).sum(), (q, k, v))
            grads["dq"][rows, h] = step[0]
            grads["dk"][keys, kv] += step[1]
            grads["dv"][keys, kv] += step[2]
    if case.variant != "ordered":
        grads["owner"] = _find_owners(case.cu_q, len(given["q"]), case.BM)
    return grads


def attention_backward(case, given):
    """Computes gradients by autograd of the forward pass."""
    leaves = {name: given[name].detach().requires_grad_() for name in ("q", "k", "v")}
    for head, o, _ in _attend_heads(case, given["scale"], **leaves):
        o.backward(given["do"][head])
    gradients = {f"d{name}": torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
                 for name, leaf in leaves.items()}
    # Zeros fill the rows up to a multiple of 4.
    delta = torch.nn.functional.pad((given["o"] * given["do"]).sum(3), (0, -given["do"].shape[2] % 4))
    return {"delta": delta, **gradients}


def decoding(case, given):
    q, lengths = given["q"], case.lengths
    o, lse = torch.zeros_like(q), torch.full(q.shape[:2], -math.inf, dtype=q.dtype, device=q.device)
    shape = (case.M, case.H, case.G)
    query = torch.arange(case.M * case.G, device=q.device)[:, None] // case.G
    for b, length in enumerate(lengths):
        if length == 0:
            continue
        k, v = given["k"], given["v"]
        if case.PAGE:
            pages = given["table"][b, : -(-length // case.PAGE)].long()
            k, v = (cache[pages].flatten(0, 1)[:length] for cache in (k, v))
        else:
            k, v = k[b, :length], v[b, :length]
        for h in range(case.H):
            s = given["scale"] * (q[b].view(*shape, -1)[:, h].reshape(-1, case.D) @ k[:, h].T)
            if case.CAUSAL:
                key = torch.arange(length, device=q.device)[None, :]
                s = s.masked_fill(key > query + length - case.M, -math.inf)
            rows, sums = _attend(s, v[:, h])
            o[b].view(*shape, -1)[:, h] = rows.view(case.M, case.G, -1)
            lse[b].view(shape)[:, h] = sums.view(case.M, case.G)
    return {"o": o, "lse": lse}


def scaled_matmul(case, given):
    a = given["a"] * given["sa"].repeat_interleave(128, 0)[: case.K].T
    scales = given["sb"].repeat_interleave(128, 0).repeat_interleave(128, 1)
    return {"c": a @ (given["b"] * scales[: case.N, : case.K]).T}


def grouped_matmul(case, given):
    x = given["x"][given["rows"].long()] if case.GATHER else given["x"]
    parts = x.split(given["first"].diff().tolist())
    return {"y": torch.cat([part @ w for part, w in zip(parts, given["w"])])}


def gated_delta_rule(case, given):
    """Walks over the steps; computes gradients by autograd. A step has a gate, or one for each row of the state."""
    names = ("q", "k", "v", "g", "beta")
    leaves = {name: given[name].clone().requires_grad_() for name in names}
    q, k, v, g, beta = (leaves[name].transpose(1, 2) for name in names)
    zeros = v.new_zeros(case.B, case.H, case.DK, case.DV)
    leaves["initial"] = given.get("initial", zeros).clone().requires_grad_()
    s, rows = leaves["initial"], []
    for t in range(q.shape[2]):
        s = g[:, :, t].exp().reshape(case.B, case.H, -1, 1) * s
        error = v[:, :, t] - (k[:, :, t, None] @ s)[:, :, 0]
        s = s + k[:, :, t, :, None] * (beta[:, :, t, None] * error)[:, :, None]
        rows.append(given["scale"] * (q[:, :, t, None] @ s)[:, :, 0])
    o = torch.stack(rows, 1)
    ((o * given["do"]).sum() + (s * given.get("dfinal", zeros)).sum()).backward()
    return {"o": o.detach(), "final": s.detach(), **{"d" + name: leaf.grad for name, leaf in leaves.items()}}


BY_EXAMPLE = {
    "01-vector-add": vector_add,
    "02-softmax": softmax,
    "03-matmul": matmul,
    "04-split-k-matmul": split_k_matmul,
    "05-layer-norm": layer_norm,
    "06-lola": lola,
    "07-flash-attention": flash_attention,
    "08-gated-attention": gated_attention,
    "09-linear-logp": linear_logp,
    "10-varlen-attention": varlen_attention,
    "11-attention-backward": attention_backward,
    "12-varlen-backward": varlen_backward,
    "13-decoding": decoding,
    "14-scaled-matmul": scaled_matmul,
    "15-grouped-matmul": grouped_matmul,
    "16-gated-delta-rule": gated_delta_rule,
    "17-kimi-delta-attention": gated_delta_rule,
}


def compute(case, given, device):
    """Returns the expected arrays of a case, as NumPy arrays."""
    moved = {name: torch.as_tensor(value, device=device) if hasattr(value, "shape") else value
             for name, value in given.items()}
    expected = BY_EXAMPLE[case.example](case.values, moved)
    return {name: value.cpu().numpy() for name, value in expected.items()}
