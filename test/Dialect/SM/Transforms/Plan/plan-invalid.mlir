// RUN: tile-opt %s -sm-plan=remarks -sm-tma-stores -sm-partition -split-input-file -verify-diagnostics | FileCheck %s

// Kernels, and fetches, that stay as they are.

// CHECK-NOT: sm.role "load"

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!n = !sm.smem<64x4xbf16>
!r1 = !sm.smem<64xbf16>
// expected-remark @below {{this kernel stays one role: it fetches nothing by tensor copies}}
sm.kernel @fetches(%x: !tile.global<[N, 64] x bf16, inout>, %y: !tile.global<[N, 64] x bf16>,
                   %z: !tile.global<[N, 65] x bf16>, %big: !tile.global<[N, 2, 2, 2, 2, 64] x bf16>,
                   %box: !tile.global<[N, 8, 64] x bf16>, %end: index, %c: i1) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    // expected-remark @below {{this fetch is no tensor copy of another role: the kernel writes this tensor, and a role that loads ahead would not see what it writes}}
    %t0 = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16, inout>, index, index -> !a
    // expected-remark @below {{this fetch is no tensor copy of another role: it is masked by more than the bounds of the tensor}}
    %t1 = sm.fetch %y[%i, %c0] dims [0, 1] limits(%N, %c64) mask(%c) : !tile.global<[N, 64] x bf16>, index, index -> !a
    // expected-remark @below {{this fetch is no tensor copy of another role: the last dimension of the tile is not that of the tensor}}
    %t2 = sm.fetch %y[%i, %c0] dims [0] limits(%N) : !tile.global<[N, 64] x bf16>, index, index -> !r1
    // expected-remark @below {{this fetch is no tensor copy of another role: rows of 65 elements do not start at multiples of 16 bytes}}
    %t3 = sm.fetch %z[%i, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 65] x bf16>, index, index -> !a
    // expected-remark @below {{a tensor copy has at most 5 dimensions, the tensor has 6}}
    %t4 = sm.fetch %big[%i, %c0, %c0, %c0, %c0, %c0] dims [0, 5] limits(%N, %c64) : !tile.global<[N, 2, 2, 2, 2, 64] x bf16>, index, index, index, index, index, index -> !a
    // expected-remark @below {{this fetch is no tensor copy of another role: no box of at most 256 along each dimension}}
    %t5 = sm.fetch %y[%i, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, index, index -> !n
    // expected-remark @below {{this fetch is no tensor copy of another role: slots of 16 bytes do not begin at multiples of 128 bytes}}
    %t10 = sm.fetch %y[%i, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, index, index -> !sm.smem<1x8xbf16>
    // expected-remark @below {{it ends before the tensor does, and only tiles of rank 2 can be clipped}}
    %t6 = sm.fetch %box[%i, %c0, %c0] dims [0, 1, 2] limits(%end, %c8, %c64) : !tile.global<[N, 8, 64] x bf16>, index, index, index -> !sm.smem<8x8x64xbf16, swizzle = 128>
    // expected-remark @below {{this fetch is no tensor copy of another role: nothing uses it}}
    %t7 = sm.fetch %y[%i, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, index, index -> !a
    // expected-remark @below {{this fetch is no tensor copy of another role: its tile leaves through a loop, a branch or a view}}
    %t8 = sm.fetch %y[%i, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, index, index -> !a
    %t9 = scf.for %j = %c0 to %c64 step %c1 iter_args(%t = %t8) -> (!a) {
      scf.yield %t : !a
    }
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
// expected-remark @below {{this kernel stays one role: it fetches nothing by tensor copies}}
sm.kernel @positions(%x: !tile.global<[N, 64] x bf16>, %at: !tile.global<[N] x i32, inout>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %p = sm.load %at[%i] dims [] : !tile.global<[N] x i32, inout>, index -> i32
    %j = arith.index_cast %p : i32 to index
    // expected-remark @below {{its position or whether it is done depends on what the kernel writes}}
    %t = sm.fetch %x[%j, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, index, index -> !a
    %d = sm.mma %t, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
    %none = tensor.extract %d[%c0, %c0] : tensor<64x16xf32, #acc>
    %f = arith.fptosi %none : f32 to i32
    %k = arith.index_cast %f : i32 to index
    // expected-remark @below {{its position or whether it is done depends on a tile}}
    %u = sm.fetch %x[%k, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, index, index -> !a
    %e = sm.mma %u, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
// expected-remark @below {{this kernel stays one role: it fetches nothing in a loop}}
sm.kernel @once(%x: !tile.global<[N, 64] x bf16>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  %t = sm.fetch %x[%c0, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, index, index -> !a
  %d = sm.mma %t, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
}

// -----

// expected-remark @below {{this kernel stays one role: its 2 warps are not a multiple of 4 (one warpgroup)}}
sm.kernel @few() grid() warps(2) {
}

// -----

// expected-remark @below {{this kernel stays one role: its 32 warps leave no warpgroup for loads}}
sm.kernel @many() grid() warps(32) {
}

// -----

// expected-remark @below {{this kernel stays one role: it is not planned any more}}
sm.kernel @late() grid() warps(4) form(scheduled) {
}

// -----

!a = !sm.smem<256x256xbf16, swizzle = 128>
// expected-remark @below {{this kernel stays one role: its rings do not fit into the 100800 bytes of shared memory that are left}}
sm.kernel @large(%x: !tile.global<[N, 256] x bf16>, %y: !tile.global<[N, 256] x bf16, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %N = tile.size N
  scf.for %i = %c0 to %N step %c256 {
    %s = sm.scratch : !a
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c256) : !tile.global<[N, 256] x bf16>, index, index -> !a
    sm.copy.store %t to %y[%i, %c0] dims [0, 1] limits(%N, %c256) : !a, !tile.global<[N, 256] x bf16, out>, index, index
  }
}

// -----

// Stages that do not fit are fewer.

// CHECK: sm.kernel @deep
// CHECK: sm.ring.alloc : !sm.ring<7 x

!a = !sm.smem<128x128xbf16, swizzle = 128>
// expected-remark @below {{rings have 7 slots instead of 9: only 231792 bytes of shared memory are left for them}}
sm.kernel @deep(%x: !tile.global<[N, 128] x bf16>, %y: !tile.global<[N, 128] x bf16, out>) grid() warps(4) schedule<stages = 9> {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  scf.for %i = %c0 to %N step %c128 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c128) : !tile.global<[N, 128] x bf16>, index, index -> !a
    sm.copy.store %t to %y[%i, %c0] dims [0, 1] limits(%N, %c128) : !a, !tile.global<[N, 128] x bf16, out>, index, index
  }
}

// -----

// Turns need programs, one loop over them, and nothing that would be done once for each role.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
// expected-warning @below {{`pingpong` is not done, one role computes all programs: a block computes only one program [no-turns]}}
// expected-note @below {{two roles take turns in a `persistent` kernel that does all its work in one loop over programs; warpgroups of one role take turns with `warpgroups = 2`}}
sm.kernel @no_programs(%x: !tile.global<[N, 64] x bf16>) grid() warps(4)
    schedule<pingpong = true> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, index, index -> !a
    %d = sm.mma %t, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
// expected-warning @below {{`pingpong` is not done, one role computes all programs: no loop in it walks over programs by itself [no-turns]}}
// expected-note @below {{two roles take turns in a `persistent` kernel that does all its work in one loop over programs; warpgroups of one role take turns with `warpgroups = 2`}}
sm.kernel @carries(%x: !tile.global<[N, 64] x bf16>, %y: !tile.global<[64, 16] x f32, out>)
    grid(n in tiles(N, 64)) warps(4) persistent
    schedule<warpgroups = 1, pingpong = true, persistent = true> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %all = tile.size N ceildiv 64
  %first = sm.program_id
  %step = sm.cta_count
  %sum = scf.for %p = %first to %all step %step iter_args(%acc = %zero) -> (tensor<64x16xf32, #acc>) {
    %b = sm.scratch : !b
    %i = arith.muli %p, %c64 : index
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, index, index -> !a
    %d = sm.mma %t, %b, %acc : !a, !b, tensor<64x16xf32, #acc>
    scf.yield %d : tensor<64x16xf32, #acc>
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#one = #sm.layout<"1 = lane[32*(0)] warp[4*(0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
// expected-warning @below {{`pingpong` is not done, one role computes all programs: its programs may wait for each other [no-turns]}}
// expected-note @below {{two roles take turns in a `persistent` kernel that does all its work in one loop over programs; warpgroups of one role take turns with `warpgroups = 2`}}
sm.kernel @waits(%x: !tile.global<[N, 64] x bf16>, %l: !tile.global<[1] x i32, inout>)
    grid(n in tiles(N, 64)) warps(4) persistent
    schedule<warpgroups = 1, pingpong = true, persistent = true> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %all = tile.size N ceildiv 64
  %first = sm.program_id
  %step = sm.cta_count
  scf.for %p = %first to %all step %step {
    %b = sm.scratch : !b
    %i = arith.muli %p, %c64 : index
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, index, index -> !a
    %d = sm.mma %t, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
    %taken = arith.constant dense<1> : tensor<1xi32, #one>
    %old = sm.atomic exchange %taken to %l[%c0] dims [0] order acquire limits(%c1) : tensor<1xi32, #one>, !tile.global<[1] x i32, inout>, index -> tensor<1xi32, #one>
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
// expected-warning @below {{`pingpong` is not done, one role computes all programs: outside of the loop over programs it does more than compute [no-turns]}}
// expected-note @below {{two roles take turns in a `persistent` kernel that does all its work in one loop over programs; warpgroups of one role take turns with `warpgroups = 2`}}
sm.kernel @counts(%x: !tile.global<[N, 64] x bf16>, %y: !tile.global<[1] x f32>)
    grid(n in tiles(N, 64)) warps(4) persistent
    schedule<warpgroups = 1, pingpong = true, persistent = true> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %all = tile.size N ceildiv 64
  %first = sm.program_id
  %step = sm.cta_count
  %b = sm.scratch : !b
  scf.for %p = %first to %all step %step {
    %i = arith.muli %p, %c64 : index
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, index, index -> !a
    %d = sm.mma %t, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
  }
}

// -----

// What roles that compute in turn sum across warps takes shared memory once for each.

#acc = #sm.layout<"64x256 = register[2*(0,1) 2*(8,0) 32*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"256 = register[2*(1) 32*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x256xbf16, swizzle = 128>
// expected-remark @below {{rings have 5 slots instead of 6: only 215456 bytes of shared memory are left for them}}
sm.kernel @sums(%a: !tile.global<[M, 64] x bf16>, %b: !tile.global<[64, 256] x bf16>,
                %c: !tile.global<[M, 256] x f32, out>) grid(m in tiles(M, 64)) warps(4) persistent
    schedule<warpgroups = 1, stages = 6, pingpong = true, persistent = true> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %M = tile.size M
  %all = tile.size M ceildiv 64
  %first = sm.program_id
  %ctas = sm.cta_count
  scf.for %p = %first to %all step %ctas {
    %m = arith.muli %p, %c64 : index
    %zero = arith.constant dense<0.0> : tensor<64x256xf32, #acc>
    %r = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero) -> (tensor<64x256xf32, #acc>) {
      %at = sm.fetch %a[%m, %c0] dims [0, 1] limits(%M, %c64) : !tile.global<[M, 64] x bf16>, index, index -> !a
      %bt = sm.fetch %b[%c0, %c0] dims [0, 1] limits(%c64, %c256) : !tile.global<[64, 256] x bf16>, index, index -> !b
      %d = sm.mma %at, %bt, %acc : !a, !b, tensor<64x256xf32, #acc>
      scf.yield %d : tensor<64x256xf32, #acc>
    }
    %s = sm.reduce sum %r axis 0 : tensor<64x256xf32, #acc> -> tensor<256xf32, #row>
    sm.store %s to %c[%p, %c0] dims [1] limits(%c256) : tensor<256xf32, #row>, !tile.global<[M, 256] x f32, out>, index, index
  }
}
