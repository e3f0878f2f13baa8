// Work that an order places early leaves out reads for which only later work waits: they would take registers.
// RUN: tile-opt %s '--sm-schedule-loops=order="0 !0 . 1 2 !1 +"' | FileCheck %s

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>
!y = !tile.global<[M, 128, 64] x f32, out>

// CHECK-LABEL: sm.kernel @reads
// CHECK: sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 0>}
// CHECK: sm.mma.await {{.*}} {sm.schedule = #sm.schedule<0, 1>}
// CHECK: sm.smem.load {{.*}} {sm.schedule = #sm.schedule<0, 2>}
// CHECK: arith.mulf {{.*}} {sm.schedule = #sm.schedule<0, 4>}
// CHECK: sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 6>}
// CHECK: sm.mma.await {{.*}} {sm.schedule = #sm.schedule<0, 8>}
// CHECK: sm.smem.load {{.*}} {sm.schedule = #sm.schedule<0, 9>}
sm.kernel @reads(%n: index, %y: !y) grid() warps(8) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  sm.role "math" warps(8) registers(136) {
    %k = sm.scratch : !k
    %q = sm.scratch : !q
    %now = sm.scratch : !k
    %later = sm.scratch : !k
    %zero = arith.constant dense<0.0> : !t
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (!t) {
      %s = sm.mma %k, %q, %zero : !k, !q, !t
      %a = sm.smem.load %now : !k -> !h
      %e = arith.extf %a : !h to !t
      %m = arith.mulf %s, %e : !t
      %p = arith.truncf %m : !t to !h
      %dp = sm.mma %k, %q, %zero : !k, !q, !t
      %b = sm.smem.load %later : !k -> !h
      %f = arith.extf %b : !h to !t
      %z = arith.mulf %dp, %f : !t
      sm.store %z to %y[%i, %c0, %c0] dims [1, 2] limits(%c128, %c64) : !t, !y, index, index, index
      %dv = sm.mma %p, %q, %x : !h, !q, !t
      scf.yield %dv : !t
    }
  }
}
