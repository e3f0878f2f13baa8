"""Prints a kernel of N groups of statements, and as many in a loop. Usage: long_kernel.py N

The groups change a tile and a scalar, in branches and loops.
"""

import sys

COUNT = int(sys.argv[1])
GROUP = """
t = t * 0.5 + x[m, c];
k = k + 1;
if k % 4 == 1 {
  t = t - sum(t, axis = 1)[:, _] * 0.01;
  k = k + STEP;
}
for i in range(0, k % 3) {
  t = t * 0.75 + (i * STEP) as f32;
  k = k + i;
}"""


def repeat(step, indent):
    return (GROUP * COUNT).replace("STEP", step).replace("\n", "\n" + indent)


print(f"""kernel long(x: f32[M, 64], first: int, out y: f32[M, 64], out last: i32[M]) grid (m in tiles(M, 8)) {{
  let c = tile(0, 64, 64);
  var t = x[m, c];
  var k = first;
  let step = first % 5;{repeat("step", "  ")}
  for j in range(1, 4) {{{repeat("j", "    ")}
  }}
  y[m, c] = t;
  last[m] = full(i32[8], k as i32);
}}""")
