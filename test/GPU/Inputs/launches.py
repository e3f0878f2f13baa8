"""Usage: launches.py GPU_FOLDER PACKAGES SHAPE. Prepares the configurations of a shape and says what
each launches with which arrays; the part of torch that is missing stands here."""

import sys
import types

import numpy as np

sys.path[:0] = [sys.argv[1], sys.argv[1] + "/../python"]
import torch  # noqa: E402

torch.empty = lambda sizes, dtype, device: torch.Tensor(np.zeros(sizes, dtype.numpy))
torch.OutOfMemoryError = MemoryError
torch.cuda.current_stream = lambda: types.SimpleNamespace(cuda_stream=0)
sys.modules["torch.nn"] = types.ModuleType("torch.nn")
sys.modules["torch.nn.attention"] = types.SimpleNamespace(SDPBackend=None, sdpa_kernel=None)
sys.modules["timing"] = types.ModuleType("timing")

import bench_run  # noqa: E402
import shapes  # noqa: E402
import tables  # noqa: E402
import tessera  # noqa: E402

torch.DTYPES[np.dtype("i2")] = torch.bfloat16
shape = next(shape for shape in shapes.load_shapes() if shape.id == sys.argv[3])
a, b, c = (torch.empty(sizes, torch.bfloat16, "cuda")
           for sizes in ((shape.K, shape.M), (shape.K, shape.N), (shape.M, shape.N)))
problem = types.SimpleNamespace(arguments=lambda: {"a": a, "b": b, "c": c})
launched = []
launch = tessera.Launch.__call__


def note(step, stream=None):
    launched.append([step.kernel.name, *(list(tensor.shape) for tensor in step._tensors)])
    launch(step, stream)


tessera.Launch.__call__ = note
bench_run.check_result = lambda launch, problem, shape: launch()
index = tables.Index(sys.argv[2])
for configuration in index.configurations(shape):
    launched.clear()
    bench_run.prepare(index, configuration, problem, shape)
    print(f"{configuration.name}: {launched}")
