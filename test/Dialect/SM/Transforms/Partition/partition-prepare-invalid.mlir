// RUN: tile-opt %s -sm-partition -split-input-file -verify-diagnostics -o /dev/null

// What a plan says of tiles that role "transform" computes, and cannot be.

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
sm.kernel @carried(%x: !tile.global<[N, 64] x i8>, %n: index) grid() warps(8)
    plan<roles = [load : warps 4 registers 24 elected, transform : warps 4 registers 88, math : warps 8 registers 200],
         rings = [r : slots 3 tma, p : slots 2 transform]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %nothing = arith.constant dense<0> : !w
  %a = sm.scratch : !a
  %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
    %tile = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "r"} : !tile.global<[N, 64] x i8>, index, index -> !r
    %w = sm.smem.load %tile : !r -> !w
    %f = arith.sitofp %last : !w to !h
    // expected-error @below {{cannot come by ring 'p' of the plan from role 'transform': it is computed from what other iterations leave}}
    %b = sm.smem.store %f {sm.plan_entry = "p"} : !h -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p, %w : !t, !w
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
sm.kernel @turned(%x: !tile.global<[N, 64] x i8>, %n: index) grid() warps(8)
    plan<roles = [load : warps 4 registers 24 elected, transform : warps 4 registers 88, math : warps 8 registers 200],
         rings = [r : slots 3 tma, p : slots 2 transform]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %nothing = arith.constant dense<0> : !w
  %a = sm.scratch : !a
  %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
    %tile = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "r"} : !tile.global<[N, 64] x i8>, index, index -> !r
    %w = sm.smem.load %tile : !r -> !w
    %f = arith.sitofp %w : !w to !h
    %g = sm.transpose %f : !h -> tensor<64x64xbf16, #turned>
    // expected-error @below {{cannot come by ring 'p' of the plan from role 'transform': it is not computed element by element from what arrives}}
    %b = sm.smem.store %g {sm.plan_entry = "p"} : tensor<64x64xbf16, #turned> -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p, %w : !t, !w
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
sm.kernel @nothing(%x: !tile.global<[N, 64] x i8>, %n: index) grid() warps(8)
    plan<roles = [load : warps 4 registers 24 elected, transform : warps 4 registers 88, math : warps 8 registers 200],
         rings = [r : slots 3 tma, p : slots 2 transform]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %nothing = arith.constant dense<0> : !w
  %a = sm.scratch : !a
  %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
    %tile = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "r"} : !tile.global<[N, 64] x i8>, index, index -> !r
    %w = sm.smem.load %tile : !r -> !w
    %zeros = arith.constant dense<0> : !w
    %f = arith.sitofp %zeros : !w to !h
    // expected-error @below {{cannot come by ring 'p' of the plan from role 'transform': it is computed from nothing that arrives}}
    %b = sm.smem.store %f {sm.plan_entry = "p"} : !h -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p, %w : !t, !w
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
sm.kernel @read(%x: !tile.global<[N, 64] x i8>, %n: index) grid() warps(8)
    plan<roles = [load : warps 4 registers 24 elected, transform : warps 4 registers 88, math : warps 8 registers 200],
         rings = [r : slots 3 tma, p : slots 2 transform]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %nothing = arith.constant dense<0> : !w
  %a = sm.scratch : !a
  %own = sm.scratch : !r
  %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
    %tile = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "r"} : !tile.global<[N, 64] x i8>, index, index -> !r
    %w = sm.smem.load %tile : !r -> !w
    %q = sm.smem.load %own : !r -> !w
    %f = arith.sitofp %q : !w to !h
    // expected-error @below {{cannot come by ring 'p' of the plan from role 'transform': it reads what does not arrive through a ring, in its block}}
    %b = sm.smem.store %f {sm.plan_entry = "p"} : !h -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p, %w : !t, !w
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
sm.kernel @stored(%x: !tile.global<[N, 64] x i8>, %n: index) grid() warps(8)
    plan<roles = [load : warps 4 registers 24 elected, transform : warps 4 registers 88, math : warps 8 registers 200],
         rings = [r : slots 3 tma, p : slots 2 transform]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %nothing = arith.constant dense<0> : !w
  %a = sm.scratch : !a
  %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
    %tile = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "r"} : !tile.global<[N, 64] x i8>, index, index -> !r
    %w = sm.smem.load %tile : !r -> !w
    %f = arith.sitofp %w : !w to !h
    // expected-error @below {{cannot come by ring 'p' of the plan from role 'transform': others than products of its block take it}}
    %c = sm.smem.store %f {sm.plan_entry = "p"} : !h -> !b
    %u = sm.smem.load %c : !b -> !h
    %b = sm.smem.store %f : !h -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p, %w : !t, !w
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
sm.kernel @sizes(%x: !tile.global<[N, 64] x i8>, %z: !tile.global<[N] x bf16>, %n: index) grid() warps(8)
    plan<roles = [load : warps 3 registers 24 elected, fetch : warps 1 registers 24, transform : warps 4 registers 88, math : warps 8 registers 200],
         rings = [r : slots 3 tma, s : slots 3 threads, q : slots 2 transform, p : slots 2 transform]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %nothing = arith.constant dense<0> : !w
  %a = sm.scratch : !a
  %none = arith.constant dense<0.0> : tensor<128x16xf32, #few>
  %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
    %tile = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "r"} : !tile.global<[N, 64] x i8>, index, index -> !r
    %w = sm.smem.load %tile : !r -> !w
    %tile2 = sm.fetch %z[%i] dims [0] limits(%N) {sm.plan_entry = "s"} : !tile.global<[N] x bf16>, index -> !s
    %row = sm.smem.load %tile2 : !s -> tensor<64xbf16, #rows>
    %column = sm.expand_dims %row axis 1 : tensor<64xbf16, #rows> -> tensor<64x1xbf16, #column>
    %narrow = sm.broadcast %column : tensor<64x1xbf16, #column> -> tensor<64x16xbf16, #narrow>
    %c = sm.smem.store %narrow {sm.plan_entry = "q"} : tensor<64x16xbf16, #narrow> -> !sm.smem<64x16xbf16, swizzle = 32>
    %d = sm.mma %a, %c, %none : !a, !sm.smem<64x16xbf16, swizzle = 32>, tensor<128x16xf32, #few>
    %f = arith.sitofp %w : !w to !h
    %scale = sm.broadcast %column : tensor<64x1xbf16, #column> -> !h
    %g = arith.mulf %f, %scale : !h
    // expected-error @below {{cannot come by ring 'p' of the plan from role 'transform': what it is computed from is part of a tile of another size}}
    %b = sm.smem.store %g {sm.plan_entry = "p"} : !h -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p, %w : !t, !w
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
sm.kernel @both_ways(%x: !tile.global<[N, 64] x i8>, %z: !tile.global<[N] x bf16>, %n: index) grid() warps(8)
    plan<roles = [load : warps 3 registers 24 elected, fetch : warps 1 registers 24, transform : warps 4 registers 88, math : warps 8 registers 200],
         rings = [r : slots 3 tma, s : slots 3 threads, p : slots 2 transform]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %nothing = arith.constant dense<0> : !w
  %a = sm.scratch : !a
  %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %last = %nothing) -> (!t, !w) {
    %tile = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "r"} : !tile.global<[N, 64] x i8>, index, index -> !r
    %w = sm.smem.load %tile : !r -> !w
    %tile2 = sm.fetch %z[%i] dims [0] limits(%N) {sm.plan_entry = "s"} : !tile.global<[N] x bf16>, index -> !s
    %row = sm.smem.load %tile2 : !s -> tensor<64xbf16, #rows>
    %column = sm.expand_dims %row axis 1 : tensor<64xbf16, #rows> -> tensor<64x1xbf16, #column>
    %across = sm.convert %row : tensor<64xbf16, #rows> -> tensor<64xbf16, #across>
    %line = sm.expand_dims %across axis 0 : tensor<64xbf16, #across> -> tensor<1x64xbf16, #line>
    %scale2 = sm.broadcast %line : tensor<1x64xbf16, #line> -> !h
    %f = arith.sitofp %w : !w to !h
    %scale = sm.broadcast %column : tensor<64x1xbf16, #column> -> !h
    %h = arith.mulf %f, %scale : !h
    %g = arith.mulf %h, %scale2 : !h
    // expected-error @below {{cannot come by ring 'p' of the plan from role 'transform': its warps would have to exchange elements}}
    %b = sm.smem.store %g {sm.plan_entry = "p"} : !h -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p, %w : !t, !w
  }
}
