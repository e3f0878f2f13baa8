// RUN: tile-opt %s -tile-pad-extents=remarks=true -verify-diagnostics -o /dev/null

// The remark names the tile and its padded type.

tile.kernel @remarks(%x: !tile.global<[N] x f32>, %z: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 1000)) {
  // expected-remark @below {{this tile of `f32[1000]` is padded to `f32[1024]`, which spreads over threads [tile-padded]}}
  %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<1000 of N> -> tensor<1000xf32>
  tile.store %t to %z[%n] : tensor<1000xf32>, !tile.global<[N] x f32, out>, !tile.range<1000 of N>
}
