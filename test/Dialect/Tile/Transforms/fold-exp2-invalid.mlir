// RUN: tile-opt %s -tile-fold-exp2=remarks=true -split-input-file -verify-diagnostics -o /dev/null

// The remarks: what was folded where, and what could not be and why.

tile.kernel @folded(%x: !tile.global<[M, 64] x f16>,
                    // expected-remark @below {{log2(e) is folded into a product on a scalar}}
                    %scale: f32,
                    %y: !tile.global<[M, 64] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tile.range %c0 to %c64 : !tile.range<64>
  %h = tile.load %x[%m, %n] : !tile.global<[M, 64] x f16>, !tile.range<16 of M>, !tile.range<64> -> tensor<16x64xf16>
  %t = arith.extf %h : tensor<16x64xf16> to tensor<16x64xf32>
  %sc = tensor.splat %scale : tensor<16x64xf32>
  %s = arith.mulf %t, %sc : tensor<16x64xf32>
  %mx = tile.reduce max %s axis 1 : tensor<16x64xf32> -> tensor<16xf32>
  %mx1 = tile.expand_dims %mx axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %mx2 = tile.broadcast %mx1 : tensor<16x1xf32> -> tensor<16x64xf32>
  %d = arith.subf %s, %mx2 : tensor<16x64xf32>
  // expected-remark @below {{exp became exp2 of one multiply-add}}
  %p = math.exp %d : tensor<16x64xf32>
  tile.store %p to %y[%m, %n] : tensor<16x64xf32>, !tile.global<[M, 64] x f32, out>, !tile.range<16 of M>, !tile.range<64>
}

// -----

tile.kernel @product(%x: !tile.global<[M] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  // expected-remark @below {{log2(e) is folded into a product on 16 f32}}
  %t = tile.load %x[%m] : !tile.global<[M] x f32>, !tile.range<16 of M> -> tensor<16xf32>
  // expected-remark @below {{exp became exp2 with a product of its own}}
  %e = math.exp %t : tensor<16xf32>
  tile.store %e to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// expected-remark @below {{keeps exp and log as written, as 'numerics (fold_exp2 = false)' asks}}
tile.kernel @kept(%x: !tile.global<[M] x f32>, %y: !tile.global<[M] x f32, out>)
    grid(%m in tiles(M, 16)) attributes {tile.no_fold_exp2} {
  %t = tile.load %x[%m] : !tile.global<[M] x f32>, !tile.range<16 of M> -> tensor<16xf32>
  %e = math.exp %t : tensor<16xf32>
  tile.store %e to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// A finite number in the place of masked elements would not survive a division by a small scale.

tile.kernel @finite_mask(%x: !tile.global<[M, N] x f16>,
                         // expected-remark @below {{log2(e) is folded into a product on a scalar}}
                         %scale: f32,
                         %y: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 16), %n in tiles(N, 64)) {
  %low = arith.constant dense<-1.0e+30> : tensor<16x64xf32>
  %h = tile.load %x[%m, %n] : !tile.global<[M, N] x f16>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf16>
  %t = arith.extf %h : tensor<16x64xf16> to tensor<16x64xf32>
  %sc = tensor.splat %scale : tensor<16x64xf32>
  // expected-remark @below {{this product is not fused with a later sum: a mask puts something else than an infinity in its place}}
  %s0 = arith.mulf %t, %sc : tensor<16x64xf32>
  %v = tile.valid %n : !tile.range<64 of N> -> tensor<64xi1>
  %v1 = tile.expand_dims %v axis 0 : tensor<64xi1> -> tensor<1x64xi1>
  %v2 = tile.broadcast %v1 : tensor<1x64xi1> -> tensor<16x64xi1>
  %s = arith.select %v2, %s0, %low : tensor<16x64xi1>, tensor<16x64xf32>
  %mx = tile.reduce max %s axis 1 : tensor<16x64xf32> -> tensor<16xf32>
  %mx1 = tile.expand_dims %mx axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %mx2 = tile.broadcast %mx1 : tensor<16x1xf32> -> tensor<16x64xf32>
  %d = arith.subf %s, %mx2 : tensor<16x64xf32>
  // expected-remark @below {{exp became exp2 without a product}}
  %p = math.exp %d : tensor<16x64xf32>
  tile.store %p to %y[%m, %n] : tensor<16x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<16 of M>, !tile.range<64 of N>
}

// -----

// A product that the user wrote before exp2 stays before the maximum, if its numbers come from memory.

tile.kernel @huge(%x: !tile.global<[M, 64] x f32>, %scale: f32,
                  %y: !tile.global<[M, 64] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tile.range %c0 to %c64 : !tile.range<64>
  %t = tile.load %x[%m, %n] : !tile.global<[M, 64] x f32>, !tile.range<16 of M>, !tile.range<64> -> tensor<16x64xf32>
  %sc = tensor.splat %scale : tensor<16x64xf32>
  // expected-remark @below {{this product is not fused with a later sum: some of its numbers (f32 or bf16 from memory, a finite mask) may be so large that the rounding of their maximum counts}}
  %s = arith.mulf %t, %sc : tensor<16x64xf32>
  %mx = tile.reduce max %s axis 1 : tensor<16x64xf32> -> tensor<16xf32>
  %mx1 = tile.expand_dims %mx axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %mx2 = tile.broadcast %mx1 : tensor<16x1xf32> -> tensor<16x64xf32>
  %d = arith.subf %s, %mx2 : tensor<16x64xf32>
  %p = math.exp2 %d : tensor<16x64xf32>
  tile.store %p to %y[%m, %n] : tensor<16x64xf32>, !tile.global<[M, 64] x f32, out>, !tile.range<16 of M>, !tile.range<64>
}
