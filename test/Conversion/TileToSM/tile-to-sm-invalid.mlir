// RUN: tile-opt %s --tile-to-sm --split-input-file --verify-diagnostics
// RUN: not tile-opt %s --split-input-file --tile-to-sm='raster-group=-1' 2>&1 | FileCheck %s

// CHECK: error: expected the option 'raster-group' of tile-to-sm to be at least 0, got -1

tile.kernel @operation(%i: index) grid() {
  // expected-error@+1 {{cannot be executed by a streaming multiprocessor; a kernel is made of the operations of tile, elementwise ones of arith and math, tensor.splat, scf.for, scf.while and scf.if}}
  %r = scf.index_switch %i -> i32
  default {
    %c = arith.constant 1 : i32
    scf.yield %c : i32
  }
}

// -----

tile.kernel @element(%x: !tile.global<[M] x f32>) grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%m] : !tile.global<[M] x f32>, !tile.range<64 of M> -> tensor<64xf32>
  // expected-error@+1 {{cannot be executed by a streaming multiprocessor}}
  %e = tensor.extract %t[%c0] : tensor<64xf32>
}

// -----

tile.kernel @large(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 4096), %n in tiles(N, 4096)) {
  // expected-error@+1 {{cannot hold `f32[4096, 4096]` in registers; use a smaller tile: it has 16777216 elements, expected at most 131072}}
  %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<4096 of M>, !tile.range<4096 of N> -> tensor<4096x4096xf32>
}

// -----

tile.kernel @many_registers(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 512), %n in tiles(N, 512)) {
  // expected-error@+1 {{cannot hold `f32[512, 512]` in registers; use a smaller tile: each thread would take 2048 of 32 bits, expected at most 1024}}
  %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<512 of M>, !tile.range<512 of N> -> tensor<512x512xf32>
}

// -----

// Odd extents: each thread would hold all.
tile.kernel @odd(%x: !tile.global<[M, N] x f32>) grid(%m in tiles(M, 255), %n in tiles(N, 257)) {
  // expected-error@+1 {{cannot hold `f32[255, 257]` in registers; use extents that spread evenly over threads, such as `f32[256, 257]`}}
  %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<255 of M>, !tile.range<257 of N> -> tensor<255x257xf32>
}

// -----

// Simplification makes constants without a place; their users have one.
tile.kernel @odd_constant(%y: !tile.global<[127, 9] x f32, out>) grid() {
  %ones = arith.constant dense<1.0> : tensor<127x9xf32> loc(unknown)
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %c127 = arith.constant 127 : index
  %m = tile.range %c0 to %c127 full : !tile.range<127>
  %n = tile.range %c0 to %c9 full : !tile.range<9>
  // expected-error@+1 {{cannot hold `f32[127, 9]` in registers; use extents that spread evenly over threads, such as `f32[128, 9]`}}
  tile.store %ones to %y[%m, %n] : tensor<127x9xf32>, !tile.global<[127, 9] x f32, out>, !tile.range<127>, !tile.range<9>
}

// -----

tile.kernel @resource(%y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 4)) {
  // expected-error@+1 {{expected the elements of a constant tile to be written out}}
  %t = arith.constant dense_resource<elements> : tensor<4xf32>
  tile.store %t to %y[%m] : tensor<4xf32>, !tile.global<[M] x f32, out>, !tile.range<4 of M>
}

{-#
  dialect_resources: {
    builtin: {
      elements: "0x04000000000000000000000000000000000000"
    }
  }
#-}
