"""Arguments of the kernels of the gated delta rule and of 17-kimi-delta-attention."""

CHUNK = 64
# About as many programs as a large GPU has multiprocessors
PROGRAMS = 128


def choose_tiles(v):
    """Returns the columns of the state that a program has: fewer if wide ones would leave multiprocessors idle."""
    batch, _, heads, columns = v.shape
    widths = [width for width in (64, 32, 16) if columns % width == 0] or [8]
    return {"BV": next((width for width in widths if batch * heads * columns // width >= PROGRAMS), widths[-1])}


def present(**arguments):
    """Returns the arguments that are not None."""
    return {name: value for name, value in arguments.items() if value is not None}
