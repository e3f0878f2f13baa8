"""Kimi delta attention and its gradients, on arrays of NumPy and tensors of torch.

    o, final, kept = forward(q, k, v, g, beta, scale)
    dq, dk, dv, dg, dbeta, dinitial = backward(q, k, v, g, beta, kept, do, scale)

Shapes as in kernel.tile. `kept` has the results of kda_chunks, which the gradients need.
"""

import pathlib
import sys

import tessera

_HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(_HERE.parent / "16-gated-delta-rule"))
from delta_calls import present  # noqa: E402

KERNELS = tessera.load(_HERE / "kernel.tile")


def forward(q, k, v, g, beta, scale, initial=None):
    """Returns o, the final state, and (a, kk, p, t, w, u, qs, ke)."""
    kept = KERNELS["kda_chunks"](q, k, v, g, beta, scale)
    a, _, p, _, w, u, qs, ke = kept
    o, final = KERNELS["kda"](qs=qs, ke=ke, w=w, u=u, p=p, a=a, beta=beta, **present(initial=initial),
                              INITIAL=initial is not None)
    return o, final, kept


def backward(q, k, v, g, beta, kept, do, scale, initial=None, dfinal=None):
    """Returns dq, dk, dv, dg, dbeta and dinitial."""
    a, kk, p, t, w, u, qs, ke = kept
    states, r = KERNELS["kda"](ke=ke, w=w, u=u, a=a, beta=beta, **present(initial=initial),
                               INITIAL=initial is not None, OUTPUTS=False, STATES=True)
    de, dstates, dinitial = KERNELS["kda_back"](qs=qs, ke=ke, w=w, p=p, do=do, a=a, beta=beta,
                                                **present(dfinal=dfinal), FINAL=dfinal is not None)
    dv, dbeta, same, dp, dkk = KERNELS["kda_values_back"](beta, do, r, de, t, kk, scale)
    dq, dk, dg = KERNELS["kda_chunks_back"](q, k, g, beta, do, r, dv, dp, dkk, same, states, dstates, scale)
    return dq, dk, dv, dg, dbeta, dinitial
