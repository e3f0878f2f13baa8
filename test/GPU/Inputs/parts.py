"""Usage: parts.py PYTHON_FOLDER"""

import sys

sys.path.insert(0, sys.argv[1])
from tessera.tune import workers  # noqa: E402


def run_part(items):
    for item in items:
        if item == 4:
            raise ValueError("no fours")
        yield item * 10


print(sorted(workers.run_parallel(run_part, list(range(9)), 3)))
