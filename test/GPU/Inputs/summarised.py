"""Prints the rows of several runs that summary.py counts. Usage: summarised.py GPU_FOLDER"""

import sys

sys.path.insert(0, sys.argv[1])
from measure import rates  # noqa: E402
import summary  # noqa: E402


def run(date, **ratios):
    return {"date": date, "rows": [{"shape": shape, "ours": {"ms": 1.0}, "peers": [{"ms": ratio}]}
                                   for shape, ratio in ratios.items()]}


rows = summary.newest_rows([run("2026-01-02", once=3.0, twice=2.0, again=9.0),
                            run("2026-01-02", twice=1.5), run("2026-01-04", again=1.0)])
print({shape: rates.ratio(row) for shape, row in rows.items()})
