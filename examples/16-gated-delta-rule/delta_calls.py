"""Arguments of the kernels of the gated delta rule and of 17-kimi-delta-attention."""

CHUNK = 64


def present(**arguments):
    """Returns the arguments that are not None."""
    return {name: value for name, value in arguments.items() if value is not None}
