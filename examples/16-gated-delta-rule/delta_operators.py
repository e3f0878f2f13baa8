"""Gradients and fallback of operators of torch for the gated delta rule and for 17-kimi-delta-attention.

An operator takes q, k, v, g, beta, the initial state or None, and the scale. It returns o, the final state, and the
tensors that its gradients need. Gates g are [B, L, H], or [B, L, H, DK] with one gate for each row of the state.
"""

import tessera
import tessera.torch_ops
import torch

MOST_COLUMNS = 128


def bind_gradients(forward_op, backward_op, needs_gates):
    """Binds the gradients that `backward_op` computes to `forward_op`.

    `needs_gates` tells whether `backward_op` takes g."""

    def save(ctx, inputs, output):
        *tensors, ctx.scale = inputs
        if not needs_gates:
            del tensors[3]
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*tensors, *output[2:])
        ctx.count, ctx.shape = len(tensors), output[0].shape

    def backward(ctx, do, dfinal, *_):
        saved = list(ctx.saved_tensors)
        tensors, kept = saved[:ctx.count], saved[ctx.count:]
        # Kernels take dense tensors, but a gradient may be an expanded scalar.
        do = tensors[2].new_zeros(ctx.shape) if do is None else do.contiguous()
        dfinal = None if dfinal is None else dfinal.contiguous()
        *gradients, dinitial = backward_op(*tensors, kept, do, dfinal, ctx.scale)
        return (*gradients, None if tensors[-1] is None else dinitial, None)

    forward_op.register_autograd(backward, setup_context=save)


def expression(q, k, v, g, beta, scale, initial=None):
    """Computes the same step by step in torch operations, in f32, or in f64 for f64 inputs."""
    wide = torch.promote_types(q.dtype, torch.float32)
    heads_q, heads_k, heads_v, gate, weight = (x.to(wide).transpose(1, 2) for x in (q, k, v, g, beta))
    if gate.dim() == 3:
        gate = gate[..., None]
    s = heads_q.new_zeros(*heads_q.shape[:2], q.shape[3], v.shape[3]) if initial is None else initial.to(wide)
    rows = [heads_v[:, :, :0]]
    for t in range(q.shape[1]):
        key = heads_k[:, :, t, :, None]
        s = gate[:, :, t, :, None].exp() * s
        error = heads_v[:, :, t, None] - key.mT @ s
        s = s + key * (weight[:, :, t, None, None] * error)
        rows.append(scale * (heads_q[:, :, t, None] @ s))
    return torch.cat(rows, 2).transpose(1, 2).to(q.dtype), s


def call(forward_op, name, q, k, v, g, beta, scale, initial, fallback):
    """Returns o and the final state, by the operator or by `expression`. `name` is for errors."""
    reason = tessera.torch_ops.reason_against({"q": q, "k": k, "v": v})
    if reason is None and max(q.shape[3], v.shape[3]) > MOST_COLUMNS:
        reason = f"heads have {q.shape[3]} and {v.shape[3]} columns, of at most {MOST_COLUMNS}"
    if reason is None and (q.shape[3] % 16 or v.shape[3] % 16):
        reason = f"heads have {q.shape[3]} and {v.shape[3]} columns; expected multiples of 16"
    if reason is not None:
        if not fallback:
            raise tessera.ArgumentError(f"no kernel of {name}: {reason}")
        return expression(q, k, v, g, beta, scale, initial)
    g, beta, initial = (x if x is None else x.float().contiguous() for x in (g, beta, initial))
    return forward_op(q, k, v, g, beta, initial, scale)[:2]
