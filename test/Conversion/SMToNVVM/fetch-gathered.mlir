// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx | FileCheck %s
// RUN: %if ptxas %{ tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx --emit=cubin --report -o /dev/null - 2>&1 | FileCheck %s --check-prefix=REPORT %}

// Gathered rows, each thread by the positions that it holds, and rows that end in other than zero.

// REPORT-COUNT-6: 0 bytes stack, 0 + 0 bytes spilled

// Eight pieces to a row, 16 rows at a time: four pieces per thread, 2048 bytes apart in the swizzled tile. A
// launch that does not align rows, or whose limit is inside of a piece, has them brought element by element. Each
// piece costs a comparison and the product of its position, added to what the rows of a thread have in common.
// CHECK-LABEL: .entry rows(
// CHECK: mov.b64 [[START:%rd[0-9]+]], {{%rd[0-9]+}};
// CHECK: mad.lo.s64 [[AT:%rd[0-9]+]], {{.*}}, [[START]];
// CHECK: cp.async.cg.shared.global [%r{{[0-9]+}}], {{\[}}[[AT]]], 16, %p{{[0-9]+}};
// CHECK-COUNT-3: cp.async.cg.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 16, %p{{[0-9]+}};
// CHECK: cp.async.commit_group;
// CHECK-COUNT-4: st.shared.b16
#rows = #sm.layout<"64x64 = register[8*(0,1) 4*(16,0)] lane[8*(0,8) 4*(1,0)] warp[4*(4,0)]">
!at = tensor<64xi32, #sm.layout<"64 = register[4*(16)] lane[8*(0) 4*(1)] warp[4*(4)]">>
sm.kernel @rows(%x: !tile.global<[M, K] x bf16>, %at: !tile.global<[M] x i32>, %y: !tile.global<[M, K] x bf16, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %M = tile.size M
  %K = tile.size K
  %p = sm.load %at[%c0] dims [0] limits(%M) fill(-1 : i32) : !tile.global<[M] x i32>, index -> !at
  %t = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  sm.fetch.start %x[%p, %c0] dims [0, 1] limits(%M, %K) into %t : !tile.global<[M, K] x bf16>, !at, index, !sm.smem<64x64xbf16, swizzle = 128>
  sm.fetch.await leave 0
  %r = sm.smem.load %t : !sm.smem<64x64xbf16, swizzle = 128> -> tensor<64x64xbf16, #rows>
  sm.store %r to %y[%c0, %c0] dims [0, 1] limits(%M, %K) : tensor<64x64xbf16, #rows>, !tile.global<[M, K] x bf16, out>, index, index
}

// The same where the tensor is never aligned: rows of 33 elements.
// CHECK-LABEL: .entry odd_rows(
// CHECK: st.shared.b16
sm.kernel @odd_rows(%x: !tile.global<[M, 33] x bf16>, %at: !tile.global<[M] x i32>, %y: !tile.global<[M, 64] x bf16, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c33 = arith.constant 33 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %p = sm.load %at[%c0] dims [0] limits(%M) fill(-1 : i32) : !tile.global<[M] x i32>, index -> !at
  %t = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  sm.fetch.start %x[%p, %c0] dims [0, 1] limits(%M, %c33) into %t : !tile.global<[M, 33] x bf16>, !at, index, !sm.smem<64x64xbf16, swizzle = 128>
  sm.fetch.await leave 0
  %r = sm.smem.load %t : !sm.smem<64x64xbf16, swizzle = 128> -> tensor<64x64xbf16, #rows>
  sm.store %r to %y[%c0, %c0] dims [0, 1] limits(%M, %c64) : tensor<64x64xbf16, #rows>, !tile.global<[M, 64] x bf16, out>, index, index
}

// Gathered elements are pieces by themselves, or go through registers.
// CHECK-LABEL: .entry elements(
// CHECK: cp.async.ca.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 4, %p{{[0-9]+}};
// CHECK: st.shared.b16
#row = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
!each = tensor<128xi32, #row>
sm.kernel @elements(%x: !tile.global<[M] x f32>, %h: !tile.global<[M] x f16>, %at: !tile.global<[M] x i32>, %y: !tile.global<[M] x f32, out>, %z: !tile.global<[M] x f16, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %M = tile.size M
  %p = sm.load %at[%c0] dims [0] limits(%M) fill(-1 : i32) : !tile.global<[M] x i32>, index -> !each
  %t = sm.scratch : !sm.smem<128xf32>
  %u = sm.scratch : !sm.smem<128xf16>
  sm.fetch.start %x[%p] dims [0] limits(%M) into %t : !tile.global<[M] x f32>, !each, !sm.smem<128xf32>
  sm.fetch.start %h[%p] dims [0] limits(%M) into %u : !tile.global<[M] x f16>, !each, !sm.smem<128xf16>
  sm.fetch.await leave 0
  %r = sm.smem.load %t : !sm.smem<128xf32> -> tensor<128xf32, #row>
  %s = sm.smem.load %u : !sm.smem<128xf16> -> tensor<128xf16, #row>
  sm.store %r to %y[%c0] dims [0] limits(%M) : tensor<128xf32, #row>, !tile.global<[M] x f32, out>, index
  sm.store %s to %z[%c0] dims [0] limits(%M) : tensor<128xf16, #row>, !tile.global<[M] x f16, out>, index
}

// Where there is no element, the thread writes; it does not copy as well.
// CHECK-LABEL: .entry filled(
// CHECK-DAG: cp.async.ca.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 4;
// CHECK-DAG: st.shared.b32 [%rd{{[0-9]+}}], 2139095040;
// CHECK: cp.async.commit_group;
sm.kernel @filled(%x: !tile.global<[M] x f32>, %y: !tile.global<[N] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %M = tile.size M
  %N = tile.size N
  %t = sm.scratch : !sm.smem<128xf32>
  sm.fetch.start %x[%c0] dims [0] limits(%M) fill(0x7F800000 : f32) into %t : !tile.global<[M] x f32>, index, !sm.smem<128xf32>
  sm.fetch.await leave 0
  %r = sm.smem.load %t : !sm.smem<128xf32> -> tensor<128xf32, #row>
  sm.store %r to %y[%c0] dims [0] limits(%N) : tensor<128xf32, #row>, !tile.global<[N] x f32, out>, index
}

// Elements of 2 bytes go through registers anyway.
// CHECK-LABEL: .entry filled_halves(
// CHECK-NOT: cp.async.c
// CHECK: st.shared.b16
sm.kernel @filled_halves(%x: !tile.global<[M] x f16>, %y: !tile.global<[N] x f16, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %M = tile.size M
  %N = tile.size N
  %t = sm.scratch : !sm.smem<128xf16>
  sm.fetch.start %x[%c0] dims [0] limits(%M) fill(-1.5 : f16) into %t : !tile.global<[M] x f16>, index, !sm.smem<128xf16>
  sm.fetch.await leave 0
  %r = sm.smem.load %t : !sm.smem<128xf16> -> tensor<128xf16, #row>
  sm.store %r to %y[%c0] dims [0] limits(%N) : tensor<128xf16, #row>, !tile.global<[N] x f16, out>, index
}

// A filled row that ends nowhere is copied.
// CHECK-LABEL: .entry whole(
// CHECK: cp.async.ca.shared.global
// CHECK-NOT: st.shared
// CHECK: cp.async.commit_group;
sm.kernel @whole(%x: !tile.global<[128] x i32>, %y: !tile.global<[128] x i32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %t = sm.scratch : !sm.smem<128xi32>
  sm.fetch.start %x[%c0] dims [0] limits(%c128) fill(7 : i32) in_bounds [true] into %t : !tile.global<[128] x i32>, index, !sm.smem<128xi32>
  sm.fetch.await leave 0
  %r = sm.smem.load %t : !sm.smem<128xi32> -> tensor<128xi32, #row>
  sm.store %r to %y[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xi32, #row>, !tile.global<[128] x i32, out>, index
}
