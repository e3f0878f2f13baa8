"""The gated delta rule and its gradients, on arrays of NumPy and tensors of torch.

    o, final, kept = forward(q, k, v, g, beta, scale)
    dq, dk, dv, dg, dbeta, dinitial = backward(q, k, v, beta, kept, do, scale)

Shapes as in kernel.tile. `kept` has the results of delta_chunks, which the gradients need.
"""

import pathlib

import tessera

KERNELS = tessera.load(pathlib.Path(__file__).resolve().parent / "kernel.tile")
CHUNK = 64
# About as many programs as a large GPU has multiprocessors
PROGRAMS = 128


def _tiles(v):
    """Returns the columns of the state that a program has: fewer if wide ones would leave multiprocessors idle."""
    batch, _, heads, columns = v.shape
    widths = [width for width in (64, 32, 16) if columns % width == 0] or [8]
    return {"BV": next((width for width in widths if batch * heads * columns // width >= PROGRAMS), widths[-1])}


def _present(**arguments):
    """Returns the arguments that are not None."""
    return {name: value for name, value in arguments.items() if value is not None}


def forward(q, k, v, g, beta, scale, initial=None):
    """Returns o, the final state, and (c, p, t, w, u)."""
    kept = KERNELS["delta_chunks"](q, k, v, g, beta, scale)
    c, p, _, w, u = kept
    o, final = KERNELS["delta_rule"](q=q, k=k, w=w, u=u, c=c, p=p, scale=scale, **_present(initial=initial),
                                     INITIAL=initial is not None, **_tiles(v))
    return o, final, kept


def backward(q, k, v, beta, kept, do, scale, initial=None, dfinal=None):
    """Returns dq, dk, dv, dg, dbeta and dinitial."""
    c, p, t, w, u = kept
    states, e = KERNELS["delta_rule"](k=k, w=w, u=u, c=c, **_present(initial=initial), INITIAL=initial is not None,
                                      OUTPUTS=False, STATES=True, **_tiles(v))
    de, dstates, dinitial = KERNELS["delta_rule_back"](q, k, w, do, c=c, p=p, scale=scale, **_present(dfinal=dfinal),
                                                       FINAL=dfinal is not None, **_tiles(v))
    gradients = KERNELS["delta_chunks_back"](q, k, v, beta, do, e, de, c, t, states, dstates, scale=scale)
    return (*gradients, dinitial)
