"""Launches of the kernels of triton_kernels.py, and their expected results."""

import ctypes
import functools
import hashlib
import json
import os
import pathlib
import subprocess
import sys

import numpy

# Findings of the emulator for kernels in which Triton omits a necessary fence.proxy.async. Up to 3.6, the tensor cores
# read data of cp.async without a fence. In 3.7 copies also write tiles to memory where barriers were initialised.
DEFECTS = {
    "3.6": {name: "missing fence: the tensor cores" for name in
            ("matmul, cp.async", "matmul, 8 warps", "attention", "attention, causal")},
    "3.7": {"matmul, roles": "missing fence: a copy"},
}
HERE = pathlib.Path(__file__).resolve().parent
SWIZZLED = "NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2, transposed=False, " \
    "fp4_padded=False, cga_layout=[])"


@functools.cache
def start_compiler(triton, scratch):
    """Starts one process for all kernels: importing Triton takes longer than compiling a kernel."""
    environment = os.environ | {"PYTHONPATH": str(triton), "PYTHONDONTWRITEBYTECODE": "1",
                                "TRITON_CACHE_DIR": str(scratch / "cache")}
    return subprocess.Popen([sys.executable, HERE / "triton_compile.py"], env=environment, text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def compile_kernel(session, name, signature, constants, **options):
    """Returns the PTX and Triton's metadata; pointers and extents are assumed to be multiples of 16."""
    aligned = [key for key, kind in signature.items() if kind == "i32" or kind.startswith("*")]
    wanted = {"name": name, "signature": signature, "constants": constants, "aligned": aligned,
              "options": options}
    key = hashlib.sha256(json.dumps(wanted).encode()).hexdigest()[:8]
    out = session.scratch / f"{name}-{key}.ptx"
    if not out.exists():
        compiler = start_compiler(session.triton, session.scratch)
        print(json.dumps(wanted | {"out": str(out)}), file=compiler.stdin, flush=True)
        answer = compiler.stdout.readline()
        if answer != "\n":
            why = json.loads(answer) if answer else "it ended"
            raise RuntimeError(f"Triton does not compile {name}:\n{why}")
    metadata = json.loads(out.with_suffix(".json").read_text())
    session.compiler = f"Triton {metadata['version']}"
    return out.read_text(), metadata


def launch(session, compiled, grid, arguments):
    """Launches a kernel; adds the two pointers to scratch memory, which these kernels do not use."""
    ptx, metadata = compiled
    assert metadata["scratch"] == 0 and metadata["ctas"] == 1
    session.launch(ptx, metadata["name"], grid, 32 * metadata["warps"], metadata["shared"],
                   arguments + [session.null, session.null])


def describe_matrix(session, compiled, index, matrix):
    """Returns a tensor map, extents and strides, as Triton passes a host descriptor."""
    meta = compiled[1]["descriptors"][index]
    device = session.driver.encode(session.upload(matrix).value, matrix.shape, meta["block_size"],
                                   meta["elem_size"], meta["elem_type"], meta["swizzle"])
    extents = [ctypes.c_int32(extent) for extent in matrix.shape]
    return [device] + extents + [ctypes.c_int64(matrix.shape[1]), ctypes.c_int64(1)]


def make_operands(session, rows, columns, inner):
    """Returns small integers, so that every sum is exact."""
    a = session.random.integers(-3, 4, (rows, inner)).astype(numpy.float16)
    b = session.random.integers(-3, 4, (inner, columns)).astype(numpy.float16)
    return a, b, (a.astype(numpy.float64) @ b.astype(numpy.float64)).astype(numpy.float16)


def name_tile(tile):
    return dict(zip(("TILE_M", "TILE_N", "TILE_K"), tile))


def run_matmul_pointers(session, extents, tile, **options):
    rows, columns, inner = extents
    signature = dict.fromkeys("abc", "*fp16") | dict.fromkeys(("rows", "columns", "inner"), "i32")
    compiled = compile_kernel(session, "matmul_pointers", signature, name_tile(tile), **options)
    a, b, expected = make_operands(session, rows, columns, inner)
    c = session.allocate(expected)
    launch(session, compiled, (-(-rows // tile[0]), -(-columns // tile[1]), 1),
           [session.upload(a), session.upload(b), c] + [ctypes.c_int32(extent) for extent in extents])
    return session.compare(c, expected, 0)


def get_descriptors(tile, layout=""):
    m, n, k = tile
    shapes = {"a": (m, k), "b": (k, n), "c": (m, n)}
    return {name: f"tensordesc<fp16[{shape[0]}, {shape[1]}]{layout}>" for name, shape in shapes.items()}


def run_matmul_descriptors(session, extents, tile, **options):
    rows, columns, inner = extents
    signature = get_descriptors(tile) | {"inner": "i32"}
    compiled = compile_kernel(session, "matmul_descriptors", signature, name_tile(tile), **options)
    return run_with_descriptors(session, compiled, extents, tile)


def run_matmul_specialized(session, extents, tile, stages):
    signature = get_descriptors(tile, "," + SWIZZLED) | {"inner": "i32"}
    compiled = compile_kernel(session, "matmul_specialized", signature, {"STAGES": stages}, num_warps=4)
    return run_with_descriptors(session, compiled, extents, tile)


def run_with_descriptors(session, compiled, extents, tile):
    rows, columns, inner = extents
    a, b, expected = make_operands(session, rows, columns, inner)
    c = numpy.full_like(expected, numpy.nan)
    arguments = [describe_matrix(session, compiled, index, matrix) for index, matrix in enumerate((a, b, c))]
    launch(session, compiled, (-(-rows // tile[0]), -(-columns // tile[1]), 1),
           sum(arguments, []) + [ctypes.c_int32(inner)])
    return session.compare(session.uploaded[-1], expected, 0)


def run_matmul_roles(session, extents, tile, **options):
    rows, columns, inner = extents
    signature = get_descriptors(tile) | {"c": "*fp16", "columns": "i32", "inner": "i32"}
    compiled = compile_kernel(session, "matmul_roles", signature, name_tile(tile), **options)
    a, b, expected = make_operands(session, rows, columns, inner)
    c = session.allocate(expected)
    arguments = describe_matrix(session, compiled, 0, a) + describe_matrix(session, compiled, 1, b)
    launch(session, compiled, (rows // tile[0], columns // tile[1], 1),
           arguments + [c, ctypes.c_int32(columns), ctypes.c_int32(inner)])
    return session.compare(c, expected, 0)


def run_attention(session, heads, length, causal, tile, **options):
    depth = 64
    scale = depth**-0.5
    signature = dict.fromkeys("qkvo", "*fp16") | {"scale": "fp32", "length": "i32"}
    constants = {"CAUSAL": causal, "TILE_Q": tile[0], "TILE_K": tile[1], "DEPTH": depth}
    compiled = compile_kernel(session, "attention", signature, constants, **options)
    q, k, v = (session.random.uniform(-1, 1, (heads, length, depth)).astype(numpy.float16) for _ in range(3))
    scores = q.astype(numpy.float64) @ k.astype(numpy.float64).transpose(0, 2, 1) * scale
    if causal:
        scores = numpy.where(numpy.tri(length, dtype=bool), scores, -numpy.inf)
    weights = numpy.exp(scores - scores.max(2, keepdims=True))
    expected = weights / weights.sum(2, keepdims=True) @ v.astype(numpy.float64)
    o = session.allocate(q)
    launch(session, compiled, (length // tile[0], heads, 1),
           [session.upload(x) for x in (q, k, v)] + [o, ctypes.c_float(scale), ctypes.c_int32(length)])
    # The weights and the results are rounded to f16, and no value is above 1.
    return session.compare(o, expected, 2 * 2.0**-11, numpy.float16)


def run_softmax(session, rows, columns, width, **options):
    signature = {"x": "*fp32", "y": "*fp32", "columns": "i32"}
    compiled = compile_kernel(session, "softmax", signature, {"WIDTH": width}, **options)
    x = session.random.uniform(-4, 4, (rows, columns)).astype(numpy.float32)
    powers = numpy.exp(x.astype(numpy.float64))
    y = session.allocate(x)
    launch(session, compiled, (rows, 1, 1), [session.upload(x), y, ctypes.c_int32(columns)])
    # Each step has a relative error below 2^-21 (ex2.approx: 2^-22), and no result is above 1.
    return session.compare(y, powers / powers.sum(1, keepdims=True), 2.0**-20, numpy.float32)


def run_layer_norm(session, rows, columns, width, **options):
    signature = dict.fromkeys(("x", "gain", "bias", "y"), "*fp16") | {"columns": "i32", "epsilon": "fp32"}
    compiled = compile_kernel(session, "layer_norm", signature, {"WIDTH": width, "ROWS": 2}, **options)
    x = session.random.uniform(-2, 2, (rows, columns)).astype(numpy.float16)
    gain, bias = session.random.uniform(-1, 1, (2, columns)).astype(numpy.float16)
    wide = x.astype(numpy.float64)
    centred = wide - wide.mean(1, keepdims=True)
    expected = centred / numpy.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * gain + bias
    y = session.allocate(x)
    launch(session, compiled, (rows // 2, 1, 1), [session.upload(part) for part in (x, gain, bias)] +
           [y, ctypes.c_int32(columns), ctypes.c_float(1e-5)])
    # Results are below 4 and rounded to f16.
    return session.compare(y, expected, 4 * 2.0**-11, numpy.float16)


def run_histogram(session, count, bins):
    signature = {"x": "*i32", "bins": "*i32", "count": "i32"}
    compiled = compile_kernel(session, "histogram", signature, {"WIDTH": 256, "BINS": bins}, num_warps=4)
    x = session.random.integers(0, bins, count).astype(numpy.int32)
    counts = session.upload(numpy.zeros(bins, numpy.int32))
    launch(session, compiled, (-(-count // 256), 1, 1), [session.upload(x), counts, ctypes.c_int32(count)])
    return session.compare(counts, numpy.bincount(x, minlength=bins).astype(numpy.int32), 0)


def run_prefix_sums(session, rows, width):
    signature = {"x": "*i32", "y": "*i32"}
    compiled = compile_kernel(session, "prefix_sums", signature, {"WIDTH": width}, num_warps=4)
    x = session.random.integers(-1000, 1000, (rows, width)).astype(numpy.int32)
    expected = numpy.concatenate([numpy.cumsum(x, 1, dtype=numpy.int32), numpy.sort(x, 1)])
    y = session.allocate(expected)
    launch(session, compiled, (rows, 1, 1), [session.upload(x), y])
    return session.compare(y, expected, 0)


def find_defect(folder, name):
    """Returns the known finding for a kernel that this version of Triton has not repaired."""
    has36 = any(folder.glob("triton-3.6.*.dist-info"))
    return DEFECTS["3.7"].get(name) or (DEFECTS["3.6"].get(name, "") if has36 else "")


def get_cases():
    """Returns functions by name that run a case and return its result."""
    few = {"num_warps": 4, "num_stages": 3}
    many = {"num_warps": 8, "num_stages": 4}
    return {
        "matmul, cp.async": lambda s: run_matmul_pointers(s, (160, 96, 128), (128, 64, 32), **few),
        "matmul, 8 warps":
            lambda s: run_matmul_pointers(s, (128, 128, 192), (128, 128, 64), **many),
        "matmul, mma.sync": lambda s: run_matmul_pointers(s, (48, 64, 96), (32, 32, 32), **few),
        "matmul, descriptors": lambda s: run_matmul_descriptors(s, (192, 96, 256), (128, 64, 64), **few),
        "matmul, roles": lambda s: run_matmul_roles(s, (128, 128, 256), (64, 64, 64), **few),
        "matmul, Gluon, two roles": lambda s: run_matmul_specialized(s, (128, 128, 320), (128, 64, 64), 3),
        "attention": lambda s: run_attention(s, 2, 128, False, (64, 64), **few),
        "attention, causal": lambda s: run_attention(s, 1, 192, True, (64, 64), **few),
        "softmax": lambda s: run_softmax(s, 3, 1000, 1024, num_warps=4),
        "layer norm": lambda s: run_layer_norm(s, 4, 480, 512, num_warps=4),
        "histogram, atomics": lambda s: run_histogram(s, 1000, 32),
        "prefix sums and sort": lambda s: run_prefix_sums(s, 2, 128),
    }
