// RUN: tile-opt %s -sm-partition -split-input-file -verify-diagnostics -o /dev/null

// What a plan says and cannot be.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = tensor<64x16xf32, #acc>
!r = tensor<64xf32, #row>
!x = !tile.global<[N, 64] x bf16>
!s = !tile.global<[N] x f32>
// expected-error @below {{expected no stores by buffers in the plan any more; run 'sm-tma-stores' first}}
sm.kernel @stores(%x: !x, %y: !tile.global<[N, 16] x f32, out>) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma], stores = [y : buffers 1]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, !c
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "y"} : !c, !tile.global<[N, 16] x f32, out>, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = tensor<64x16xf32, #acc>
!r = tensor<64xf32, #row>
!x = !tile.global<[N, 64] x bf16>
!s = !tile.global<[N] x f32>
// expected-error @below {{cannot be computed by roles in turn, as its plan says: no loop in it walks over programs by itself}}
sm.kernel @turns(%x: !x, %s: !s) grid() warps(4) persistent
    plan<roles = [load : warps 4 registers 24 elected, math : warps 4 registers 232 turns 2], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, !c
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = tensor<64x16xf32, #acc>
!r = tensor<64xf32, #row>
!x = !tile.global<[N, 64] x bf16>
!s = !tile.global<[N] x f32>
sm.kernel @written(%x: !tile.global<[N, 64] x bf16, inout>) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    // expected-error @below {{cannot arrive by ring 'x' of the plan: the kernel writes this tensor, and a role that loads ahead would not see what it writes}}
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !tile.global<[N, 64] x bf16, inout>, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, !c
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = tensor<64x16xf32, #acc>
!r = tensor<64xf32, #row>
!x = !tile.global<[N, 64] x bf16>
!s = !tile.global<[N] x f32>
sm.kernel @tiles_by_threads(%x: !x, %s: !s) grid() warps(4)
    plan<roles = [load : warps 3 registers 40 elected, fetch : warps 1 registers 40, math : warps 4 registers 232], rings = [x : slots 2 tma, y : slots 2 threads]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, !c
    // expected-error @below {{cannot arrive by ring 'y' of the plan: threads of another role bring rows, gathered or alone, and no other tiles}}
    %u = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "y"} : !x, index, index -> !a
    %e = sm.mma %u, %b, %z : !a, !b, !c
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = tensor<64x16xf32, #acc>
!r = tensor<64xf32, #row>
!x = !tile.global<[N, 64] x bf16>
!s = !tile.global<[N] x f32>
sm.kernel @written_rows(%x: !x, %s: !tile.global<[N] x f32, inout>) grid() warps(4)
    plan<roles = [load : warps 3 registers 40 elected, fetch : warps 1 registers 40, math : warps 4 registers 232], rings = [x : slots 2 tma, s : slots 2 threads]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, !c
    // expected-error @below {{cannot arrive by ring 's' of the plan: the kernel writes this tensor}}
    %u = sm.fetch %s[%i] dims [0] limits(%N) {sm.plan_entry = "s"} : !tile.global<[N] x f32, inout>, index -> !sm.smem<64xf32>
    %e = sm.smem.load %u : !sm.smem<64xf32> -> !r
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = tensor<64x16xf32, #acc>
!r = tensor<64xf32, #row>
!x = !tile.global<[N, 64] x bf16>
!s = !tile.global<[N] x f32>
sm.kernel @outside(%x: !x, %s: !s) grid() warps(4)
    plan<roles = [load : warps 3 registers 40 elected, fetch : warps 1 registers 40, math : warps 4 registers 232], rings = [x : slots 2 tma, s : slots 2 threads]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  %any = arith.cmpi sgt, %N, %c0 : index
  scf.if %any {
    // expected-error @below {{'sm.load' op cannot arrive by ring 's' of the plan: it is neither in a loop of products, nor a vector before or after one, nor a tile after one}}
    %l = sm.load %s[%c0] dims [0] limits(%N) {sm.plan_entry = "s"} : !s, index -> !r
  }
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, !c
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = tensor<64x16xf32, #acc>
!r = tensor<64xf32, #row>
!x = !tile.global<[N, 64] x bf16>
!s = !tile.global<[N] x f32>
sm.kernel @too_late(%x: !x, %s: !s) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, !c
    // expected-error @below {{cannot arrive in one slot of ring 'x' with tiles that are needed before it}}
    %u = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %e = sm.mma %u, %b, %z : !a, !b, !c
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = tensor<64x16xf32, #acc>
!r = tensor<64xf32, #row>
!x = !tile.global<[N, 64] x bf16>
!s = !tile.global<[N] x f32>
sm.kernel @order(%x: !x, %w: !tile.global<[64, 16] x bf16>) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %u = sm.fetch %w[%c0, %c0] dims [0, 1] limits(%c64, %c64) {sm.plan_entry = "x"} : !tile.global<[64, 16] x bf16>, index, index -> !b
    %d = sm.mma %t, %u, %z : !a, !b, !c
  }
  scf.for %i = %c0 to %N step %c64 {
    // expected-error @below {{begins a slot of ring 'x' with its tiles in another order than those before it}}
    %u = sm.fetch %w[%c0, %c0] dims [0, 1] limits(%c64, %c64) {sm.plan_entry = "x"} : !tile.global<[64, 16] x bf16>, index, index -> !b
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %u, %z : !a, !b, !c
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = tensor<64x16xf32, #acc>
!r = tensor<64xf32, #row>
!x = !tile.global<[N, 64] x bf16>
!s = !tile.global<[N] x f32>

// A row that is computed from two loads.
sm.kernel @two_loads(%x: !x, %s: !s) grid() warps(4)
    plan<roles = [load : warps 3 registers 40 elected, fetch : warps 1 registers 40, math : warps 4 registers 232], rings = [x : slots 2 tma, s : slots 2 threads]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, !c
    %l = sm.load %s[%i] dims [0] limits(%N) : !s, index -> !r
    %k = sm.load %s[%c0] dims [0] limits(%N) : !s, index -> !r
    // expected-error @below {{'arith.addf' op cannot arrive by ring 's' of the plan: it is not computed from one load, element by element}}
    %u = arith.addf %l, %k {sm.plan_entry = "s"} : !r
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = tensor<64x16xf32, #acc>
!r = tensor<64xf32, #row>
!x = !tile.global<[N, 64] x bf16>
!s = !tile.global<[N] x f32>

// Tensor copies do not compute.
sm.kernel @by_copies(%x: !x, %s: !s) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma, s : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, !c
    %l = sm.load %s[%i] dims [0] limits(%N) : !s, index -> !r
    // expected-error @below {{'arith.negf' op cannot arrive by ring 's' of the plan: tensor copies bring what is loaded, and compute nothing}}
    %u = arith.negf %l {sm.plan_entry = "s"} : !r
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = tensor<64x16xf32, #acc>
!r = tensor<64xf32, #row>
!x = !tile.global<[N, 64] x bf16>
!s = !tile.global<[N] x f32>

// What is stored in the slot has the type that was loaded.
sm.kernel @other_type(%x: !x, %s: !s) grid() warps(4)
    plan<roles = [load : warps 3 registers 40 elected, fetch : warps 1 registers 40, math : warps 4 registers 232], rings = [x : slots 2 tma, s : slots 2 threads]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, !c
    %l = sm.load %s[%i] dims [0] limits(%N) : !s, index -> !r
    // expected-error @below {{'arith.truncf' op cannot arrive by ring 's' of the plan: it is no row of the loaded type that a warp shares evenly}}
    %u = arith.truncf %l {sm.plan_entry = "s"} : !r to tensor<64xbf16, #row>
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = tensor<64x16xf32, #acc>
!r = tensor<64xf32, #row>
!x = !tile.global<[N, 64] x bf16>
!s = !tile.global<[N] x f32>

// A row is computed by one warp.
sm.kernel @two_warps(%x: !x, %s: !s) grid() warps(4)
    plan<roles = [load : warps 2 registers 40 elected, fetch : warps 2 registers 40, math : warps 4 registers 232], rings = [x : slots 2 tma, s : slots 2 threads]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, !c
    %l = sm.load %s[%i] dims [0] limits(%N) : !s, index -> !r
    // expected-error @below {{'arith.negf' op cannot arrive by ring 's' of the plan: rows are computed by 1 warp, and role 'fetch' has 2}}
    %u = arith.negf %l {sm.plan_entry = "s"} : !r
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = tensor<64x16xf32, #acc>
!r = tensor<64xf32, #row>
!x = !tile.global<[N, 64] x bf16>
!s = !tile.global<[N] x f32>

// A row at a position that more than arithmetic computes.
sm.kernel @late(%x: !x, %s: !s) grid() warps(4)
    plan<roles = [load : warps 3 registers 40 elected, fetch : warps 1 registers 40, math : warps 4 registers 232], rings = [x : slots 2 tma, s : slots 2 threads]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, !c
    %isFirst = arith.cmpi eq, %i, %c0 : index
    %at = scf.if %isFirst -> (index) {
      scf.yield %i : index
    } else {
      scf.yield %c0 : index
    }
    %l = sm.load %s[%at] dims [0] limits(%N) : !s, index -> !r
    // expected-error @below {{'arith.negf' op cannot be computed where rings are filled, before the loop uses any of them}}
    %u = arith.negf %l {sm.plan_entry = "s"} : !r
  }
}

// -----

// What removes dead code may remove the only op that fills a ring.
#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
// expected-error @below {{'sm.kernel' op has no fetch and no load for ring 'x' of its plan}}
sm.kernel @f(%x: !x, %y: !y) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
// expected-error @below {{'sm.kernel' op has no 'sm.smem.store' for ring 'e' of its plan}}
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
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
  }
}
