# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and its gradients in float64, one head at a time, with full score matrices."""

from .device import torch


def softmax(q, k, scale, causal, decay=None):
    """Returns softmax(s) for s = scale q kᵀ + decay_i - decay_j of one head, and the log-sum-exp of s.

    With `causal` query i sees keys 0 to i."""
    s = scale * (q.double() @ k.double().T)
    if decay is not None:
        s += decay[:, None] - decay[None, :]
    if causal:
        s.masked_fill_(torch.ones_like(s, dtype=torch.bool).triu_(1), float("-inf"))
    top = s.max(dim=1, keepdim=True).values
    s.sub_(top).exp_()
    total = s.sum(dim=1, keepdim=True)
    return s.div_(total), (top + total.log())[:, 0]


def forward(q, k, v, scale, causal, decay=None, with_lse=False):
    """Returns o [heads, M, DV] in float32, from q [heads, M, DK], k [key heads, N, DK] and v.

    `decay`, the cumulative sum of the gates, is [heads, M]. `with_lse` also returns the log-sum-exp."""
    group, found = len(q) // len(k), []
    for h in range(len(q)):
        p, lse = softmax(q[h], k[h // group], scale, causal, None if decay is None else decay[h])
        found.append(((p @ v[h // group].double()).float(), lse.float()))
    o, lse = map(torch.stack, zip(*found))
    return (o, lse) if with_lse else o


def backward(q, k, v, do, scale, causal, decay=None):
    """Returns dq, dk, dv, and the gradient by decay, treating its elements as independent."""
    group = len(q) // len(k)
    dq, dk, dv = (torch.zeros_like(x, dtype=torch.float64) for x in (q, k, v))
    dc = torch.zeros(q.shape[:2], dtype=torch.float64, device=q.device)
    for h in range(len(q)):
        g = h // group
        p, _ = softmax(q[h], k[g], scale, causal, None if decay is None else decay[h])
        d = do[h].double()
        dv[g] += p.T @ d
        ds = d @ v[g].double().T
        ds -= (p * ds).sum(dim=1, keepdim=True)
        ds *= p
        dq[h] = scale * (ds @ k[g].double())
        dk[g] += scale * (ds.T @ q[h].double())
        dc[h] = ds.sum(dim=1) - ds.sum(dim=0)
    return dq.float(), dk.float(), dv.float(), dc.float()


def by_head(tensor):
    """Views [B, H, S, D] as [B H, S, D].

    Groups have equal size in all sequences, so a query head finds its key head as in a single sequence."""
    return tensor.flatten(0, 1)
