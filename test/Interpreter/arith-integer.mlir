// Integers wrap at their width; division and remainder by sign; shifts.
// RUN: tile-run %s --kernel wrap --print y --print z | FileCheck %s --check-prefix=WRAP
// RUN: tile-run %s --kernel divide --print floor --print ceil --print trunc --print rem --print unsigned | FileCheck %s --check-prefix=DIVIDE
// RUN: tile-run %s --kernel shift --print left --print arithmetic --print logical | FileCheck %s --check-prefix=SHIFT
// RUN: tile-run %s --kernel compare --print y | FileCheck %s --check-prefix=COMPARE
// RUN: tile-run %s --kernel minmax --print y | FileCheck %s --check-prefix=MINMAX
// RUN: tile-run %s --kernel extended --print low --print high --print carry | FileCheck %s --check-prefix=EXTENDED

// WRAP: y = [-128, 0, -2]
// WRAP: z = [-2147483648, 1, 1]
tile.kernel @wrap(%y: !tile.global<[3] x i8, out>, %z: !tile.global<[3] x i32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %r = tile.range %c0 to %c3 : !tile.range<3>
  %a = arith.constant dense<[127, -128, 127]> : tensor<3xi8>
  %b = arith.constant dense<[1, -128, 127]> : tensor<3xi8>
  %s = arith.addi %a, %b : tensor<3xi8>
  tile.store %s to %y[%r] : tensor<3xi8>, !tile.global<[3] x i8, out>, !tile.range<3>
  %c = arith.constant dense<[-2147483648, 2147483647, -1]> : tensor<3xi32>
  %d = arith.constant dense<[-1, 2147483647, -1]> : tensor<3xi32>
  %p = arith.muli %c, %d : tensor<3xi32>
  tile.store %p to %z[%r] : tensor<3xi32>, !tile.global<[3] x i32, out>, !tile.range<3>
}

// DIVIDE: floor = [3, -4, -4, 3]
// DIVIDE: ceil = [4, -3, -3, 4]
// DIVIDE: trunc = [3, -3, -3, 3]
// DIVIDE: rem = [1, -1, 1, -1]
// DIVIDE: unsigned = [3, 124, 0, 0]
tile.kernel @divide(%floor: !tile.global<[4] x i8, out>, %ceil: !tile.global<[4] x i8, out>,
                    %trunc: !tile.global<[4] x i8, out>, %rem: !tile.global<[4] x i8, out>,
                    %unsigned: !tile.global<[4] x i8, out>) grid() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %r = tile.range %c0 to %c4 : !tile.range<4>
  %a = arith.constant dense<[7, -7, 7, -7]> : tensor<4xi8>
  %b = arith.constant dense<[2, 2, -2, -2]> : tensor<4xi8>
  %0 = arith.floordivsi %a, %b : tensor<4xi8>
  tile.store %0 to %floor[%r] : tensor<4xi8>, !tile.global<[4] x i8, out>, !tile.range<4>
  %1 = arith.ceildivsi %a, %b : tensor<4xi8>
  tile.store %1 to %ceil[%r] : tensor<4xi8>, !tile.global<[4] x i8, out>, !tile.range<4>
  %2 = arith.divsi %a, %b : tensor<4xi8>
  tile.store %2 to %trunc[%r] : tensor<4xi8>, !tile.global<[4] x i8, out>, !tile.range<4>
  %3 = arith.remsi %a, %b : tensor<4xi8>
  tile.store %3 to %rem[%r] : tensor<4xi8>, !tile.global<[4] x i8, out>, !tile.range<4>
  %4 = arith.divui %a, %b : tensor<4xi8>
  tile.store %4 to %unsigned[%r] : tensor<4xi8>, !tile.global<[4] x i8, out>, !tile.range<4>
}

// SHIFT: left = [-128, 2]
// SHIFT: arithmetic = [-1, 0]
// SHIFT: logical = [1, 0]
tile.kernel @shift(%left: !tile.global<[2] x i8, out>, %arithmetic: !tile.global<[2] x i8, out>,
                   %logical: !tile.global<[2] x i8, out>) grid() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %r = tile.range %c0 to %c2 : !tile.range<2>
  %a = arith.constant dense<[-1, 1]> : tensor<2xi8>
  %b = arith.constant dense<[7, 1]> : tensor<2xi8>
  %0 = arith.shli %a, %b : tensor<2xi8>
  tile.store %0 to %left[%r] : tensor<2xi8>, !tile.global<[2] x i8, out>, !tile.range<2>
  %1 = arith.shrsi %a, %b : tensor<2xi8>
  tile.store %1 to %arithmetic[%r] : tensor<2xi8>, !tile.global<[2] x i8, out>, !tile.range<2>
  %2 = arith.shrui %a, %b : tensor<2xi8>
  tile.store %2 to %logical[%r] : tensor<2xi8>, !tile.global<[2] x i8, out>, !tile.range<2>
}

// Signed less, unsigned less, and the same on i1, where true is -1 signed.
// COMPARE: y = [1, 0, 1, 0]
tile.kernel @compare(%y: !tile.global<[4] x i1, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %m1 = arith.constant -1 : i32
  %p1 = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %0 = arith.cmpi slt, %m1, %p1 : i32
  %1 = arith.cmpi ult, %m1, %p1 : i32
  %2 = arith.cmpi slt, %true, %false : i1
  %3 = arith.cmpi ult, %true, %false : i1
  tile.store %0 to %y[%c0] : i1, !tile.global<[4] x i1, out>, index
  tile.store %1 to %y[%c1] : i1, !tile.global<[4] x i1, out>, index
  tile.store %2 to %y[%c2] : i1, !tile.global<[4] x i1, out>, index
  tile.store %3 to %y[%c3] : i1, !tile.global<[4] x i1, out>, index
}

// MINMAX: y = {{\[}}[3, 5],
// MINMAX-NEXT: [-2, 5],
// MINMAX-NEXT: [-2, 5],
// MINMAX-NEXT: [3, 5]]
tile.kernel @minmax(%y: !tile.global<[4, 2] x i64, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r = tile.range %c0 to %c2 : !tile.range<2>
  %a = arith.constant dense<[-2, 5]> : tensor<2xi64>
  %b = arith.constant dense<[3, 5]> : tensor<2xi64>
  %0 = arith.maxsi %a, %b : tensor<2xi64>
  %1 = arith.minsi %a, %b : tensor<2xi64>
  %2 = arith.maxui %a, %b : tensor<2xi64>
  %3 = arith.minui %a, %b : tensor<2xi64>
  tile.store %0 to %y[%c0, %r] : tensor<2xi64>, !tile.global<[4, 2] x i64, out>, index, !tile.range<2>
  tile.store %1 to %y[%c1, %r] : tensor<2xi64>, !tile.global<[4, 2] x i64, out>, index, !tile.range<2>
  tile.store %2 to %y[%c2, %r] : tensor<2xi64>, !tile.global<[4, 2] x i64, out>, index, !tile.range<2>
  tile.store %3 to %y[%c3, %r] : tensor<2xi64>, !tile.global<[4, 2] x i64, out>, index, !tile.range<2>
}

// -2 * 3 = -6 is 0xffff…fa: the high half is -1 signed; 2^64 - 2 times 3 has the high half 2.
// EXTENDED: low = [-6, -6]
// EXTENDED: high = [-1, 2]
// EXTENDED: carry = [1, 0]
tile.kernel @extended(%low: !tile.global<[2] x i64, out>, %high: !tile.global<[2] x i64, out>,
                      %carry: !tile.global<[2] x i1, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = arith.constant -2 : i64
  %b = arith.constant 3 : i64
  %0, %1 = arith.mulsi_extended %a, %b : i64
  %2, %3 = arith.mului_extended %a, %b : i64
  %4, %5 = arith.addui_extended %a, %b : i64, i1
  %6, %7 = arith.addui_extended %b, %b : i64, i1
  tile.store %0 to %low[%c0] : i64, !tile.global<[2] x i64, out>, index
  tile.store %1 to %high[%c0] : i64, !tile.global<[2] x i64, out>, index
  tile.store %2 to %low[%c1] : i64, !tile.global<[2] x i64, out>, index
  tile.store %3 to %high[%c1] : i64, !tile.global<[2] x i64, out>, index
  tile.store %5 to %carry[%c0] : i1, !tile.global<[2] x i1, out>, index
  tile.store %7 to %carry[%c1] : i1, !tile.global<[2] x i1, out>, index
}
