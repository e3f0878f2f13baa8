// RUN: tile-opt %s --tile-plan-products -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-plan-products --tile-plan-products -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-plan-products -split-input-file | tile-opt --tile-to-sm -split-input-file > %t.planned
// RUN: tile-opt %s --tile-to-sm -split-input-file | diff - %t.planned

// What is computed comes from registers, what is loaded lies in shared memory, and two warpgroups share 128 rows.

// CHECK-LABEL: tile.kernel @attention
// CHECK-SAME:  attributes {sm.warpgroups = 2 : i64}
// CHECK:       tile.gemm {{.*}} transpose_b {sm.product = #sm.product<tensor_cores, a = shared 128, b = shared 128>}
// CHECK:       tile.gemm {{.*}} {sm.product = #sm.product<tensor_cores, a = registers, b = shared 128>}
tile.kernel @attention(%q: !tile.global<[M, 64] x bf16>, %k: !tile.global<[N, 64] x bf16>, %o: !tile.global<[M, 64] x f32, out>) grid(%m in tiles(M, 128)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %all = tile.range %c0 to %c64 : !tile.range<64>
  %N = tile.size N
  %n = tile.range %c0 to %N : !tile.range<64 of N>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %a = tile.load %q[%m, %all] : !tile.global<[M, 64] x bf16>, !tile.range<128 of M>, !tile.range<64> -> tensor<128x64xbf16>
  %b = tile.load %k[%n, %all] : !tile.global<[N, 64] x bf16>, !tile.range<64 of N>, !tile.range<64> -> tensor<64x64xbf16>
  %s = tile.gemm %a, %b, %zero transpose_b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  %p = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xbf16>
  %r = tile.gemm %p, %b, %zero : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  tile.store %r to %o[%m, %all] : tensor<128x64xf32>, !tile.global<[M, 64] x f32, out>, !tile.range<128 of M>, !tile.range<64>
}

// -----

// Operands of f32 are for threads.

// CHECK-LABEL: tile.kernel @threads
// CHECK-SAME:  attributes {sm.warpgroups = 1 : i64}
// CHECK:       tile.gemm {{.*}} {sm.product = #sm.product<threads, a = shared 64, b = shared 32>}
tile.kernel @threads(%x: !tile.global<[M, 16] x f32>, %w: !tile.global<[16, 8] x f32>, %y: !tile.global<[M, 8] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %k = tile.range %c0 to %c16 : !tile.range<16>
  %n = tile.range %c0 to %c8 : !tile.range<8>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %a = tile.load %x[%m, %k] : !tile.global<[M, 16] x f32>, !tile.range<16 of M>, !tile.range<16> -> tensor<16x16xf32>
  %b = tile.load %w[%k, %n] : !tile.global<[16, 8] x f32>, !tile.range<16>, !tile.range<8> -> tensor<16x8xf32>
  %p = tile.gemm %a, %b, %zero : tensor<16x16xf32>, tensor<16x8xf32> -> tensor<16x8xf32>
  tile.store %p to %y[%m, %n] : tensor<16x8xf32>, !tile.global<[M, 8] x f32, out>, !tile.range<16 of M>, !tile.range<8>
}

// -----

// Of a product of few rows the transpose is planned, and of 8-bit operands that do not lie along K a copy.

// CHECK-LABEL: tile.kernel @turned
// CHECK-SAME:  attributes {sm.warpgroups = 1 : i64}
// CHECK:       tile.gemm {{.*}} transpose_a transpose_b {sm.product = #sm.product<tensor_cores, a = registers, b = shared 32>} : tensor<32x64xi8>, tensor<8x32xi8> -> tensor<64x8xi32>
// CHECK:       tile.transpose
tile.kernel @turned(%x: !tile.global<[M, 32] x i8>, %w: !tile.global<[32, 64] x i8>, %y: !tile.global<[M, 64] x i32, out>) grid(%m in tiles(M, 8)) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %k = tile.range %c0 to %c32 : !tile.range<32>
  %n = tile.range %c0 to %c64 : !tile.range<64>
  %zero = arith.constant dense<0> : tensor<8x64xi32>
  %a = tile.load %x[%m, %k] : !tile.global<[M, 32] x i8>, !tile.range<8 of M>, !tile.range<32> -> tensor<8x32xi8>
  %b = tile.load %w[%k, %n] : !tile.global<[32, 64] x i8>, !tile.range<32>, !tile.range<64> -> tensor<32x64xi8>
  %p = tile.gemm %a, %b, %zero : tensor<8x32xi8>, tensor<32x64xi8> -> tensor<8x64xi32>
  tile.store %p to %y[%m, %n] : tensor<8x64xi32>, !tile.global<[M, 64] x i32, out>, !tile.range<8 of M>, !tile.range<64>
}
