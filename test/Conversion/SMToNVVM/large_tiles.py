# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles each operation on a tile, and on one of eight times as many elements: the code may grow eight times,
and each line of it takes the compiler about as long as one of the others does."""

import pathlib
import resource
import statistics
import subprocess
import sys

FOLDER = pathlib.Path(sys.argv[1])
PARAMETERS = ("x: f32[M, N], z: f32[N, M], rows: i32[M], columns: i32[N], h: bf16[M, 64], g: bf16[64, N], v: f32[M], "
              "out y: f32[M, N], inout a: f32[M, N]")
BODIES = {
    "copy": "y[m, n] = x[m, n];",
    "moved": "y[m, n] = x[3 + m, n];",
    "erf": "y[m, n] = erf(x[m, n]);",
    "scans": "y[m, n] = cumsum(cumsum(x[m, n], 0), 1, reverse = true);",
    "sums": "let t = x[m, n]; y[m, n] = t - sum(t, 0)[_, :] - sum(t, 1)[:, _];",
    "transposed": "y[m, n] = z[n, m].T + x[m, n];",
    "gathered_rows": "y[m, n] = x[rows[m], n];",
    "gathered_columns": "y[m, n] = x[m, columns[n]];",
    "scattered": "y[m, columns[n]] = x[m, n];",
    "added": "atomic_add(a[m, n], x[m, n]);",
    "masked": "y[m, n] = where(m.index[:, _] >= n.index[_, :], x[m, n], 0.0);",
    "converted": "y[m, n] = (x[m, n] as f8e4m3) as f32;",
    "repeated": "y[m, n] = v[m][:, _] * x[m, n];",
    "product": "y[m, n] = h[m, :] @ g[:, n];",
}
# How many times as long as the median a line of an operation may take, on tiles so large that what is quadratic shows:
# those of today take 0.6 to 1.7 times, and those of a gather of columns that once took 5 s would take 4.
MOST = 3
# One more, or two, where a measurement is above that: another program may have run beside it.
TRIES = 3
SECONDS = 60


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def get_processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compile_kernel(body, rows, columns):
    """The lines of PTX of a kernel on tiles of these extents, and the seconds of a processor for it."""
    source, ptx = FOLDER / "kernel.tile", FOLDER / "kernel.ptx"
    source.write_text(f"kernel k({PARAMETERS}) grid (m in tiles(M, {rows}), n in tiles(N, {columns})) {{ {body} }}\n")
    start = get_processor_seconds()
    subprocess.run(["tilec", source, "--emit=ptx", "-o", ptx], check=True, preexec_fn=limit)
    return len(ptx.read_text().splitlines()), get_processor_seconds() - start


_, fixed = compile_kernel("y[m, n] = 0.0;", 8, 8)
compiled = {name: compile_kernel(body, 256, 512) for name, body in BODIES.items()}
median = statistics.median((seconds - fixed) / lines for lines, seconds in compiled.values())
for name, (large, seconds) in compiled.items():
    small, _ = compile_kernel(BODIES[name], 128, 128)
    for _ in range(TRIES - 1):
        if (seconds - fixed) / large > MOST * median:
            seconds = min(seconds, compile_kernel(BODIES[name], 256, 512)[1])
    share = (seconds - fixed) / large / median
    if large > 8.5 * small:
        print(f"{name}: {small} lines, then {large}")
    elif share > MOST:
        print(f"{name}: a line takes {share:.1f} times as long as others")
    else:
        print(f"{name}: linear ({share:.1f})")
