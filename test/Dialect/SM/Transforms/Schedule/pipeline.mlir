// RUN: tile-opt %s -sm-pipeline=stages=2 | FileCheck %s
// RUN: tile-opt %s -sm-pipeline=stages=3 | FileCheck %s --check-prefix=THREE
// RUN: tile-opt %s -sm-pipeline=stages=1 | FileCheck %s --check-prefix=NONE
// RUN: tile-opt %s -sm-pipeline=stages=2 -canonicalize -cse -sm-allocate-smem -sm-place-fences | FileCheck %s --check-prefix=FENCED
// RUN: tile-opt %s -sm-pipeline=stages=3 -canonicalize -cse -sm-allocate-smem -sm-place-fences | FileCheck %s --check-prefix=FENCED

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#blocked = #sm.layout<"64x64 = register[4*(0,1) 8*(8,0)] lane[16*(0,4) 2*(1,0)] warp[4*(2,0)]">
!x = !tile.global<[M, K] x bf16>
!w = !tile.global<[K, M] x bf16>
!xf = !tile.global<[M, K] x f32>
!y = !tile.global<[M, N] x f32, out>
!t = !sm.smem<64x64xbf16, swizzle = 128>
!tf = !sm.smem<64x64xf32, swizzle = 128>
!f = tensor<64x64xf32, #acc>
!d = tensor<64x64xf32, #blocked>

// Fetches of the next step start while the product of this one is at the tensor cores.

// CHECK-LABEL: sm.kernel @product
// CHECK: %[[A:.*]] = sm.slots.alloc : !sm.slots<2 x !sm.smem<64x64xbf16, swizzle = 128>>
// CHECK: %[[B:.*]] = sm.slots.alloc : !sm.slots<2 x !sm.smem<64x64xbf16, swizzle = 128>>
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[FIRST:.*]], %[[END:.*]] : index
// CHECK: scf.if %[[ANY]] {
// CHECK: %[[A0:.*]] = sm.slots.at %[[A]]
// CHECK: sm.fetch.start %x[%{{.*}}, %[[FIRST]]] {{.*}} into %[[A0]]
// CHECK: %[[B0:.*]] = sm.slots.at %[[B]]
// CHECK: sm.fetch.start %w[%[[FIRST]], %{{.*}}] {{.*}} into %[[B0]]
// CHECK: }
// CHECK: %[[SUM:.*]]:2 = scf.for %[[K:.*]] = %[[FIRST]] to %[[END]] step %[[STEP:.*]] iter_args(%[[ACC:.*]] = %{{.*}}, %[[STAGE:.*]] = %{{.*}}) -> (tensor<64x64xf32, #{{.*}}>, i32) {
// CHECK-NEXT: sm.fetch.await leave 0
// CHECK-NEXT: %[[AK:.*]] = sm.slots.at %[[A]][%[[STAGE]]]
// CHECK-NEXT: %[[BK:.*]] = sm.slots.at %[[B]][%[[STAGE]]]
// CHECK-NEXT: %[[P:.*]] = sm.mma.issue %[[AK]], %[[BK]], %[[ACC]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[K]], %[[STEP]] : index
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[END]] : index
// CHECK: %[[LATER:.*]] = sm.slot_after %[[STAGE]] by 1 of 2
// CHECK: scf.if %[[MORE]] {
// CHECK: sm.slots.at %[[A]][%[[LATER]]]
// CHECK: sm.fetch.start %x[%{{.*}}, %[[NEXT]]]
// CHECK: sm.fetch.start %w[%[[NEXT]], %{{.*}}]
// CHECK: }
// CHECK-NEXT: %[[R:.*]] = sm.mma.await %[[P]]
// CHECK: scf.yield %[[R]], %{{.*}} : tensor<64x64xf32, #{{.*}}>, i32
// CHECK: }
// CHECK-NEXT: sm.fetch.await leave 0
// CHECK-NEXT: sm.store %[[SUM]]#0

// Two fetches to a step: with three stages, those of one step stay in flight as long as there is one.

// THREE-LABEL: sm.kernel @product
// THREE: arith.muli %[[STEP:.*]], %{{.*}} : index
// THREE: %[[END:.*]] = arith.select
// THREE: scf.for %{{.*}} to %[[END]] step %[[STEP]] iter_args
// THREE-COUNT-2: sm.fetch.start
// THREE: scf.for
// THREE: scf.if
// THREE-NEXT: sm.fetch.await leave 2
// THREE-NEXT: } else {
// THREE-NEXT: sm.fetch.await leave 0
// THREE: sm.mma.issue
// THREE-COUNT-2: sm.fetch.start
// THREE: sm.mma.await
// THREE: sm.fetch.await leave 0

// NONE-NOT: sm.fetch.start

// One barrier to a step, with a fence: fetches meet stages that the last step has read.

// FENCED-LABEL: sm.kernel @product
// FENCED-NOT: sm.barrier
// FENCED: scf.for
// FENCED-NOT: sm.barrier
// FENCED: sm.fence
// FENCED-NEXT: sm.barrier
// FENCED-NEXT: sm.mma.issue
// FENCED-NOT: sm.barrier
// FENCED: sm.store
sm.kernel @product(%x: !x, %w: !w, %y: !y, %i: index) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %N = tile.size N
  %K = tile.size K
  %z = arith.constant dense<0.0> : !f
  %s = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %z) -> (!f) {
    %a = sm.fetch %x[%i, %k] dims [0, 1] limits(%M, %K) : !x, index, index -> !t
    %b = sm.fetch %w[%k, %i] dims [0, 1] limits(%K, %M) : !w, index, index -> !t
    %p = sm.mma %a, %b, %acc : !t, !t, !f
    scf.yield %p : !f
  }
  sm.store %s to %y[%i, %c0] dims [0, 1] limits(%M, %N) : !f, !y, index, index
}

// A product of threads comes after the fetches of the next step, and the scalars that a position is
// made of come with it. The barrier stands before the condition, for the product as well.

// CHECK-LABEL: sm.kernel @sums
// CHECK: scf.for %[[K:.*]] =
// CHECK-NEXT: sm.fetch.await leave 0
// CHECK-NEXT: sm.slots.at
// CHECK: scf.if
// CHECK-NEXT: %[[ROW:.*]] = arith.muli
// CHECK-NEXT: sm.slots.at
// CHECK-NEXT: sm.fetch.start %x[%[[ROW]]
// CHECK-NEXT: }
// CHECK: sm.dot
// CHECK: scf.yield
// FENCED-LABEL: sm.kernel @sums
// FENCED-NOT: sm.barrier
// FENCED: scf.for
// FENCED-NOT: sm.fence
// FENCED-NOT: sm.barrier
// FENCED: sm.barrier
// FENCED-NEXT: scf.if
// FENCED-NOT: sm.barrier
// FENCED: sm.store
sm.kernel @sums(%x: !xf, %y: !y, %i: index, %j: index) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %N = tile.size N
  %K = tile.size K
  %z = arith.constant dense<0.0> : !d
  %s = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %z) -> (!d) {
    %row = arith.muli %k, %i : index
    %a = sm.fetch %x[%row, %j] dims [0, 1] limits(%M, %K) : !xf, index, index -> !tf
    %p = sm.dot %a, %a, %acc : !tf, !tf, !d
    scf.yield %p : !d
  }
  sm.store %s to %y[%i, %c0] dims [0, 1] limits(%M, %N) : !d, !y, index, index
}

// Loops in sequence share memory; in a loop around them, a barrier stands before the fetches of the
// first steps, for they meet what the iteration before has read.

// CHECK-LABEL: sm.kernel @twice
// FENCED-LABEL: sm.kernel @twice
// FENCED: %[[A:.*]] = sm.slots.alloc at 0
// FENCED: %[[B:.*]] = sm.slots.alloc at 0
sm.kernel @twice(%x: !x, %y: !y, %i: index, %n: index) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %N = tile.size N
  %K = tile.size K
  %z = arith.constant dense<0.0> : !f
  scf.for %j = %c0 to %n step %c1 {
    %s = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %z) -> (!f) {
      %a = sm.fetch %x[%j, %k] dims [0, 1] limits(%M, %K) : !x, index, index -> !t
      %p = sm.mma %a, %a, %acc transpose_b : !t, !t, !f
      scf.yield %p : !f
    }
    %r = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %s) -> (!f) {
      %a = sm.fetch %x[%j, %k] dims [0, 1] limits(%M, %K) : !x, index, index -> !t
      %p = sm.mma %a, %a, %acc transpose_b : !t, !t, !f
      scf.yield %p : !f
    }
    sm.store %r to %y[%j, %c0] dims [0, 1] limits(%M, %N) : !f, !y, index, index
  }
}

// Nothing can run ahead of a single iteration.

// CHECK-LABEL: sm.kernel @once
// CHECK-NOT:     sm.slots
// CHECK:         scf.for
// CHECK-NEXT:    sm.fetch %x
// CHECK-NOT:     sm.slots
sm.kernel @once(%x: !x, %y: !y, %i: index) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %N = tile.size N
  %K = tile.size K
  %z = arith.constant dense<0.0> : !f
  %s = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %z) -> (!f) {
    %a = sm.fetch %x[%i, %k] dims [0, 1] limits(%M, %K) : !x, index, index -> !t
    %p = sm.mma %a, %a, %acc transpose_b : !t, !t, !f
    scf.yield %p : !f
  } {tile.max_trip_count = 1 : i64}
  sm.store %s to %y[%i, %c0] dims [0, 1] limits(%M, %N) : !f, !y, index, index
}
