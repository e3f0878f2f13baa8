// RUN: tile-opt %s -sm-schedule-loops=remarks -split-input-file -verify-diagnostics | FileCheck %s

// Loops whose products go on waiting for each other, and why.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!h = tensor<64x16xbf16, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// CHECK-LABEL: sm.kernel @nested
// CHECK-NOT: sm.schedule
sm.kernel @nested(%n: index, %c: i1) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    // expected-remark @below {{products of this loop wait for each other: a product is in a nested loop or condition}}
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %e = scf.if %c -> (!t) {
        %d = sm.mma %a, %b, %x : !a, !b, !t
        scf.yield %d : !t
      } else {
        scf.yield %x : !t
      }
      scf.yield %e : !t
    }
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!h = tensor<64x16xbf16, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// CHECK-LABEL: sm.kernel @single
// CHECK-NOT: sm.schedule
sm.kernel @single(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    // expected-remark @below {{products of this loop wait for each other: sums: a product does more than add to what the loop carries; dependent product: there are not two products where the second depends on the first; in iteration: each needs the one before, and nothing is left to do meanwhile [products-in-order]}}
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %d = sm.mma %a, %b, %x : !a, !b, !t
      %e = arith.addf %d, %d : !t
      scf.yield %e : !t
    }
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!h = tensor<64x16xbf16, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!v = !sm.smem<16x16xbf16, swizzle = 32>

// CHECK-LABEL: sm.kernel @chain
// CHECK-NOT: sm.schedule
sm.kernel @chain(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %v = sm.scratch : !v
    %z = arith.constant dense<0.0> : !t
    // expected-remark @below {{dependent product: there are not two products where the second depends on the first; in iteration: each needs the one before, and nothing is left to do meanwhile}}
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!t) {
      %d = sm.mma %a, %b, %x : !a, !b, !t
      %p = arith.truncf %d : !t to !h
      %e = sm.mma %p, %v, %z : !h, !v, !t
      %q = arith.truncf %e : !t to !h
      %f = sm.mma %q, %v, %z : !h, !v, !t
      %g = arith.addf %f, %f : !t
      scf.yield %g : !t
    }
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!h = tensor<64x16xbf16, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
#s = #sm.layout<"64x128 = register[2*(0,1) 2*(8,0) 16*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!s = tensor<64x128xf32, #s>
!row = tensor<64xf32, #row>
!wide = !sm.smem<64x128xbf16, swizzle = 128>

// CHECK-LABEL: sm.kernel @registers
// CHECK-NOT: sm.schedule
sm.kernel @registers(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(104) {
    %a = sm.scratch : !a
    %w = sm.scratch : !wide
    %y = arith.constant dense<0.0> : !s
    %o = arith.constant dense<0.0> : !row
    %z = arith.constant dense<0.0> : !t
    // Both results of 64x128 f32 take 64 registers each, and the carried row 2.
    // expected-remark-re @below {{in iteration: tiles would take 130 of {{[0-9]+}} registers of a thread}}
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %o) -> (!row) {
      %s = sm.mma %a, %w, %y : !a, !wide, !s
      %p = sm.reduce sum %s axis 1 : !s -> !row
      %d = sm.mma %a, %w, %y : !a, !wide, !s
      %q = sm.reduce sum %d axis 1 : !s -> !row
      %m = arith.addf %p, %q : !row
      %e = arith.addf %x, %m : !row
      scf.yield %e : !row
    }
  }
}

// -----

// A sum of what threads compute would run an iteration late, but for registers: 64 of sums, 16 of the operand
// in flight and 32 of the next one.

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#sum = #sm.layout<"64x128 = register[2*(0,1) 2*(8,0) 16*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x64xf32, #acc>
!h = tensor<64x64xbf16, #acc>
!sum = tensor<64x128xf32, #sum>
!x = !sm.smem<64x64xf32>
!wide = !sm.smem<64x128xbf16, swizzle = 128>

// CHECK-LABEL: sm.kernel @late_sum
// CHECK-NOT: sm.schedule
sm.kernel @late_sum(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!x]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(104) {
    %w = sm.scratch : !wide
    %z = arith.constant dense<0.0> : !sum
    %g = arith.constant dense<2.0> : !t
    // expected-remark-re @below {{sums: tiles would take 112 of {{[0-9]+}} registers of a thread; dependent product: there are not two products where the second depends on the first; in iteration: each needs the one before, and nothing is left to do meanwhile}}
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%y = %z) -> (!sum) {
      %s = sm.ring.wait %r : !sm.ring<2 x [!x]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!x]>
      %v = sm.smem.load %t : !x -> !t
      sm.ring.release %s : !sm.slot<[!x]>
      %m = arith.mulf %v, %g : !t
      %p = arith.truncf %m : !t to !h
      %d = sm.mma %p, %w, %y : !h, !wide, !sum
      scf.yield %d : !sum
    }
  }
}

// -----

// An operand that is made anew in each iteration, and a ring of one stage.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
// CHECK-LABEL: sm.kernel @overwritten
// CHECK-NOT: sm.mma.issue
sm.kernel @overwritten(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!a]>
  %once = sm.ring.alloc : !sm.ring<1 x [!a]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) {
    %b = sm.scratch : !b
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
    // expected-remark @below {{products of this loop wait for each other: sums: an operand is overwritten, or its only slot released, before the products of the next iteration can be issued}}
    %l4 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64x16xf32, #acc>) {
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %u = sm.scratch : !b
      %d = sm.mma %t, %u, %x : !a, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{products of this loop wait for each other: sums: an operand is overwritten, or its only slot released, before the products of the next iteration can be issued}}
    %l5 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64x16xf32, #acc>) {
      %s = sm.ring.wait %once : !sm.ring<1 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %d = sm.mma %t, %b, %x : !a, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
  }
}

// -----

// An operand that the loop carries is written at the end of each iteration.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!h = tensor<64x16xbf16, #acc>
!b = !sm.smem<16x16xbf16, swizzle = 32>

// CHECK-LABEL: sm.kernel @carried_operand
// CHECK-NOT: sm.mma.issue
sm.kernel @carried_operand(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) {
    %b = sm.scratch : !b
    %z = arith.constant dense<0.0> : !t
    %one = arith.constant dense<1.0> : !h
    // expected-remark @below {{products of this loop wait for each other: sums: an operand is overwritten, or its only slot released, before the products of the next iteration can be issued}}
    %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %a = %one) -> (!t, !h) {
      %d = sm.mma %a, %b, %x : !h, !b, !t
      %e = arith.addf %a, %a : !h
      scf.yield %d, %e : !t, !h
    }
    // expected-remark @below {{products of this loop wait for each other: sums: an operand is overwritten, or its only slot released, before the products of the next iteration can be issued}}
    %m:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %a = %one) -> (!t, !h) {
      %e = arith.addf %a, %a : !h
      %d = sm.mma %a, %b, %x : !h, !b, !t
      scf.yield %d, %e : !t, !h
    }
  }
}

// -----

// Registers are short where no product is issued or awaited.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
#s = #sm.layout<"64x128 = register[2*(0,1) 2*(8,0) 16*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!s = tensor<64x128xf32, #s>
!row = tensor<64xf32, #row>
!w = !sm.smem<64x128xf32>
// CHECK-LABEL: sm.kernel @between
// CHECK-NOT: sm.schedule
sm.kernel @between(%n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) registers(56) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %w = sm.scratch : !w
    %z = arith.constant dense<0.0> : !t
    %o = arith.constant dense<0.0> : !row
    // Between its products the loop holds twice 64 registers, the carried row and the sum of the first product,
    // 2 each, and a third sum; a result of 8 in flight beside these is too much.
    // expected-remark @below {{in iteration: tiles would take 142 of 134 registers of a thread}}
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %o) -> (!row) {
      %s = sm.mma %a, %b, %z : !a, !b, !t
      %p = sm.reduce sum %s axis 1 : !t -> !row
      %r = sm.smem.load %w : !w -> !s
      %v = arith.mulf %r, %r : !s
      %y = sm.reduce sum %v axis 1 : !s -> !row
      %u = arith.addf %r, %v : !s
      %yy = sm.reduce max %u axis 1 : !s -> !row
      %d = sm.mma %a, %b, %z : !a, !b, !t
      %q = sm.reduce sum %d axis 1 : !t -> !row
      %m = arith.addf %p, %q : !row
      %k = arith.addf %y, %yy : !row
      %e = arith.addf %x, %m : !row
      %f = arith.addf %e, %k : !row
      scf.yield %f : !row
    }
  }
}
