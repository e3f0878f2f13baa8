// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx | FileCheck %s
// RUN: %if ptxas %{ tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx --emit=cubin --report -o /dev/null - 2>&1 | FileCheck %s --check-prefix=REPORT %}

// A fetch in flight is one group, however its pieces are copied, and nothing waits for it but the await.

// REPORT-COUNT-3: 0 bytes stack, 0 + 0 bytes spilled

#rows = #sm.layout<"64x64 = register[8*(0,1) 4*(16,0)] lane[8*(0,8) 4*(1,0)] warp[4*(4,0)]">

// Aligned pieces past the registers, others through them.
// CHECK-LABEL: .entry narrow(
// CHECK-NOT: cp.async.wait
// CHECK-DAG: cp.async.cg.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 16, %r{{[0-9]+}};
// CHECK-DAG: st.shared.v4.b32
// CHECK-NOT: cp.async.wait
// CHECK: cp.async.commit_group;
// CHECK: cp.async.wait_group 1;
// CHECK-NOT: cp.async
// CHECK: bar.sync
// CHECK: ld.shared
// CHECK: cp.async.wait_group 0;
// CHECK-NOT: cp.async
// EXECUTE: narrow not, since it reads without waiting
sm.kernel @narrow(%x: !tile.global<[M, K] x bf16>, %y: !tile.global<[M, K] x bf16, out>, %i: index, %j: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %s = arith.constant 1 : i32
  %stages = sm.slots.alloc : !sm.slots<2 x !sm.smem<64x64xbf16, swizzle = 128>>
  %t = sm.slots.at %stages[%s] : !sm.slots<2 x !sm.smem<64x64xbf16, swizzle = 128>>
  sm.fetch.start %x[%i, %j] dims [0, 1] limits(%M, %K) into %t : !tile.global<[M, K] x bf16>, index, index, !sm.smem<64x64xbf16, swizzle = 128>
  sm.fetch.await leave 1
  %r = sm.smem.load %t : !sm.smem<64x64xbf16, swizzle = 128> -> tensor<64x64xbf16, #rows>
  sm.store %r to %y[%i, %j] dims [0, 1] limits(%M, %K) : tensor<64x64xbf16, #rows>, !tile.global<[M, K] x bf16, out>, index, index
  sm.fetch.await leave 0
}

// Elements of 4 bytes are pieces by themselves, and always aligned.
// CHECK-LABEL: .entry floats(
// CHECK-DAG: cp.async.cg.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 16, %r{{[0-9]+}};
// CHECK-DAG: cp.async.ca.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 4, %r{{[0-9]+}};
// CHECK-NOT: st.shared
// CHECK: cp.async.commit_group;
// CHECK: cp.async.wait_group 0;
sm.kernel @floats(%x: !tile.global<[M, K] x f32>, %i: index, %j: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %t = sm.scratch : !sm.smem<64x32xf32, swizzle = 128>
  sm.fetch.start %x[%i, %j] dims [0, 1] limits(%M, %K) into %t : !tile.global<[M, K] x f32>, index, index, !sm.smem<64x32xf32, swizzle = 128>
  sm.fetch.await leave 0
}

// A column of elements of 8 bytes.
// CHECK-LABEL: .entry column(
// CHECK-NOT: cp.async.cg
// CHECK: cp.async.ca.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 8, %r{{[0-9]+}};
// CHECK-NOT: st.shared
// CHECK: cp.async.commit_group;
sm.kernel @column(%x: !tile.global<[M, K] x i64>, %i: index, %j: index) grid() warps(4) {
  %M = tile.size M
  %t = sm.scratch : !sm.smem<128xi64>
  sm.fetch.start %x[%i, %j] dims [0] limits(%M) into %t : !tile.global<[M, K] x i64>, index, index, !sm.smem<128xi64>
  sm.fetch.await leave 0
}
