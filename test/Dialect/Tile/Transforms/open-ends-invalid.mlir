// RUN: tile-opt %s --tile-open-ends -split-input-file -verify-diagnostics -o /dev/null

tile.kernel @flags(%x: !tile.global<[M, 64] x bf16>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'tile.load' op expected 2 open_ends flags, one per dimension, got 1}}
  %t = tile.load %x[%m, %c0] open_ends [true] : !tile.global<[M, 64] x bf16>, !tile.range<16 of M>, index -> tensor<16xbf16>
}
