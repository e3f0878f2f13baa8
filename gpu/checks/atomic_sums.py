"""Detects whether a kernel adds floats to memory in an order that may differ between runs.

Reads the PTX of the package, whatever its source: `red`, `atom` and `cp.reduce.async.bulk` with `.add` on floats.
See the PTX ISA, "Parallel Synchronization and Communication Instructions" and "Data Movement and Conversion
Instructions".
"""

import re

ATOMIC_SUM = re.compile(rb"^\s*(?:@%?!?\w+\s+)?(?:red|atom|cp\.reduce)\.[\w.:]*\badd\b[\w.:]*", re.MULTILINE)
FLOAT = re.compile(rb"\.(?:f16|f16x2|bf16|bf16x2|f32|f64)\b")
TENSOR = re.compile(rb"^\s*(?:@%?!?\w+\s+)?cp\.reduce\.async\.bulk\.tensor")


def has_atomic_sums(package):
    """Whether the package, in bytes, has such a sum.

    Copies by tensor maps do not name their type; our kernels add only floats with them."""
    return any(FLOAT.search(found) or TENSOR.search(found) for found in ATOMIC_SUM.findall(package))
