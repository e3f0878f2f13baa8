"""Choices of torch_attention.py by the sizes of a call."""


def choose(keys, values, bytes_of_element, causal):
    """Returns the fastest block of query rows and schedule parameters for long sequences with heads of `keys` and
    `values`."""
    if keys != values or bytes_of_element != 2:
        return 64, {}
    if keys == 64:
        return 128, {} if causal else {"ORDER": 4}
    return 64, {"EXCHANGE": 2, "ORDER": 1} if keys == 128 else {}
