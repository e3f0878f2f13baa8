"""What the functions of torch_linear_logp.py choose from the sizes of a call."""

# The rows and words of a tile of linear_logp, and the multiprocessors of an H100 or H200.
ROWS, WORDS, MULTIPROCESSORS = 128, 192, 132


def choose_parts(rows, words, multiprocessors=MULTIPROCESSORS):
    """The number of parts of the vocabulary with which programs fill whole waves of multiprocessors. Of numbers
    that fill them about as well, the least is chosen: each part is a partial result for each row."""
    tiles = max(-(-rows // ROWS), 1)
    most = max(min(max(multiprocessors // tiles, 8), words // WORDS), 1)
    fill = {parts: tiles * parts / (-(-tiles * parts // multiprocessors) * multiprocessors)
            for parts in range(1, most + 1)}
    return min(parts for parts in fill if fill[parts] >= 0.97 * max(fill.values()))


def choose_stored(rows, words, most):
    """The number of words whose exponentials fit into `most` bytes, two for each row and word. Tensor copies need
    rows of a multiple of 16 bytes, and chunks are whole tiles of words, so some words at the end may not be stored."""
    stored = min(most // (2 * max(rows, 1)), words)
    return stored - stored % (8 if stored == words else 256)
