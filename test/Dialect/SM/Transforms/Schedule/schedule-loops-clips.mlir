// RUN: tile-opt %s '--sm-schedule-loops=order="0 !0 1 !1"' | FileCheck %s

// A clip becomes a branch. Both clips come before the first product, so that the products stay in one block.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!ring = !sm.ring<2 x [!a]>
!slot = !sm.slot<[!a]>

// CHECK-LABEL: sm.kernel @two_clips
// CHECK: sm.clip {{.*}} {sm.schedule = #sm.schedule<0, 3>}
// CHECK: sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 7>}
// CHECK: sm.mma.await {{.*}} {sm.schedule = #sm.schedule<0, 8>}
// CHECK: sm.ring.wait {{.*}} {sm.schedule = #sm.schedule<0, 4>}
// CHECK: sm.clip {{.*}} {sm.schedule = #sm.schedule<0, 6>}
sm.kernel @two_clips(%n: index) grid() warps(8) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %first = sm.ring.alloc : !ring
  %second = sm.ring.alloc : !ring
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %n step %c64 {
      %s = sm.ring.acquire %first : !ring
      sm.ring.commit %s : !slot
      %r = sm.ring.acquire %second : !ring
      sm.ring.commit %r : !slot
    }
  }
  sm.role "math" warps(4) {
    %b = sm.scratch : !b
    %zero = arith.constant dense<0.0> : !t
    %r:2 = scf.for %i = %c0 to %n step %c64 iter_args(%x = %zero, %y = %zero) -> (!t, !t) {
      %left = arith.subi %n, %i : index
      %s0 = sm.ring.wait %first : !ring
      %k = sm.slot.tile %s0[0] : !slot
      sm.clip %k axis 0 from %left : !a
      %0 = sm.mma %k, %b, %x : !a, !b, !t
      sm.ring.release %s0 : !slot
      %s1 = sm.ring.wait %second : !ring
      %v = sm.slot.tile %s1[0] : !slot
      sm.clip %v axis 0 from %left : !a
      %1 = sm.mma %v, %b, %y : !a, !b, !t
      sm.ring.release %s1 : !slot
      scf.yield %0, %1 : !t, !t
    }
  }
}
