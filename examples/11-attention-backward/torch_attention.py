"""Attention as a torch operator with gradients: binds a backward pass to a kernel.

    o, lse = attention(q, k, v, 0.088, causal=True)
    o.sum().backward()

Shapes as in kernel.tile. Both outputs are differentiable. Each call is one node of a graph of torch.compile, and its
gradients are another node.
"""

import pathlib

import gradient_choices
import tessera
import tessera.torch_ops
import torch

_HERE = pathlib.Path(__file__).resolve().parent
FLASH = tessera.load(_HERE.parent / "07-flash-attention" / "kernel.tile")["flash_fwd"]
_BACKWARD = tessera.load(_HERE / "kernel.tile")
DELTA, GRADIENTS, QUERIES = (_BACKWARD[name] for name in ("attention_delta", "attention_bwd", "attention_dq"))


def run_backward(q, k, v, o, lse, do, dlse, scale, causal):
    """Returns dq, dk and dv by the three kernels of the fast form."""
    rows = gradient_choices.choose_rows(q.shape[3], v.shape[3], q.element_size())
    delta, shift, sums = DELTA(o, do, lse, DK=q.shape[3], BM=rows)
    # d lse / d s is p, so the gradient of lse is added where delta = rowsum(o ∘ do) is subtracted. The rows of delta
    # end with zeros.
    delta[..., :q.shape[2]] -= dlse
    dk, dv = GRADIENTS(q, k, v, do, shift, delta, scale, sums=sums, CAUSAL=causal, BM=rows)
    dq = QUERIES(sums, scale, M=q.shape[2], T=q.dtype, DK=q.shape[3], BM=rows)
    return dq, dk, dv


# The operator has several kernels, so it is declared explicitly.
backward_op = torch.library.custom_op(
    "tessera_examples::attention_backward", run_backward, mutates_args=(),
    schema="(Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse, Tensor do, Tensor dlse, float scale, "
           "bool causal) -> (Tensor, Tensor, Tensor)")


@backward_op.register_fake
def _(q, k, v, o, lse, do, dlse, scale, causal):
    return torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)


def _make(name, causal):
    operator = tessera.torch_ops.register(f"tessera_examples::{name}", FLASH, CAUSAL=causal)

    def save(ctx, inputs, output):
        q, k, v, ctx.scale = inputs
        ctx.save_for_backward(q, k, v, *output)

    def backward(ctx, do, dlse):
        # Kernels take dense tensors, but a gradient may be an expanded scalar.
        dq, dk, dv = backward_op(*ctx.saved_tensors, do.contiguous(), dlse.contiguous(), ctx.scale, causal)
        return dq, dk, dv, None

    operator.register_autograd(backward, setup_context=save)
    return operator


attention_op, causal_attention_op = _make("attention", False), _make("causal_attention", True)


def attention(q, k, v, scale, causal=False):
    """Returns o and the log-sum-exp."""
    return (causal_attention_op if causal else attention_op)(q, k, v, scale)
