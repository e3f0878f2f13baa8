// RUN: tile-opt %s -tile-narrow-positions=remarks=true -verify-diagnostics -o /dev/null

// The remarks: what is computed in 64 bits.

tile.kernel @remarks(%x: !tile.global<[N] x f32>, %i: i64, %z: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 16)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = arith.index_cast %i : i64 to index
  %N = tile.size N
  // expected-remark @below {{an operand may not have 32 bits; it is computed in 64}}
  %less = arith.minsi %a, %N : index
  // expected-remark @below {{the start or the limit of this range may not have 32 bits; it is computed in 64}}
  %r = tile.shift %n by %a : !tile.range<16 of N>
  %t = tile.load %x[%r] : !tile.global<[N] x f32>, !tile.range<16> -> tensor<16xf32>
  // expected-remark @below {{an index of this access may not have 32 bits; it is computed in 64}}
  %s = tile.load %x[%a] : !tile.global<[N] x f32>, index -> f32
  // expected-remark @below {{the end of this loop may not have 32 bits; it is computed in 64}}
  scf.for %k = %c0 to %less step %c16 {
    %n1 = tile.range %k to %N : !tile.range<16 of N>
    tile.store %t to %z[%n1] : tensor<16xf32>, !tile.global<[N] x f32, out>, !tile.range<16 of N>
  }
  // expected-remark @below {{a position of this loop may not have 32 bits; it is computed in 64}}
  scf.for %k = %a to %N step %c16 {
    // expected-remark @below {{an index of this access may not have 32 bits; it is computed in 64}}
    tile.store %s to %z[%k] : f32, !tile.global<[N] x f32, out>, index
  }
}
