// RUN: tile-opt %s -tile-defer-reductions=remarks=true -split-input-file -verify-diagnostics -o /dev/null
// RUN: not tile-opt %s -tile-defer-reductions=keep=1 -split-input-file 2>&1 | FileCheck %s

// CHECK: error: expected the option 'keep' of tile-defer-reductions to be 0 or at least 2, got 1

// Each case carries one value; the remark is at the loop, the note at what stands in the way.

// The running value is read in every iteration, as the maximum of a softmax is.

tile.kernel @used(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  // expected-remark @below {{the loop-carried value 0 is reduced in every iteration: its value is used in every iteration}}
  %r = scf.for %i = %c0 to %N step %c64 iter_args(%a0 = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %rs = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %b = arith.addf %a0, %rs : tensor<16xf32>
    // expected-note @below {{see here}}
    %e = math.exp2 %a0 : tensor<16xf32>
    %c = arith.addf %b, %e : tensor<16xf32>
    %rm = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %d = arith.addf %c, %rm : tensor<16xf32>
    scf.yield %d : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// The value is overwritten, not accumulated.

tile.kernel @unused(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  // expected-remark @below {{the loop-carried value 0 is reduced in every iteration: its value is not used in the loop}}
  // expected-note @below {{see here}}
  %r = scf.for %i = %c0 to %N step %c64 iter_args(%a0 = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %rs = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %b = arith.addf %rs, %zero : tensor<16xf32>
    scf.yield %b : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// Something besides the reduction is added.

tile.kernel @other(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  // expected-remark @below {{the loop-carried value 0 is reduced in every iteration: something else than a reduction is combined with it}}
  %r = scf.for %i = %c0 to %N step %c64 iter_args(%a0 = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %rs = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %ra = tile.reduce max %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %b = math.exp2 %ra : tensor<16xf32>
    // expected-note @below {{see here}}
    %c = arith.addf %a0, %b : tensor<16xf32>
    %d = arith.addf %c, %rs : tensor<16xf32>
    scf.yield %d : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// The reduction is needed whole.

tile.kernel @shared(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  // expected-remark @below {{the loop-carried value 0 is reduced in every iteration: the reduction that is combined with it has other uses}}
  %r = scf.for %i = %c0 to %N step %c64 iter_args(%a0 = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %rs = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    // expected-note @below {{see here}}
    %b = arith.addf %a0, %rs : tensor<16xf32>
    %c = arith.addf %b, %rs : tensor<16xf32>
    scf.yield %c : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// The accumulated value is subtracted.

tile.kernel @subtracted(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  // expected-remark @below {{the loop-carried value 0 is reduced in every iteration: it is subtracted}}
  %r = scf.for %i = %c0 to %N step %c64 iter_args(%a0 = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %rs = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    // expected-note @below {{see here}}
    %b = arith.subf %rs, %a0 : tensor<16xf32>
    scf.yield %b : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// A function stands between the sums.

tile.kernel @commutes(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  // expected-remark @below {{the loop-carried value 0 is reduced in every iteration: it passes through an operation that does not commute with the reduction}}
  %r = scf.for %i = %c0 to %N step %c64 iter_args(%a0 = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %rs = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    // expected-note @below {{see here}}
    %b = math.absf %a0 : tensor<16xf32>
    %c = arith.addf %b, %rs : tensor<16xf32>
    scf.yield %c : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// A sum and a maximum.

tile.kernel @kinds(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  // expected-remark @below {{the loop-carried value 0 is reduced in every iteration: two different reductions are combined with it}}
  %r = scf.for %i = %c0 to %N step %c64 iter_args(%a0 = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %rs = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %b = arith.addf %a0, %rs : tensor<16xf32>
    %rm = tile.reduce max %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    // expected-note @below {{see here}}
    %c = arith.maximumf %b, %rm : tensor<16xf32>
    scf.yield %c : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// A factor may be negative, and then a maximum becomes a minimum.

tile.kernel @scaled_maximum(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  // expected-remark @below {{the loop-carried value 0 is reduced in every iteration: a maximum or minimum does not commute with its factor}}
  %r = scf.for %i = %c0 to %N step %c64 iter_args(%a0 = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %rs = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %f = math.exp2 %zero : tensor<16xf32>
    %b = arith.mulf %a0, %f : tensor<16xf32>
    %rm = tile.reduce max %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %c = arith.maximumf %b, %rm : tensor<16xf32>
    // expected-note @below {{see here}}
    scf.yield %c : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// 25 columns have no partial sums of a power of two.

tile.kernel @odd(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c25 = arith.constant 25 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  // expected-remark @below {{the loop-carried value 0 is reduced in every iteration: the reduced extent has no divisor for partial results}}
  %r = scf.for %i = %c0 to %N step %c25 iter_args(%a0 = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<25 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<25 of N> -> tensor<16x25xf32>
    %rs = tile.reduce sum %t axis 1 : tensor<16x25xf32> -> tensor<16xf32>
    // expected-note @below {{see here}}
    %b = arith.addf %a0, %rs : tensor<16xf32>
    scf.yield %b : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// A product of other values is added.

tile.kernel @factors(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  // expected-remark @below {{the loop-carried value 0 is reduced in every iteration: a product, not a reduction, is added to it}}
  %r = scf.for %i = %c0 to %N step %c64 iter_args(%a0 = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %rs = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %ra = tile.reduce max %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    // expected-note @below {{see here}}
    %b = math.fma %ra, %ra, %a0 : tensor<16xf32>
    %c = arith.addf %b, %rs : tensor<16xf32>
    scf.yield %c : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// Two values change places.

tile.kernel @exchanged(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  // expected-remark @below {{the loop-carried value 0 is reduced in every iteration: it changes places with another carried value}}
  // expected-remark @below {{the loop-carried value 1 is reduced in every iteration: it changes places with another carried value}}
  %r:2 = scf.for %i = %c0 to %N step %c64 iter_args(%a0 = %zero, %a1 = %zero) -> (tensor<16xf32>, tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %rs = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %b = arith.addf %a0, %rs : tensor<16xf32>
    %rs1 = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %c = arith.addf %a1, %rs1 : tensor<16xf32>
    // expected-note @below {{see here}}
    scf.yield %c, %b : tensor<16xf32>, tensor<16xf32>
  }
  tile.store %r#0 to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// The sum goes on in a branch.

tile.kernel @inner(%x: !tile.global<[M, N] x f32>, %flag: i1, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  // expected-remark @below {{the loop-carried value 0 is reduced in every iteration: it is used in an inner region}}
  %r = scf.for %i = %c0 to %N step %c64 iter_args(%a0 = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %rs = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %b = scf.if %flag -> tensor<16xf32> {
    // expected-note @below {{see here}}
      %d = arith.addf %a0, %rs : tensor<16xf32>
      scf.yield %d : tensor<16xf32>
    } else {
      scf.yield %zero : tensor<16xf32>
    }
    %rs1 = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %c = arith.addf %b, %rs1 : tensor<16xf32>
    scf.yield %c : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}
