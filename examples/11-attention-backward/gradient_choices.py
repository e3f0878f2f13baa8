"""What the functions of torch_attention.py choose from the sizes of a call."""


def choose(keys, values, bytes_of_element, causal):
    """The rows of a block of queries, and parameters of the schedule, that were the fastest for long sequences with
    heads of `keys` and `values`."""
    if keys != values or bytes_of_element != 2:
        return 64, {}
    if keys == 64:
        return 128, {"EXCHANGE": 1 if causal else 2}
    return 64, {"EXCHANGE": 2, "LATE": not causal} if keys == 128 else {}
