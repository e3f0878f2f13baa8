"""Prepares a configuration of log-probs that stores part of its exponentials, and prints its launches with the
shapes of their arrays; torch is a stub. Usage: stored_launches.py GPU_FOLDER PACKAGES"""

import sys
import types

import numpy as np

sys.path[:0] = [sys.argv[1], sys.argv[1] + "/../python"]
import torch  # noqa: E402

torch.empty = lambda sizes, dtype, device: torch.Tensor(np.zeros(sizes, dtype.numpy))
torch.Tensor.zero_ = lambda tensor: None
torch.OutOfMemoryError = MemoryError
torch.cuda.current_stream = lambda: types.SimpleNamespace(cuda_stream=0)
sys.modules["timing"] = types.ModuleType("timing")

import families  # noqa: E402
import tables  # noqa: E402
import tessera  # noqa: E402
from measure import bench_run  # noqa: E402

torch.DTYPES[np.dtype("i2")] = torch.bfloat16
launch = tessera.Launch.__call__


def note(step, stream=None):
    print(step.kernel.name, *(list(tensor.shape) for tensor in step._tensors))
    launch(step, stream)


tessera.Launch.__call__ = note
shape = next(shape for shape in families.load_shapes() if shape.id == "logp-training 4096x2048x32000 bf16")
index = tables.Index(sys.argv[2])
configuration = next(configuration for configuration in tables.find_configurations(shape)
                     if configuration.name == "128x192x64 in 4 stored 16384")
h, w, dw = (torch.empty((count, shape.D), torch.bfloat16, "cuda") for count in (shape.N, shape.V, shape.V))
target = torch.empty((shape.N,), torch.int32, "cuda")
inputs = {"h": h, "w": w, "dw": dw, "target": target, "dlogp": torch.empty((shape.N,), torch.float32, "cuda"),
          "words": shape.V, "first": 0, "ignore": -100, "ignored": 0.0, "V": shape.V}
problem = types.SimpleNamespace(inputs=inputs, expected=dict.fromkeys(("logp", "dh", "dw")))
bench_run.Launches(index, configuration, shape, problem, {})()
