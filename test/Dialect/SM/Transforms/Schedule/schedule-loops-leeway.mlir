// What loops of products take above the registers that are certain to be free.
// RUN: tile-opt %s --sm-schedule-loops | FileCheck %s --check-prefixes=CHECK,CERTAIN
// RUN: tile-opt %s --sm-schedule-loops=leeway=16 | FileCheck %s --check-prefixes=CHECK,LEEWAY

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>
!y = !tile.global<[M, 64, 64] x f32, inout>

// With one slot, warpgroups meet twice in an iteration. The second product of scores (DP) is issued beside the one
// that is carried (DV), not beside the first one.
// CHECK-LABEL: sm.kernel @one_slot
// CERTAIN-NOT: sm.register_leeway
// LEEWAY-SAME: sm.register_leeway = 4 : i64
// CHECK: %[[S:.+]] = sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 0>}
// CERTAIN: sm.mma.await %[[S]] {sm.schedule = #sm.schedule<0, 2>}
// LEEWAY: sm.mma.await %[[S]] {sm.schedule = #sm.schedule<0, 1>}
// CERTAIN: %[[DV:.+]] = sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 9>}
// LEEWAY: %[[DV:.+]] = sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 4>}
// CHECK: sm.mma.await %[[DV]] {sm.schedule = #sm.schedule<0, 11>}
// CERTAIN: %[[DP:.+]] = sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 1>}
// CERTAIN: sm.mma.await %[[DP]] {sm.schedule = #sm.schedule<0, 3>}
// LEEWAY: %[[DP:.+]] = sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 5>}
// LEEWAY: sm.mma.await %[[DP]] {sm.schedule = #sm.schedule<0, 6>}
sm.kernel @one_slot(%n: index, %y: !y) grid() warps(8) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  sm.role "math" warps(8) registers(136) {
    %k = sm.scratch : !k
    %q = sm.scratch : !q
    %w = sm.scratch : !sm.smem<128x128xbf16, swizzle = 128>
    %zero = arith.constant dense<0.0> : !t
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (!t) {
      %s = sm.mma %k, %q, %zero : !k, !q, !t
      %e = math.exp2 %s : !t
      %p = arith.truncf %e : !t to !h
      %dv = sm.mma %p, %q, %x : !h, !q, !t
      %dp = sm.mma %k, %q, %zero : !k, !q, !t
      %m = arith.mulf %e, %dp : !t
      %ds = arith.truncf %m : !t to !h
      %d = sm.smem.store %ds : !h -> !k
      %dq = sm.mma %w, %d, %zero transpose_a : !sm.smem<128x128xbf16, swizzle = 128>, !k, !t
      sm.store %dq to %y[%i, %c0, %c0] dims [1, 2] limits(%c64, %c64) : !t, !y, index, index, index
      scf.yield %dv : !t
    }
  }
}

// With two slots they meet once. DP is issued beside the first product, and awaited after DV is issued.
// CHECK-LABEL: sm.kernel @two_slots
// CERTAIN-NOT: sm.register_leeway
// LEEWAY-SAME: sm.register_leeway = 4 : i64
// CHECK: %[[S:.+]] = sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 0>}
// CHECK: sm.mma.await %[[S]] {sm.schedule = #sm.schedule<0, 2>}
// CERTAIN: %[[DV:.+]] = sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 14>}
// LEEWAY: %[[DV:.+]] = sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 5>}
// CHECK: sm.mma.await %[[DV]] {sm.schedule = #sm.schedule<0, 16>}
// CHECK: %[[DP:.+]] = sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 1>}
// CERTAIN: sm.mma.await %[[DP]] {sm.schedule = #sm.schedule<0, 3>}
// LEEWAY: sm.mma.await %[[DP]] {sm.schedule = #sm.schedule<0, 6>}
sm.kernel @two_slots(%n: index, %y: !y) grid() warps(8) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %ring = sm.ring.alloc : !sm.ring<2 x [!k]>
  sm.role "math" warps(8) registers(136) {
    %k = sm.scratch : !k
    %q = sm.scratch : !q
    %w = sm.scratch : !sm.smem<128x128xbf16, swizzle = 128>
    %zero = arith.constant dense<0.0> : !t
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (!t) {
      %s = sm.mma %k, %q, %zero : !k, !q, !t
      %e = math.exp2 %s : !t
      %p = arith.truncf %e : !t to !h
      %dv = sm.mma %p, %q, %x : !h, !q, !t
      %dp = sm.mma %k, %q, %zero : !k, !q, !t
      %m = arith.mulf %e, %dp : !t
      %ds = arith.truncf %m : !t to !h
      %slot = sm.ring.acquire %ring : !sm.ring<2 x [!k]>
      %tile = sm.slot.tile %slot[0] : !sm.slot<[!k]>
      sm.slot.store %tile with %ds : !k, !h
      sm.ring.commit %slot : !sm.slot<[!k]>
      %full = sm.ring.wait %ring : !sm.ring<2 x [!k]>
      %d = sm.slot.tile %full[0] : !sm.slot<[!k]>
      %dq = sm.mma %w, %d, %zero transpose_a : !sm.smem<128x128xbf16, swizzle = 128>, !k, !t
      sm.ring.release %full : !sm.slot<[!k]>
      sm.store %dq to %y[%i, %c0, %c0] dims [1, 2] limits(%c64, %c64) : !t, !y, index, index, index
      scf.yield %dv : !t
    }
  }
}
