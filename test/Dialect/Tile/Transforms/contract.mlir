// RUN: tile-opt %s -tile-contract -split-input-file | FileCheck %s

// Sums and differences on either side, and a product of which one sum takes one.

// CHECK-LABEL: tile.kernel @sums
// CHECK: %[[A:.*]] = tile.load %a
// CHECK: %[[B:.*]] = tile.load %b
// CHECK: %[[C:.*]] = math.fma %[[A]], %[[A]], %[[B]]
// CHECK: %[[D:.*]] = math.fma %[[A]], %[[C]], %[[C]]
// CHECK: %[[NEG:.*]] = arith.negf %[[B]]
// CHECK: %[[E:.*]] = math.fma %[[D]], %[[D]], %[[NEG]]
// CHECK: %[[MINUS:.*]] = arith.negf %[[E]]
// CHECK: %[[F:.*]] = math.fma %[[MINUS]], %[[B]], %[[D]]
// CHECK: %[[OTHER:.*]] = arith.mulf %[[F]], %[[A]]
// CHECK: math.fma %[[F]], %[[F]], %[[OTHER]]
// CHECK-NOT: arith.mulf
tile.kernel @sums(%a: !tile.global<[N] x f32>, %b: !tile.global<[N] x f32>, %z: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 16)) {
  %0 = tile.load %a[%n] : !tile.global<[N] x f32>, !tile.range<16 of N> -> tensor<16xf32>
  %1 = tile.load %b[%n] : !tile.global<[N] x f32>, !tile.range<16 of N> -> tensor<16xf32>
  %2 = arith.mulf %0, %0 : tensor<16xf32>
  %3 = arith.addf %2, %1 : tensor<16xf32>
  %4 = arith.mulf %0, %3 : tensor<16xf32>
  %5 = arith.addf %3, %4 : tensor<16xf32>
  %6 = arith.mulf %5, %5 : tensor<16xf32>
  %7 = arith.subf %6, %1 : tensor<16xf32>
  %8 = arith.mulf %7, %1 : tensor<16xf32>
  %9 = arith.subf %5, %8 : tensor<16xf32>
  %10 = arith.mulf %9, %9 : tensor<16xf32>
  %11 = arith.mulf %9, %0 : tensor<16xf32>
  %12 = arith.addf %10, %11 : tensor<16xf32>
  tile.store %12 to %z[%n] : tensor<16xf32>, !tile.global<[N] x f32, out>, !tile.range<16 of N>
}

// -----

// A product that is used twice, by two ops or by one, stays, as do scalars and narrower floats.

// CHECK-LABEL: tile.kernel @kept
// CHECK-NOT: math.fma
tile.kernel @kept(%a: !tile.global<[N] x f32>, %h: !tile.global<[N] x bf16>, %s: f32, %y: !tile.global<[N] x bf16, out>, %z: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 16)) {
  %0 = tile.load %a[%n] : !tile.global<[N] x f32>, !tile.range<16 of N> -> tensor<16xf32>
  %1 = arith.mulf %0, %0 : tensor<16xf32>
  %2 = arith.addf %1, %0 : tensor<16xf32>
  %3 = arith.maximumf %2, %1 : tensor<16xf32>
  %4 = arith.mulf %3, %0 : tensor<16xf32>
  %5 = arith.addf %4, %4 : tensor<16xf32>
  %6 = arith.mulf %s, %s : f32
  %7 = arith.addf %6, %s : f32
  %8 = tensor.splat %7 : tensor<16xf32>
  %9 = arith.maximumf %5, %8 : tensor<16xf32>
  tile.store %9 to %z[%n] : tensor<16xf32>, !tile.global<[N] x f32, out>, !tile.range<16 of N>
  %10 = tile.load %h[%n] : !tile.global<[N] x bf16>, !tile.range<16 of N> -> tensor<16xbf16>
  %11 = arith.mulf %10, %10 : tensor<16xbf16>
  %12 = arith.addf %11, %10 : tensor<16xbf16>
  tile.store %12 to %y[%n] : tensor<16xbf16>, !tile.global<[N] x bf16, out>, !tile.range<16 of N>
}

// -----

// A loop of products stays as it is; what follows it is contracted.

// CHECK-LABEL: tile.kernel @loop
// CHECK: tile.gemm
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK: }
// CHECK: math.fma
tile.kernel @loop(%a: !tile.global<[N, 16] x f16>, %z: !tile.global<[N, 16] x f32, out>) grid(%n in tiles(N, 16)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = tile.load %a[%n, %c0] : !tile.global<[N, 16] x f16>, !tile.range<16 of N>, index -> tensor<16xf16>
  %all = tile.range %c0 to %c16 : !tile.range<16>
  %h = tile.load %a[%n, %all] : !tile.global<[N, 16] x f16>, !tile.range<16 of N>, !tile.range<16> -> tensor<16x16xf16>
  %1 = scf.for %i = %c0 to %N step %c16 iter_args(%s = %zero) -> (tensor<16x16xf32>) {
    %2 = tile.gemm %h, %h, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %3 = arith.mulf %2, %2 : tensor<16x16xf32>
    %4 = arith.addf %3, %s : tensor<16x16xf32>
    scf.yield %4 : tensor<16x16xf32>
  }
  %5 = arith.mulf %1, %1 : tensor<16x16xf32>
  %6 = arith.addf %5, %1 : tensor<16x16xf32>
  tile.store %6 to %z[%n, %all] : tensor<16x16xf32>, !tile.global<[N, 16] x f32, out>, !tile.range<16 of N>, !tile.range<16>
}

// -----

// CHECK-LABEL: tile.kernel @asked
// CHECK-NOT: math.fma
tile.kernel @asked(%a: !tile.global<[N] x f32>, %z: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 16)) attributes {tile.no_contract} {
  %0 = tile.load %a[%n] : !tile.global<[N] x f32>, !tile.range<16 of N> -> tensor<16xf32>
  %1 = arith.mulf %0, %0 : tensor<16xf32>
  %2 = arith.addf %1, %0 : tensor<16xf32>
  tile.store %2 to %z[%n] : tensor<16xf32>, !tile.global<[N] x f32, out>, !tile.range<16 of N>
}

// -----

// Products that a sum along an axis adds up may be rounded with it, also beside matrix products; those that another
// op needs, of which the largest is taken, or that are f16 are rounded first.

// CHECK-LABEL: tile.kernel @added_up
// CHECK: %[[SQUARES:.*]] = arith.mulf %[[X:.*]], %[[X]] fastmath<contract> : tensor<16x32xf32>
// CHECK: tile.reduce sum %[[SQUARES]]
// CHECK-NOT: fastmath
tile.kernel @added_up(%a: !tile.global<[N, 32] x f32>, %y: !tile.global<[N] x f32, out>, %z: !tile.global<[N, 32] x f32, out>) grid(%n in tiles(N, 16)) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %all = tile.range %c0 to %c32 : !tile.range<32>
  %0 = tile.load %a[%n, %all] : !tile.global<[N, 32] x f32>, !tile.range<16 of N>, !tile.range<32> -> tensor<16x32xf32>
  %1 = arith.mulf %0, %0 : tensor<16x32xf32>
  %2 = tile.reduce sum %1 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
  %3 = arith.mulf %0, %0 : tensor<16x32xf32>
  %4 = tile.reduce max %3 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
  %5 = arith.mulf %0, %0 : tensor<16x32xf32>
  %6 = tile.reduce sum %5 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
  %7 = arith.truncf %0 : tensor<16x32xf32> to tensor<16x32xf16>
  %8 = arith.mulf %7, %7 : tensor<16x32xf16>
  %9 = tile.reduce sum %8 axis 1 : tensor<16x32xf16> -> tensor<16xf16>
  %10 = arith.extf %9 : tensor<16xf16> to tensor<16xf32>
  %11 = arith.addf %2, %4 : tensor<16xf32>
  %12 = arith.addf %11, %6 : tensor<16xf32>
  %13 = arith.addf %12, %10 : tensor<16xf32>
  tile.store %13 to %y[%n] : tensor<16xf32>, !tile.global<[N] x f32, out>, !tile.range<16 of N>
  tile.store %5 to %z[%n, %all] : tensor<16x32xf32>, !tile.global<[N, 32] x f32, out>, !tile.range<16 of N>, !tile.range<32>
}

// -----

// The first loop takes a maximum of rounded products. The second loop must round its products as well: the rounding
// error of -1e30 would overflow the exponential.

// CHECK-LABEL: tile.kernel @exponents
// CHECK: %[[S:.*]] = arith.mulf
// CHECK: %[[D:.*]] = arith.subf %[[S]],
// CHECK: %[[E:.*]] = arith.mulf %[[D]],
// CHECK: math.exp2 %[[E]]
tile.kernel @exponents(%x: !tile.global<[N] x f32>, %mx: !tile.global<[N] x f32>, %scale: f32, %y: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 16)) {
  %log2e = arith.constant dense<1.44269502> : tensor<16xf32>
  %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<16 of N> -> tensor<16xf32>
  %m = tile.load %mx[%n] : !tile.global<[N] x f32>, !tile.range<16 of N> -> tensor<16xf32>
  %c = tensor.splat %scale : tensor<16xf32>
  %s = arith.mulf %t, %c : tensor<16xf32>
  %d = arith.subf %s, %m : tensor<16xf32>
  %e = arith.mulf %d, %log2e : tensor<16xf32>
  %p = math.exp2 %e : tensor<16xf32>
  tile.store %p to %y[%n] : tensor<16xf32>, !tile.global<[N] x f32, out>, !tile.range<16 of N>
}
