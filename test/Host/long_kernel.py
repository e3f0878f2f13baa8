"""Prints a kernel that adds 1 to a tile N times. Usage: long_kernel.py N"""

import sys

TENSOR, RANGE, TILE = "!tile.global<[8] x f32, inout>", "!tile.range<8>", "tensor<8xf32>"
COUNT = int(sys.argv[1])

print(f"""tile.kernel @long(%x: {TENSOR}) grid() {{
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant dense<1.0> : {TILE}
  %r = tile.range %c0 to %c8 : {RANGE}
  %t0 = tile.load %x[%r] : {TENSOR}, {RANGE} -> {TILE}""")
for number in range(COUNT):
    print(f"  %t{number + 1} = arith.addf %t{number}, %one : {TILE}")
print(f"  tile.store %t{COUNT} to %x[%r] : {TILE}, {TENSOR}, {RANGE}\n}}")
