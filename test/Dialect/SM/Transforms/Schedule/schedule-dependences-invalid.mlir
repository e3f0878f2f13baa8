// RUN: tile-opt %s -sm-apply-schedule -split-input-file -verify-diagnostics

// Plans that break a dependence which no test of apply-schedule-invalid.mlir breaks.

// -----

// The next operand is written while the product still reads the last one (C7513).

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!h = tensor<64x16xbf16, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!k = !sm.smem<16x16xbf16, swizzle = 32>
sm.kernel @operand_written(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %k = sm.scratch : !k
    %z = arith.constant dense<0.0> : !t
    %one = arith.constant dense<1.0> : !h
    %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %h = %one) -> (!t, !h) {
      %p = sm.mma.issue %h, %k, %x {sm.schedule = #sm.schedule<0, 0>} : !h, !k, !t
      // expected-note @below {{which runs here}}
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 2>} : !p
      // expected-error @below {{'arith.addf' op runs too early: expected it after the op that it depends on}}
      %e = arith.addf %h, %h {sm.schedule = #sm.schedule<0, 1>} : !h
      scf.yield %d, %e : !t, !h
    }
  }
}

// -----

// The same of an operand that is transposed on its way: a transpose makes other registers of none.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#turned = #sm.layout<"16x64 = register[2*(1,0) 2*(0,8) 2*(8,0)] lane[4*(2,0) 8*(0,1)] warp[4*(0,16)]">
!t = tensor<64x16xf32, #acc>
!h = tensor<64x16xbf16, #acc>
!o = tensor<16x64xbf16, #turned>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!k = !sm.smem<16x16xbf16, swizzle = 32>
sm.kernel @transposed_operand_written(%x: !tile.global<[16, 64] x bf16>, %n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  sm.role "math" warps(4) registers(128) {
    %k = sm.scratch : !k
    %z = arith.constant dense<0.0> : !t
    %one = arith.constant dense<1.0> : !o
    %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %o = %one) -> (!t, !o) {
      %h = sm.transpose %o {sm.schedule = #sm.schedule<0, 0>} : !o -> !h
      %p = sm.mma.issue %h, %k, %s {sm.schedule = #sm.schedule<0, 1>} : !h, !k, !t
      // expected-note @below {{which runs here}}
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 3>} : !p
      // expected-error @below {{'sm.load' op runs too early: expected it after the op that it depends on}}
      %e = sm.load %x[%c0, %c0] dims [0, 1] limits(%c16, %c64) {sm.schedule = #sm.schedule<0, 2>} : !tile.global<[16, 64] x bf16>, index, index -> !o
      scf.yield %d, %e : !t, !o
    }
  }
}

// -----

// A retire is of products that are issued.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @retired(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      // expected-note @below {{which runs here}}
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 1>} : !a, !b, !t
      // expected-error @below {{'sm.mma.retire' op runs too early: expected it after the op that it depends on}}
      sm.mma.retire leave 0 {sm.schedule = #sm.schedule<0, 0>}
      %d = sm.mma.await %p {sm.after_loop} : !p
      scf.yield %d : !t
    }
  }
}

// -----

// A turn is passed after it is taken.

#acc = #sm.layout<"128x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x16xf32, #acc>
!p = !sm.pending<tensor<128x16xf32, #acc>>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @passed(%n: index) grid() warps(8) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(8) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      // expected-note @below {{which runs here}}
      sm.pingpong.wait {sm.schedule = #sm.schedule<0, 2>}
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 1>} : !a, !b, !t
      // expected-error @below {{'sm.pingpong.pass' op runs too early: expected it after the op that it depends on}}
      sm.pingpong.pass {sm.schedule = #sm.schedule<0, 0>}
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 3>} : !p
      scf.yield %d : !t
    }
  }
}

// -----

// Threads pass a barrier when they have read the tile.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!h = tensor<64x16xbf16, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @barrier(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 0>} : !a, !b, !t
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 1>} : !p
      // expected-note @below {{which runs here}}
      %e = sm.smem.load %b {sm.schedule = #sm.schedule<0, 3>} : !b -> !h
      // expected-error @below {{'sm.barrier' op runs too early: expected it after the op that it depends on}}
      sm.barrier {sm.schedule = #sm.schedule<0, 2>}
      scf.yield %d : !t
    }
  }
}

// -----

// What is stored late comes after what the next iteration stores.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @late_effect(%n: index, %y: !tile.global<[M, N] x f32, out>) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 0>} : !a, !b, !t
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 1>} : !p
      // expected-error @below {{'sm.store' op runs too early: expected it after the op that it depends on, of an iteration before}}
      sm.store %d to %y[%c0, %c0] dims [0, 1] limits(%n, %n) {sm.schedule = #sm.schedule<0, 2>} : !t, !tile.global<[M, N] x f32, out>, index, index
      // expected-note @below {{which runs here}}
      sm.store %z to %y[%c0, %c0] dims [0, 1] limits(%n, %n) {sm.schedule = #sm.schedule<1, 3>} : !t, !tile.global<[M, N] x f32, out>, index, index
      scf.yield %d : !t
    }
  }
}

// -----

// The second slot of an iteration is taken after the first one of the next.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @late_slot(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<4 x [!b]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      // expected-error @below {{'sm.ring.wait' op runs too early: expected it after the op that it depends on, of an iteration before}}
      %s = sm.ring.wait %r {sm.schedule = #sm.schedule<0, 0>} : !sm.ring<4 x [!b]>
      // expected-note @below {{which runs here}}
      %u = sm.ring.wait %r {sm.schedule = #sm.schedule<1, 1>} : !sm.ring<4 x [!b]>
      %v = sm.slot.tile %u[0] {sm.schedule = #sm.schedule<1, 2>} : !sm.slot<[!b]>
      %p = sm.mma.issue %a, %v, %x {sm.schedule = #sm.schedule<1, 3>} : !a, !b, !t
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<1, 4>} : !p
      sm.ring.release %s {sm.schedule = #sm.schedule<1, 5>} : !sm.slot<[!b]>
      sm.ring.release %u {sm.schedule = #sm.schedule<1, 6>} : !sm.slot<[!b]>
      scf.yield %d : !t
    }
  }
}

// -----

// %q is filled before %r, though it is taken after it: its slot must be free for the next one of %r.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @filled_first(%n: index) grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<1 x [!b]>
  %q = sm.ring.alloc : !sm.ring<1 x [!b]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %n step %c1 {
      %qs = sm.ring.acquire %q : !sm.ring<1 x [!b]>
      sm.ring.commit %qs : !sm.slot<[!b]>
      %rs = sm.ring.acquire %r : !sm.ring<1 x [!b]>
      sm.ring.commit %rs : !sm.slot<[!b]>
    }
  }
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      // expected-error @below {{'sm.ring.wait' op runs too early: expected it after the op that it depends on, of an iteration before}}
      %s = sm.ring.wait %r {sm.schedule = #sm.schedule<0, 0>} : !sm.ring<1 x [!b]>
      %t = sm.slot.tile %s[0] {sm.schedule = #sm.schedule<0, 1>} : !sm.slot<[!b]>
      %p = sm.mma.issue %a, %t, %x {sm.schedule = #sm.schedule<0, 2>} : !a, !b, !t
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 3>} : !p
      sm.ring.release %s {sm.schedule = #sm.schedule<0, 4>} : !sm.slot<[!b]>
      %u = sm.ring.wait %q {sm.schedule = #sm.schedule<0, 7>} : !sm.ring<1 x [!b]>
      // expected-note @below {{which runs here}}
      sm.ring.release %u {sm.schedule = #sm.schedule<1, 5>} : !sm.slot<[!b]>
      scf.yield %d : !t
    }
  }
}

// -----

// Of fills in different blocks of a role, the first one is that which is taken first.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @filled_within(%n: index) grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<1 x [!b]>
  %q = sm.ring.alloc : !sm.ring<1 x [!b]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %n step %c1 {
      %is = arith.cmpi slt, %i, %n : index
      scf.if %is {
        %qs = sm.ring.acquire %q : !sm.ring<1 x [!b]>
        sm.ring.commit %qs : !sm.slot<[!b]>
      }
      %rs = sm.ring.acquire %r : !sm.ring<1 x [!b]>
      sm.ring.commit %rs : !sm.slot<[!b]>
    }
  }
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %u = sm.ring.wait %q {sm.schedule = #sm.schedule<0, 7>} : !sm.ring<1 x [!b]>
      // expected-note @below {{which runs here}}
      sm.ring.release %u {sm.schedule = #sm.schedule<1, 5>} : !sm.slot<[!b]>
      // expected-error @below {{'sm.ring.wait' op runs too early: expected it after the op that it depends on, of an iteration before}}
      %s = sm.ring.wait %r {sm.schedule = #sm.schedule<0, 0>} : !sm.ring<1 x [!b]>
      %t = sm.slot.tile %s[0] {sm.schedule = #sm.schedule<0, 1>} : !sm.slot<[!b]>
      %p = sm.mma.issue %a, %t, %x {sm.schedule = #sm.schedule<0, 2>} : !a, !b, !t
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 3>} : !p
      sm.ring.release %s {sm.schedule = #sm.schedule<0, 4>} : !sm.slot<[!b]>
      scf.yield %d : !t
    }
  }
}
