"""The gated delta rule with gradients by q, k, v, the gates, beta and the initial state, as a function of torch.

    o, final = gated_delta_rule(q, k, v, g, beta, 0.088)
    o, final = gated_delta_rule(q, k, v, g, beta, 0.088, initial=state)
    o.sum().backward()

Shapes as in kernel.tile. Inputs that the kernels do not support go to `expression`, which computes the same step by
step in torch.
"""

import pathlib
import sys

import tessera
import tessera.torch_ops
import torch

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
import gated_delta_rule as arrays  # noqa: E402

MOST_COLUMNS = 128


def run_forward(q, k, v, g, beta, initial, scale):
    """Returns o, the final state, and the tensors that the gradients need."""
    o, final, kept = arrays.forward(q, k, v, g, beta, scale, initial)
    return o, final, *kept


def run_backward(q, k, v, beta, initial, kept, do, dfinal, scale):
    return arrays.backward(q, k, v, beta, kept, do, scale, initial, dfinal)


forward_op = torch.library.custom_op(
    "tessera_examples::gated_delta_rule", run_forward, mutates_args=(),
    schema="(Tensor q, Tensor k, Tensor v, Tensor g, Tensor beta, Tensor? initial, float scale) -> "
           "(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)")
backward_op = torch.library.custom_op(
    "tessera_examples::gated_delta_rule_backward", run_backward, mutates_args=(),
    schema="(Tensor q, Tensor k, Tensor v, Tensor beta, Tensor? initial, Tensor[] kept, Tensor do, "
           "Tensor? dfinal, float scale) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)")


@forward_op.register_fake
def _(q, k, v, g, beta, initial, scale):
    batch, length, heads, columns = q.shape
    chunks = (batch, heads, (length + arrays.CHUNK - 1) // arrays.CHUNK, arrays.CHUNK)
    state = q.new_empty((batch, heads, columns, v.shape[3]), dtype=torch.float32)
    p, t = (q.new_empty((*chunks, arrays.CHUNK)) for _ in range(2))
    return torch.empty_like(v), state, g.new_empty(chunks), p, t, torch.empty_like(k), torch.empty_like(v)


@backward_op.register_fake
def _(q, k, v, beta, initial, kept, do, dfinal, scale):
    state = beta.new_empty((q.shape[0], q.shape[2], q.shape[3], v.shape[3]))
    return *map(torch.empty_like, (q, k, v, beta, beta)), state


def _save(ctx, inputs, output):
    q, k, v, _, beta, initial, ctx.scale = inputs
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(q, k, v, beta, initial, *output[2:])
    ctx.shape = output[0].shape


def _backward(ctx, do, dfinal, *_):
    q, k, v, beta, initial, *kept = ctx.saved_tensors
    # Kernels take dense tensors, but a gradient may be an expanded scalar.
    do = v.new_zeros(ctx.shape) if do is None else do.contiguous()
    dfinal = None if dfinal is None else dfinal.contiguous()
    *gradients, dinitial = backward_op(q, k, v, beta, initial, kept, do, dfinal, ctx.scale)
    return (*gradients, None if initial is None else dinitial, None)


forward_op.register_autograd(_backward, setup_context=_save)


def expression(q, k, v, g, beta, scale, initial=None):
    """Computes the same step by step in torch operations, in f32, or in f64 for f64 inputs."""
    wide = torch.promote_types(q.dtype, torch.float32)
    heads_q, heads_k, heads_v, gate, weight = (x.to(wide).transpose(1, 2) for x in (q, k, v, g, beta))
    s = heads_q.new_zeros(*heads_q.shape[:2], q.shape[3], v.shape[3]) if initial is None else initial.to(wide)
    rows = [heads_v[:, :, :0]]
    for t in range(q.shape[1]):
        key = heads_k[:, :, t, :, None]
        s = gate[:, :, t, None, None].exp() * s
        error = heads_v[:, :, t, None] - key.mT @ s
        s = s + key * (weight[:, :, t, None, None] * error)
        rows.append(scale * (heads_q[:, :, t, None] @ s))
    return torch.cat(rows, 2).transpose(1, 2).to(q.dtype), s


def gated_delta_rule(q, k, v, g, beta, scale, initial=None, fallback=True):
    """Returns o and the final state.

    With fallback=False, inputs that the kernels do not support raise an ArgumentError."""
    reason = tessera.torch_ops.reason_against({"q": q, "k": k, "v": v})
    if reason is None and max(q.shape[3], v.shape[3]) > MOST_COLUMNS:
        reason = f"heads have {q.shape[3]} and {v.shape[3]} columns, of at most {MOST_COLUMNS}"
    if reason is None and (q.shape[3] % 16 or v.shape[3] % 16):
        reason = f"heads have {q.shape[3]} and {v.shape[3]} columns; expected multiples of 16"
    if reason is not None:
        if not fallback:
            raise tessera.ArgumentError(f"no kernel of the gated delta rule: {reason}")
        return expression(q, k, v, g, beta, scale, initial)
    g, beta, initial = (x if x is None else x.float().contiguous() for x in (g, beta, initial))
    return forward_op(q, k, v, g, beta, initial, scale)[:2]
