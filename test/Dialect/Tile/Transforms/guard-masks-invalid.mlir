// RUN: tile-opt %s -tile-guard-masks=remarks=true -verify-diagnostics -o /dev/null

// What is skipped is said; a selection by data stays without a word.

tile.kernel @scores(%x: !tile.global<[N, 64] x bf16>, %z: !tile.global<[N, 64] x f32, out>) grid(%n in tiles(N, 64)) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.range %c0 to %c64 full : !tile.range<64>
  %a = tile.load %x[%n, %d] : !tile.global<[N, 64] x bf16>, !tile.range<64 of N>, !tile.range<64> -> tensor<64x64xbf16>
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %s = tile.gemm %a, %a, %acc transpose_b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %above = arith.cmpf ogt, %s, %zero : tensor<64x64xf32>
    %p = arith.select %above, %s, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %v = tile.valid %n : !tile.range<64 of N> -> tensor<64xi1>
    %v1 = tile.expand_dims %v axis 1 : tensor<64xi1> -> tensor<64x1xi1>
    %v2 = tile.broadcast %v1 : tensor<64x1xi1> -> tensor<64x64xi1>
    // expected-remark @below {{this selection is skipped where its mask is all true [mask-guarded]}}
    %q = arith.select %v2, %p, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    scf.yield %q : tensor<64x64xf32>
  }
  tile.store %r to %z[%n, %d] : tensor<64x64xf32>, !tile.global<[N, 64] x f32, out>, !tile.range<64 of N>, !tile.range<64>
}
