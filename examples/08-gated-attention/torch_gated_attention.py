"""Gated attention with gradients by q, k, v, the gates and the sinks: conditional parameters of a kernel become
optional arguments of a torch operator.

    o = gated_attention(q, k, v, 0.088, g=g)
    o = gated_attention(q, k, v, 0.088, sink=sink, window=512, cu=cu, longest=2048)
    o.sum().backward()

Shapes as in kernel.tile. Inputs that the kernels do not support go to `expression`, which computes the same in torch
operations with all scores in memory.
"""

import pathlib

import tessera
import tessera.torch_ops
import torch

_HERE = pathlib.Path(__file__).resolve().parent
KERNELS = tessera.load(_HERE / "kernel.tile")
MOST_COLUMNS = 256


def _options(g, cu, window):
    """Returns compile-time parameters that most kernels have."""
    return {"GATED": g is not None, "VARLEN": cu is not None, "WINDOW": window}


def _present(**arguments):
    """Returns the arguments that are not None."""
    return {name: value for name, value in arguments.items() if value is not None}


def _is_wide(q, v):
    """Whether registers hold only few keys at a time, and only one of dk and dv."""
    return max(q.shape[3], v.shape[3]) > 128


def run_forward(q, k, v, g, sink, cu, longest, scale, window):
    """Returns o, the log-sum-exp, and the cumulative sum of the gates, which is empty without gates."""
    packed = _present(cu=cu, longest=None if cu is None else longest)
    c = None if g is None else KERNELS["gate_cumsum"](g, VARLEN=cu is not None, **_present(cu=cu))
    tiles = {"BN": 48} if _is_wide(q, v) else {}
    o, lse = KERNELS["gated_attention"](q, k, v, scale=scale, **_present(c=c, sink=sink), **packed, **tiles,
                                        SINK=sink is not None, **_options(g, cu, window))
    return o, lse, q.new_empty(0, dtype=torch.float32) if c is None else c


def run_backward(q, k, v, c, sink, cu, longest, o, lse, do, scale, window):
    """Returns dq, dk, dv, dg and dsink; dg is empty without gates, dsink without sinks."""
    c = c if c.numel() else None
    packed, options = _present(cu=cu, longest=None if cu is None else longest), _options(c, cu, window)
    if c is None:
        odo, base = KERNELS["gated_attention_rows"](o, do, GATED=False), lse
    else:
        odo, base = KERNELS["gated_attention_rows"](o, do, lse=lse, c=c)
    is_wide = _is_wide(q, v)
    weight = {} if sink is None else {"sink": sink, "lse": lse}
    dq, delta = KERNELS["gated_attention_dq"](
        q, k, v, do, base=base, odo=odo, scale=scale, **_present(c=c), **weight, **packed, SINK=sink is not None,
        **options, **({"BN": 48} if is_wide else {}))
    dkv = KERNELS["gated_attention_dkv"]
    given = {"do": do, "base": base, "scale": scale, **_present(c=c), **packed, **options}
    if is_wide:
        keys = dkv(q, k, v=v, delta=delta, **given, VALUES=False, BM=48)
        dk, *dc = (keys,) if c is None else keys
        dv = dkv(q, k, **given, KEYS=False, BM=48)
    else:
        dk, dv, *dc = dkv(q, k, v=v, delta=delta, **given)
    dg, dsink = lse.new_empty(0), lse.new_empty(0)
    if sink is not None:
        weight["delta"] = delta
        dsink = KERNELS["sink_gradient"](sink, lse, delta)
    if c is not None:
        dg = KERNELS["gate_gradient"](dc[0], **weight, **_present(cu=cu), SINK=sink is not None,
                                      VARLEN=cu is not None)
    return dq, dk, dv, dg, dsink


forward_op = torch.library.custom_op(
    "tessera_examples::gated_attention", run_forward, mutates_args=(),
    schema="(Tensor q, Tensor k, Tensor v, Tensor? g, Tensor? sink, Tensor? cu, int longest, float scale, "
           "int window) -> (Tensor, Tensor, Tensor)")
backward_op = torch.library.custom_op(
    "tessera_examples::gated_attention_backward", run_backward, mutates_args=(),
    schema="(Tensor q, Tensor k, Tensor v, Tensor c, Tensor? sink, Tensor? cu, int longest, Tensor o, Tensor lse, "
           "Tensor do, float scale, int window) -> (Tensor, Tensor, Tensor, Tensor, Tensor)")


@forward_op.register_fake
def _(q, k, v, g, sink, cu, longest, scale, window):
    batch, length, heads, _ = q.shape
    lse = q.new_empty((batch, heads, length), dtype=torch.float32)
    c = q.new_empty(0, dtype=torch.float32) if g is None else torch.empty_like(lse)
    return q.new_empty((*q.shape[:3], v.shape[3])), lse, c


@backward_op.register_fake
def _(q, k, v, c, sink, cu, longest, o, lse, do, scale, window):
    dg = q.new_empty(q.shape[:3] if c.numel() else 0, dtype=torch.float32)
    dsink = q.new_empty(0, dtype=torch.float32) if sink is None else torch.empty_like(sink)
    return torch.empty_like(q), torch.empty_like(k), torch.empty_like(v), dg, dsink


def _save(ctx, inputs, output):
    q, k, v, g, sink, cu, ctx.longest, ctx.scale, ctx.window = inputs
    o, lse, c = output
    ctx.is_gated = g is not None
    ctx.save_for_backward(q, k, v, c, sink, cu, o, lse)


def _backward(ctx, do, dlse, dc):
    q, k, v, c, sink, cu, o, lse = ctx.saved_tensors
    # Kernels take dense tensors, but a gradient may be an expanded scalar.
    dq, dk, dv, dg, dsink = backward_op(q, k, v, c, sink, cu, ctx.longest, o, lse, do.contiguous(), ctx.scale,
                                        ctx.window)
    return (dq, dk, dv, dg if ctx.is_gated else None, None if sink is None else dsink, None, None, None, None)


forward_op.register_autograd(_backward, setup_context=_save)


def expression(q, k, v, scale, g=None, sink=None, window=0, cu=None):
    """Computes the same in torch operations, in f32, or in f64 for f64 inputs."""
    if cu is not None:
        ends = cu.tolist()
        parts = [expression(*(x[:, low:high] for x in (q, k, v)), scale, g if g is None else g[:, low:high], sink,
                            window) for low, high in zip(ends, ends[1:])]
        return torch.cat(parts, dim=1)
    wide = torch.promote_types(q.dtype, torch.float32)
    group = q.shape[2] // k.shape[2]
    heads_q, heads_k, heads_v = (x.to(wide).transpose(1, 2) for x in (q, k, v))
    heads_k, heads_v = (x.repeat_interleave(group, dim=1) for x in (heads_k, heads_v))
    s = scale * (heads_q @ heads_k.mT)
    if g is not None:
        c = g.to(wide).cumsum(1).transpose(1, 2)
        s = s + (c[..., :, None] - c[..., None, :])
    i = torch.arange(q.shape[1], device=q.device)
    age = i[:, None] - i
    s = s.masked_fill((age < 0) | (age >= (window or q.shape[1])), float("-inf"))
    if sink is not None:
        s = torch.cat([s, sink.to(wide)[:, None, None].expand(*s.shape[:3], 1)], dim=3)
    p = s.softmax(3)[..., :q.shape[1]]
    return (p @ heads_v).transpose(1, 2).to(q.dtype)


def gated_attention(q, k, v, scale, g=None, sink=None, window=0, cu=None, longest=None, fallback=True):
    """Returns o. `cu` has the bounds of packed sequences, and `longest` the rows of the longest one.

    With fallback=False, inputs that the kernels do not support raise an ArgumentError."""
    reason = tessera.torch_ops.reason_against({"q": q, "k": k, "v": v})
    if reason is None and max(q.shape[3], v.shape[3]) > MOST_COLUMNS:
        reason = f"heads have {q.shape[3]} and {v.shape[3]} columns, of at most {MOST_COLUMNS}"
    if cu is not None and longest is None:
        raise tessera.ArgumentError("packed sequences: 'longest', the rows of the longest sequence, is missing")
    if reason is not None:
        if not fallback:
            raise tessera.ArgumentError(f"no kernel of gated attention: {reason}")
        return expression(q, k, v, scale, g, sink, window, cu)
    g, sink = (x if x is None else x.float() for x in (g, sink))
    return forward_op(q, k, v, g, sink, cu, longest or 0, scale, window)[0]
