// What upstream leaves undefined is reported at the operation, with the program.
// RUN: not tile-run %s --kernel divide --arg n=3 --arg by=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: tile-run %s --kernel divide --arg n=3 --arg by=1
// RUN: not tile-run %s --kernel overflow --arg 'x=randint(-128, -127, 4)' --arg 'y=randint(-1, 0, 4)' 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not tile-run %s --kernel shift --arg x=1 --arg by=32 2>&1 | FileCheck %s --check-prefix=SHIFT
// RUN: not tile-run %s --kernel shift --arg x=1 --arg by=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tile-run %s --kernel power --arg x=0 --arg by=-1 2>&1 | FileCheck %s --check-prefix=POWER

// ZERO: arith-integer-invalid.mlir:[[#@LINE+3]]:8: error: division by zero (operands 0 and 0)
// ZERO: note: in program (i = 0) of kernel 'divide'
tile.kernel @divide(%n: index, %by: index) grid(%i in n) {
  %q = arith.divui %i, %by : index
}

// OVERFLOW: error: signed division overflows (operands -128 and -1)
// OVERFLOW: in the only program of kernel 'overflow'
tile.kernel @overflow(%x: !tile.global<[4] x i8>, %y: !tile.global<[4] x i8>) grid() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %r = tile.range %c0 to %c4 : !tile.range<4>
  %a = tile.load %x[%r] : !tile.global<[4] x i8>, !tile.range<4> -> tensor<4xi8>
  %b = tile.load %y[%r] : !tile.global<[4] x i8>, !tile.range<4> -> tensor<4xi8>
  // The remainder is defined: 0.
  %rem = arith.remsi %a, %b : tensor<4xi8>
  %d = arith.divsi %a, %b : tensor<4xi8>
}

// SHIFT: error: shift by the width of the type or more (operands 1 and 32)
// NEGATIVE: error: shift by the width of the type or more (operands 1 and -1)
tile.kernel @shift(%x: i32, %by: i32) grid() {
  %0 = arith.shli %x, %by : i32
}

// POWER: error: zero raised to a negative power (operands 0 and -1)
tile.kernel @power(%x: i32, %by: i32) grid() {
  %0 = math.ipowi %x, %by : i32
}
