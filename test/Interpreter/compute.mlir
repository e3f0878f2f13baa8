// Reductions, scans and shapes. Products are tested against NumPy in gemm.test.
// RUN: tile-run %s --kernel reduce --print a --print b --print c --print d --print e | FileCheck %s --check-prefix=REDUCE
// RUN: tile-run %s --kernel keep --print a --print b | FileCheck %s --check-prefix=KEEP
// RUN: tile-run %s --kernel scan --print a --print b --print c --print d | FileCheck %s --check-prefix=SCAN
// RUN: tile-run %s --kernel shapes --print a --print b --print c --print d | FileCheck %s --check-prefix=SHAPES
// RUN: tile-run %s --kernel overflow --print a --print b | FileCheck %s --check-prefix=OVERFLOW

// max and min propagate NaN; the largest of the zeros is +0.
// REDUCE: a = [6, 15]
// REDUCE: b = [5, 7, 9]
// REDUCE: c = [3, nan, 0]
// REDUCE: d = [-5, -2]
// REDUCE: e = {{\[}}[9, 12],
// REDUCE-NEXT: [27, 30]]
tile.kernel @reduce(%a: !tile.global<[2] x f32, out>, %b: !tile.global<[3] x f32, out>,
                    %c: !tile.global<[3] x bf16, out>, %d: !tile.global<[2] x i32, out>,
                    %e: !tile.global<[2, 2] x i64, out>) grid() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r2 = tile.range %c0 to %c2 : !tile.range<2>
  %r3 = tile.range %c0 to %c3 : !tile.range<3>
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = tile.reduce sum %x axis 1 : tensor<2x3xf32> -> tensor<2xf32>
  tile.store %0 to %a[%r2] : tensor<2xf32>, !tile.global<[2] x f32, out>, !tile.range<2>
  %1 = tile.reduce sum %x axis 0 : tensor<2x3xf32> -> tensor<3xf32>
  tile.store %1 to %b[%r3] : tensor<3xf32>, !tile.global<[3] x f32, out>, !tile.range<3>
  %y = arith.constant dense<[[1.0, 2.0, -0.0], [3.0, 0x7FC0, 0.0]]> : tensor<2x3xbf16>
  %2 = tile.reduce max %y axis 0 : tensor<2x3xbf16> -> tensor<3xbf16>
  tile.store %2 to %c[%r3] : tensor<3xbf16>, !tile.global<[3] x bf16, out>, !tile.range<3>
  %z = arith.constant dense<[[7, -5, 3], [-1, -2, 0]]> : tensor<2x3xi32>
  %3 = tile.reduce min %z axis 1 : tensor<2x3xi32> -> tensor<2xi32>
  tile.store %3 to %d[%r2] : tensor<2xi32>, !tile.global<[2] x i32, out>, !tile.range<2>
  %w = arith.constant dense<[[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]]> : tensor<2x3x2xi64>
  %4 = tile.reduce sum %w axis 1 : tensor<2x3x2xi64> -> tensor<2x2xi64>
  tile.store %4 to %e[%r2, %r2] : tensor<2x2xi64>, !tile.global<[2, 2] x i64, out>, !tile.range<2>, !tile.range<2>
}

// Element j of what is kept combines the positions that are j modulo 2.
// KEEP: a = {{\[}}[9, 12],
// KEEP-NEXT: [27, 30]]
// KEEP: b = {{\[}}[3, 4],
// KEEP-NEXT: [5, 6]]
tile.kernel @keep(%a: !tile.global<[2, 2] x i32, out>, %b: !tile.global<[2, 2] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %r2 = tile.range %c0 to %c2 : !tile.range<2>
  %x = arith.constant dense<[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]> : tensor<2x6xi32>
  %0 = tile.reduce sum %x axis 1 keep 2 : tensor<2x6xi32> -> tensor<2x2xi32>
  tile.store %0 to %a[%r2, %r2] : tensor<2x2xi32>, !tile.global<[2, 2] x i32, out>, !tile.range<2>, !tile.range<2>
  %y = arith.constant dense<[[1.0, 4.0], [5.0, 2.0], [3.0, 0.0], [0.0, 6.0]]> : tensor<4x2xf32>
  %1 = tile.reduce max %y axis 0 keep 2 : tensor<4x2xf32> -> tensor<2x2xf32>
  tile.store %1 to %b[%r2, %r2] : tensor<2x2xf32>, !tile.global<[2, 2] x f32, out>, !tile.range<2>, !tile.range<2>
}

// SCAN: a = {{\[}}[1, 3, 6],
// SCAN-NEXT: [4, 9, 15]]
// SCAN: b = {{\[}}[6, 5, 3],
// SCAN-NEXT: [15, 11, 6]]
// SCAN: c = {{\[}}[1, 2, 3],
// SCAN-NEXT: [5, 7, 9]]
// SCAN: d = {{\[}}[1, 2, 3],
// SCAN-NEXT: [4, 5, 6]]
tile.kernel @scan(%a: !tile.global<[2, 3] x f32, out>, %b: !tile.global<[2, 3] x f32, out>,
                  %c: !tile.global<[2, 3] x f32, out>, %d: !tile.global<[2, 3] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r2 = tile.range %c0 to %c2 : !tile.range<2>
  %r3 = tile.range %c0 to %c3 : !tile.range<3>
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = tile.scan sum %x axis 1 : tensor<2x3xf32>
  tile.store %0 to %a[%r2, %r3] : tensor<2x3xf32>, !tile.global<[2, 3] x f32, out>, !tile.range<2>, !tile.range<3>
  %1 = tile.scan sum %x axis 1 reverse : tensor<2x3xf32>
  tile.store %1 to %b[%r2, %r3] : tensor<2x3xf32>, !tile.global<[2, 3] x f32, out>, !tile.range<2>, !tile.range<3>
  %2 = tile.scan sum %x axis 0 : tensor<2x3xf32>
  tile.store %2 to %c[%r2, %r3] : tensor<2x3xf32>, !tile.global<[2, 3] x f32, out>, !tile.range<2>, !tile.range<3>
  %3 = tile.scan max %x axis 1 : tensor<2x3xf32>
  tile.store %3 to %d[%r2, %r3] : tensor<2x3xf32>, !tile.global<[2, 3] x f32, out>, !tile.range<2>, !tile.range<3>
}

// SHAPES: a = {{\[}}[1, 1],
// SHAPES-NEXT: [2, 2],
// SHAPES-NEXT: [3, 3]]
// SHAPES: b = {{\[}}[1, 4],
// SHAPES-NEXT: [2, 5],
// SHAPES-NEXT: [3, 6]]
// SHAPES: c = [0, 1, 2]
// SHAPES: d = {{\[}}[1, 2, 3],
// SHAPES-NEXT: [1, 2, 3]]
tile.kernel @shapes(%a: !tile.global<[3, 2] x f32, out>, %b: !tile.global<[3, 2] x i32, out>,
                    %c: !tile.global<[3] x i32, out>, %d: !tile.global<[2, 3] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r2 = tile.range %c0 to %c2 : !tile.range<2>
  %r3 = tile.range %c0 to %c3 : !tile.range<3>
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %column = tile.expand_dims %x axis 1 : tensor<3xf32> -> tensor<3x1xf32>
  %0 = tile.broadcast %column : tensor<3x1xf32> -> tensor<3x2xf32>
  tile.store %0 to %a[%r3, %r2] : tensor<3x2xf32>, !tile.global<[3, 2] x f32, out>, !tile.range<3>, !tile.range<2>
  %y = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %1 = tile.transpose %y : tensor<2x3xi32> -> tensor<3x2xi32>
  tile.store %1 to %b[%r3, %r2] : tensor<3x2xi32>, !tile.global<[3, 2] x i32, out>, !tile.range<3>, !tile.range<2>
  %2 = tile.iota : tensor<3xi32>
  tile.store %2 to %c[%r3] : tensor<3xi32>, !tile.global<[3] x i32, out>, !tile.range<3>
  %row = tile.expand_dims %x axis 0 : tensor<3xf32> -> tensor<1x3xf32>
  %3 = tile.broadcast %row : tensor<1x3xf32> -> tensor<2x3xf32>
  tile.store %3 to %d[%r2, %r3] : tensor<2x3xf32>, !tile.global<[2, 3] x f32, out>, !tile.range<2>, !tile.range<3>
}

// Integer sums wrap; f16 sums overflow to infinity.
// OVERFLOW: a = [-2147483648]
// OVERFLOW: b = [inf]
tile.kernel @overflow(%a: !tile.global<[1] x i32, out>, %b: !tile.global<[1] x f16, out>) grid() {
  %c0 = arith.constant 0 : index
  %x = arith.constant dense<[2147483647, 1]> : tensor<2xi32>
  %0 = tile.reduce sum %x axis 0 : tensor<2xi32> -> tensor<i32>
  %1 = tensor.extract %0[] : tensor<i32>
  tile.store %1 to %a[%c0] : i32, !tile.global<[1] x i32, out>, index
  %y = arith.constant dense<[65504.0, 65504.0]> : tensor<2xf16>
  %2 = tile.reduce sum %y axis 0 : tensor<2xf16> -> tensor<f16>
  %3 = tensor.extract %2[] : tensor<f16>
  tile.store %3 to %b[%c0] : f16, !tile.global<[1] x f16, out>, index
}
