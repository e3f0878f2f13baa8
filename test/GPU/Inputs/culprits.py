"""Usage: culprits.py GPU_FOLDER"""

import sys

sys.path.insert(0, sys.argv[1])
import bench  # noqa: E402

lost = {}
item = {"shape": "s", "excluded": {}, "lost": lost}
item = bench.without_culprit(item, {"about": "a", "error": "dead"})
print(item)
item = bench.without_culprit(item, {"about": "timing of b, c", "error": "dead"})
print(item)
print(bench.without_culprit(item, {"about": "timing of b, c", "error": "dead"}))
item = bench.without_culprit(item, {"about": "peer cuDNN", "error": "slow"})
print(item, lost)
print(bench.without_culprit(item, {"about": "timing of peer cuDNN", "error": "dead"}))
print(bench.without_culprit(item, {"about": None, "error": "dead"}))
