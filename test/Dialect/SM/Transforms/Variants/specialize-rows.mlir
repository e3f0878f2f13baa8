// RUN: tile-opt %s -sm-specialize-rows -split-input-file | FileCheck %s

#tile = #sm.layout<"4x256 = register[8*(0,1)] lane[32*(0,8)] warp[4*(1,0)]">
#row = #sm.layout<"4 = lane[32*(0)] warp[4*(1)]">
#column = #sm.layout<"4x1 = lane[32*(0,0)] warp[4*(1,0)]">

// A row is summed up, and its elements are divided by the sum. If it is one tile, it is loaded once: the second load
// fills with something else, but what is stored of it ends where it ends. A variant tests no alignment, and the last
// one is the kernel as it was.

// CHECK-LABEL: sm.kernel @walk(
// CHECK-SAME: requires(N mod 8, N - 256)
// CHECK-NOT: scf.for
// CHECK: sm.load {{.*}} in_bounds [false, true] {sm.aligned}
// CHECK-NOT: sm.load
// CHECK: sm.store {{.*}} in_bounds [false, true] {sm.aligned}
// CHECK-LABEL: sm.kernel @walk_aligned(
// CHECK-SAME: requires(N mod 8) attributes {sm.variant_of = "walk"}
// CHECK: scf.for
// CHECK: sm.load {{.*}} {sm.aligned}
// CHECK: scf.for
// CHECK: sm.load {{.*}} {sm.aligned}
// CHECK: sm.store {{.*}} {sm.aligned}
// CHECK-LABEL: sm.kernel @walk_plain(
// CHECK-NOT: requires
// CHECK-SAME: attributes {sm.variant_of = "walk"}
// CHECK-NOT: sm.aligned
// CHECK-NOT: sm.kernel
sm.kernel @walk(%x: !tile.global<[M, N] x bf16>, %y: !tile.global<[M, N] x bf16, out>) grid(m in tiles(M, 4)) warps(4) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<4xbf16, #row>
  %M = tile.size M
  %N = tile.size N
  %p = sm.program_id
  %m = arith.muli %p, %c4 : index
  %sum = scf.for %n = %c0 to %N step %c256 iter_args(%s = %zero) -> (tensor<4xbf16, #row>) {
    %t = sm.load %x[%m, %n] dims [0, 1] limits(%M, %N) : !tile.global<[M, N] x bf16>, index, index -> tensor<4x256xbf16, #tile>
    %r = sm.reduce sum %t axis 1 : tensor<4x256xbf16, #tile> -> tensor<4xbf16, #row>
    %next = arith.addf %s, %r : tensor<4xbf16, #row>
    scf.yield %next : tensor<4xbf16, #row>
  }
  %column = sm.expand_dims %sum axis 1 : tensor<4xbf16, #row> -> tensor<4x1xbf16, #column>
  %wide = sm.broadcast %column : tensor<4x1xbf16, #column> -> tensor<4x256xbf16, #tile>
  scf.for %n = %c0 to %N step %c256 {
    %t = sm.load %x[%m, %n] dims [0, 1] limits(%M, %N) fill(1.0 : bf16) : !tile.global<[M, N] x bf16>, index, index -> tensor<4x256xbf16, #tile>
    %q = arith.divf %t, %wide : tensor<4x256xbf16, #tile>
    sm.store %q to %y[%m, %n] dims [0, 1] limits(%M, %N) : tensor<4x256xbf16, #tile>, !tile.global<[M, N] x bf16, out>, index, index
  }
}

// -----

#tile = #sm.layout<"4x256 = register[8*(0,1)] lane[32*(0,8)] warp[4*(1,0)]">
#row = #sm.layout<"4 = lane[32*(0)] warp[4*(1)]">

// What fills the second load is summed up where rows are missing: it is not the first one.

// CHECK-LABEL: sm.kernel @fills(
// CHECK-SAME: requires(N mod 8)
// CHECK: scf.for
// CHECK-LABEL: sm.kernel @fills_plain(
// CHECK-NOT: sm.kernel
sm.kernel @fills(%x: !tile.global<[M, N] x bf16>, %y: !tile.global<[M] x bf16, out>) grid(m in tiles(M, 4)) warps(4) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<4xbf16, #row>
  %M = tile.size M
  %N = tile.size N
  %p = sm.program_id
  %m = arith.muli %p, %c4 : index
  %sum = scf.for %n = %c0 to %N step %c256 iter_args(%s = %zero) -> (tensor<4xbf16, #row>) {
    %t = sm.load %x[%m, %n] dims [0, 1] limits(%M, %N) : !tile.global<[M, N] x bf16>, index, index -> tensor<4x256xbf16, #tile>
    %r = sm.reduce sum %t axis 1 : tensor<4x256xbf16, #tile> -> tensor<4xbf16, #row>
    %next = arith.addf %s, %r : tensor<4xbf16, #row>
    scf.yield %next : tensor<4xbf16, #row>
  }
  %all = scf.for %n = %c0 to %N step %c256 iter_args(%s = %sum) -> (tensor<4xbf16, #row>) {
    %t = sm.load %x[%m, %n] dims [0, 1] limits(%M, %N) fill(1.0 : bf16) : !tile.global<[M, N] x bf16>, index, index -> tensor<4x256xbf16, #tile>
    %r = sm.reduce max %t axis 1 : tensor<4x256xbf16, #tile> -> tensor<4xbf16, #row>
    %next = arith.addf %s, %r : tensor<4xbf16, #row>
    scf.yield %next : tensor<4xbf16, #row>
  }
  sm.store %all to %y[%m] dims [0] limits(%M) : tensor<4xbf16, #row>, !tile.global<[M] x bf16, out>, index
}

// -----

#line = #sm.layout<"256 = register[8*(1)] lane[32*(8)] warp[4*(0)]">

// Positions that are multiples of nothing have no variant; those that a kernel computes are followed to sizes and
// constants.

// CHECK-LABEL: sm.kernel @anywhere(
// CHECK-NOT: sm.aligned
// CHECK-LABEL: sm.kernel @followed(
// CHECK-SAME: requires(L mod 8, N mod 8)
// CHECK: sm.load {{.*}} {sm.aligned}
// CHECK-LABEL: sm.kernel @followed_plain(
// CHECK-NOT: sm.kernel
sm.kernel @anywhere(%x: !tile.global<[N] x bf16>, %y: !tile.global<[N] x bf16, out>, %i: index) grid() warps(4) {
  %N = tile.size N
  %t = sm.load %x[%i] dims [0] limits(%N) : !tile.global<[N] x bf16>, index -> tensor<256xbf16, #line>
  sm.store %t to %y[%i] dims [0] limits(%N) : tensor<256xbf16, #line>, !tile.global<[N] x bf16, out>, index
}
sm.kernel @followed(%x: !tile.global<[N] x bf16>, %y: !tile.global<[N] x bf16, out>, %i: index) grid() warps(4) {
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %L = tile.size L
  %i64 = arith.muli %i, %c64 : index
  %n = arith.addi %i64, %L : index
  %end = arith.minsi %n, %N : index
  %t = sm.load %x[%n] dims [0] limits(%end) : !tile.global<[N] x bf16>, index -> tensor<256xbf16, #line>
  sm.store %t to %y[%i] dims [0] limits(%N) : tensor<256xbf16, #line>, !tile.global<[N] x bf16, out>, index
}

// -----

#row = #sm.layout<"128 = register[4*(1)] lane[32*(4)]">

// B and B + 1 are not both multiples: the variant takes what comes first.

// CHECK-LABEL: sm.kernel @ends(
// CHECK-SAME: requires(B mod 4, Y mod 4) {
// CHECK: sm.load %{{.*}} dims [0] limits({{.*}}) {sm.aligned}
// CHECK: sm.load %{{.*}} dims [0] limits(%{{.*}}) :
// CHECK-LABEL: sm.kernel @ends_plain(
sm.kernel @ends(%c: !tile.global<[B + 1] x i32>, %y: !tile.global<[Y] x i32, out>) grid() warps(1) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %B = tile.size B
  %E = tile.size B + 1
  %Y = tile.size Y
  %s = sm.load %c[%c0] dims [0] limits(%B) : !tile.global<[B + 1] x i32>, index -> tensor<128xi32, #row>
  %t = sm.load %c[%c0] dims [0] limits(%E) : !tile.global<[B + 1] x i32>, index -> tensor<128xi32, #row>
  %u = arith.addi %s, %t : tensor<128xi32, #row>
  sm.store %u to %y[%c0] dims [0] limits(%Y) : tensor<128xi32, #row>, !tile.global<[Y] x i32, out>, index
}
