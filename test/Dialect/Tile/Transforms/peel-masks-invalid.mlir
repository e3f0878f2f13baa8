// RUN: tile-opt %s -tile-peel-masks=remarks=true -split-input-file -verify-diagnostics -o /dev/null

// A loop is split with a remark; here, the comparison by equality is no mask of positions.

tile.kernel @split(%x: !tile.global<[N] x f32>, %y: !tile.global<[N] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  // expected-remark @below {{split into 2 loops; one of them drops 1 mask}}
  scf.for %i = %c0 to %N step %c64 {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
    %v = tile.valid %n : !tile.range<64 of N> -> tensor<64xi1>
    %s = arith.select %v, %t, %zero : tensor<64xi1>, tensor<64xf32>
    tile.store %s to %y[%n] : tensor<64xf32>, !tile.global<[N] x f32, out>, !tile.range<64 of N>
  }
}

// -----

tile.kernel @step(%x: !tile.global<[N] x f32>, %step: index, %y: !tile.global<[N] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  // expected-remark @below {{this loop keeps its masks: expected an index that moves by a constant positive step}}
  scf.for %i = %c0 to %N step %step {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
    %v = tile.valid %n : !tile.range<64 of N> -> tensor<64xi1>
    %s = arith.select %v, %t, %zero : tensor<64xi1>, tensor<64xf32>
    tile.store %s to %y[%n] : tensor<64xf32>, !tile.global<[N] x f32, out>, !tile.range<64 of N>
  }
}

// -----

// Bounds that the loop reads from memory, and one that moves at twice the speed of the loop.

tile.kernel @bounds(%x: !tile.global<[N] x f32>, %at: index, %ends: !tile.global<[N] x i32>, %y: !tile.global<[N] x f32, inout>) grid() {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  scf.for %i = %c0 to %N step %c64 {
    %e = tile.load %ends[%i] : !tile.global<[N] x i32>, index -> i32
    %end = arith.index_cast %e : i32 to index
    // expected-remark @below {{this mask stays: its bounds are computed in the loop}}
    %n = tile.range %i to %end : !tile.range<64>
    %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<64> -> tensor<64xf32>
    %v = tile.valid %n : !tile.range<64> -> tensor<64xi1>
    %s = arith.select %v, %t, %zero : tensor<64xi1>, tensor<64xf32>
    %k = tile.indices %n : !tile.range<64> -> tensor<64xi32>
    %i32 = arith.index_cast %i : index to i32
    %is = tensor.splat %i32 : tensor<64xi32>
    %k2 = arith.addi %k, %is : tensor<64xi32>
    %N32 = arith.index_cast %N : index to i32
    %Ns = tensor.splat %N32 : tensor<64xi32>
    // expected-remark @below {{this mask stays: it does not move with the loop at one speed}}
    %twice = arith.cmpi slt, %k2, %Ns : tensor<64xi32>
    %s2 = arith.select %twice, %s, %zero : tensor<64xi1>, tensor<64xf32>
    // expected-remark @below {{this mask stays: it does not compare positions, or not linearly}}
    %odd = arith.cmpi ult, %k, %Ns : tensor<64xi32>
    %s3 = arith.select %odd, %s2, %zero : tensor<64xi1>, tensor<64xf32>
    // expected-remark @below {{this mask stays: it does not depend on the position of the loop}}
    %m = tile.range %at to %N : !tile.range<64 of N>
    %w = tile.valid %m : !tile.range<64 of N> -> tensor<64xi1>
    %s4 = arith.select %w, %s3, %zero : tensor<64xi1>, tensor<64xf32>
    tile.store %s4 to %y[%m] : tensor<64xf32>, !tile.global<[N] x f32, inout>, !tile.range<64 of N>
  }
}

// -----

// All blocks lie after the positions that they are compared with, and a window may not be split
// off twice.

tile.kernel @never(%x: !tile.global<[N] x f32>, %y: !tile.global<[N] x f32, out>) grid() {
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %k = tile.iota : tensor<64xi32>
  scf.for %i = %c64 to %N step %c64 {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
    %ni = tile.indices %n : !tile.range<64 of N> -> tensor<64xi32>
    // expected-remark @below {{this mask stays: it is never all true}}
    %m = arith.cmpi sle, %ni, %k : tensor<64xi32>
    %s = arith.select %m, %t, %zero : tensor<64xi1>, tensor<64xf32>
    tile.store %s to %y[%n] : tensor<64xf32>, !tile.global<[N] x f32, out>, !tile.range<64 of N>
  }
}

// -----

// Three nested loops with masks would make 27 copies; the outermost keeps its masks.

tile.kernel @nest(%x: !tile.global<[N] x f32>, %y: !tile.global<[N] x f32, inout>) grid() {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  // expected-remark @below {{this loop keeps its masks: the loops within it were split already}}
  scf.for %i = %c0 to %N step %c64 {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %v = tile.valid %n : !tile.range<64 of N> -> tensor<64xi1>
    // expected-remark @below {{split into 2 loops; one of them drops 1 mask}}
    scf.for %j = %c0 to %N step %c64 {
      %m = tile.range %j to %N : !tile.range<64 of N>
      %w = tile.valid %m : !tile.range<64 of N> -> tensor<64xi1>
      // expected-remark @below {{split into 2 loops; one of them drops 1 mask}}
      scf.for %l = %c0 to %N step %c64 {
        %k = tile.range %l to %N : !tile.range<64 of N>
        %u = tile.valid %k : !tile.range<64 of N> -> tensor<64xi1>
        %vw = arith.andi %v, %w : tensor<64xi1>
        %uvw = arith.andi %vw, %u : tensor<64xi1>
        %t = tile.load %x[%k] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
        %s = arith.select %uvw, %t, %zero : tensor<64xi1>, tensor<64xf32>
        tile.store %s to %y[%k] : tensor<64xf32>, !tile.global<[N] x f32, inout>, !tile.range<64 of N>
      }
    }
  }
}
