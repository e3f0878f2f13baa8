"""Launches of the kernels of nvcc_kernels.cu, and their expected results."""

import ctypes
import pathlib
import re
import subprocess

import numpy

HERE = pathlib.Path(__file__).resolve().parent


def compile_kernels(session):
    """Compiles the one source of all kernels."""
    out = session.scratch / "nvcc_kernels.ptx"
    if not out.exists():
        options = ["-arch=sm_90a", "-std=c++17", "-ptx"]
        subprocess.run([session.nvcc, *options, "-o", out, HERE / "nvcc_kernels.cu"], check=True)
    ptx = out.read_text()
    version = re.search(r"Cuda compilation tools, release ([\d.]+)", ptx)
    session.compiler = f"nvcc {version.group(1)}" if version else "nvcc"
    return ptx


def run_ring(session, blocks, pieces):
    ptx = compile_kernels(session)
    x, y = session.random.integers(-9, 9, (2, blocks * pieces * 128)).astype(numpy.float32)
    to = session.upload(y)
    session.launch(ptx, "ring", (blocks, 1, 1), 160, 0,
                   [session.upload(x), to, ctypes.c_float(3), ctypes.c_int32(pieces)])
    return session.compare(to, 3 * x + y, 0)


def run_transpose(session, rows, columns):
    ptx = compile_kernels(session)
    x = session.random.uniform(-1, 1, (rows, columns)).astype(numpy.float32)
    y = numpy.full((columns, rows), numpy.nan, numpy.float32)
    addresses = [session.upload(part).value for part in (x, y)]
    maps = [session.driver.encode(address, part.shape, (32, 32), 4, 7, 0)
            for address, part in zip(addresses, (x, y))]
    session.launch(ptx, "transpose", (columns // 32, rows // 32, 1), 128, 0, maps)
    return session.compare(session.uploaded[-1], x.T, 0)


def run_block_sum(session, blocks, count):
    ptx = compile_kernels(session)
    x = session.random.integers(-9, 40, count).astype(numpy.float32)
    threads = blocks * 128
    are_positive = [bool((x[i::threads] > 0).all()) for i in range(threads)]
    total = session.upload(numpy.zeros(1, numpy.float32))
    positive = session.upload(numpy.zeros(1, numpy.int32))
    session.launch(ptx, "blockSum", (blocks, 1, 1), 128, 0,
                   [session.upload(x), ctypes.c_int32(count), total, positive])
    return session.compare(positive, numpy.array([sum(are_positive)], numpy.int32), 0) and \
        session.compare(total, numpy.array([x.sum(dtype=numpy.float64)], numpy.float32), 0)


def run_local_sort(session, blocks):
    ptx = compile_kernels(session)
    threads = blocks * 64
    x = numpy.array([session.random.permutation(8) for _ in range(threads)], numpy.int32)
    # The numbers of each thread are contiguous, so a walk from the first one sums them in order.
    expected = numpy.cumsum((x[:, :1] + numpy.arange(8)) % 8, 1, dtype=numpy.int32)
    y = session.allocate(expected)
    session.launch(ptx, "localSort", (blocks, 1, 1), 64, 0, [session.upload(x), y])
    return session.compare(y, expected, 0)


def halve(x, limit):
    steps = 0
    while steps < limit and x > 1:
        x, steps = x / 2, steps + 1
    return x, steps


def run_call_function(session, blocks):
    ptx = compile_kernels(session)
    threads = blocks * 64
    x = (2.0 ** session.random.integers(-1, 25, threads) * 1.5).astype(numpy.float32)
    pairs = [(0, 0) if i % 3 == 0 else halve(x[i], 20 + i % 3) for i in range(threads)]
    quotients = session.upload(numpy.zeros(threads, numpy.float32))
    steps = session.upload(numpy.zeros(threads, numpy.int32))
    session.launch(ptx, "callFunction", (blocks, 1, 1), 64, 0, [session.upload(x), quotients, steps])
    return session.compare(quotients, numpy.array([pair[0] for pair in pairs], numpy.float32), 0) and \
        session.compare(steps, numpy.array([pair[1] for pair in pairs], numpy.int32), 0)


def run_cluster_sum(session, clusters):
    ptx = compile_kernels(session)
    x = session.random.integers(-99, 99, (clusters, 2 * 96)).astype(numpy.int32)
    y = session.allocate(x)
    session.launch(ptx, "clusterSum", (2 * clusters, 1, 1), 96, 0, [session.upload(x), y])
    return session.compare(y, numpy.broadcast_to(x.sum(1, keepdims=True, dtype=numpy.int32), x.shape), 0)


def run_report(session):
    session.launch(compile_kernels(session), "report", (1, 1, 1), 32, 0, [session.upload(numpy.arange(32))])
    return True


def find_defect(nvcc, name):
    return "call of 'vprintf', which the module does not define" if name == "print" else ""


def get_cases():
    return {
        "ring of bulk copies": lambda s: run_ring(s, 2, 9),
        "transpose by tensor copies": lambda s: run_transpose(s, 64, 96),
        "sum by shuffles and atomics": lambda s: run_block_sum(s, 2, 1000),
        "array in local memory": lambda s: run_local_sort(s, 2),
        "call of a function": lambda s: run_call_function(s, 2),
        "sum of a cluster": lambda s: run_cluster_sum(s, 2),
        "print": run_report,
    }
