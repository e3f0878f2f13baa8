"""Attention over packed sequences with gradients, for layers whose batches are padded or packed.

    q, cu = tessera.unpad(padded_q, lengths)
    o, lse = packed_attention(q, k, v, cu, cu, longest, longest, 0.088, causal=True)
    padded_o = tessera.pad(o, cu, longest)
    padded_o.sum().backward()

Shapes and masks as in the kernels of 10-varlen-attention and of this example. Both outputs are differentiable. Rows
after the last sequence get o = 0 and lse = -inf, like queries without keys, and no gradient. Inputs that the kernels
do not support go to `expression`, which computes the same in torch operations, one sequence at a time.
"""

import pathlib

import tessera
import tessera.torch_ops
import torch

_HERE = pathlib.Path(__file__).resolve().parent
KERNELS = {
    **tessera.load(_HERE.parent / "10-varlen-attention" / "kernel.tile"),
    **tessera.load(_HERE / "kernel.tile"),
}
MOST_COLUMNS = (192, 128)


def choose_tiles(q, k, v, max_q, causal):
    """Returns the rows of a tile and the number of query heads that share it, chosen by the times in gpu/RESULTS.md."""
    narrow = q.shape[2] + v.shape[2] <= 128
    # Short sequences would leave large tiles half empty.
    if max_q > (2048 if narrow and causal else 512):
        return 192 if narrow else 128, 1
    group = q.shape[1] // k.shape[1]
    packs = group in (2, 4, 8) and (max_q <= 64 or max_q <= 512 and narrow and not causal)
    return 64, group if packs else 1


def run_forward(q, k, v, cu_q, cu_k, max_q, max_k, scale, causal, bottom_right):
    """Returns o and the log-sum-exp."""
    o = q.new_zeros((*q.shape[:2], v.shape[2]))
    lse = q.new_full(q.shape[:2], float("-inf"), dtype=torch.float32)
    rows, packed = choose_tiles(q, k, v, max_q, causal)
    queries = rows // packed
    sequences = cu_q.shape[0] - 1
    entries = min(q.shape[0] // queries + sequences, -(-max_q // queries) * sequences)
    tiles, tile = KERNELS["varlen_tiles"](cu_q, cu_k, entries, BM=queries)
    options = {"CAUSAL": causal, "BOTTOM_RIGHT": bottom_right, "BM": rows}
    results = (o, lse)
    if packed > 1:
        # The kernel takes tensors of one head.
        options |= {"PACK": packed, "queries": q.shape[0]}
        q, results = q.reshape(-1, 1, q.shape[2]), (o.view(-1, 1, o.shape[2]), lse.view(-1, 1))
    KERNELS["varlen_fwd"](q, k, v, tiles, tile, scale=scale, **options, out=results)
    return o, lse


def run_backward(q, k, v, o, lse, do, dlse, cu_q, cu_k, max_q, max_k, scale, causal, bottom_right):
    """Returns dq, dk and dv; wide heads use the atomic variant, as their grouped variant was not measured."""
    columns = q.shape[2]
    # Queries per step: the rows of a product, or fewer if the registers do not suffice.
    tiles = {"DK": columns, "BM": 128 if columns <= 64 else 64 if columns <= 128 else 32}
    delta, shift, owner, sums = KERNELS["varlen_delta"](o, do, lse, cu_q, scale, dlse=dlse, LSE=True, **tiles)
    # Kernels do not store rows after the last sequence.
    grouped = columns <= 128
    dk, dv = (torch.zeros_like(x, dtype=x.dtype if grouped else torch.float32) for x in (k, v))
    results = {"GROUPED": True, "dk_whole": dk, "dv_whole": dv} if grouped else {"dk": dk, "dv": dv}
    KERNELS["varlen_bwd"](q, k, v, do, shift, delta, cu_q, cu_k, max_k, scale, sums=sums,
                          CAUSAL=causal, BOTTOM_RIGHT=bottom_right, **tiles, **results)
    dq = torch.zeros_like(q)
    KERNELS["varlen_bwd_round"](sums, cu_q, owner, q.shape[0], T=q.dtype, out=dq, **tiles)
    return dq, dk.to(k.dtype), dv.to(v.dtype)


_BOUNDS = ("Tensor cu_q, Tensor cu_k, SymInt max_q, SymInt max_k, float scale, bool causal, bool bottom_right")
forward_op = torch.library.custom_op(
    "tessera_examples::packed_attention", run_forward, mutates_args=(),
    schema=f"(Tensor q, Tensor k, Tensor v, {_BOUNDS}) -> (Tensor, Tensor)")
backward_op = torch.library.custom_op(
    "tessera_examples::packed_attention_backward", run_backward, mutates_args=(),
    schema=f"(Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse, Tensor do, Tensor dlse, {_BOUNDS}) "
           "-> (Tensor, Tensor, Tensor)")


@forward_op.register_fake
def _(q, k, v, *bounds):
    return q.new_empty((*q.shape[:2], v.shape[2])), q.new_empty(q.shape[:2], dtype=torch.float32)


@backward_op.register_fake
def _(q, k, v, *rest):
    return torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)


def _save(ctx, inputs, output):
    q, k, v, cu_q, cu_k, *ctx.rest = inputs
    ctx.save_for_backward(q, k, v, *output, cu_q, cu_k)


def _backward(ctx, do, dlse):
    q, k, v, o, lse, cu_q, cu_k = ctx.saved_tensors
    # Kernels take dense tensors, but a gradient may be an expanded scalar.
    gradients = backward_op(q, k, v, o, lse, do.contiguous(), dlse.contiguous(), cu_q, cu_k, *ctx.rest)
    return (*gradients, *[None] * 7)


forward_op.register_autograd(_backward, setup_context=_save)


def _attend(q, k, v, scale, causal, bottom_right):
    """Returns o and lse of one sequence."""
    wide = torch.promote_types(q.dtype, torch.float32)
    group = q.shape[1] // k.shape[1]
    q, k, v = (x.to(wide).transpose(0, 1) for x in (q, k, v))
    k, v = (x.repeat_interleave(group, dim=0) for x in (k, v))
    s = scale * (q @ k.mT)
    if causal:
        rows, keys = s.shape[1:]
        last = torch.arange(rows, device=s.device) + (keys - rows if bottom_right else 0)
        s = s.masked_fill(torch.arange(keys, device=s.device) > last[:, None], float("-inf"))
    # Rows without visible keys have no softmax, and no gradient of one.
    sees = (s > float("-inf")).any(2, keepdim=True)
    s = torch.where(sees, s, 0.0)
    o = torch.where(sees, s.softmax(2) @ v, 0.0) if s.shape[2] else s.new_zeros((*s.shape[:2], v.shape[2]))
    lse = torch.where(sees[..., 0], s.logsumexp(2), float("-inf"))
    return o.transpose(0, 1), lse.transpose(0, 1)


def expression(q, k, v, cu_q, cu_k, scale, causal=False, bottom_right=False):
    """Computes the same in torch operations, in f32, or in f64 for f64 inputs."""
    ends_q, ends_k = cu_q.tolist(), cu_k.tolist()
    parts = [_attend(q[q0:q1], k[k0:k1], v[k0:k1], scale, causal, bottom_right)
             for q0, q1, k0, k1 in zip(ends_q, ends_q[1:], ends_k, ends_k[1:])]
    parts.append(_attend(q[ends_q[-1]:], k[:0], v[:0], scale, False, False))
    o, lse = (torch.cat(rows) for rows in zip(*parts))
    return o.to(q.dtype), lse


def packed_attention(q, k, v, cu_q, cu_k, max_q, max_k, scale, causal=False, bottom_right=False, fallback=True):
    """Returns o and the log-sum-exp.

    cu_q and cu_k are the bounds of the sequences; no sequence has more rows than max_q and max_k. With
    fallback=False, inputs that the kernels do not support raise an ArgumentError."""
    reason = tessera.torch_ops.reason_against({"q": q, "k": k, "v": v})
    for name, tensor, most in (("q", q, MOST_COLUMNS[0]), ("v", v, MOST_COLUMNS[1])):
        columns = tensor.shape[2]
        if reason is None and (columns > most or columns % 16):
            reason = f"heads of '{name}' have {columns} columns, expected a multiple of 16 up to {most}"
    if reason is not None:
        if not fallback:
            raise tessera.ArgumentError(f"no kernel of packed attention: {reason}")
        return expression(q, k, v, cu_q, cu_k, scale, causal, bottom_right)
    return forward_op(q, k, v, cu_q, cu_k, max_q, max_k, scale, causal, bottom_right)
