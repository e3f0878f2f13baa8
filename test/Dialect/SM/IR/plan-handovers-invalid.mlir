// RUN: tile-opt %s -split-input-file -verify-diagnostics -o /dev/null

// What role math hands over: rules of plans that are not of fetches and loads.

// Names of rings that role math fills.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
sm.kernel @f(%x: !x, %y: !y, %n: index) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma, e : slots 2 math]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %h = arith.constant dense<0.0> : tensor<64x16xbf16, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    // expected-error @below {{'sm.fetch' op names ring 'e', which 'math' fills; tiles of 'sm.smem.store' go through it}}
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "e"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
sm.kernel @f(%x: !x, %y: !y, %n: index) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %h = arith.constant dense<0.0> : tensor<64x16xbf16, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    // expected-error @below {{'sm.smem.store' op names ring 'x', which neither 'math' nor 'transform' fills; what they write cannot go through it}}
    %s = sm.smem.store %h {sm.plan_entry = "x"} : tensor<64x16xbf16, #acc> -> !b
    %d = sm.mma %t, %s, %z : !a, !b, tensor<64x16xf32, #acc>
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
sm.kernel @f(%x: !x, %y: !y, %n: index) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma, e : slots 2 math]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %h = arith.constant dense<0.0> : tensor<64x16xbf16, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    // expected-note @below {{it is filled here}}
    %s = sm.smem.store %h {sm.plan_entry = "e"} : tensor<64x16xbf16, #acc> -> !b
    // expected-error @below {{'sm.smem.store' op fills ring 'e' for the second time in its block; one tile at a time goes through it}}
    %u = sm.smem.store %h {sm.plan_entry = "e"} : tensor<64x16xbf16, #acc> -> !b
    %d = sm.mma %t, %s, %z : !a, !b, tensor<64x16xf32, #acc>
  }
}

// -----

// Kernel C9, of stores.

#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
#wide = #sm.layout<"64x32 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
// expected-error @below {{'sm.kernel' op expected one warp of role 'store' in its plan, got 2}}
sm.kernel @f(%x: !x, %y: !y, %s: !tile.global<[N] x f32, out>, %w: !tile.global<[N, 32] x f32, out>) grid() warps(4)
    plan<roles = [load : warps 2 registers 40 elected, store : warps 2 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma], stores = [y : slots 1 store]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %r = arith.constant dense<0.0> : tensor<64xf32, #row>
  %v = arith.constant dense<0.0> : tensor<64x32xf32, #wide>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %r to %s[%i] dims [0] limits(%N) {sm.plan_entry = "y"} : tensor<64xf32, #row>, !tile.global<[N] x f32, out>, index
  }
}

// -----

// Kernel C13.

#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
#wide = #sm.layout<"64x32 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
sm.kernel @f(%x: !x, %y: !y, %s: !tile.global<[N] x f32, out>, %w: !tile.global<[N, 32] x f32, out>) grid() warps(4)
    plan<roles = [load : warps 3 registers 40 elected, store : warps 1 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma], stores = [y : slots 1 store]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %r = arith.constant dense<0.0> : tensor<64xf32, #row>
  %v = arith.constant dense<0.0> : tensor<64x32xf32, #wide>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    // expected-error @below {{'sm.store' op names store 'y', which a role does; its tile is no sequence of boxes}}
    sm.store %r to %s[%i] dims [0] limits(%N) {sm.plan_entry = "y"} : tensor<64xf32, #row>, !tile.global<[N] x f32, out>, index
  }
}

// -----

#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
#wide = #sm.layout<"64x32 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
sm.kernel @f(%x: !x, %y: !y, %s: !tile.global<[N] x f32, out>, %w: !tile.global<[N, 32] x f32, out>) grid() warps(4)
    plan<roles = [load : warps 3 registers 40 elected, store : warps 1 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma], stores = [y : slots 1 store]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %r = arith.constant dense<0.0> : tensor<64xf32, #row>
  %v = arith.constant dense<0.0> : tensor<64x32xf32, #wide>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    // expected-note @below {{a tile for it is stored here}}
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) {sm.plan_entry = "y"} : tensor<64x16xf32, #acc>, !y, index, index
    // expected-error @below {{'sm.store' op names store 'y', whose ring has tiles of another type}}
    sm.store %v to %w[%i, %c0] dims [0, 1] limits(%N, %c32) {sm.plan_entry = "y"} : tensor<64x32xf32, #wide>, !tile.global<[N, 32] x f32, out>, index, index
  }
}
