# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles each operation on a tile, and on one of eight times as many elements: the code may grow eight times,
and the compiler takes seconds of one processor at most."""

import pathlib
import resource
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
# The gather of columns took 5 s before, the scans more than a minute.
SECONDS = 4


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def count_lines(body, rows, columns):
    """The lines of PTX of a kernel on tiles of these extents."""
    source, ptx = FOLDER / "kernel.tile", FOLDER / "kernel.ptx"
    source.write_text(f"kernel k({PARAMETERS}) grid (m in tiles(M, {rows}), n in tiles(N, {columns})) {{ {body} }}\n")
    subprocess.run(["tilec", source, "--emit=ptx", "-o", ptx], check=True, preexec_fn=limit)
    return len(ptx.read_text().splitlines())


for name, body in BODIES.items():
    small, large = count_lines(body, 128, 128), count_lines(body, 256, 512)
    print(f"{name}: {'linear' if large <= 8.5 * small else f'{small} lines, then {large}'}")
