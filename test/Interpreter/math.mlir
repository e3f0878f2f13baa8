// Functions that elementwise.test does not reach: integers, classes, several results.
// RUN: tile-run %s --kernel integers --print a --print b --print c --print d | FileCheck %s --check-prefix=INTEGERS
// RUN: tile-run %s --kernel floats --print a --print b --print c --print d --print e | FileCheck %s --check-prefix=FLOATS

// INTEGERS: a = [8, 0, 0, 7]
// INTEGERS: b = [8, 0, 7, 0]
// INTEGERS: c = [0, 8, 1, 1]
// INTEGERS: d = [0, -1, -128, 1]
tile.kernel @integers(%a: !tile.global<[4] x i8, out>, %b: !tile.global<[4] x i8, out>,
                      %c: !tile.global<[4] x i8, out>, %d: !tile.global<[4] x i8, out>) grid() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %r = tile.range %c0 to %c4 : !tile.range<4>
  %x = arith.constant dense<[0, -1, -128, 1]> : tensor<4xi8>
  %0 = math.ctlz %x : tensor<4xi8>
  tile.store %0 to %a[%r] : tensor<4xi8>, !tile.global<[4] x i8, out>, !tile.range<4>
  %1 = math.cttz %x : tensor<4xi8>
  tile.store %1 to %b[%r] : tensor<4xi8>, !tile.global<[4] x i8, out>, !tile.range<4>
  %2 = math.ctpop %x : tensor<4xi8>
  tile.store %2 to %c[%r] : tensor<4xi8>, !tile.global<[4] x i8, out>, !tile.range<4>
  %three = arith.constant dense<1> : tensor<4xi8>
  %3 = math.ipowi %x, %three : tensor<4xi8>
  tile.store %3 to %d[%r] : tensor<4xi8>, !tile.global<[4] x i8, out>, !tile.range<4>
}

// FLOATS: a = [0, 1, 1]
// FLOATS: b = [1, 1, 0]
// FLOATS: c = [0, 0, 1]
// FLOATS: d = [0.5, 2, 3]
// FLOATS: e = [0.125, 8, 1000]
tile.kernel @floats(%a: !tile.global<[3] x i1, out>, %b: !tile.global<[3] x i1, out>,
                    %c: !tile.global<[3] x i1, out>, %d: !tile.global<[3] x f32, out>,
                    %e: !tile.global<[3] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %r = tile.range %c0 to %c3 : !tile.range<3>
  // A subnormal of f16 is a normal number as f32.
  %x = arith.constant dense<[0x0001, 0x0400, 0x4000]> : tensor<3xf16>
  %0 = math.isnormal %x : tensor<3xf16>
  tile.store %0 to %a[%r] : tensor<3xi1>, !tile.global<[3] x i1, out>, !tile.range<3>
  %y = arith.constant dense<[0.0, 1.0, 0x7F800000]> : tensor<3xf32>
  %1 = math.isfinite %y : tensor<3xf32>
  tile.store %1 to %b[%r] : tensor<3xi1>, !tile.global<[3] x i1, out>, !tile.range<3>
  // The cosine of 0 and of 1 differ from their sines by sign; compare sin^2 + cos^2 with 1.
  %s, %t = math.sincos %y : tensor<3xf32>
  %2 = math.isnan %s : tensor<3xf32>
  tile.store %2 to %c[%r] : tensor<3xi1>, !tile.global<[3] x i1, out>, !tile.range<3>
  %low = arith.constant dense<0.5> : tensor<3xf32>
  %high = arith.constant dense<3.0> : tensor<3xf32>
  %z = arith.constant dense<[0.5, 2.0, 10.0]> : tensor<3xf32>
  %3 = math.clampf %z to [%low, %high] : tensor<3xf32>
  tile.store %3 to %d[%r] : tensor<3xf32>, !tile.global<[3] x f32, out>, !tile.range<3>
  %p = arith.constant dense<3> : tensor<3xi32>
  %4 = math.fpowi %z, %p : tensor<3xf32>, tensor<3xi32>
  tile.store %4 to %e[%r] : tensor<3xf32>, !tile.global<[3] x f32, out>, !tile.range<3>
}
