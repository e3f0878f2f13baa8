"""The gated delta rule and its gradients, on arrays of NumPy and tensors of torch.

    o, final, kept = forward(q, k, v, g, beta, scale)
    dq, dk, dv, dg, dbeta, dinitial = backward(q, k, v, beta, kept, do, scale)

Shapes as in kernel.tile. `kept` has the results of delta_chunks, which the gradients need.
"""

import pathlib
import sys

import tessera

_HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(_HERE))
from delta_calls import present  # noqa: E402

KERNELS = tessera.load(_HERE / "kernel.tile")


def forward(q, k, v, g, beta, scale, initial=None):
    """Returns o, the final state, and (c, p, t, w, u)."""
    kept = KERNELS["delta_chunks"](q, k, v, g, beta, scale)
    c, p, _, w, u = kept
    o, final = KERNELS["delta_rule"](q=q, k=k, w=w, u=u, c=c, p=p, scale=scale, **present(initial=initial),
                                     INITIAL=initial is not None)
    return o, final, kept


def backward(q, k, v, beta, kept, do, scale, initial=None, dfinal=None):
    """Returns dq, dk, dv, dg, dbeta and dinitial."""
    c, p, t, w, u = kept
    states, e = KERNELS["delta_rule"](k=k, w=w, u=u, c=c, **present(initial=initial), INITIAL=initial is not None,
                                      OUTPUTS=False, STATES=True)
    de, dstates, dinitial = KERNELS["delta_rule_back"](q, k, w, do, c=c, p=p, scale=scale, **present(dfinal=dfinal),
                                                       FINAL=dfinal is not None)
    gradients = KERNELS["delta_chunks_back"](q, k, v, beta, do, e, de, c, t, states, dstates, scale=scale)
    return (*gradients, dinitial)
