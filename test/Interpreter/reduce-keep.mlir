// A reduction that keeps partial results: element j combines those at j modulo `keep`.
// RUN: tile-run %s --print a --print b --print c --print d | FileCheck %s

// CHECK: a = {{\[}}[9, 12],
// CHECK-NEXT: [27, 30]]
// CHECK: b = {{\[}}[5, 6, 3],
// CHECK-NEXT: [11, 12, 9]]
// CHECK: c = {{\[}}[1, 2, 3, 4, 5, 6],
// CHECK-NEXT: [7, 8, 9, 10, 11, 12]]
// CHECK: d = {{\[}}[1, 2, 3, 4, 5, 6]]
tile.kernel @partial(%a: !tile.global<[2, 2] x f32, out>, %b: !tile.global<[2, 3] x i32, out>,
                     %c: !tile.global<[2, 6] x f32, out>, %d: !tile.global<[1, 6] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %r1 = tile.range %c0 to %c1 : !tile.range<1>
  %r2 = tile.range %c0 to %c2 : !tile.range<2>
  %r3 = tile.range %c0 to %c3 : !tile.range<3>
  %r6 = tile.range %c0 to %c6 : !tile.range<6>
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [7.0, 8.0, 9.0, 10.0, 11.0, 12.0]]> : tensor<2x6xf32>
  %0 = tile.reduce sum %x axis 1 keep 2 : tensor<2x6xf32> -> tensor<2x2xf32>
  tile.store %0 to %a[%r2, %r2] : tensor<2x2xf32>, !tile.global<[2, 2] x f32, out>, !tile.range<2>, !tile.range<2>
  %y = arith.constant dense<[[1, 6, 3, 5, 2, 0], [7, 8, 9, 11, 12, -10]]> : tensor<2x6xi32>
  %1 = tile.reduce max %y axis 1 keep 3 : tensor<2x6xi32> -> tensor<2x3xi32>
  tile.store %1 to %b[%r2, %r3] : tensor<2x3xi32>, !tile.global<[2, 3] x i32, out>, !tile.range<2>, !tile.range<3>
  %2 = tile.reduce sum %x axis 1 keep 6 : tensor<2x6xf32> -> tensor<2x6xf32>
  tile.store %2 to %c[%r2, %r6] : tensor<2x6xf32>, !tile.global<[2, 6] x f32, out>, !tile.range<2>, !tile.range<6>
  %3 = tile.reduce min %x axis 0 keep 1 : tensor<2x6xf32> -> tensor<1x6xf32>
  tile.store %3 to %d[%r1, %r6] : tensor<1x6xf32>, !tile.global<[1, 6] x f32, out>, !tile.range<1>, !tile.range<6>
}
