# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that code size and compile time of each operation grow linearly with the tile.

Compiles each operation on a tile, and on a tile of eight times as many elements. The code may grow eight times. Each
line may take the compiler about as long as the lines of other operations."""

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
    "scans": "y[m, n] = cumsum(cumsum(x[m, n], axis = 0), axis = 1, reverse = true);",
    "sums": "let t = x[m, n]; y[m, n] = t - sum(t, axis = 0)[_, :] - sum(t, axis = 1)[:, _];",
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
# The maximum compile time of a line relative to the median, on tiles so large that quadratic growth shows. The
# operations of today take 0.6 to 1.7 times the median. A gather of columns that once took 5 s would take 4 times.
MOST = 3
# Repeats a measurement above the limit once or twice: another program may have run at the same time.
TRIES = 3
SECONDS = 60


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def get_processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compile_kernel(body, rows, columns):
    """Returns the lines of PTX of a kernel on tiles of these extents, and the processor seconds of its compilation."""
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
