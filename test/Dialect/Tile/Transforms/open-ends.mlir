// RUN: tile-opt %s --tile-open-ends | FileCheck %s

!packed = !tile.global<[T, 64] x bf16>

// Attention over packed keys. Keys past the end of the sequence only reach scores that the mask replaces. Queries past the
// end only reach rows of the sums and of the result, which the stores leave out. Values past the end are terms of sums.

// CHECK-LABEL: tile.kernel @attention
// CHECK: tile.load %q[{{.*}}] open_ends [true, false]
// CHECK: scf.for
// CHECK: tile.load %k[{{.*}}] open_ends [true, false]
// CHECK: tile.load %v[
// CHECK-NOT: open_ends
// CHECK: scf.yield
tile.kernel @attention(%q: !packed, %k: !packed, %v: !packed, %first: index, %rows: index,
                       %o: !tile.global<[T, 64] x f32, out>, %lse: !tile.global<[T] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %none = arith.constant dense<0xFF800000> : tensor<16x32xf32>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %sum0 = arith.constant dense<0.0> : tensor<16xf32>
  %acc0 = arith.constant dense<0.0> : tensor<16x64xf32>
  %d = tile.range %c0 to %c64 : !tile.range<64>
  %m = tile.range %c0 to %rows : !tile.range<16>
  %qm = tile.shift %m by %first : !tile.range<16>
  %tq = tile.load %q[%qm, %d] : !packed, !tile.range<16>, !tile.range<64> -> tensor<16x64xbf16>
  %r:2 = scf.for %i = %c0 to %rows step %c32 iter_args(%sum = %sum0, %acc = %acc0) -> (tensor<16xf32>, tensor<16x64xf32>) {
    %n = tile.range %i to %rows : !tile.range<32>
    %kn = tile.shift %n by %first : !tile.range<32>
    %tk = tile.load %k[%kn, %d] : !packed, !tile.range<32>, !tile.range<64> -> tensor<32x64xbf16>
    %s = tile.gemm %tq, %tk, %zero transpose_b : tensor<16x64xbf16>, tensor<32x64xbf16> -> tensor<16x32xf32>
    %doubled = arith.addf %s, %s : tensor<16x32xf32>
    %valid = tile.valid %n : !tile.range<32> -> tensor<32xi1>
    %row = tile.expand_dims %valid axis 0 : tensor<32xi1> -> tensor<1x32xi1>
    %mask = tile.broadcast %row : tensor<1x32xi1> -> tensor<16x32xi1>
    %masked = arith.select %mask, %doubled, %none : tensor<16x32xi1>, tensor<16x32xf32>
    %p = math.exp2 %masked : tensor<16x32xf32>
    %part = tile.reduce sum %p axis 1 : tensor<16x32xf32> -> tensor<16xf32>
    %next = arith.addf %sum, %part : tensor<16xf32>
    %h = arith.truncf %p : tensor<16x32xf32> to tensor<16x32xbf16>
    %tv = tile.load %v[%kn, %d] : !packed, !tile.range<32>, !tile.range<64> -> tensor<32x64xbf16>
    %more = tile.gemm %h, %tv, %acc : tensor<16x32xbf16>, tensor<32x64xbf16> -> tensor<16x64xf32>
    scf.yield %next, %more : tensor<16xf32>, tensor<16x64xf32>
  }
  %column = tile.expand_dims %r#0 axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %wide = tile.broadcast %column : tensor<16x1xf32> -> tensor<16x64xf32>
  %quotient = arith.divf %r#1, %wide : tensor<16x64xf32>
  tile.store %quotient to %o[%qm, %d] : tensor<16x64xf32>, !tile.global<[T, 64] x f32, out>, !tile.range<16>, !tile.range<64>
  tile.store %r#0 to %lse[%qm] : tensor<16xf32>, !tile.global<[T] x f32, out>, !tile.range<16>
}

// The other value of the selection, a mask of another range, a store through another range, a sum over the rows, a row as
// positions, and a tensor that the kernel writes: each of them may use what is past the end.

// CHECK-LABEL: tile.kernel @used
// CHECK-NOT: open_ends
tile.kernel @used(%x: !packed, %w: !tile.global<[T, 64] x bf16, inout>, %i: !tile.global<[T] x i32>, %n: index,
                  %y: !tile.global<[T, 64] x bf16, out>, %z: !tile.global<[64] x bf16, out>) grid() {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %none = arith.constant dense<0.0> : tensor<16x64xbf16>
  %d = tile.range %c0 to %c64 full : !tile.range<64>
  %m = tile.range %c0 to %n : !tile.range<16>
  %other = tile.range %c0 to %c64 : !tile.range<16>
  %valid = tile.valid %m : !tile.range<16> -> tensor<16xi1>
  %column = tile.expand_dims %valid axis 1 : tensor<16xi1> -> tensor<16x1xi1>
  %mask = tile.broadcast %column : tensor<16x1xi1> -> tensor<16x64xi1>
  %a = tile.load %x[%m, %d] : !packed, !tile.range<16>, !tile.range<64> -> tensor<16x64xbf16>
  %chosen = arith.select %mask, %none, %a : tensor<16x64xi1>, tensor<16x64xbf16>
  tile.store %chosen to %y[%other, %d] : tensor<16x64xbf16>, !tile.global<[T, 64] x bf16, out>, !tile.range<16>, !tile.range<64>
  %b = tile.load %x[%other, %d] : !packed, !tile.range<16>, !tile.range<64> -> tensor<16x64xbf16>
  %kept = arith.select %mask, %b, %none : tensor<16x64xi1>, tensor<16x64xbf16>
  tile.store %kept to %y[%m, %d] : tensor<16x64xbf16>, !tile.global<[T, 64] x bf16, out>, !tile.range<16>, !tile.range<64>
  %c = tile.load %x[%m, %d] : !packed, !tile.range<16>, !tile.range<64> -> tensor<16x64xbf16>
  %sum = tile.reduce sum %c axis 0 : tensor<16x64xbf16> -> tensor<64xbf16>
  tile.store %sum to %z[%d] : tensor<64xbf16>, !tile.global<[64] x bf16, out>, !tile.range<64>
  %e = tile.load %i[%m] : !tile.global<[T] x i32>, !tile.range<16> -> tensor<16xi32>
  %f = tile.load %x[%e, %d] : !packed, tensor<16xi32>, !tile.range<64> -> tensor<16x64xbf16>
  tile.store %f to %y[%m, %d] : tensor<16x64xbf16>, !tile.global<[T, 64] x bf16, out>, !tile.range<16>, !tile.range<64>
  %g = tile.load %w[%m, %d] : !tile.global<[T, 64] x bf16, inout>, !tile.range<16>, !tile.range<64> -> tensor<16x64xbf16>
  tile.store %g to %y[%m, %d] : tensor<16x64xbf16>, !tile.global<[T, 64] x bf16, out>, !tile.range<16>, !tile.range<64>
}

// CHECK-LABEL: tile.kernel @branches
// CHECK: tile.load %x[{{.*}}] open_ends [true, true]
// CHECK: tile.load %x[{{.*}}] open_ends [true, false]
tile.kernel @branches(%x: !packed, %n: index, %c: i1, %y: !tile.global<[T, 64] x bf16, out>,
                      %z: !tile.global<[64, T] x bf16, out>) grid() {
  %c0 = arith.constant 0 : index
  %m = tile.range %c0 to %n : !tile.range<16>
  %d = tile.range %c0 to %n : !tile.range<32>
  %e = tile.range %c0 to %n full : !tile.range<64>
  %a = tile.load %x[%m, %d] : !packed, !tile.range<16>, !tile.range<32> -> tensor<16x32xbf16>
  %t = tile.transpose %a : tensor<16x32xbf16> -> tensor<32x16xbf16>
  tile.store %t to %z[%d, %m] : tensor<32x16xbf16>, !tile.global<[64, T] x bf16, out>, !tile.range<32>, !tile.range<16>
  %b = tile.load %x[%m, %e] : !packed, !tile.range<16>, !tile.range<64> -> tensor<16x64xbf16>
  %r = scf.if %c -> (tensor<16x64xbf16>) {
    %twice = arith.addf %b, %b : tensor<16x64xbf16>
    scf.yield %twice : tensor<16x64xbf16>
  } else {
    scf.yield %b : tensor<16x64xbf16>
  }
  tile.store %r to %y[%m, %e] : tensor<16x64xbf16>, !tile.global<[T, 64] x bf16, out>, !tile.range<16>, !tile.range<64>
}
