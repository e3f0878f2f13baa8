// RUN: tile-opt %s --tile-to-sm | FileCheck %s

// Products whose rows are too few for all warpgroups: these share their columns.

// CHECK-DAG: #[[ROWS:.*]] = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
// CHECK-DAG: #[[COLUMNS:.*]] = #sm.layout<"64x128 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0) 2*(0,64)]">
// CHECK-DAG: #[[HALVES:.*]] = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0) 2*(0,32)]">
// CHECK-DAG: #[[THIRDS:.*]] = #sm.layout<"64x48 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0) 3*(0,16)]">

// A tile that is computed is operand a of both kinds: from registers where each warpgroup has its rows.
// CHECK-LABEL: sm.kernel @beside_rows
// CHECK-SAME:  warps(8)
// CHECK:       %[[S:.*]] = sm.mma {{.*}}, tensor<128x64xf32, #[[ROWS]]>
// CHECK:       %[[P:.*]] = arith.truncf %[[S]]
// CHECK:       %[[SHARED:.*]] = sm.smem.store %[[P]] : tensor<128x64xbf16, #[[ROWS]]> -> [[T:.*]]
// CHECK-DAG:   sm.mma %[[P]], %{{.*}}, %{{.*}} : tensor<128x64xbf16, #[[ROWS]]>
// CHECK-DAG:   %[[Q:.*]] = sm.mma %[[SHARED]], %{{.*}}, %{{.*}} transpose_a : [[T]], {{.*}}, tensor<64x128xf32, #[[COLUMNS]]>
// CHECK:       sm.atomic add %[[Q]]
// CHECK-NOT:   sm.convert
tile.kernel @beside_rows(%a: !tile.global<[M, 64] x bf16>, %b: !tile.global<[64, 64] x bf16>, %c: !tile.global<[M, 128] x bf16>, %d: !tile.global<[M, 64] x f32, out>, %e: !tile.global<[64, 128] x f32, inout>)
    grid(%m in tiles(M, 128)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %k = tile.range %c0 to %c64 : !tile.range<64>
  %n = tile.range %c0 to %c128 : !tile.range<128>
  %x = tile.load %a[%m, %k] : !tile.global<[M, 64] x bf16>, !tile.range<128 of M>, !tile.range<64> -> tensor<128x64xbf16>
  %y = tile.load %b[%k, %k] : !tile.global<[64, 64] x bf16>, !tile.range<64>, !tile.range<64> -> tensor<64x64xbf16>
  %w = tile.load %c[%m, %n] : !tile.global<[M, 128] x bf16>, !tile.range<128 of M>, !tile.range<128> -> tensor<128x128xbf16>
  %z = arith.constant dense<0.0> : tensor<128x64xf32>
  %z1 = arith.constant dense<0.0> : tensor<64x128xf32>
  %s = tile.gemm %x, %y, %z : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  %p = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xbf16>
  %r = tile.gemm %p, %y, %z : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  %q = tile.gemm %p, %w, %z1 transpose_a : tensor<128x64xbf16>, tensor<128x128xbf16> -> tensor<64x128xf32>
  tile.store %r to %d[%m, %k] : tensor<128x64xf32>, !tile.global<[M, 64] x f32, out>, !tile.range<128 of M>, !tile.range<64>
  tile.atomic add %q to %e[%k, %n] : tensor<64x128xf32>, !tile.global<[64, 128] x f32, inout>, !tile.range<64>, !tile.range<128>
}

// Rows are reduced over all warpgroups, a loop carries the layout, and b is read along the terms.
// CHECK-LABEL: sm.kernel @three
// CHECK-SAME:  warps(12)
// CHECK:       scf.for {{.*}} -> (tensor<64x48xf32, #[[THIRDS]]>)
// CHECK:         sm.mma {{.*}} transpose_b : {{.*}}, tensor<64x48xf32, #[[THIRDS]]>
// CHECK:       sm.reduce sum %{{.*}} axis 1 : tensor<64x48xf32, #[[THIRDS]]>
tile.kernel @three(%a: !tile.global<[M, K] x bf16>, %b: !tile.global<[N, K] x bf16>, %c: !tile.global<[M] x f32, inout>)
    grid(%m in tiles(M, 64), %n in tiles(N, 48)) schedule<warpgroups = 3> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = tile.size K
  %zero = arith.constant dense<0.0> : tensor<64x48xf32>
  %acc = scf.for %i = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<64x48xf32>) {
    %k = tile.range %i to %K : !tile.range<64 of K>
    %x = tile.load %a[%m, %k] : !tile.global<[M, K] x bf16>, !tile.range<64 of M>, !tile.range<64 of K> -> tensor<64x64xbf16>
    %y = tile.load %b[%n, %k] : !tile.global<[N, K] x bf16>, !tile.range<48 of N>, !tile.range<64 of K> -> tensor<48x64xbf16>
    %p = tile.gemm %x, %y, %s transpose_b : tensor<64x64xbf16>, tensor<48x64xbf16> -> tensor<64x48xf32>
    scf.yield %p : tensor<64x48xf32>
  }
  %sum = tile.reduce sum %acc axis 1 : tensor<64x48xf32> -> tensor<64xf32>
  tile.atomic add %sum to %c[%m] : tensor<64xf32>, !tile.global<[M] x f32, inout>, !tile.range<64 of M>
}

// Each warpgroup reads 32 columns: whole rows of a swizzle of 64 bytes, which is then that of all who read the tile.
// CHECK-LABEL: sm.kernel @narrow
// CHECK-SAME:  warps(8)
// CHECK:       %[[Y:.*]] = sm.fetch %b{{.*}} -> !sm.smem<64x64xbf16, swizzle = 64>
// CHECK:       sm.mma %{{.*}}, %[[Y]], {{.*}} transpose_b : {{.*}}, !sm.smem<64x64xbf16, swizzle = 64>, tensor<128x64xf32, #[[ROWS]]>
// CHECK:       sm.mma %{{.*}}, %[[Y]], {{.*}} : {{.*}}, !sm.smem<64x64xbf16, swizzle = 64>, tensor<64x64xf32, #[[HALVES]]>
tile.kernel @narrow(%a: !tile.global<[128, 64] x bf16>, %b: !tile.global<[64, 64] x bf16>, %c: !tile.global<[128, 64] x f32, out>, %d: !tile.global<[64, 64] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %k = tile.range %c0 to %c64 : !tile.range<64>
  %m = tile.range %c0 to %c128 : !tile.range<128>
  %x = tile.load %a[%m, %k] : !tile.global<[128, 64] x bf16>, !tile.range<128>, !tile.range<64> -> tensor<128x64xbf16>
  %u = tile.load %a[%k, %k] : !tile.global<[128, 64] x bf16>, !tile.range<64>, !tile.range<64> -> tensor<64x64xbf16>
  %y = tile.load %b[%k, %k] : !tile.global<[64, 64] x bf16>, !tile.range<64>, !tile.range<64> -> tensor<64x64xbf16>
  %z = arith.constant dense<0.0> : tensor<128x64xf32>
  %z1 = arith.constant dense<0.0> : tensor<64x64xf32>
  %p = tile.gemm %x, %y, %z transpose_b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  %q = tile.gemm %u, %y, %z1 : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.store %p to %c[%m, %k] : tensor<128x64xf32>, !tile.global<[128, 64] x f32, out>, !tile.range<128>, !tile.range<64>
  tile.store %q to %d[%k, %k] : tensor<64x64xf32>, !tile.global<[64, 64] x f32, out>, !tile.range<64>, !tile.range<64>
}
