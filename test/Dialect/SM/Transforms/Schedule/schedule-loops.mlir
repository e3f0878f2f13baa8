// RUN: tile-opt %s -sm-schedule-loops | FileCheck %s
// RUN: tile-opt %s -sm-schedule-loops -sm-apply-schedule | FileCheck %s --check-prefix=NONE

// Each op of a loop of products says when it runs; nothing has moved yet.
// NONE-NOT: sm.schedule
// NONE-NOT: sm.after_loop

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!h = tensor<64x16xbf16, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!k = !sm.smem<16x64xbf16, swizzle = 128>
!v = !sm.smem<16x16xbf16, swizzle = 32>
!x = !sm.smem<64x16xf32, swizzle = 64>

// Products that only add to what the loop carries are complete when the next ones have been issued: the
// slot of an iteration is given back an iteration late, and the sum is awaited after the loop.
// CHECK-LABEL: sm.kernel @sum
// CHECK: sm.ring.wait %{{.*}} {sm.schedule = #sm.schedule<0, 0>}
// CHECK: sm.slot.tile %{{.*}} {sm.schedule = #sm.schedule<0, 1>}
// CHECK: sm.mma.issue %{{.*}} {sm.schedule = #sm.schedule<0, 2>}
// CHECK: sm.mma.retire leave 0 {sm.schedule = #sm.schedule<1, 3>}
// CHECK: sm.mma.await %{{.*}} {sm.after_loop}
// CHECK: sm.ring.release %{{.*}} {sm.schedule = #sm.schedule<1, 4>}
sm.kernel @sum(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!b]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %s = sm.ring.wait %r : !sm.ring<2 x [!b]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!b]>
      %d = sm.mma %a, %t, %x : !a, !b, !t
      sm.ring.release %s : !sm.slot<[!b]>
      scf.yield %d : !t
    }
  }
}

// What a product adds up is computed in registers: the product runs an iteration late, beside that work for
// the next one. Only the rounding, into the registers that it reads, comes after it. The slot is given back once
// what was read is in use, so that nothing is waited for.
// CHECK-LABEL: sm.kernel @late_sum
// CHECK: sm.ring.wait %{{.*}} {sm.schedule = #sm.schedule<0, [[#READ:]]>}
// CHECK: sm.smem.load %{{.*}} {sm.schedule = #sm.schedule<0, [[#READ + 2]]>}
// CHECK: sm.ring.release %{{.*}} {sm.schedule = #sm.schedule<0, [[#READ + 4]]>}
// CHECK: arith.mulf %{{.*}} {sm.schedule = #sm.schedule<0, [[#WORK:]]>}
// CHECK: arith.truncf %{{.*}} {sm.schedule = #sm.schedule<0, [[#WORK + 3]]>}
// CHECK: sm.mma.issue %{{.*}} {sm.schedule = #sm.schedule<1, [[#READ - 1]]>}
// CHECK: sm.mma.await %{{.*}} {sm.schedule = #sm.schedule<1, [[#WORK + 2]]>}
sm.kernel @late_sum(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!x]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %v = sm.scratch : !v
    %z = arith.constant dense<0.0> : !t
    %g = arith.constant dense<2.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %s = sm.ring.wait %r : !sm.ring<2 x [!x]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!x]>
      %w = sm.smem.load %t : !x -> !t
      sm.ring.release %s : !sm.slot<[!x]>
      %m = arith.mulf %w, %g : !t
      %p = arith.truncf %m : !t to !h
      %d = sm.mma %p, %v, %x : !h, !v, !t
      scf.yield %d : !t
    }
  }
}

// The second of two products that depend on each other runs an iteration late: after the first one of the
// next iteration is issued, before the registers of its operand are written anew.
// CHECK-LABEL: sm.kernel @attention
// CHECK-NOT: sm.pingpong
// CHECK: sm.mma.issue %{{.*}} transpose_b {sm.schedule = #sm.schedule<0, [[#FIRST:]]>}
// CHECK: sm.mma.await %{{.*}} {sm.schedule = #sm.schedule<0, [[#FIRST + 2]]>}
// CHECK: arith.truncf %{{.*}} {sm.schedule = #sm.schedule<0, [[#FIRST + 4]]>}
// CHECK: sm.mma.issue %{{.*}} {sm.schedule = #sm.schedule<1, [[#FIRST + 1]]>}
// CHECK: sm.mma.await %{{.*}} {sm.schedule = #sm.schedule<1, [[#FIRST + 3]]>}
sm.kernel @attention(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %q = sm.scratch : !a
    %k = sm.scratch : !k
    %v = sm.scratch : !v
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %s = sm.mma %q, %k, %z transpose_b : !a, !k, !t
      %p = arith.truncf %s : !t to !h
      %d = sm.mma %p, %v, %x : !h, !v, !t
      scf.yield %d : !t
    }
  }
}

// Two products of scores need no await, so they are issued first. Of the others, the one whose result the
// iteration uses (dQ of attention's gradients) is issued before the one that is only carried (dK), which
// then runs beside that use.
// CHECK-LABEL: sm.kernel @gradient
// CHECK: %[[S:.*]] = sm.mma.issue %{{.*}} {sm.schedule = #sm.schedule<0, 0>}
// CHECK: sm.mma.await %[[S]] {sm.schedule = #sm.schedule<0, 2>}
// CHECK: %[[D:.*]] = sm.mma.issue %{{.*}} {sm.schedule = #sm.schedule<0, 1>}
// CHECK: sm.mma.await %[[D]] {sm.schedule = #sm.schedule<0, 3>}
// CHECK: arith.mulf %{{.*}} {sm.schedule = #sm.schedule<0, 4>}
// CHECK: arith.truncf %{{.*}} {sm.schedule = #sm.schedule<0, 5>}
// CHECK: %[[CARRIED:.*]] = sm.mma.issue %{{.*}} {sm.schedule = #sm.schedule<0, 7>}
// CHECK: sm.mma.await %[[CARRIED]] {sm.schedule = #sm.schedule<0, 10>}
// CHECK: %[[USED:.*]] = sm.mma.issue %{{.*}} {sm.schedule = #sm.schedule<0, 6>}
// CHECK: sm.mma.await %[[USED]] {sm.schedule = #sm.schedule<0, 8>}
// CHECK: sm.store %{{.*}} {sm.schedule = #sm.schedule<0, 9>}
sm.kernel @gradient(%n: index, %y: !tile.global<[M, N] x f32, out>) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %q = sm.scratch : !a
    %a = sm.scratch : !a
    %k = sm.scratch : !k
    %v = sm.scratch : !v
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %s = sm.mma %q, %k, %z transpose_b : !a, !k, !t
      %d = sm.mma %a, %k, %z transpose_b : !a, !k, !t
      %m = arith.mulf %s, %d : !t
      %p = arith.truncf %m : !t to !h
      %dk = sm.mma %p, %v, %x : !h, !v, !t
      %dq = sm.mma %p, %v, %z : !h, !v, !t
      sm.store %dq to %y[%i, %c0] dims [0, 1] limits(%n, %n) : !t, !tile.global<[M, N] x f32, out>, index, index
      scf.yield %dk : !t
    }
  }
}

// Three results of 8 registers and a carried row of 2 stand beside each other. A role has 20 registers beside
// its tiles, and 8 are to be left: 56 are enough for all products at once, and 48 are not.
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!row = tensor<64xf32, #row>
// CHECK-LABEL: sm.kernel @fits
// CHECK: sm.mma.issue %{{.*}} {sm.schedule = #sm.schedule<0, 0>}
// CHECK: sm.mma.issue %{{.*}} {sm.schedule = #sm.schedule<0, 1>}
// CHECK: sm.mma.issue %{{.*}} {sm.schedule = #sm.schedule<0, 2>}
sm.kernel @fits(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(56) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %o = arith.constant dense<0.0> : !row
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %o) -> (!row) {
      %s = sm.mma %a, %b, %z : !a, !b, !t
      %p = sm.reduce sum %s axis 1 : !t -> !row
      %d = sm.mma %a, %b, %z : !a, !b, !t
      %q = sm.reduce sum %d axis 1 : !t -> !row
      %f = sm.mma %a, %b, %z : !a, !b, !t
      %g = sm.reduce sum %f axis 1 : !t -> !row
      %m = arith.addf %p, %q : !row
      %e = arith.addf %x, %m : !row
      %h = arith.addf %e, %g : !row
      scf.yield %h : !row
    }
  }
}
// CHECK-LABEL: sm.kernel @waits
// CHECK: sm.mma.issue %{{.*}} {sm.schedule = #sm.schedule<0, 0>}
// CHECK: sm.mma.await %{{.*}} {sm.schedule = #sm.schedule<0, 1>}
sm.kernel @waits(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(48) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %o = arith.constant dense<0.0> : !row
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %o) -> (!row) {
      %s = sm.mma %a, %b, %z : !a, !b, !t
      %p = sm.reduce sum %s axis 1 : !t -> !row
      %d = sm.mma %a, %b, %z : !a, !b, !t
      %q = sm.reduce sum %d axis 1 : !t -> !row
      %f = sm.mma %a, %b, %z : !a, !b, !t
      %g = sm.reduce sum %f axis 1 : !t -> !row
      %m = arith.addf %p, %q : !row
      %e = arith.addf %x, %m : !row
      %h = arith.addf %e, %g : !row
      scf.yield %h : !row
    }
  }
}

// With `pingpong`, warpgroups issue both products in turn, and meet nobody meanwhile.
#acc8 = #sm.layout<"128x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t8 = tensor<128x16xf32, #acc8>
!q8 = !sm.smem<128x64xbf16, swizzle = 128>
// CHECK-LABEL: sm.kernel @turns
// CHECK: sm.pingpong.start
// CHECK: scf.for
// CHECK: sm.pingpong.wait {sm.schedule = #sm.schedule<0, 0>}
// CHECK: sm.mma.issue %{{.*}} transpose_b {sm.schedule = #sm.schedule<0, 1>}
// CHECK: sm.pingpong.pass {sm.schedule = #sm.schedule<0, 3>}
// CHECK: sm.mma.issue %{{.*}} {sm.schedule = #sm.schedule<1, 2>}
sm.kernel @turns(%n: index) grid() warps(8) form(scheduled) schedule<pingpong = true> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(8) registers(128) {
    %q = sm.scratch : !q8
    %k = sm.scratch : !k
    %v = sm.scratch : !v
    %z = arith.constant dense<0.0> : !t8
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t8) {
      %s = sm.mma %q, %k, %z transpose_b : !q8, !k, !t8
      %p = arith.truncf %s : !t8 to tensor<128x16xbf16, #acc8>
      %d = sm.mma %p, %v, %x : tensor<128x16xbf16, #acc8>, !v, !t8
      scf.yield %d : !t8
    }
  }
}

// What the work on the first product takes, and does not depend on it, is read while products go on, if registers
// permit: with 40 of them a row of 64 columns beside both products is too much.
#wide = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#gate = #sm.layout<"64 = register[2*(1) 8*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">
#gate_line = #sm.layout<"1x64 = register[2*(0,1) 8*(0,8)] lane[4*(0,2) 8*(0,0)] warp[4*(0,0)]">
// CHECK-LABEL: sm.kernel @rows_beside
// CHECK: sm.role "math" warps(4) registers(168)
// CHECK: sm.mma.issue {{.*}}sm.schedule = #sm.schedule<0, 0>
// CHECK: sm.mma.await {{.*}}sm.schedule = #sm.schedule<0, 3>
// CHECK: sm.smem.load {{.*}}sm.schedule = #sm.schedule<0, 2>
// CHECK: sm.mma.issue {{.*}}sm.schedule = #sm.schedule<1, 1>
// CHECK: sm.role "math" warps(4) registers(40)
// CHECK: sm.mma.await {{.*}}sm.schedule = #sm.schedule<0, 2>
// CHECK: sm.smem.load {{.*}}sm.schedule = #sm.schedule<0, 3>
sm.kernel @rows_beside(%n: index) grid() warps(8) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %k = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %g = sm.scratch : !sm.smem<64xf32>
  sm.role "math" warps(4) registers(168) {
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #wide>
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (tensor<64x64xf32, #wide>) {
      %s = sm.mma %q, %k, %z transpose_b : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x64xbf16, swizzle = 128>, tensor<64x64xf32, #wide>
      %r = sm.smem.load %g : !sm.smem<64xf32> -> tensor<64xf32, #gate>
      %e = sm.expand_dims %r axis 0 : tensor<64xf32, #gate> -> tensor<1x64xf32, #gate_line>
      %b = sm.broadcast %e : tensor<1x64xf32, #gate_line> -> tensor<64x64xf32, #wide>
      %t = arith.addf %s, %b : tensor<64x64xf32, #wide>
      %p = arith.truncf %t : tensor<64x64xf32, #wide> to tensor<64x64xbf16, #wide>
      %d = sm.mma %p, %k, %x : tensor<64x64xbf16, #wide>, !sm.smem<64x64xbf16, swizzle = 128>, tensor<64x64xf32, #wide>
      scf.yield %d : tensor<64x64xf32, #wide>
    }
  }
  sm.role "math" warps(4) registers(40) {
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #wide>
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (tensor<64x64xf32, #wide>) {
      %s = sm.mma %q, %k, %z transpose_b : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x64xbf16, swizzle = 128>, tensor<64x64xf32, #wide>
      %r = sm.smem.load %g : !sm.smem<64xf32> -> tensor<64xf32, #gate>
      %e = sm.expand_dims %r axis 0 : tensor<64xf32, #gate> -> tensor<1x64xf32, #gate_line>
      %b = sm.broadcast %e : tensor<1x64xf32, #gate_line> -> tensor<64x64xf32, #wide>
      %t = arith.addf %s, %b : tensor<64x64xf32, #wide>
      %p = arith.truncf %t : tensor<64x64xf32, #wide> to tensor<64x64xbf16, #wide>
      %d = sm.mma %p, %k, %x : tensor<64x64xbf16, #wide>, !sm.smem<64x64xbf16, swizzle = 128>, tensor<64x64xf32, #wide>
      scf.yield %d : tensor<64x64xf32, #wide>
    }
  }
}

// Products of kernels without roles stay, as do loops without products.
// CHECK-LABEL: sm.kernel @grid
// CHECK-NOT: sm.schedule
sm.kernel @grid(%n: index) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = sm.scratch : !a
  %b = sm.scratch : !b
  %z = arith.constant dense<0.0> : !t
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
    %d = sm.mma %a, %b, %x : !a, !b, !t
    scf.yield %d : !t
  }
}

// Beside a single product runs all that does not need it. What needs it cannot run beside the next one, which
// adds to that.
#ev_acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
// CHECK-LABEL: sm.kernel @beside_one
// CHECK: sm.mma.issue {{.*}}sm.schedule = #sm.schedule<0, 0>
// CHECK: sm.mma.await {{.*}}sm.schedule = #sm.schedule<0, 2>
// CHECK: math.exp2 {{.*}}sm.schedule = #sm.schedule<0, 1>
// CHECK: arith.addf {{.*}}sm.schedule = #sm.schedule<0, 3>
sm.kernel @beside_one(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
    %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
    %z = arith.constant dense<0.0> : tensor<64x16xf32, #ev_acc>
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (tensor<64x16xf32, #ev_acc>) {
      %d = sm.mma %a, %b, %x : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #ev_acc>
      %e = math.exp2 %x : tensor<64x16xf32, #ev_acc>
      %s = arith.addf %d, %e : tensor<64x16xf32, #ev_acc>
      scf.yield %s : tensor<64x16xf32, #ev_acc>
    }
  }
}

#ev_rows = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
#ev_column = #sm.layout<"64x1 = register[2*(8,0)] lane[4*(0,0) 8*(1,0)] warp[4*(16,0)]">
// A loop without a plan waits for rows where it uses them, after what needs none of them.
!rows = !sm.slot<[!sm.smem<64xf32>]>
// CHECK-LABEL: sm.kernel @late_wait
// CHECK: scf.for
// CHECK-NEXT: math.exp2
// CHECK-NEXT: %[[SLOT:.*]] = sm.ring.wait
// CHECK-NEXT: %[[TILE:.*]] = sm.slot.tile %[[SLOT]][0]
// CHECK-NEXT: sm.smem.load %[[TILE]]
sm.kernel @late_wait(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = sm.ring.alloc : !sm.ring<2 x [!sm.smem<64xf32>]>
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
    %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
    %z = arith.constant dense<0.0> : tensor<64x16xf32, #ev_acc>
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (tensor<64x16xf32, #ev_acc>) {
      %slot = sm.ring.wait %ring : !sm.ring<2 x [!sm.smem<64xf32>]>
      %tile = sm.slot.tile %slot[0] : !rows
      %e = math.exp2 %x : tensor<64x16xf32, #ev_acc>
      %r = sm.smem.load %tile : !sm.smem<64xf32> -> tensor<64xf32, #ev_rows>
      sm.ring.release %slot : !rows
      %k = sm.expand_dims %r axis 1 : tensor<64xf32, #ev_rows> -> tensor<64x1xf32, #ev_column>
      %w = sm.broadcast %k : tensor<64x1xf32, #ev_column> -> tensor<64x16xf32, #ev_acc>
      %s = arith.addf %e, %w : tensor<64x16xf32, #ev_acc>
      %d = sm.mma %a, %b, %s : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #ev_acc>
      scf.yield %d : tensor<64x16xf32, #ev_acc>
    }
  }
}

// Two waits whose slots the same op uses first keep their order.
!late_a = !sm.smem<64x64xbf16, swizzle = 128>
!late_b = !sm.smem<64x16xbf16, swizzle = 32>
// CHECK-LABEL: sm.kernel @late_waits
// CHECK: scf.for
// CHECK-NEXT: math.exp2
// CHECK-NEXT: %[[A:.*]] = sm.ring.wait
// CHECK-NEXT: %[[TILE_A:.*]] = sm.slot.tile %[[A]][0]
// CHECK-NEXT: %[[B:.*]] = sm.ring.wait
// CHECK-NEXT: %[[TILE_B:.*]] = sm.slot.tile %[[B]][0]
// CHECK-NEXT: sm.mma %[[TILE_A]], %[[TILE_B]]
sm.kernel @late_waits(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = sm.ring.alloc : !sm.ring<2 x [!late_a]>
  %columns = sm.ring.alloc : !sm.ring<2 x [!late_b]>
  sm.role "math" warps(4) registers(128) {
    %z = arith.constant dense<0.0> : tensor<64x16xf32, #ev_acc>
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (tensor<64x16xf32, #ev_acc>) {
      %slot_a = sm.ring.wait %rows : !sm.ring<2 x [!late_a]>
      %a = sm.slot.tile %slot_a[0] : !sm.slot<[!late_a]>
      %slot_b = sm.ring.wait %columns : !sm.ring<2 x [!late_b]>
      %b = sm.slot.tile %slot_b[0] : !sm.slot<[!late_b]>
      %e = math.exp2 %x : tensor<64x16xf32, #ev_acc>
      %d = sm.mma %a, %b, %e : !late_a, !late_b, tensor<64x16xf32, #ev_acc>
      sm.ring.release %slot_a : !sm.slot<[!late_a]>
      sm.ring.release %slot_b : !sm.slot<[!late_b]>
      scf.yield %d : tensor<64x16xf32, #ev_acc>
    }
  }
}

// A role in turn waits before it passes the ring on, though it uses the slot later: the next role takes the slots
// after it.
// CHECK-LABEL: sm.kernel @waits_in_turn
// CHECK: sm.role "math0"
// CHECK: sm.ring.take
// CHECK-NEXT: %[[SLOT:.*]] = sm.ring.wait
// CHECK-NEXT: sm.ring.pass
// CHECK-NEXT: math.exp2
// CHECK-NEXT: %[[TILE:.*]] = sm.slot.tile %[[SLOT]][0]
// CHECK-NEXT: scf.if
// CHECK-NEXT: sm.mma %{{.*}}, %[[TILE]]
sm.kernel @waits_in_turn(%n: index, %multiplies: i1) grid() warps(8) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ring = sm.ring.alloc : !sm.ring<2 x [!late_b]>
  sm.role "math0" warps(4) registers(128) {
    %a = sm.scratch : !late_a
    %z = arith.constant dense<0.0> : tensor<64x16xf32, #ev_acc>
    %l = scf.for %i = %c0 to %n step %c2 iter_args(%x = %z) -> (tensor<64x16xf32, #ev_acc>) {
      sm.ring.take %ring : !sm.ring<2 x [!late_b]>
      %slot = sm.ring.wait %ring : !sm.ring<2 x [!late_b]>
      %b = sm.slot.tile %slot[0] : !sm.slot<[!late_b]>
      sm.ring.pass %ring : !sm.ring<2 x [!late_b]>
      %e = math.exp2 %x : tensor<64x16xf32, #ev_acc>
      %d = scf.if %multiplies -> (tensor<64x16xf32, #ev_acc>) {
        %s = sm.mma %a, %b, %e : !late_a, !late_b, tensor<64x16xf32, #ev_acc>
        scf.yield %s : tensor<64x16xf32, #ev_acc>
      } else {
        scf.yield %e : tensor<64x16xf32, #ev_acc>
      }
      sm.ring.release %slot : !sm.slot<[!late_b]>
      scf.yield %d : tensor<64x16xf32, #ev_acc>
    }
  }
  sm.role "math1" warps(4) registers(128) {
    scf.for %i = %c1 to %n step %c2 {
      sm.ring.take %ring : !sm.ring<2 x [!late_b]>
      %slot = sm.ring.wait %ring : !sm.ring<2 x [!late_b]>
      sm.ring.release %slot : !sm.slot<[!late_b]>
      sm.ring.pass %ring : !sm.ring<2 x [!late_b]>
    }
  }
}

// A loop that takes slots keeps its place among waits for other rings: the role that fills both rings may fill
// this one first, and as often as the loop runs.
// CHECK-LABEL: sm.kernel @nested_wait
// CHECK: scf.for
// CHECK: scf.for
// CHECK: } {sm.schedule = #sm.schedule<0, 0>}
// CHECK: sm.ring.wait %{{.*}} {sm.schedule = #sm.schedule<0, 1>}
// CHECK: sm.mma.issue {{.*}}sm.schedule = #sm.schedule<0, 3>
sm.kernel @nested_wait(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = sm.ring.alloc : !sm.ring<2 x [!sm.smem<64xf32>]>
  %columns = sm.ring.alloc : !sm.ring<2 x [!late_b]>
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !late_a
    %z = arith.constant dense<0.0> : tensor<64xf32, #ev_rows>
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #ev_acc>
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64x16xf32, #ev_acc>) {
      %sums = scf.for %j = %c0 to %n step %c1 iter_args(%y = %z) -> (tensor<64xf32, #ev_rows>) {
        %slot_a = sm.ring.wait %rows : !sm.ring<2 x [!sm.smem<64xf32>]>
        %tile = sm.slot.tile %slot_a[0] : !rows
        %r = sm.smem.load %tile : !sm.smem<64xf32> -> tensor<64xf32, #ev_rows>
        sm.ring.release %slot_a : !rows
        %s = arith.addf %y, %r : tensor<64xf32, #ev_rows>
        scf.yield %s : tensor<64xf32, #ev_rows>
      }
      %slot_b = sm.ring.wait %columns : !sm.ring<2 x [!late_b]>
      %b = sm.slot.tile %slot_b[0] : !sm.slot<[!late_b]>
      %d = sm.mma %a, %b, %zero : !late_a, !late_b, tensor<64x16xf32, #ev_acc>
      sm.ring.release %slot_b : !sm.slot<[!late_b]>
      %e = math.exp2 %x : tensor<64x16xf32, #ev_acc>
      %k = sm.expand_dims %sums axis 1 : tensor<64xf32, #ev_rows> -> tensor<64x1xf32, #ev_column>
      %w = sm.broadcast %k : tensor<64x1xf32, #ev_column> -> tensor<64x16xf32, #ev_acc>
      %f = arith.addf %d, %w : tensor<64x16xf32, #ev_acc>
      %g = arith.addf %f, %e : tensor<64x16xf32, #ev_acc>
      scf.yield %g : tensor<64x16xf32, #ev_acc>
    }
  }
}
