"""The gated delta rule with gradients by q, k, v, the gates, beta and the initial state, as a function of torch.

    o, final = gated_delta_rule(q, k, v, g, beta, 0.088)
    o, final = gated_delta_rule(q, k, v, g, beta, 0.088, initial=state)
    o.sum().backward()

Shapes as in kernel.tile. Inputs that the kernels do not support go to `expression`, which computes the same step by
step in torch.
"""

import pathlib
import sys

import torch

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
import delta_operators  # noqa: E402
import gated_delta_rule as arrays  # noqa: E402
from delta_calls import CHUNK  # noqa: E402
from delta_operators import expression  # noqa: E402, F401


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
    chunks = (batch, heads, (length + CHUNK - 1) // CHUNK, CHUNK)
    state = q.new_empty((batch, heads, columns, v.shape[3]), dtype=torch.float32)
    p, t = (q.new_empty((*chunks, CHUNK)) for _ in range(2))
    return torch.empty_like(v), state, g.new_empty(chunks), p, t, torch.empty_like(k), torch.empty_like(v)


@backward_op.register_fake
def _(q, k, v, beta, initial, kept, do, dfinal, scale):
    state = beta.new_empty((q.shape[0], q.shape[2], q.shape[3], v.shape[3]))
    return *map(torch.empty_like, (q, k, v, beta, beta)), state


delta_operators.bind_gradients(forward_op, backward_op, needs_gates=False)


def gated_delta_rule(q, k, v, g, beta, scale, initial=None, fallback=True):
    """Returns o and the final state.

    With fallback=False, inputs that the kernels do not support raise an ArgumentError."""
    return delta_operators.call(forward_op, "the gated delta rule", q, k, v, g, beta, scale, initial, fallback)
