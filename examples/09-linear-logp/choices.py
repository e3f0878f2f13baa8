"""Choices of torch_linear_logp.py by the sizes of a call."""

# The rows and words of a tile of linear_logp, and the multiprocessors of an H100 or H200.
ROWS, WORDS, MULTIPROCESSORS = 128, 192, 132


def choose_parts(rows, words, multiprocessors=MULTIPROCESSORS):
    """Returns the number of vocabulary parts that minimises the tiles of the slowest multiprocessor.

    Each part adds a partial result per row, so the smallest number within 1 % of the minimum is chosen."""
    row_tiles, word_tiles = max(-(-rows // ROWS), 1), max(-(-words // WORDS), 1)
    most = min(4 * max(multiprocessors // row_tiles, 8), word_tiles)
    tiles = {parts: -(-row_tiles * parts // multiprocessors) * -(-word_tiles // parts) for parts in range(1, most + 1)}
    return min(parts for parts in tiles if tiles[parts] <= 1.01 * min(tiles.values()))


def choose_stored(rows, words, most):
    """Returns the number of words whose exponentials fit into `most` bytes, at two bytes per row and word.

    Tensor copies need rows of a multiple of 16 bytes, and chunks consist of complete tiles of words. Some words at
    the end may therefore not be stored."""
    stored = min(most // (2 * max(rows, 1)), words)
    return stored - stored % (8 if stored == words else 256)
