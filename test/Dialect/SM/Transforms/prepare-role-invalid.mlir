// RUN: tile-opt %s -sm-prepare-role -split-input-file -verify-diagnostics -o /dev/null

// What a plan says and cannot be.

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
sm.kernel @no_role(%n: index) grid() warps(12) form(scheduled) {
  %ring = sm.ring.alloc warps : !sm.ring<3 x [!r]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "math" warps(8) registers(200) {
    %zero = arith.constant dense<0.0> : !t
    %nothing = arith.constant dense<0> : !w
    %a = sm.scratch : !a
    %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
      %slot = sm.ring.wait %ring : !sm.ring<3 x [!r]>
      %tile = sm.slot.tile %slot[0] : !sm.slot<[!r]>
      %w = sm.read %tile : !r -> !w
      sm.ring.release %slot : !sm.slot<[!r]>
      %f = arith.sitofp %w : !w to !h
      // expected-error @below {{'sm.stage' op cannot come by ring 'p' of the plan from role 'prepare': the kernel has no empty role 'prepare'}}
      %b = sm.stage %f ring <p : stages 2 prepare> : !h -> !b
      %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
      scf.yield %p, %w : !t, !w
    }
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
sm.kernel @carried(%n: index) grid() warps(16) form(scheduled) {
  %ring = sm.ring.alloc warps : !sm.ring<3 x [!r]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "prepare" warps(4) registers(88) {
  }
  sm.role "math" warps(8) registers(200) {
    %zero = arith.constant dense<0.0> : !t
    %nothing = arith.constant dense<0> : !w
    %a = sm.scratch : !a
    %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
      %slot = sm.ring.wait %ring : !sm.ring<3 x [!r]>
      %tile = sm.slot.tile %slot[0] : !sm.slot<[!r]>
      %w = sm.read %tile : !r -> !w
      sm.ring.release %slot : !sm.slot<[!r]>
      %f = arith.sitofp %last : !w to !h
      // expected-error @below {{cannot come by ring 'p' of the plan from role 'prepare': it is computed from what other iterations leave}}
      %b = sm.stage %f ring <p : stages 2 prepare> : !h -> !b
      %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
      scf.yield %p, %w : !t, !w
    }
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
#turned = #sm.layout<"64x64 = register[16*(1,0)] lane[4*(16,0) 8*(0,1)] warp[8*(0,8)]">
sm.kernel @turned(%n: index) grid() warps(16) form(scheduled) {
  %ring = sm.ring.alloc warps : !sm.ring<3 x [!r]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "prepare" warps(4) registers(88) {
  }
  sm.role "math" warps(8) registers(200) {
    %zero = arith.constant dense<0.0> : !t
    %nothing = arith.constant dense<0> : !w
    %a = sm.scratch : !a
    %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
      %slot = sm.ring.wait %ring : !sm.ring<3 x [!r]>
      %tile = sm.slot.tile %slot[0] : !sm.slot<[!r]>
      %w = sm.read %tile : !r -> !w
      sm.ring.release %slot : !sm.slot<[!r]>
      %f = arith.sitofp %w : !w to !h
      %g = sm.transpose %f : !h -> tensor<64x64xbf16, #turned>
      // expected-error @below {{cannot come by ring 'p' of the plan from role 'prepare': it is not computed element by element from what arrives}}
      %b = sm.stage %g ring <p : stages 2 prepare> : tensor<64x64xbf16, #turned> -> !b
      %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
      scf.yield %p, %w : !t, !w
    }
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
sm.kernel @nothing(%n: index) grid() warps(16) form(scheduled) {
  %ring = sm.ring.alloc warps : !sm.ring<3 x [!r]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "prepare" warps(4) registers(88) {
  }
  sm.role "math" warps(8) registers(200) {
    %zero = arith.constant dense<0.0> : !t
    %nothing = arith.constant dense<0> : !w
    %a = sm.scratch : !a
    %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
      %slot = sm.ring.wait %ring : !sm.ring<3 x [!r]>
      %tile = sm.slot.tile %slot[0] : !sm.slot<[!r]>
      %w = sm.read %tile : !r -> !w
      sm.ring.release %slot : !sm.slot<[!r]>
      %zeros = arith.constant dense<0> : !w
      %f = arith.sitofp %zeros : !w to !h
      // expected-error @below {{cannot come by ring 'p' of the plan from role 'prepare': it is computed from nothing that arrives}}
      %b = sm.stage %f ring <p : stages 2 prepare> : !h -> !b
      %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
      scf.yield %p, %w : !t, !w
    }
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
sm.kernel @read(%n: index) grid() warps(16) form(scheduled) {
  %ring = sm.ring.alloc warps : !sm.ring<3 x [!r]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "prepare" warps(4) registers(88) {
  }
  sm.role "math" warps(8) registers(200) {
    %zero = arith.constant dense<0.0> : !t
    %nothing = arith.constant dense<0> : !w
    %a = sm.scratch : !a
    %own = sm.scratch : !r
    %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
      %slot = sm.ring.wait %ring : !sm.ring<3 x [!r]>
      %tile = sm.slot.tile %slot[0] : !sm.slot<[!r]>
      %w = sm.read %tile : !r -> !w
      sm.ring.release %slot : !sm.slot<[!r]>
      %q = sm.read %own : !r -> !w
      %f = arith.sitofp %q : !w to !h
      // expected-error @below {{cannot come by ring 'p' of the plan from role 'prepare': it reads what does not arrive through a ring, in its block}}
      %b = sm.stage %f ring <p : stages 2 prepare> : !h -> !b
      %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
      scf.yield %p, %w : !t, !w
    }
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
sm.kernel @together(%n: index) grid() warps(16) form(scheduled) {
  %ring = sm.ring.alloc : !sm.ring<3 x [!r]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "prepare" warps(4) registers(88) {
  }
  sm.role "math" warps(8) registers(200) {
    %zero = arith.constant dense<0.0> : !t
    %nothing = arith.constant dense<0> : !w
    %a = sm.scratch : !a
    %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
      %slot = sm.ring.wait %ring : !sm.ring<3 x [!r]>
      %tile = sm.slot.tile %slot[0] : !sm.slot<[!r]>
      %w = sm.read %tile : !r -> !w
      sm.ring.release %slot : !sm.slot<[!r]>
      %f = arith.sitofp %w : !w to !h
      // expected-error @below {{cannot come by ring 'p' of the plan from role 'prepare': what it reads is not given back by single warps}}
      %b = sm.stage %f ring <p : stages 2 prepare> : !h -> !b
      %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
      scf.yield %p, %w : !t, !w
    }
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
sm.kernel @twice(%n: index) grid() warps(16) form(scheduled) {
  %ring = sm.ring.alloc warps : !sm.ring<3 x [!r]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "prepare" warps(4) registers(88) {
  }
  sm.role "math" warps(8) registers(200) {
    %zero = arith.constant dense<0.0> : !t
    %nothing = arith.constant dense<0> : !w
    %a = sm.scratch : !a
    %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
      %slot = sm.ring.wait %ring : !sm.ring<3 x [!r]>
      %tile = sm.slot.tile %slot[0] : !sm.slot<[!r]>
      %w = sm.read %tile : !r -> !w
      sm.ring.release %slot : !sm.slot<[!r]>
      %f = arith.sitofp %w : !w to !h
      %b2 = sm.stage %f ring <p : stages 2 prepare> : !h -> !b
      // expected-error @below {{cannot come by ring 'p' of the plan from role 'prepare': a tile of another type, or of its block, goes through it}}
      %b = sm.stage %f ring <p : stages 2 prepare> : !h -> !b
      %p2 = sm.mma %a, %b2, %zero transpose_b : !a, !b, !t
      %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
      scf.yield %p, %w : !t, !w
    }
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
sm.kernel @stored(%n: index) grid() warps(16) form(scheduled) {
  %ring = sm.ring.alloc warps : !sm.ring<3 x [!r]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "prepare" warps(4) registers(88) {
  }
  sm.role "math" warps(8) registers(200) {
    %zero = arith.constant dense<0.0> : !t
    %nothing = arith.constant dense<0> : !w
    %a = sm.scratch : !a
    %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
      %slot = sm.ring.wait %ring : !sm.ring<3 x [!r]>
      %tile = sm.slot.tile %slot[0] : !sm.slot<[!r]>
      %w = sm.read %tile : !r -> !w
      sm.ring.release %slot : !sm.slot<[!r]>
      %f = arith.sitofp %w : !w to !h
      // expected-error @below {{cannot come by ring 'p' of the plan from role 'prepare': others than products of its block take it}}
      %c = sm.stage %f ring <p : stages 2 prepare> : !h -> !b
      %u = sm.read %c : !b -> !h
      %b = sm.stage %f : !h -> !b
      %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
      scf.yield %p, %w : !t, !w
    }
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
#rows = #sm.layout<"64 = register[1*(0)] lane[4*(0) 8*(1)] warp[8*(8)]">
#column = #sm.layout<"64x1 = register[1*(0,0)] lane[4*(0,0) 8*(1,0)] warp[8*(8,0)]">
#narrow = #sm.layout<"64x16 = register[4*(0,1)] lane[4*(0,4) 8*(1,0)] warp[8*(8,0)]">
#few = #sm.layout<"128x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!s = !sm.smem<64xbf16>
sm.kernel @sizes(%n: index) grid() warps(16) form(scheduled) {
  %ring = sm.ring.alloc warps : !sm.ring<3 x [!r]>
  %scales = sm.ring.alloc warps : !sm.ring<3 x [!s]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "prepare" warps(4) registers(88) {
  }
  sm.role "math" warps(8) registers(200) {
    %zero = arith.constant dense<0.0> : !t
    %nothing = arith.constant dense<0> : !w
    %a = sm.scratch : !a
    %none = arith.constant dense<0.0> : tensor<128x16xf32, #few>
    %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
      %slot = sm.ring.wait %ring : !sm.ring<3 x [!r]>
      %tile = sm.slot.tile %slot[0] : !sm.slot<[!r]>
      %w = sm.read %tile : !r -> !w
      sm.ring.release %slot : !sm.slot<[!r]>
      %slot2 = sm.ring.wait %scales : !sm.ring<3 x [!s]>
      %tile2 = sm.slot.tile %slot2[0] : !sm.slot<[!s]>
      %row = sm.read %tile2 : !s -> tensor<64xbf16, #rows>
      sm.ring.release %slot2 : !sm.slot<[!s]>
      %column = sm.expand_dims %row axis 1 : tensor<64xbf16, #rows> -> tensor<64x1xbf16, #column>
      %narrow = sm.broadcast %column : tensor<64x1xbf16, #column> -> tensor<64x16xbf16, #narrow>
      %c = sm.stage %narrow ring <q : stages 2 prepare> : tensor<64x16xbf16, #narrow> -> !sm.smem<64x16xbf16, swizzle = 32>
      %d = sm.mma %a, %c, %none : !a, !sm.smem<64x16xbf16, swizzle = 32>, tensor<128x16xf32, #few>
      %f = arith.sitofp %w : !w to !h
      %scale = sm.broadcast %column : tensor<64x1xbf16, #column> -> !h
      %g = arith.mulf %f, %scale : !h
      // expected-error @below {{cannot come by ring 'p' of the plan from role 'prepare': what it is computed from is part of a tile of another size}}
      %b = sm.stage %g ring <p : stages 2 prepare> : !h -> !b
      %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
      scf.yield %p, %w : !t, !w
    }
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
#rows = #sm.layout<"64 = register[1*(0)] lane[4*(0) 8*(1)] warp[8*(8)]">
#column = #sm.layout<"64x1 = register[1*(0,0)] lane[4*(0,0) 8*(1,0)] warp[8*(8,0)]">
#across = #sm.layout<"64 = register[16*(1)] lane[4*(16) 8*(0)] warp[8*(0)]">
#line = #sm.layout<"1x64 = register[16*(0,1)] lane[4*(0,16) 8*(0,0)] warp[8*(0,0)]">
!s = !sm.smem<64xbf16>
sm.kernel @both_ways(%n: index) grid() warps(16) form(scheduled) {
  %ring = sm.ring.alloc warps : !sm.ring<3 x [!r]>
  %scales = sm.ring.alloc warps : !sm.ring<3 x [!s]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "prepare" warps(4) registers(88) {
  }
  sm.role "math" warps(8) registers(200) {
    %zero = arith.constant dense<0.0> : !t
    %nothing = arith.constant dense<0> : !w
    %a = sm.scratch : !a
    %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
      %slot = sm.ring.wait %ring : !sm.ring<3 x [!r]>
      %tile = sm.slot.tile %slot[0] : !sm.slot<[!r]>
      %w = sm.read %tile : !r -> !w
      sm.ring.release %slot : !sm.slot<[!r]>
      %slot2 = sm.ring.wait %scales : !sm.ring<3 x [!s]>
      %tile2 = sm.slot.tile %slot2[0] : !sm.slot<[!s]>
      %row = sm.read %tile2 : !s -> tensor<64xbf16, #rows>
      sm.ring.release %slot2 : !sm.slot<[!s]>
      %column = sm.expand_dims %row axis 1 : tensor<64xbf16, #rows> -> tensor<64x1xbf16, #column>
      %across = sm.convert %row : tensor<64xbf16, #rows> -> tensor<64xbf16, #across>
      %line = sm.expand_dims %across axis 0 : tensor<64xbf16, #across> -> tensor<1x64xbf16, #line>
      %scale2 = sm.broadcast %line : tensor<1x64xbf16, #line> -> !h
      %f = arith.sitofp %w : !w to !h
      %scale = sm.broadcast %column : tensor<64x1xbf16, #column> -> !h
      %h = arith.mulf %f, %scale : !h
      %g = arith.mulf %h, %scale2 : !h
      // expected-error @below {{cannot come by ring 'p' of the plan from role 'prepare': its warps would have to exchange elements}}
      %b = sm.stage %g ring <p : stages 2 prepare> : !h -> !b
      %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
      scf.yield %p, %w : !t, !w
    }
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
sm.kernel @two_roles(%n: index) grid() warps(24) form(scheduled) {
  %ring = sm.ring.alloc warps : !sm.ring<3 x [!r]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "prepare" warps(4) registers(80) {
  }
  sm.role "math0" warps(8) registers(80) {
    %zero = arith.constant dense<0.0> : !t
    %nothing = arith.constant dense<0> : !w
    %a = sm.scratch : !a
    %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
      %slot = sm.ring.wait %ring : !sm.ring<3 x [!r]>
      %tile = sm.slot.tile %slot[0] : !sm.slot<[!r]>
      %w = sm.read %tile : !r -> !w
      sm.ring.release %slot : !sm.slot<[!r]>
      %f = arith.sitofp %w : !w to !h
      %b = sm.stage %f ring <p : stages 2 prepare> : !h -> !b
      %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
      scf.yield %p, %w : !t, !w
    }
  }
  sm.role "math1" warps(8) registers(80) {
    %zero = arith.constant dense<0.0> : !t
    %nothing = arith.constant dense<0> : !w
    %a = sm.scratch : !a
    %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
      %slot = sm.ring.wait %ring : !sm.ring<3 x [!r]>
      %tile = sm.slot.tile %slot[0] : !sm.slot<[!r]>
      %w = sm.read %tile : !r -> !w
      sm.ring.release %slot : !sm.slot<[!r]>
      %f = arith.sitofp %w : !w to !h
      // expected-error @below {{cannot come by ring 'p' of the plan from role 'prepare': one role multiplies, and it is not there}}
      %b = sm.stage %f ring <p : stages 2 prepare> : !h -> !b
      %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
      scf.yield %p, %w : !t, !w
    }
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
sm.kernel @outside(%x: !tile.global<[N, 64] x i8>, %n: index) grid() warps(8) form(scheduled) {
  %ring = sm.ring.alloc warps : !sm.ring<3 x [!r]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role "load" warps(4) registers(24) elected {
    scf.for %i = %c0 to %n step %c64 {
      %slot = sm.ring.acquire %ring : !sm.ring<3 x [!r]>
      %tile = sm.slot.tile %slot[0] : !sm.slot<[!r]>
      sm.copy.start %x[%i, %c0] dims [0, 1] limits(%n, %c64) into %tile : !tile.global<[N, 64] x i8>, index, index, !r
      sm.ring.commit %slot : !sm.slot<[!r]>
    }
  }
  sm.role "prepare" warps(4) registers(88) {
  }
    %zero = arith.constant dense<0.0> : !t
    %a = sm.scratch : !a
    %eight = arith.constant dense<8> : !w
    %sum = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero) -> (!t) {
      %slot = sm.ring.wait %ring : !sm.ring<3 x [!r]>
      %tile = sm.slot.tile %slot[0] : !sm.slot<[!r]>
      %w = sm.read %tile : !r -> !w
      sm.ring.release %slot : !sm.slot<[!r]>
      %d = arith.subi %w, %eight : !w
      %f = arith.sitofp %d : !w to !h
      // expected-error @below {{cannot come by ring 'w' of the plan from role 'prepare': one role multiplies, and it is not there}}
      %b = sm.stage %f ring <w : stages 2 prepare> : !h -> !b
      %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
      scf.yield %p : !t
    }
}
