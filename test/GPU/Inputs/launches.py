"""Prepares the configurations of a shape and prints the launches of each with their arrays. Usage: launches.py
GPU_FOLDER PACKAGES SHAPE

Missing parts of the torch stub are defined here."""

import dataclasses
import sys
import types

import numpy as np

sys.path[:0] = [sys.argv[1], sys.argv[1] + "/../python"]
import torch  # noqa: E402


def zero(tensor):
    launched.append(["zero", list(tensor.shape)])


torch.empty = lambda sizes, dtype, device: torch.Tensor(np.zeros(sizes, dtype.numpy))
torch.Tensor.zero_ = zero
torch.OutOfMemoryError = MemoryError
torch.cuda.current_stream = lambda: types.SimpleNamespace(cuda_stream=0)
sys.modules["timing"] = types.ModuleType("timing")

from measure import bench_run  # noqa: E402
import families  # noqa: E402
import tables  # noqa: E402
import tessera  # noqa: E402

torch.DTYPES[np.dtype("i2")] = torch.bfloat16
shape = next(shape for shape in families.load_shapes() if shape.id == sys.argv[3])
a, b = (torch.empty(sizes, torch.bfloat16, "cuda")
        for sizes in ((shape.K, shape.M), (shape.K, shape.N)))
problem = types.SimpleNamespace(inputs={"a": a, "b": b}, expected={"c": None})
launched, pool = [], {}
launch = tessera.Launch.__call__


def note(step, stream=None):
    launched.append([step.kernel.name, *(list(tensor.shape) for tensor in step._tensors)])
    launch(step, stream)


def show(configuration):
    launched.clear()
    try:
        launches = bench_run.Launches(index, configuration, shape, problem, pool)
    except ValueError as error:
        print(f"{configuration.name}: {error}")
        return
    launches()
    assert list(launches.results) == ["c"] and launches.results["c"].shape == (shape.M, shape.N)
    print(f"{configuration.name}: {launched}")


tessera.Launch.__call__ = note
index = tables.Index(sys.argv[2])
configurations = index.configurations(shape)
for configuration in configurations:
    show(configuration)
# A single kernel lacks the outputs of the other launches. An array that a kernel adds to starts from zeros.
split = next(configuration for configuration in configurations if not configuration.kernel)
show(dataclasses.replace(split, name="alone", kernels=("split_k_sum",)))
choices = {**dict(split.choices), "BN": 128, "S": 4, "ordered": False}
problem.inputs["a"] = torch.empty((shape.M, shape.K), torch.bfloat16, "cuda")
show(dataclasses.replace(split, name="added", choices=tuple(choices.items())))
