// Warpgroups exchange a tile through a ring that their role fills and uses itself.
// RUN: tile-opt %s --split-input-file --sm-exchange-rings | FileCheck %s
// RUN: tile-opt %s --split-input-file --sm-exchange-rings="remarks" -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// Without the exchange, warpgroups meet, and stay in phase.
// RUN: tile-opt %s --split-input-file --sm-schedule-loops="remarks" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PHASE
// The product that is only stored runs an iteration late, issued in the turn of the first one.
// RUN: tile-opt %s --split-input-file --sm-exchange-rings --sm-store-role --sm-schedule-loops | FileCheck %s --check-prefix=PLAN
// Nobody meets: each warp arrives for what it has written, fenced, and a product waits for the stage.
// RUN: tile-opt %s --split-input-file --sm-exchange-rings --sm-store-role --sm-schedule-loops --sm-place-events --sm-expand-rings --sm-allocate-smem --sm-place-fences | FileCheck %s --check-prefix=FENCE

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>

// CHECK-LABEL: sm.kernel @gradient
// CHECK: %[[RING:.+]] = sm.ring.alloc : !sm.ring<2 x [!sm.smem<128x64xbf16, swizzle = 128>]>
// CHECK: %[[P:.+]] = arith.truncf
// CHECK-NEXT: %[[S:.+]] = sm.ring.acquire %[[RING]]
// CHECK-NEXT: %[[T:.+]] = sm.slot.tile %[[S]][0]
// CHECK-NEXT: sm.fill %[[T]] with %[[P]]
// CHECK-NEXT: sm.ring.commit %[[S]]
// CHECK-NEXT: %[[U:.+]] = sm.ring.wait %[[RING]]
// CHECK-NEXT: %[[V:.+]] = sm.slot.tile %[[U]][0]
// CHECK: sm.mma %{{.+}}, %[[V]], %{{.+}} transpose_a
// CHECK-NEXT: sm.ring.release %[[U]]

// PLAN-LABEL: sm.kernel @gradient
// PLAN: sm.turn.take {sm.event = #sm.event<0, [[#TAKE:]]>}
// PLAN: sm.turn.pass {sm.event = #sm.event<0, {{[0-9]+}}>}
// PLAN: sm.ring.wait %1 {sm.event = #sm.event<1,
// PLAN: sm.mma.issue {{.*}} transpose_a {sm.event = #sm.event<1, [[#TAKE + 2]]>}
// PLAN: sm.ring.acquire %0 {sm.event = #sm.event<1,
// PLAN: sm.fill {{.*}} {sm.event = #sm.event<1,

// FENCE-LABEL: sm.kernel @gradient
// FENCE: sm.role "math"
// FENCE: scf.for
// FENCE: sm.mbarrier.wait %[[FULL:[0-9]+]][
// FENCE: sm.turn.take
// FENCE-NEXT: sm.mma.issue
// FENCE-NEXT: sm.mma.issue
// FENCE-NOT: sm.barrier
// FENCE: sm.turn.pass
// FENCE-NOT: sm.barrier
// FENCE: sm.fill {{.*}}128x64xf32
// FENCE-NEXT: sm.fence
// FENCE-NEXT: sm.mbarrier.arrive
// FENCE-NOT: sm.barrier
// FENCE: sm.fill {{.*}}128x64xbf16
// FENCE-NEXT: sm.fence
// FENCE-NEXT: sm.mbarrier.arrive %[[FULL]][{{.+}}] warps
sm.kernel @gradient(%y: !tile.global<[M, 64, 64] x f32, inout>, %n: index) grid() warps(12) form(scheduled)
    schedule<warpgroups = 2, pingpong = true> {
  sm.role "load" warps(4) registers(40) elected {
  }
  sm.role "math" warps(8) registers(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %k = sm.scratch : !sm.smem<128x128xbf16, swizzle = 128>
    %q = sm.scratch : !q
    %a = sm.scratch : !k
    %zero = arith.constant dense<0.0> : !t
    // PHASE: [[@LINE+1]]:10: remark: warpgroups take no turns in this loop: no product of tiles that warpgroups exchange is only stored
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (!t) {
      %s = sm.mma %a, %q, %zero : !k, !q, !t
      %e = math.exp2 %s : !t
      %p = arith.truncf %e : !t to !h
      %t = sm.stage %p : !h -> !k
      %d = sm.mma %p, %q, %x : !h, !q, !t
      %g = sm.mma %k, %t, %zero transpose_a : !sm.smem<128x128xbf16, swizzle = 128>, !k, !t
      sm.tma.store %g to %y[%i, %c0, %c0] dims [1, 2] limits(%c64, %c64) in_bounds [true, true] columns 32 buffers 1 add : !t, !tile.global<[M, 64, 64] x f32, inout>, index, index, index
      scf.yield %d : !t
    }
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>

// No room for a second tile.
// CHECK-LABEL: sm.kernel @full
// CHECK-NOT: sm.ring.acquire
// CHECK: sm.stage
sm.kernel @full(%n: index) grid() warps(12) form(scheduled) schedule<warpgroups = 2, pingpong = true> {
  sm.role "load" warps(4) registers(40) elected {
  }
  sm.role "math" warps(8) registers(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m0 = sm.scratch : !sm.smem<128x128xf32>
    %m1 = sm.scratch : !sm.smem<128x128xf32>
    %m2 = sm.scratch : !sm.smem<128x128xf32>
    %q = sm.scratch : !q
    %zero = arith.constant dense<0.0> : !t
    %p = arith.constant dense<0.0> : !h
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (!t) {
      // WHY: [[@LINE+1]]:12: remark: warpgroups meet where they exchange this tile: a second one takes 16384 bytes of shared memory, and only 10752 are left
      %t = sm.stage %p : !h -> !k
      %d = sm.mma %t, %q, %x : !k, !q, !t
      scf.yield %d : !t
    }
  }
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x64xf32, #acc>
!h = tensor<64x64xbf16, #acc>
!k = !sm.smem<64x64xbf16, swizzle = 128>

// One warpgroup has nobody to exchange with.
// CHECK-LABEL: sm.kernel @alone
// CHECK-NOT: sm.ring.acquire
// CHECK: sm.stage
sm.kernel @alone(%n: index) grid() warps(8) form(scheduled) schedule<warpgroups = 1, pingpong = true> {
  sm.role "load" warps(4) registers(40) elected {
  }
  sm.role "math" warps(4) registers(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !t
    %p = arith.constant dense<0.0> : !h
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (!t) {
      %t = sm.stage %p : !h -> !k
      %d = sm.mma %t, %t, %x : !k, !k, !t
      scf.yield %d : !t
    }
  }
}
