"""Choices of torch_attention.py by the sizes of a call."""


def choose(keys, values, bytes_of_element):
    """Returns the fastest block of query rows and schedule parameters for long sequences with heads of `keys` and
    `values`."""
    if keys != values or bytes_of_element != 2 or keys not in (64, 128):
        return 64, {}
    return 128 if keys == 64 else 64, {"EXCHANGE": 2}
