// RUN: tile-opt %s -sm-apply-schedule | FileCheck %s

// Ops run when their schedules say, and awaits leave in flight what is issued after their products.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// All in their iteration: the second product is issued first.
// CHECK-LABEL: sm.kernel @reordered
// CHECK: %[[A:.*]] = sm.scratch
// CHECK-NEXT: %[[B:.*]] = sm.scratch
// CHECK-NEXT: %[[Z:.*]] = arith.constant dense
// CHECK: scf.for %{{.*}} iter_args(%[[X:.*]] = %[[Z]], %[[Y:.*]] = %[[Z]])
// CHECK-NEXT: %[[SECOND:.*]] = sm.mma.issue %[[A]], %[[B]], %[[Y]]
// CHECK-NEXT: %[[FIRST:.*]] = sm.mma.issue %[[A]], %[[B]], %[[X]]
// CHECK-NEXT: %[[S:.*]] = sm.mma.await %[[SECOND]] leave 1
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[S]], %[[S]]
// CHECK-NEXT: %[[F:.*]] = sm.mma.await %[[FIRST]] :
// CHECK-NEXT: scf.yield %[[F]], %[[SUM]]
// CHECK-NOT: sm.schedule
sm.kernel @reordered(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %y = %z) -> (!t, !t) {
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 4>} : !a, !b, !t
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 20>} : !p
      %q = sm.mma.issue %a, %b, %y {sm.schedule = #sm.schedule<0, 1>} : !a, !b, !t
      %e = sm.mma.await %q {sm.schedule = #sm.schedule<0, 5>} : !p
      %s = arith.addf %e, %e {sm.schedule = #sm.schedule<0, 7>} : !t
      scf.yield %d, %s : !t, !t
    }
  }
}

// What has stage 1 runs beside the next iteration: the first one is peeled, under a test that there is
// one, and the last late ops follow the loop. A late op takes its own iteration's position; what it adds to
// is what the loop started from, as nothing has been added by then. The slot is carried to its release.
// CHECK-LABEL: sm.kernel @late
// CHECK: %[[R:.*]] = sm.ring.alloc
// CHECK: %[[A:.*]] = sm.scratch
// CHECK: %[[Z:.*]] = arith.constant dense
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %c0, %n
// CHECK-NEXT: scf.if %[[RUNS]] -> (tensor<64x16xf32, #{{.*}}>, index) {
// CHECK-NEXT: %[[SLOT0:.*]] = sm.ring.wait %[[R]]
// CHECK-NEXT: %[[TILE0:.*]] = sm.slot.tile %[[SLOT0]][0]
// CHECK-NEXT: %[[P0:.*]] = sm.mma.issue %[[A]], %[[TILE0]], %[[Z]]
// CHECK-NEXT: %[[S0:.*]] = sm.mma.await %[[P0]] :
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %c0, %c1
// CHECK-NEXT: %[[L:.*]]:5 = scf.for %[[I:.*]] = %[[NEXT]] to %n step %c1 iter_args(%[[SUM:.*]] = %[[Z]], %[[COUNT:.*]] = %c0, %[[H0:.*]] = {{%[a-z0-9_]+}}, %[[H1:.*]] = {{%[a-z0-9_]+}}, %[[H2:.*]] = {{%[a-z0-9_]+}})
// CHECK-NEXT: %[[SLOT:.*]] = sm.ring.wait %[[R]]
// CHECK-NEXT: %[[TILE:.*]] = sm.slot.tile %[[SLOT]][0]
// CHECK-NEXT: %[[P:.*]] = sm.mma.issue %[[A]], %[[TILE]], %[[Z]]
// CHECK-NEXT: %[[Q:.*]] = sm.mma.issue %[[A]], %{{.*}}, %[[SUM]]
// CHECK-NEXT: %[[S:.*]] = sm.mma.await %[[P]] leave 1
// CHECK-NEXT: %[[T:.*]] = sm.mma.await %[[Q]] :
// CHECK-NEXT: sm.ring.release
// CHECK-NEXT: %[[C:.*]] = arith.addi %[[COUNT]], %{{.*}}
// CHECK-NEXT: scf.yield %[[T]], %[[C]], {{.*}}
// CHECK-NEXT: }
// CHECK-NEXT: %[[QN:.*]] = sm.mma.issue %[[A]], %{{.*}}, %[[L]]#0
// CHECK-NEXT: %[[TN:.*]] = sm.mma.await %[[QN]] :
// CHECK-NEXT: sm.ring.release
// CHECK-NEXT: %[[CN:.*]] = arith.addi %[[L]]#1, %{{.*}}
// CHECK-NEXT: scf.yield %[[TN]], %[[CN]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[Z]], %c0
// CHECK-NOT: sm.schedule
sm.kernel @late(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!b]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %z = arith.constant dense<0.0> : !t
    %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %z, %count = %c0) -> (!t, index) {
      %s = sm.ring.wait %r {sm.schedule = #sm.schedule<0, 0>} : !sm.ring<2 x [!b]>
      %b = sm.slot.tile %s[0] {sm.schedule = #sm.schedule<0, 1>} : !sm.slot<[!b]>
      %p = sm.mma.issue %a, %b, %z {sm.schedule = #sm.schedule<0, 2>} : !a, !b, !t
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 4>} : !p
      %q = sm.mma.issue %a, %b, %sum {sm.schedule = #sm.schedule<1, 3>} : !a, !b, !t
      %e = sm.mma.await %q {sm.schedule = #sm.schedule<1, 5>} : !p
      sm.ring.release %s {sm.schedule = #sm.schedule<1, 6>} : !sm.slot<[!b]>
      %next = arith.addi %count, %i {sm.schedule = #sm.schedule<1, 7>} : index
      scf.yield %e, %next : !t, index
    }
  }
}

// A late op takes what the loop carries as it was in its own iteration: the maximum before, which is handed on.
// CHECK-LABEL: sm.kernel @carried
// CHECK: scf.if
// CHECK-NEXT: %[[MAX0:.*]] = arith.maxsi %c0, %c0
// CHECK: %[[L:.*]]:4 = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[MAX:.*]] = %[[MAX0]], %[[SUM:.*]] = %c0, %[[BEFORE:.*]] = %c0, %[[LAST:.*]] = %[[MAX0]])
// CHECK-NEXT: %[[NEXT:.*]] = arith.maxsi %[[MAX]], %[[I]]
// CHECK-NEXT: %[[STEP:.*]] = arith.subi %[[LAST]], %[[BEFORE]]
// CHECK-NEXT: %[[TOTAL:.*]] = arith.addi %[[SUM]], %[[STEP]]
// CHECK-NEXT: scf.yield %[[NEXT]], %[[TOTAL]], %[[MAX]], %[[NEXT]]
// CHECK: arith.subi %[[L]]#3, %[[L]]#2
sm.kernel @carried(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%max = %c0, %sum = %c0) -> (index, index) {
      %next = arith.maxsi %max, %i {sm.schedule = #sm.schedule<0, 0>} : index
      %step = arith.subi %next, %max {sm.schedule = #sm.schedule<1, 1>} : index
      %total = arith.addi %sum, %step {sm.schedule = #sm.schedule<1, 2>} : index
      scf.yield %next, %total : index, index
    }
  }
}

// A retire leaves what is issued after the products before it in the body, late or not.
// CHECK-LABEL: sm.kernel @retired
// CHECK: scf.if
// CHECK: sm.mma.issue
// CHECK: scf.for
// CHECK-NEXT: sm.mma.issue
// CHECK-NEXT: sm.mma.retire leave 1
// CHECK: sm.mma.retire leave 0
// CHECK-NOT: sm.mma
sm.kernel @retired(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    scf.for %i = %c0 to %n step %c1 {
      %p = sm.mma.issue %a, %b, %z {sm.schedule = #sm.schedule<0, 0>} : !a, !b, !t
      sm.mma.retire leave 0 {sm.schedule = #sm.schedule<1, 1>}
    }
  }
}

// The second product is issued first. The retire is of both, so it leaves those of the next iteration.
// CHECK-LABEL: sm.kernel @swapped
// CHECK: scf.for
// CHECK: sm.mma.issue
// CHECK: sm.mma.issue
// CHECK-NEXT: sm.mma.retire leave 2
sm.kernel @swapped(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %y = %z) -> (!t, !t) {
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 1>} : !a, !b, !t
      %q = sm.mma.issue %a, %b, %y {sm.schedule = #sm.schedule<0, 0>} : !a, !b, !t
      sm.mma.retire leave 0 {sm.schedule = #sm.schedule<1, 2>}
      %d = sm.mma.await %p {sm.after_loop} : !p
      %e = sm.mma.await %q {sm.after_loop} : !p
      scf.yield %d, %e : !t, !t
    }
  }
}

// A wait leaves at most 7 groups in flight, even if more products follow.
// CHECK-LABEL: sm.kernel @many
// CHECK: scf.for
// CHECK-COUNT-9: sm.mma.issue
// CHECK-NEXT: sm.mma.await %{{[a-z0-9]+}} leave 7
// CHECK-NEXT: sm.mma.await %{{[a-z0-9]+}} leave 7
// CHECK-NEXT: sm.mma.await %{{[a-z0-9]+}} leave 6
// CHECK: sm.mma.await %{{[a-z0-9]+}} :
sm.kernel @many(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l:9 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %z, %x1 = %z, %x2 = %z, %x3 = %z, %x4 = %z, %x5 = %z, %x6 = %z, %x7 = %z, %x8 = %z) -> (!t, !t, !t, !t, !t, !t, !t, !t, !t) {
      %p0 = sm.mma.issue %a, %b, %x0 {sm.schedule = #sm.schedule<0, 0>} : !a, !b, !t
      %p1 = sm.mma.issue %a, %b, %x1 {sm.schedule = #sm.schedule<0, 1>} : !a, !b, !t
      %p2 = sm.mma.issue %a, %b, %x2 {sm.schedule = #sm.schedule<0, 2>} : !a, !b, !t
      %p3 = sm.mma.issue %a, %b, %x3 {sm.schedule = #sm.schedule<0, 3>} : !a, !b, !t
      %p4 = sm.mma.issue %a, %b, %x4 {sm.schedule = #sm.schedule<0, 4>} : !a, !b, !t
      %p5 = sm.mma.issue %a, %b, %x5 {sm.schedule = #sm.schedule<0, 5>} : !a, !b, !t
      %p6 = sm.mma.issue %a, %b, %x6 {sm.schedule = #sm.schedule<0, 6>} : !a, !b, !t
      %p7 = sm.mma.issue %a, %b, %x7 {sm.schedule = #sm.schedule<0, 7>} : !a, !b, !t
      %p8 = sm.mma.issue %a, %b, %x8 {sm.schedule = #sm.schedule<0, 8>} : !a, !b, !t
      %d0 = sm.mma.await %p0 {sm.schedule = #sm.schedule<0, 9>} : !p
      %d1 = sm.mma.await %p1 {sm.schedule = #sm.schedule<0, 10>} : !p
      %d2 = sm.mma.await %p2 {sm.schedule = #sm.schedule<0, 11>} : !p
      %d3 = sm.mma.await %p3 {sm.schedule = #sm.schedule<0, 12>} : !p
      %d4 = sm.mma.await %p4 {sm.schedule = #sm.schedule<0, 13>} : !p
      %d5 = sm.mma.await %p5 {sm.schedule = #sm.schedule<0, 14>} : !p
      %d6 = sm.mma.await %p6 {sm.schedule = #sm.schedule<0, 15>} : !p
      %d7 = sm.mma.await %p7 {sm.schedule = #sm.schedule<0, 16>} : !p
      %d8 = sm.mma.await %p8 {sm.schedule = #sm.schedule<0, 17>} : !p
      scf.yield %d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7, %d8 : !t, !t, !t, !t, !t, !t, !t, !t, !t
    }
  }
}

// Loops without schedules stay.
// CHECK-LABEL: sm.kernel @unplanned
// CHECK: scf.for
// CHECK-NEXT: sm.mma.issue
// CHECK-NEXT: sm.mma.await %{{[a-z0-9]+}} :
sm.kernel @unplanned(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %p = sm.mma.issue %a, %b, %x : !a, !b, !t
      %d = sm.mma.await %p : !p
      scf.yield %d : !t
    }
  }
}
