// RUN: tile-opt %s --canonicalize | FileCheck %s

// start, limit and end look through tile.range.
// CHECK-LABEL: tile.kernel @queries
tile.kernel @queries(%y: !tile.global<[3] x i64, out>, %s: index, %n: index) grid() {
  %r = tile.range %s to %n : !tile.range<16>
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %short = tile.range %c4 to %c10 : !tile.range<16>
  %0 = tile.start %r : !tile.range<16>
  %1 = tile.limit %r : !tile.range<16>
  %2 = tile.end %short : !tile.range<16>
  // CHECK-DAG: %[[TEN:.*]] = arith.constant 10 : i64
  // CHECK-DAG: %[[START:.*]] = arith.index_cast %s
  // CHECK-DAG: %[[LIMIT:.*]] = arith.index_cast %n
  %3 = arith.index_cast %0 : index to i64
  %4 = arith.index_cast %1 : index to i64
  %5 = arith.index_cast %2 : index to i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // CHECK: tile.store %[[START]]
  tile.store %3 to %y[%c0] : i64, !tile.global<[3] x i64, out>, index
  // CHECK: tile.store %[[LIMIT]]
  tile.store %4 to %y[%c1] : i64, !tile.global<[3] x i64, out>, index
  // CHECK: tile.store %[[TEN]]
  tile.store %5 to %y[%c2] : i64, !tile.global<[3] x i64, out>, index
}

// The mask of a full range is all true.
// CHECK-LABEL: tile.kernel @full
tile.kernel @full(%y: !tile.global<[N] x i1, out>, %s: index) grid() {
  %n = tile.size N
  %r = tile.range %s to %n full : !tile.range<16 of N>
  // CHECK: %[[TRUE:.*]] = arith.constant dense<true> : tensor<16xi1>
  // CHECK: tile.store %[[TRUE]]
  %v = tile.valid %r : !tile.range<16 of N> -> tensor<16xi1>
  tile.store %v to %y[%r] : tensor<16xi1>, !tile.global<[N] x i1, out>, !tile.range<16 of N>
}

// Transposes go into the product, in pairs they vanish.
// CHECK-LABEL: tile.kernel @transposes
tile.kernel @transposes(%a: !tile.global<[M, K] x f16>, %c: !tile.global<[M, N] x f32, out>)
    grid(%m in tiles(M, 16), %k in tiles(K, 32)) {
  // CHECK: %[[A:.*]] = tile.load %a[%m, %k]
  %0 = tile.load %a[%m, %k] : !tile.global<[M, K] x f16>, !tile.range<16 of M>, !tile.range<32 of K> -> tensor<16x32xf16>
  %1 = tile.transpose %0 : tensor<16x32xf16> -> tensor<32x16xf16>
  %2 = tile.transpose %1 : tensor<32x16xf16> -> tensor<16x32xf16>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %s = arith.constant 0 : index
  %n = tile.shift %m by %s : !tile.range<16 of M>
  // CHECK: tile.gemm %[[A]], %[[A]], %{{.*}} transpose_b
  %3 = tile.gemm %2, %1, %z : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
  tile.store %3 to %c[%m, %n] : tensor<16x16xf32>, !tile.global<[M, N] x f32, out>, !tile.range<16 of M>, !tile.range<16>
}

// A lone product that is added to something accumulates there.
// CHECK-LABEL: tile.kernel @accumulates
tile.kernel @accumulates(%a: !tile.global<[M, 16] x f16>, %c: !tile.global<[M, 16] x f32, inout>)
    grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %d = tile.range %c0 to %c16 : !tile.range<16>
  %0 = tile.load %a[%m, %d] : !tile.global<[M, 16] x f16>, !tile.range<16 of M>, !tile.range<16> -> tensor<16x16xf16>
  // CHECK: %[[C:.*]] = tile.load %c
  %1 = tile.load %c[%m, %d] : !tile.global<[M, 16] x f32, inout>, !tile.range<16 of M>, !tile.range<16> -> tensor<16x16xf32>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %2 = tile.gemm %0, %0, %z : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  // CHECK: %[[SUM:.*]] = tile.gemm %{{.*}}, %{{.*}}, %[[C]]
  // CHECK-NOT: arith.addf
  %3 = arith.addf %2, %1 : tensor<16x16xf32>
  // CHECK: tile.store %[[SUM]]
  tile.store %3 to %c[%m, %d] : tensor<16x16xf32>, !tile.global<[M, 16] x f32, inout>, !tile.range<16 of M>, !tile.range<16>
}

// Scores that an exponential reads do not accumulate in a mask: tensor cores truncate addends of a large number.
// CHECK-LABEL: tile.kernel @scores
// CHECK: %[[QK:.*]] = tile.gemm
// CHECK: %[[S:.*]] = arith.addf %[[QK]],
// CHECK: %[[D:.*]] = arith.subf %[[S]],
// CHECK: math.exp %[[D]]
tile.kernel @scores(%a: !tile.global<[M, 16] x f16>, %c: !tile.global<[M, 16] x f32>, %p: !tile.global<[M, 16] x f32, out>)
    grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %d = tile.range %c0 to %c16 : !tile.range<16>
  %0 = tile.load %a[%m, %d] : !tile.global<[M, 16] x f16>, !tile.range<16 of M>, !tile.range<16> -> tensor<16x16xf16>
  %1 = tile.load %c[%m, %d] : !tile.global<[M, 16] x f32>, !tile.range<16 of M>, !tile.range<16> -> tensor<16x16xf32>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %2 = tile.gemm %0, %0, %z : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %3 = arith.addf %2, %1 : tensor<16x16xf32>
  %4 = tile.reduce max %3 axis 1 : tensor<16x16xf32> -> tensor<16xf32>
  %5 = tile.expand_dims %4 axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %6 = tile.broadcast %5 : tensor<16x1xf32> -> tensor<16x16xf32>
  %7 = arith.subf %3, %6 : tensor<16x16xf32>
  %8 = math.exp %7 : tensor<16x16xf32>
  tile.store %8 to %p[%m, %d] : tensor<16x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<16 of M>, !tile.range<16>
}

// Shape changes of constants are constants.
// CHECK-LABEL: tile.kernel @shapes
tile.kernel @shapes(%y: !tile.global<[N, 8] x f32, out>) grid(%n in tiles(N, 4)) {
  %0 = arith.constant dense<2.0> : tensor<8xf32>
  %1 = tile.expand_dims %0 axis 0 : tensor<8xf32> -> tensor<1x8xf32>
  %2 = tile.broadcast %1 : tensor<1x8xf32> -> tensor<4x8xf32>
  %3 = tile.broadcast %2 : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: %[[SPLAT:.*]] = arith.constant dense<2.000000e+00> : tensor<4x8xf32>
  // CHECK: tile.store %[[SPLAT]]
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %d = tile.range %c0 to %c8 : !tile.range<8>
  tile.store %3 to %y[%n, %d] : tensor<4x8xf32>, !tile.global<[N, 8] x f32, out>, !tile.range<4 of N>, !tile.range<8>
}

// Loads of `in` tensors are pure: equal ones are one, unused ones none.
// CHECK-LABEL: tile.kernel @pure_loads
tile.kernel @pure_loads(%x: !tile.global<[N] x f32>, %y: !tile.global<[N] x f32, inout>) grid(%n in tiles(N, 4)) {
  // CHECK-NOT: tile.load %x
  %0 = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<4 of N> -> tensor<4xf32>
  // CHECK: tile.barrier
  tile.barrier
  // CHECK: tile.barrier grid
  tile.barrier grid
}

// Rearrangements of contiguous parts compose, and those that change nothing fold.
// CHECK-LABEL: tile.kernel @rearrangements
// CHECK:       %[[T:.*]] = tile.load
// CHECK:       %[[R:.*]] = tile.rearrange %[[T]] from 67 by [64, 4] : (tensor<16x64xf32>) -> tensor<2x16xf32>
// CHECK:       tile.store %[[R]] to %y
// CHECK:       tile.store %[[T]] to %z
tile.kernel @rearrangements(%x: !tile.global<[16, 64] x f32>, %y: !tile.global<[2, 16] x f32, out>, %z: !tile.global<[16, 64] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %two = tile.range %c0 to %c2 : !tile.range<2>
  %rows = tile.range %c0 to %c16 : !tile.range<16>
  %columns = tile.range %c0 to %c64 : !tile.range<64>
  %t = tile.load %x[%rows, %columns] : !tile.global<[16, 64] x f32>, !tile.range<16>, !tile.range<64> -> tensor<16x64xf32>
  %part = tile.rearrange %t from 64 by [64, 8, 1] : (tensor<16x64xf32>) -> tensor<4x8x8xf32>
  %fourth = tile.rearrange %part from 3 by [64, 4] : (tensor<4x8x8xf32>) -> tensor<2x16xf32>
  tile.store %fourth to %y[%two, %rows] : tensor<2x16xf32>, !tile.global<[2, 16] x f32, out>, !tile.range<2>, !tile.range<16>
  %line = tile.rearrange %t by [1] : (tensor<16x64xf32>) -> tensor<1024xf32>
  %back = tile.rearrange %line by [64, 1] : (tensor<1024xf32>) -> tensor<16x64xf32>
  tile.store %back to %z[%rows, %columns] : tensor<16x64xf32>, !tile.global<[16, 64] x f32, out>, !tile.range<16>, !tile.range<64>
}

// Rearranged constants of one value are constants.
// CHECK-LABEL: tile.kernel @rearranged_constant
// CHECK:       %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<2x16xf32>
// CHECK:       tile.store %[[C]] to %y
tile.kernel @rearranged_constant(%y: !tile.global<[2, 16] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %two = tile.range %c0 to %c2 : !tile.range<2>
  %rows = tile.range %c0 to %c16 : !tile.range<16>
  %t = arith.constant dense<2.0> : tensor<16xf32>
  %pair = tile.rearrange %t, %t by [16, 1] : (tensor<16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
  tile.store %pair to %y[%two, %rows] : tensor<2x16xf32>, !tile.global<[2, 16] x f32, out>, !tile.range<2>, !tile.range<16>
}
