// RUN: tile-opt %s -sm-apply-schedule -split-input-file -verify-diagnostics

// What schedules cannot be.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @without(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 0>} : !a, !b, !t
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 1>} : !p
      // expected-error @below {{'arith.addf' op expected a 'sm.schedule', as the other ops of the loop have}}
      %e = arith.addf %d, %d : !t
      scf.yield %e : !t
    }
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @same_order(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      // expected-note @below {{this one}}
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 0>} : !a, !b, !t
      // expected-error @below {{'sm.mma.await' op has the order 0 of another op}}
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 0>} : !p
      scf.yield %d : !t
    }
  }
}

// -----

// A value.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @value(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 0>} : !a, !b, !t
      // expected-note @below {{which runs here}}
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 2>} : !p
      // expected-error @below {{'arith.addf' op runs too early: expected it after the op that it depends on}}
      %e = arith.addf %d, %d {sm.schedule = #sm.schedule<0, 1>} : !t
      scf.yield %e : !t
    }
  }
}

// -----

// A value that is an iteration late.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @late_value(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %p = sm.mma.issue %a, %b, %z {sm.schedule = #sm.schedule<0, 0>} : !a, !b, !t
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 1>} : !p
      // expected-note @below {{which runs here}}
      %e = arith.addf %d, %d {sm.schedule = #sm.schedule<1, 2>} : !t
      // expected-error @below {{'arith.addf' op runs too early: expected it after the op that it depends on}}
      %f = arith.addf %e, %x {sm.schedule = #sm.schedule<0, 3>} : !t
      scf.yield %f : !t
    }
  }
}

// -----

// A value of the iteration before, which runs late and comes after.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @carried_value(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      // expected-error @below {{'sm.mma.issue' op runs too early: expected it after the op that it depends on, of an iteration before}}
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 0>} : !a, !b, !t
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 1>} : !p
      // expected-note @below {{which runs here}}
      %e = arith.addf %d, %d {sm.schedule = #sm.schedule<1, 2>} : !t
      scf.yield %e : !t
    }
  }
}

// -----

// A value that a region takes.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @region_value(%n: index, %c: i1) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 0>} : !a, !b, !t
      // expected-note @below {{which runs here}}
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 2>} : !p
      // expected-error @below {{'scf.if' op runs too early: expected it after the op that it depends on}}
      %e = scf.if %c -> (!t) {
        %s = arith.addf %d, %d : !t
        scf.yield %s : !t
      } else {
        scf.yield %x : !t
      } {sm.schedule = #sm.schedule<0, 1>}
      scf.yield %e : !t
    }
  }
}

// -----

// A slot is given back while a product reads it.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @slot(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!b]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %s = sm.ring.wait %r {sm.schedule = #sm.schedule<0, 0>} : !sm.ring<2 x [!b]>
      %t = sm.slot.tile %s[0] {sm.schedule = #sm.schedule<0, 1>} : !sm.slot<[!b]>
      %p = sm.mma.issue %a, %t, %x {sm.schedule = #sm.schedule<0, 2>} : !a, !b, !t
      // expected-note @below {{which runs here}}
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 4>} : !p
      // expected-error @below {{'sm.ring.release' op runs too early: expected it after the op that it depends on}}
      sm.ring.release %s {sm.schedule = #sm.schedule<0, 3>} : !sm.slot<[!b]>
      scf.yield %d : !t
    }
  }
}

// -----

// Registers are written while a product reads them: those of the last iteration are in flight (C7513).

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
#wide = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!w = tensor<64x64xbf16, #wide>
sm.kernel @registers(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %w = arith.constant dense<0.0> : tensor<64x64xf32, #wide>
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      // expected-error @below {{'arith.truncf' op runs too early: expected it after the op that it depends on, of an iteration before}}
      %h = arith.truncf %w {sm.schedule = #sm.schedule<0, 0>} : tensor<64x64xf32, #wide> to !w
      %p = sm.mma.issue %h, %b, %x {sm.schedule = #sm.schedule<1, 1>} : !w, !b, !t
      // expected-note @below {{which runs here}}
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<1, 2>} : !p
      scf.yield %d : !t
    }
  }
}

// -----

// The next iteration writes a tile that a product still reads.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
#wide = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!w = tensor<64x64xbf16, #wide>
sm.kernel @staged(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %w = arith.constant dense<0.0> : !w
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      // expected-error @below {{'sm.smem.store' op runs too early: expected it after the op that it depends on, of an iteration before}}
      %h = sm.smem.store %w {sm.schedule = #sm.schedule<0, 0>} : !w -> !a
      %p = sm.mma.issue %h, %b, %x {sm.schedule = #sm.schedule<1, 1>} : !a, !b, !t
      // expected-note @below {{which runs here}}
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<1, 2>} : !p
      scf.yield %d : !t
    }
  }
}

// -----

// A slot is given back before all threads have read it.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @barrier(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!b]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %s = sm.ring.wait %r {sm.schedule = #sm.schedule<0, 0>} : !sm.ring<2 x [!b]>
      %t = sm.slot.tile %s[0] {sm.schedule = #sm.schedule<0, 1>} : !sm.slot<[!b]>
      %g = sm.smem.load %t {sm.schedule = #sm.schedule<0, 2>} : !b -> tensor<64x16xbf16, #acc>
      // expected-note @below {{which runs here}}
      sm.barrier {sm.schedule = #sm.schedule<0, 4>}
      // expected-error @below {{'sm.ring.release' op runs too early: expected it after the op that it depends on}}
      sm.ring.release %s {sm.schedule = #sm.schedule<0, 3>} : !sm.slot<[!b]>
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 5>} : !a, !b, !t
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 6>} : !p
      scf.yield %d : !t
    }
  }
}

// -----

// Stores keep their order.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @effects(%n: index, %y: !tile.global<[M, N] x f32, out>) grid() warps(4) form(scheduled) {
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
      sm.store %d to %y[%c0, %c0] dims [0, 1] limits(%n, %n) {sm.schedule = #sm.schedule<0, 3>} : !t, !tile.global<[M, N] x f32, out>, index, index
      // expected-error @below {{'sm.store' op runs too early: expected it after the op that it depends on}}
      sm.store %d to %y[%c0, %i] dims [0, 1] limits(%n, %n) {sm.schedule = #sm.schedule<0, 2>} : !t, !tile.global<[M, N] x f32, out>, index, index
      scf.yield %d : !t
    }
  }
}

// -----

// Slots are taken in the order in which they are filled.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @ring_order(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!b]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      // expected-note @below {{which runs here}}
      %s = sm.ring.wait %r {sm.schedule = #sm.schedule<0, 2>} : !sm.ring<2 x [!b]>
      %t = sm.slot.tile %s[0] {sm.schedule = #sm.schedule<0, 3>} : !sm.slot<[!b]>
      // expected-error @below {{'sm.ring.wait' op runs too early: expected it after the op that it depends on}}
      %u = sm.ring.wait %r {sm.schedule = #sm.schedule<0, 0>} : !sm.ring<2 x [!b]>
      %v = sm.slot.tile %u[0] {sm.schedule = #sm.schedule<0, 1>} : !sm.slot<[!b]>
      %p = sm.mma.issue %a, %t, %x {sm.schedule = #sm.schedule<0, 4>} : !a, !b, !t
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 5>} : !p
      sm.ring.release %s {sm.schedule = #sm.schedule<0, 6>} : !sm.slot<[!b]>
      sm.ring.release %u {sm.schedule = #sm.schedule<0, 7>} : !sm.slot<[!b]>
      scf.yield %d : !t
    }
  }
}

// -----

// A second slot of one stage.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @ring_stages(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<1 x [!b]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      // expected-error @below {{'sm.ring.wait' op runs too early: expected it after the op that it depends on, of an iteration before}}
      %s = sm.ring.wait %r {sm.schedule = #sm.schedule<0, 0>} : !sm.ring<1 x [!b]>
      %t = sm.slot.tile %s[0] {sm.schedule = #sm.schedule<0, 1>} : !sm.slot<[!b]>
      %p = sm.mma.issue %a, %t, %x {sm.schedule = #sm.schedule<1, 2>} : !a, !b, !t
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<1, 3>} : !p
      // expected-note @below {{which runs here}}
      sm.ring.release %s {sm.schedule = #sm.schedule<1, 4>} : !sm.slot<[!b]>
      scf.yield %d : !t
    }
  }
}

// -----

// Who fills %q waits for a free slot of %r before: the one that is given back late.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @filled_before(%n: index) grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<1 x [!b]>
  %q = sm.ring.alloc : !sm.ring<1 x [!b]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %n step %c1 {
      %rs = sm.ring.acquire %r : !sm.ring<1 x [!b]>
      sm.ring.commit %rs : !sm.slot<[!b]>
      %qs = sm.ring.acquire %q : !sm.ring<1 x [!b]>
      sm.ring.commit %qs : !sm.slot<[!b]>
    }
  }
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %s = sm.ring.wait %r {sm.schedule = #sm.schedule<1, 2>} : !sm.ring<1 x [!b]>
      %t = sm.slot.tile %s[0] {sm.schedule = #sm.schedule<1, 3>} : !sm.slot<[!b]>
      // expected-error @below {{'sm.ring.wait' op runs too early: expected it after the op that it depends on, of an iteration before}}
      %u = sm.ring.wait %q {sm.schedule = #sm.schedule<0, 0>} : !sm.ring<1 x [!b]>
      %v = sm.slot.tile %u[0] {sm.schedule = #sm.schedule<0, 1>} : !sm.slot<[!b]>
      %e = sm.mma.issue %a, %v, %z {sm.schedule = #sm.schedule<0, 4>} : !a, !b, !t
      %f = sm.mma.await %e {sm.schedule = #sm.schedule<0, 5>} : !p
      sm.ring.release %u {sm.schedule = #sm.schedule<0, 6>} : !sm.slot<[!b]>
      %p = sm.mma.issue %a, %t, %x {sm.schedule = #sm.schedule<1, 7>} : !a, !b, !t
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<1, 8>} : !p
      // expected-note @below {{which runs here}}
      sm.ring.release %s {sm.schedule = #sm.schedule<1, 9>} : !sm.slot<[!b]>
      scf.yield %d : !t
    }
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @in_flight(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      // expected-note @below {{the product}}
      %p = sm.mma.issue %a, %b, %z {sm.schedule = #sm.schedule<0, 0>} : !a, !b, !t
      // expected-error @below {{'sm.mma.await' op has another stage than its product, which would be in flight over the end of the loop that reads it; ptxas would make all products wait (C7514)}}
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<1, 1>} : !p
      scf.yield %d : !t
    }
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @incomplete(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @below {{'sm.mma.issue' op does not complete in its iteration}}
      %p = sm.mma.issue %a, %b, %z {sm.schedule = #sm.schedule<0, 0>} : !a, !b, !t
    }
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @whole_product(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      // expected-error @below {{'sm.mma' op is a product that nothing awaits}}
      %d = sm.mma %a, %b, %x {sm.schedule = #sm.schedule<0, 0>} : !a, !b, !t
      scf.yield %d : !t
    }
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @nested(%n: index, %c: i1) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      // expected-error @below {{'scf.if' op holds products, which have no place of their own}}
      %e = scf.if %c -> (!t) {
        %d = sm.mma %a, %b, %x : !a, !b, !t
        scf.yield %d : !t
      } else {
        scf.yield %x : !t
      } {sm.schedule = #sm.schedule<0, 0>}
      scf.yield %e : !t
    }
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @late_sum(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      // expected-error @below {{'sm.mma.issue' op cannot run an iteration late, since its sum stays pending}}
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<1, 0>} : !a, !b, !t
      sm.mma.retire leave 0 {sm.schedule = #sm.schedule<1, 1>}
      // expected-note @below {{until here, after the loop}}
      %d = sm.mma.await %p {sm.after_loop} : !p
      scf.yield %d : !t
    }
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!p = !sm.pending<tensor<64x16xf32, #acc>>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @used_sum(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 0>} : !a, !b, !t
      sm.mma.retire leave 0 {sm.schedule = #sm.schedule<1, 1>}
      // expected-error @below {{'sm.mma.await' op cannot run after the loop; expected a sum of products that the loop carries and does not use otherwise}}
      %d = sm.mma.await %p {sm.after_loop} : !p
      %e = arith.addf %d, %d {sm.schedule = #sm.schedule<0, 2>} : !t
      scf.yield %e : !t
    }
  }
}

// -----

// Warpgroups meet while one of them has its turn.

#acc = #sm.layout<"128x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x16xf32, #acc>
!p = !sm.pending<tensor<128x16xf32, #acc>>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @turn(%n: index) grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!b]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(8) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %s = sm.ring.wait %r {sm.schedule = #sm.schedule<0, 0>} : !sm.ring<2 x [!b]>
      %t = sm.slot.tile %s[0] {sm.schedule = #sm.schedule<0, 1>} : !sm.slot<[!b]>
      // expected-note @below {{the turn is taken here}}
      sm.pingpong.wait {sm.schedule = #sm.schedule<0, 2>}
      // expected-error @below {{'sm.barrier' op may wait for warpgroups that wait for this turn; expected it before or after}}
      sm.barrier {sm.schedule = #sm.schedule<0, 3>}
      %p = sm.mma.issue %a, %t, %x {sm.schedule = #sm.schedule<0, 4>} : !a, !b, !t
      sm.pingpong.pass {sm.schedule = #sm.schedule<0, 5>}
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 6>} : !p
      sm.ring.release %s {sm.schedule = #sm.schedule<0, 7>} : !sm.slot<[!b]>
      scf.yield %d : !t
    }
  }
}

// -----

#acc = #sm.layout<"128x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x16xf32, #acc>
!p = !sm.pending<tensor<128x16xf32, #acc>>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @half_turn(%n: index) grid() warps(8) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(8) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      // expected-note @below {{the turn is taken here}}
      sm.pingpong.wait {sm.schedule = #sm.schedule<0, 1>}
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 2>} : !a, !b, !t
      // expected-error @below {{'sm.pingpong.pass' op has another stage than its turn}}
      sm.pingpong.pass {sm.schedule = #sm.schedule<1, 0>}
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 3>} : !p
      scf.yield %d : !t
    }
  }
}

// -----

// The loop writes the registers of its operand while the product reads them (C7513).

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!h = tensor<64x16xbf16, #acc>
!b = !sm.smem<16x16xbf16, swizzle = 32>
sm.kernel @carried_operand(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) {
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %one = arith.constant dense<1.0> : !h
    %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %a = %one) -> (!t, !h) {
      // expected-error @below {{'sm.mma.issue' op runs too early: expected it after the op that it depends on, of an iteration before}}
      %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 0>} : !h, !b, !t
      // expected-note @below {{which runs here}}
      sm.mma.retire leave 0 {sm.schedule = #sm.schedule<1, 1>}
      %d = sm.mma.await %p {sm.after_loop} : !sm.pending<!t>
      %e = arith.addf %a, %a {sm.schedule = #sm.schedule<0, 2>} : !h
      scf.yield %d, %e : !t, !h
    }
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!o = !sm.smem<64x16xf32, swizzle = 64>
sm.kernel @late_fill(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!o]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    scf.for %i = %c0 to %n step %c1 {
      // expected-note @below {{which is taken here}}
      %s = sm.ring.acquire %r {sm.schedule = #sm.schedule<0, 2>} : !sm.ring<2 x [!o]>
      %u = sm.slot.tile %s[0] {sm.schedule = #sm.schedule<0, 3>} : !sm.slot<[!o]>
      %p = sm.mma.issue %a, %b, %z {sm.schedule = #sm.schedule<0, 4>} : !a, !b, !t
      %d = sm.mma.await %p {sm.schedule = #sm.schedule<0, 5>} : !sm.pending<!t>
      // expected-error @below {{'sm.slot.store' op has another stage than its slot}}
      sm.slot.store %u with %d {sm.schedule = #sm.schedule<1, 0>} : !o, !t
      sm.ring.commit %s {sm.schedule = #sm.schedule<1, 1>} : !sm.slot<[!o]>
    }
  }
}
