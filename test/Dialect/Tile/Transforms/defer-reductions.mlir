// RUN: tile-opt %s -tile-defer-reductions=keep=8 -split-input-file | FileCheck %s
// RUN: tile-opt %s -tile-defer-reductions -split-input-file | FileCheck %s --check-prefix=THREADS
// RUN: tile-opt %s -tile-defer-reductions=keep=4 -split-input-file | FileCheck %s --check-prefix=FOUR

// A sum that is rescaled per row, as the denominator of a softmax is: the loop carries 8 partial
// sums per row and reduces them after itself.

// CHECK-LABEL: tile.kernel @rescaled
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<16x8xf32>
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[P:.*]] = %[[ZERO]]) -> (tensor<16x8xf32>)
// CHECK: %[[X:.*]] = tile.load %x
// CHECK: %[[C:.*]] = tile.load %c
// CHECK: %[[C1:.*]] = tile.expand_dims %[[C]] axis 1
// CHECK: %[[C2:.*]] = tile.broadcast %[[C1]] : tensor<16x1xf32> -> tensor<16x8xf32>
// CHECK: %[[S:.*]] = arith.mulf %[[P]], %[[C2]] : tensor<16x8xf32>
// CHECK: %[[R:.*]] = tile.reduce sum %[[X]] axis 1 keep 8 : tensor<16x64xf32> -> tensor<16x8xf32>
// CHECK: %[[Y:.*]] = arith.addf %[[S]], %[[R]] : tensor<16x8xf32>
// CHECK: scf.yield %[[Y]]
// CHECK: %[[WHOLE:.*]] = tile.reduce sum %[[LOOP]] axis 1 : tensor<16x8xf32> -> tensor<16xf32>
// CHECK: tile.store %[[WHOLE]]
// FOUR-LABEL: tile.kernel @rescaled
// FOUR: tile.reduce sum %{{.*}} axis 1 keep 4
tile.kernel @rescaled(%x: !tile.global<[M, N] x f32>, %c: !tile.global<[N, M] x f32>, %y: !tile.global<[M] x f32, out>)
    grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %r = scf.for %i = %c0 to %N step %c64 iter_args(%sum = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %f = tile.load %c[%i, %m] : !tile.global<[N, M] x f32>, index, !tile.range<16 of M> -> tensor<16xf32>
    %scaled = arith.mulf %sum, %f : tensor<16xf32>
    %rs = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %new = arith.addf %scaled, %rs : tensor<16xf32>
    scf.yield %new : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// Loops in sequence hand the partial results on; an initial value enters the first of them. Along
// axis 0 the rows are kept, and a difference is a sum.

// CHECK-LABEL: tile.kernel @sequence
// CHECK: %[[A:.*]] = tile.load %a
// CHECK: %[[LANE:.*]] = tile.iota : tensor<8xi32>
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]],
// CHECK: %[[INIT:.*]] = arith.select
// CHECK: %[[ONE:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[INIT]]) -> (tensor<8x16xf32>)
// CHECK:   tile.reduce sum %{{.*}} axis 0 keep 8
// CHECK: %[[TWO:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ONE]]) -> (tensor<8x16xf32>)
// CHECK:   %[[R:.*]] = tile.reduce sum %{{.*}} axis 0 keep 8
// CHECK:   arith.subf %{{.*}}, %[[R]]
// CHECK: tile.reduce sum %[[TWO]] axis 0
tile.kernel @sequence(%x: !tile.global<[M, N] x f32>, %a: !tile.global<[M] x f32>, %y: !tile.global<[M] x f32, out>)
    grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %init = tile.load %a[%m] : !tile.global<[M] x f32>, !tile.range<16 of M> -> tensor<16xf32>
  %r = scf.for %i = %c0 to %N step %c64 iter_args(%sum = %init) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %tt = tile.transpose %t : tensor<16x64xf32> -> tensor<64x16xf32>
    %rs = tile.reduce sum %tt axis 0 : tensor<64x16xf32> -> tensor<16xf32>
    %new = arith.addf %rs, %sum : tensor<16xf32>
    scf.yield %new : tensor<16xf32>
  }
  %r2 = scf.for %i = %c0 to %N step %c64 iter_args(%sum = %r) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %tt = tile.transpose %t : tensor<16x64xf32> -> tensor<64x16xf32>
    %t2 = arith.mulf %tt, %tt : tensor<64x16xf32>
    %rs = tile.reduce sum %t2 axis 0 : tensor<64x16xf32> -> tensor<16xf32>
    %new = arith.subf %sum, %rs : tensor<16xf32>
    scf.yield %new : tensor<16xf32>
  }
  tile.store %r2 to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// A maximum that only the next iteration reads; a multiply-add; an integer sum. Extents that 8 does
// not divide keep what divides both.

// CHECK-LABEL: tile.kernel @kinds
// CHECK: scf.for {{.*}} -> (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xi32>)
// CHECK-DAG: %[[MAX:.*]] = tile.reduce max %{{.*}} axis 1 keep 4
// CHECK-DAG: arith.maximumf %{{.*}}, %[[MAX]] : tensor<16x4xf32>
// CHECK-DAG: %[[SUM:.*]] = tile.reduce sum %{{.*}} axis 1 keep 4 : tensor<16x36xf32>
// CHECK-DAG: math.fma %{{.*}}, %{{.*}}, %[[SUM]] : tensor<16x4xf32>
// CHECK-DAG: %[[COUNT:.*]] = tile.reduce sum %{{.*}} axis 1 keep 4 : tensor<16x36xi32>
// CHECK-DAG: arith.addi %{{.*}}, %[[COUNT]] : tensor<16x4xi32>
tile.kernel @kinds(%x: !tile.global<[M, N] x f32>, %k: !tile.global<[M, N] x i32>, %y: !tile.global<[M] x f32, out>,
                   %z: !tile.global<[M] x f32, out>, %w: !tile.global<[M] x i32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c36 = arith.constant 36 : index
  %N = tile.size N
  %half = arith.constant dense<0.5> : tensor<16xf32>
  %minf = arith.constant dense<0xFF800000> : tensor<16xf32>
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %zeroi = arith.constant dense<0> : tensor<16xi32>
  %r:3 = scf.for %i = %c0 to %N step %c36 iter_args(%mx = %minf, %sum = %zero, %count = %zeroi) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xi32>) {
    %n = tile.range %i to %N : !tile.range<36 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<36 of N> -> tensor<16x36xf32>
    %kt = tile.load %k[%m, %n] : !tile.global<[M, N] x i32>, !tile.range<16 of M>, !tile.range<36 of N> -> tensor<16x36xi32>
    %tm = tile.reduce max %t axis 1 : tensor<16x36xf32> -> tensor<16xf32>
    %new = arith.maximumf %mx, %tm : tensor<16xf32>
    %ts = tile.reduce sum %t axis 1 : tensor<16x36xf32> -> tensor<16xf32>
    %sum1 = math.fma %sum, %half, %ts : tensor<16xf32>
    %ks = tile.reduce sum %kt axis 1 : tensor<16x36xi32> -> tensor<16xi32>
    %count1 = arith.addi %count, %ks : tensor<16xi32>
    scf.yield %new, %sum1, %count1 : tensor<16xf32>, tensor<16xf32>, tensor<16xi32>
  }
  tile.store %r#0 to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
  tile.store %r#1 to %z[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
  tile.store %r#2 to %w[%m] : tensor<16xi32>, !tile.global<[M] x i32, out>, !tile.range<16 of M>
}

// -----

// In a nest, the sum of the inner loop is added to the partial results of the outer one.

// CHECK-LABEL: tile.kernel @nested
// CHECK: %[[OUTER:.*]] = scf.for {{.*}} -> (tensor<16x8xf32>)
// CHECK:   %[[INNER:.*]] = scf.for {{.*}} -> (tensor<16x8xf32>)
// CHECK:     tile.reduce sum %{{.*}} axis 1 keep 8
// CHECK-NOT: tile.reduce
// CHECK:   arith.addf %{{.*}}, %[[INNER]] : tensor<16x8xf32>
// CHECK: tile.reduce sum %[[OUTER]] axis 1
tile.kernel @nested(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %r = scf.for %j = %c0 to %N step %c1 iter_args(%outer = %zero) -> (tensor<16xf32>) {
    %s = scf.for %i = %c0 to %N step %c64 iter_args(%sum = %zero) -> (tensor<16xf32>) {
      %n = tile.range %i to %N : !tile.range<64 of N>
      %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
      %rs = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
      %new = arith.addf %sum, %rs : tensor<16xf32>
      scf.yield %new : tensor<16xf32>
    }
    %new = arith.addf %outer, %s : tensor<16xf32>
    scf.yield %new : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// As many as threads add without an exchange: what one turn of wide loads takes of a row, here 32
// lanes with 8 elements each (the four warps have rows of their own); all of the tile, if no row
// is longer; every eighth column where the tile is that of a product.

// THREADS-LABEL: tile.kernel @turns
// THREADS: scf.for {{.*}} -> (tensor<4xf32>, tensor<4x256xf32>)
// THREADS: tile.reduce max %{{.*}} axis 1 : tensor<4x1024xf32>
// THREADS: tile.reduce sum %{{.*}} axis 1 keep 256 : tensor<4x1024xf32>
// THREADS-NOT: tile.reduce
// THREADS: scf.yield
tile.kernel @turns(%x: !tile.global<[M, N] x bf16>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 4)) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %N = tile.size N
  %low = arith.constant dense<-1.0e30> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %r:2 = scf.for %i = %c0 to %N step %c1024 iter_args(%max = %low, %sum = %zero) -> (tensor<4xf32>, tensor<4xf32>) {
    %n = tile.range %i to %N : !tile.range<1024 of N>
    %b = tile.load %x[%m, %n] : !tile.global<[M, N] x bf16>, !tile.range<4 of M>, !tile.range<1024 of N> -> tensor<4x1024xbf16>
    %t = arith.extf %b : tensor<4x1024xbf16> to tensor<4x1024xf32>
    %high = tile.reduce max %t axis 1 : tensor<4x1024xf32> -> tensor<4xf32>
    %new = arith.maximumf %max, %high : tensor<4xf32>
    %f = arith.subf %max, %new : tensor<4xf32>
    %scaled = arith.mulf %sum, %f : tensor<4xf32>
    %row = tile.reduce sum %t axis 1 : tensor<4x1024xf32> -> tensor<4xf32>
    %s = arith.addf %scaled, %row : tensor<4xf32>
    scf.yield %new, %s : tensor<4xf32>, tensor<4xf32>
  }
  tile.store %r#1 to %y[%m] : tensor<4xf32>, !tile.global<[M] x f32, out>, !tile.range<4 of M>
}

// THREADS-LABEL: tile.kernel @short
// THREADS: scf.for {{.*}} -> (tensor<1x128xf32>)
// THREADS-NOT: tile.reduce
// THREADS: scf.yield
tile.kernel @short(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 1)) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %r = scf.for %i = %c0 to %N step %c128 iter_args(%sum = %zero) -> (tensor<1xf32>) {
    %n = tile.range %i to %N : !tile.range<128 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<1 of M>, !tile.range<128 of N> -> tensor<1x128xf32>
    %row = tile.reduce sum %t axis 1 : tensor<1x128xf32> -> tensor<1xf32>
    %s = arith.addf %sum, %row : tensor<1xf32>
    scf.yield %s : tensor<1xf32>
  }
  tile.store %r to %y[%m] : tensor<1xf32>, !tile.global<[M] x f32, out>, !tile.range<1 of M>
}

// THREADS-LABEL: tile.kernel @product
// THREADS: tile.reduce sum %{{.*}} axis 1 keep 8
tile.kernel @product(%a: !tile.global<[M, K] x bf16>, %b: !tile.global<[N, K] x bf16>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %K = tile.size K
  %d = tile.range %c0 to %K : !tile.range<64 of K>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = scf.for %i = %c0 to %N step %c64 iter_args(%sum = %zero) -> (tensor<64xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %p = tile.load %a[%m, %d] : !tile.global<[M, K] x bf16>, !tile.range<64 of M>, !tile.range<64 of K> -> tensor<64x64xbf16>
    %q = tile.load %b[%n, %d] : !tile.global<[N, K] x bf16>, !tile.range<64 of N>, !tile.range<64 of K> -> tensor<64x64xbf16>
    %t = tile.transpose %q : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.gemm %p, %t, %zeros : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %row = tile.reduce sum %s axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %new = arith.addf %sum, %row : tensor<64xf32>
    scf.yield %new : tensor<64xf32>
  }
  tile.store %r to %y[%m] : tensor<64xf32>, !tile.global<[M] x f32, out>, !tile.range<64 of M>
}
