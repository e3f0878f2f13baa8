// RUN: tile-opt %s --sm-unswitch-loops --split-input-file | FileCheck %s

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// The conditions of both masks depend on no iteration: a version of the loop without masks runs where both
// hold, and the loop as it was elsewhere.

// CHECK-LABEL: sm.kernel @two_masks
// CHECK-DAG: %[[LEFT:.*]] = arith.subi %n, %m
// CHECK-DAG: %[[WHOLE:.*]] = arith.cmpi sge, %[[LEFT]], %c0
// CHECK-DAG: %[[AGAIN:.*]] = arith.cmpi sge, %m, %c0
// CHECK: %[[ALL:.*]] = arith.andi %[[WHOLE]], %[[AGAIN]]
// CHECK: %[[R:.*]] = scf.if %[[ALL]]
// CHECK-NEXT: %[[PLAIN:.*]] = scf.for
// CHECK-NEXT: %[[P:.*]] = sm.mma.issue
// CHECK-NEXT: %[[Q:.*]] = sm.mma.await %[[P]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %{{.*}}, %[[Q]]
// CHECK-NEXT: scf.yield %[[SUM]]
// CHECK: scf.yield %[[PLAIN]]
// CHECK: else
// CHECK-NEXT: %[[MASKED:.*]] = scf.for
// CHECK-COUNT-2: scf.if
// CHECK: scf.yield %[[MASKED]]
sm.kernel @two_masks(%n: index, %m: index, %factor: f32) grid() warps(4) form(fenced) shared(10240) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = sm.scratch at 0 : !a
  %b = sm.scratch at 8192 : !b
  %zero = arith.constant dense<0.0> : !t
  %scale = tensor.splat %factor : !t
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%sum = %zero) -> (!t) {
    %pending = sm.mma.issue %a, %b, %zero : !a, !b, !t
    %product = sm.mma.await %pending : !sm.pending<!t>
    %left = arith.subi %n, %m : index
    %whole = arith.cmpi sge, %left, %c0 : index
    %masked = scf.if %whole -> (!t) {
      scf.yield %product : !t
    } else {
      %0 = arith.mulf %product, %scale : !t
      scf.yield %0 : !t
    } {tile.guarded_masks}
    %again = arith.cmpi sge, %m, %c0 : index
    %twice = scf.if %again -> (!t) {
      scf.yield %masked : !t
    } else {
      %0 = arith.mulf %masked, %scale : !t
      scf.yield %0 : !t
    } {tile.guarded_masks}
    %next = arith.addf %sum, %twice : !t
    scf.yield %next : !t
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// The condition of the first mask only ceases to hold: 64 - i >= 0 for all numbers i below 65. The first loop has no mask
// and ends with the iteration before that. The second branch is no mask and remains.

// CHECK-LABEL: sm.kernel @falls
// CHECK: %[[LOW:.*]] = arith.index_cast %c0 : index to i64
// CHECK: %[[UPPER:.*]] = arith.index_cast %n : index to i64
// CHECK: %[[HIGH:.*]] = arith.maxsi %[[LOW]], %[[UPPER]] : i64
// CHECK: %[[PAST:.*]] = arith.floordivsi %c65_i64, %c1_i64 : i64
// CHECK: %[[LEAST:.*]] = arith.minsi %[[HIGH]], %[[PAST]] : i64
// CHECK: %[[WIDE:.*]] = arith.maxsi %[[LEAST]], %[[LOW]] : i64
// CHECK: %[[END:.*]] = arith.index_cast %[[WIDE]] : i64 to index
// CHECK: %[[DISTANCE:.*]] = arith.subi %[[END]], %c0
// CHECK: %[[COUNT:.*]] = arith.ceildivsi %[[DISTANCE]], %c64
// CHECK: %[[LENGTH:.*]] = arith.muli %[[COUNT]], %c64
// CHECK: %[[FIRST:.*]] = arith.addi %c0, %[[LENGTH]]
// CHECK: %[[THRESHOLD:.*]] = arith.minsi %[[FIRST]], %n
// CHECK: %[[PLAIN:.*]] = scf.for %{{.*}} = %c0 to %[[THRESHOLD]] step %c64
// CHECK: %[[PRODUCT:.*]] = sm.mma.await
// CHECK: scf.if
// CHECK: arith.addf %[[PRODUCT]]
// CHECK: scf.for %{{.*}} = %[[THRESHOLD]] to %n step %c64 iter_args(%{{.*}} = %[[PLAIN]])
// CHECK: %[[PRODUCT:.*]] = sm.mma.await
// CHECK: arith.mulf %[[PRODUCT]]
// CHECK: scf.if
sm.kernel @falls(%n: index, %factor: f32) grid() warps(4) form(fenced) shared(10240) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = sm.scratch at 0 : !a
  %b = sm.scratch at 8192 : !b
  %zero = arith.constant dense<0.0> : !t
  %scale = tensor.splat %factor : !t
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%sum = %zero) -> (!t) {
    %pending = sm.mma.issue %a, %b, %zero : !a, !b, !t
    %product = sm.mma.await %pending : !sm.pending<!t>
    %left = arith.subi %c64, %i : index
    %inside = arith.cmpi sge, %left, %c0 : index
    %masked = scf.if %inside -> (!t) {
      scf.yield %product : !t
    } else {
      %0 = arith.mulf %product, %scale : !t
      scf.yield %0 : !t
    } {tile.guarded_masks}
    %whole = arith.cmpi sge, %n, %c64 : index
    %twice = scf.if %whole -> (!t) {
      %0 = arith.addf %masked, %scale : !t
      scf.yield %0 : !t
    } else {
      %0 = arith.mulf %masked, %scale : !t
      scf.yield %0 : !t
    }
    %next = arith.addf %sum, %twice : !t
    scf.yield %next : !t
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>

// A loop without MMAs keeps its condition.

// CHECK-LABEL: sm.kernel @no_products
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NOT: scf.for
sm.kernel @no_products(%n: index, %factor: f32) grid() warps(4) form(fenced) shared(10240) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : !t
  %scale = tensor.splat %factor : !t
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%sum = %zero) -> (!t) {
    %whole = arith.cmpi sge, %n, %c64 : index
    %masked = scf.if %whole -> (!t) {
      scf.yield %sum : !t
    } else {
      %0 = arith.mulf %sum, %scale : !t
      scf.yield %0 : !t
    } {tile.guarded_masks}
    scf.yield %masked : !t
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!y = !tile.global<[M, 64, 16] x f32, out>

// A loop that only stores has no results.

// CHECK-LABEL: sm.kernel @stored
// CHECK: scf.if
// CHECK-NEXT: scf.for
// CHECK-NOT: scf.if
// CHECK: sm.store
// CHECK: else
// CHECK-NEXT: scf.for
// CHECK: scf.if
// CHECK: arith.mulf
// CHECK: sm.store
sm.kernel @stored(%n: index, %factor: f32, %y: !y) grid() warps(4) form(fenced) shared(10240) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = sm.scratch at 0 : !a
  %b = sm.scratch at 8192 : !b
  %zero = arith.constant dense<0.0> : !t
  %scale = tensor.splat %factor : !t
  scf.for %i = %c0 to %n step %c1 {
    %pending = sm.mma.issue %a, %b, %zero : !a, !b, !t
    %product = sm.mma.await %pending : !sm.pending<!t>
    %whole = arith.cmpi sge, %n, %c64 : index
    %masked = scf.if %whole -> (!t) {
      scf.yield %product : !t
    } else {
      %0 = arith.mulf %product, %scale : !t
      scf.yield %0 : !t
    } {tile.guarded_masks}
    sm.store %masked to %y[%i, %c0, %c0] dims [1, 2] limits(%c64, %c16) : !t, !y, index, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// Queries see the keys from one iteration on. Of the condition, one part is the same in all iterations, one begins
// to hold at i >= (m - 64 n) / 64 rounded up, and one must hold for the last iteration. The threshold is a whole
// number of steps of 2 above the first iteration, and the second loop continues with the sum of the first one.

// CHECK-LABEL: sm.kernel @causal
// CHECK-SAME: %n: index, %m: index
// CHECK-DAG: %[[SAME:.*]] = arith.cmpi sge, %n, %c64
// CHECK-DAG: %[[LAST:.*]] = arith.cmpi sge, %{{.*}}, %c0_i64
// CHECK: %[[COMMON:.*]] = arith.andi %[[SAME]], %[[LAST]]
// CHECK: %[[LOW:.*]] = arith.index_cast %c4 : index to i64
// CHECK: %[[UPPER:.*]] = arith.index_cast %n : index to i64
// CHECK: %[[HIGH:.*]] = arith.maxsi %[[LOW]], %[[UPPER]] : i64
// CHECK: %[[LEAST:.*]] = arith.ceildivsi %{{.*}}, %c64_i64 : i64
// CHECK: %[[FROM:.*]] = arith.maxsi %[[LOW]], %[[LEAST]] : i64
// CHECK: %[[WIDE:.*]] = arith.minsi %[[FROM]], %[[HIGH]] : i64
// CHECK: %[[FIRST:.*]] = arith.index_cast %[[WIDE]] : i64 to index
// CHECK: %[[DISTANCE:.*]] = arith.subi %[[FIRST]], %c4
// CHECK: %[[STEPS:.*]] = arith.ceildivsi %[[DISTANCE]], %c2
// CHECK: %[[WHOLE:.*]] = arith.muli %[[STEPS]], %c2
// CHECK: %[[AT:.*]] = arith.addi %c4, %[[WHOLE]]
// CHECK: %[[INSIDE:.*]] = arith.minsi %[[AT]], %n
// CHECK: %[[THRESHOLD:.*]] = arith.select %[[COMMON]], %[[INSIDE]], %n
// CHECK: %[[MASKED:.*]] = scf.for %{{.*}} = %c4 to %[[THRESHOLD]] step %c2
// CHECK-NOT: scf.if
// CHECK: arith.mulf
// CHECK: scf.for %{{.*}} = %[[THRESHOLD]] to %n step %c2 iter_args(%{{.*}} = %[[MASKED]])
// CHECK-NOT: scf.if
// CHECK-NOT: arith.mulf
// CHECK: scf.yield
sm.kernel @causal(%n: index, %m: index, %factor: f32) grid() warps(4) form(fenced) shared(10240) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %a = sm.scratch at 0 : !a
  %b = sm.scratch at 8192 : !b
  %zero = arith.constant dense<0.0> : !t
  %scale = tensor.splat %factor : !t
  %r = scf.for %i = %c4 to %n step %c2 iter_args(%sum = %zero) -> (!t) {
    %pending = sm.mma.issue %a, %b, %zero : !a, !b, !t
    %product = sm.mma.await %pending : !sm.pending<!t>
    %row = arith.muli %i, %c64 : index
    %seen = arith.subi %row, %m : index
    %begins = arith.cmpi sge, %seen, %c0 : index
    %left = arith.subi %m, %i : index
    %ends = arith.cmpi sge, %left, %c0 : index
    %same = arith.cmpi sge, %n, %c64 : index
    %both = arith.andi %begins, %ends : i1
    %all = arith.andi %both, %same : i1
    %masked = scf.if %all -> (!t) {
      scf.yield %product : !t
    } else {
      %0 = arith.mulf %product, %scale : !t
      scf.yield %0 : !t
    } {tile.guarded_masks}
    %next = arith.addf %sum, %masked : !t
    scf.yield %next : !t
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// The product of two numbers that change is not linear in the iterations.

// CHECK-LABEL: sm.kernel @squares
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NOT: scf.for
sm.kernel @squares(%n: index, %factor: f32) grid() warps(4) form(fenced) shared(10240) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = sm.scratch at 0 : !a
  %b = sm.scratch at 8192 : !b
  %zero = arith.constant dense<0.0> : !t
  %scale = tensor.splat %factor : !t
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%sum = %zero) -> (!t) {
    %pending = sm.mma.issue %a, %b, %zero : !a, !b, !t
    %product = sm.mma.await %pending : !sm.pending<!t>
    %square = arith.muli %i, %i : index
    %begins = arith.cmpi sge, %square, %n : index
    %masked = scf.if %begins -> (!t) {
      scf.yield %product : !t
    } else {
      %0 = arith.mulf %product, %scale : !t
      scf.yield %0 : !t
    } {tile.guarded_masks}
    %next = arith.addf %sum, %masked : !t
    scf.yield %next : !t
  }
}
