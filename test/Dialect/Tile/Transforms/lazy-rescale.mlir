// RUN: tile-opt %s -tile-lazy-rescale | FileCheck %s
// RUN: tile-opt %s -tile-lazy-rescale=octaves=3 | FileCheck %s --check-prefix=THREE
// RUN: tile-opt %s -tile-lazy-rescale -tile-lazy-rescale | FileCheck %s
// RUN: sed 's/bf16/f16/g' %s | tile-opt -tile-lazy-rescale=octaves=16 | FileCheck %s --check-prefix=F16
// RUN: sed 's/bf16/f8E4M3FN/g' %s | tile-opt -tile-lazy-rescale | FileCheck %s --check-prefix=E4M3
// RUN: sed 's/exp2 %x/exp2 %natural/; s/exp2 %e/exp2 %natural_e/' %s | tile-opt -tile-lazy-rescale | FileCheck %s --check-prefix=NATURAL

// The reference follows the maximum, also a maximum of NaN, where it has grown by more than 8 octaves.
// Weights in f16 and f8e4m3 limit the growth. In natural units, 8 octaves are 8 ln(2).

// CHECK-LABEL: tile.kernel @attention(
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[ACC:.*]] = %{{.*}})
// CHECK: %[[MAX:.*]] = arith.maximumf %[[BEFORE]], %{{.*}} : tensor<64xf32>
// CHECK: %[[GROWTH:.*]] = arith.subf %[[MAX]], %[[BEFORE]]
// CHECK: %[[LIMIT:.*]] = arith.constant dense<8.000000e+00> : tensor<64xf32>
// CHECK: %[[FAR:.*]] = arith.cmpf ugt, %[[GROWTH]], %[[LIMIT]]
// CHECK: %[[REFERENCE:.*]] = arith.select %[[FAR]], %[[MAX]], %[[BEFORE]]
// CHECK-NOT: arith.select
// CHECK: tile.expand_dims %[[REFERENCE]] axis 1
// CHECK: arith.subf %[[BEFORE]], %[[REFERENCE]]
// CHECK: arith.mulf %{{.*}}, %{{[0-9]+}} : tensor<64xf32>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[ACC]], %{{.*}} {tile.rare_factor} : tensor<64x16xf32>
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[SCALED]]
// CHECK: scf.yield %[[REFERENCE]],
// THREE: dense<3.000000e+00> : tensor<64xf32>
// F16: dense<8.000000e+00> : tensor<64xf32>
// E4M3: dense<6.000000e+00> : tensor<64xf32>
// NATURAL: dense<5.54517746> : tensor<64xf32>
tile.kernel @attention(%q: !tile.global<[M, 16] x bf16>, %k: !tile.global<[N, 16] x bf16>, %v: !tile.global<[N, 16] x bf16>, %o: !tile.global<[M, 16] x f32, out>)
    grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zero_s = arith.constant dense<0.0> : tensor<64x32xf32>
  %zero_o = arith.constant dense<0.0> : tensor<64x16xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %new = arith.maximumf %mx, %top : tensor<64xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %new2 = tile.broadcast %new1 : tensor<64x1xf32> -> tensor<64x32xf32>
    %x = arith.subf %s, %new2 : tensor<64x32xf32>
    %log2e = arith.constant dense<1.44269502> : tensor<64x32xf32>
    %natural = arith.mulf %x, %log2e : tensor<64x32xf32>
    %p = math.exp2 %x : tensor<64x32xf32>
    %e = arith.subf %mx, %new : tensor<64xf32>
    %log2e_e = arith.constant dense<1.44269502> : tensor<64xf32>
    %natural_e = arith.mulf %e, %log2e_e : tensor<64xf32>
    %c = math.exp2 %e : tensor<64xf32>
    %dc = arith.mulf %den, %c : tensor<64xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %den1 = arith.addf %dc, %ps : tensor<64xf32>
    %c1 = tile.expand_dims %c axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %c2 = tile.broadcast %c1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %scaled = arith.mulf %acc, %c2 : tensor<64x16xf32>
    %pn = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xbf16>
    %vn = tile.load %v[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %acc1 = tile.gemm %pn, %vn, %scaled : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}
