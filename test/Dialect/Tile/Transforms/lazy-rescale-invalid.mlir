// RUN: tile-opt %s -tile-lazy-rescale=remarks=true -split-input-file -verify-diagnostics -o /dev/null
// RUN: not tile-opt %s -tile-lazy-rescale=octaves=17 -split-input-file 2>&1 | FileCheck %s

// CHECK: error: expected the option 'octaves' of tile-lazy-rescale to be at most 16, got 17

// Each case is the loop of lazy-rescale.mlir with one more use of a value; the note is at that use.

// A quotient by the maximum.

tile.kernel @attention(%q: !tile.global<[M, 16] x bf16>, %k: !tile.global<[N, 16] x bf16>, %v: !tile.global<[N, 16] x bf16>, %o: !tile.global<[M, 16] x f32, out>)
    grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zero_s = arith.constant dense<0.0> : tensor<64x32xf32>
  %zero_o = arith.constant dense<0.0> : tensor<64x16xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    // expected-remark @below {{the running maximum changes in each iteration: the maximum is an operand of a quotient [rescaled-always]}}
    %new = arith.maximumf %mx, %top : tensor<64xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %new2 = tile.broadcast %new1 : tensor<64x1xf32> -> tensor<64x32xf32>
    %x = arith.subf %s, %new2 : tensor<64x32xf32>
    %p = math.exp2 %x : tensor<64x32xf32>
    %e = arith.subf %mx, %new : tensor<64xf32>
    %c = math.exp2 %e : tensor<64xf32>
    %dc = arith.mulf %den, %c : tensor<64xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %den1 = arith.addf %dc, %ps : tensor<64xf32>
    %c1 = tile.expand_dims %c axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %c2 = tile.broadcast %c1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %scaled = arith.mulf %acc, %c2 : tensor<64x16xf32>
    %pn = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xbf16>
    %vn = tile.load %v[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %acc1 = tile.gemm %pn, %vn, %scaled : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
    // expected-note @below {{see here}}
    %bad = arith.divf %den, %new : tensor<64xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// A square of the maximum.

tile.kernel @attention(%q: !tile.global<[M, 16] x bf16>, %k: !tile.global<[N, 16] x bf16>, %v: !tile.global<[N, 16] x bf16>, %o: !tile.global<[M, 16] x f32, out>)
    grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zero_s = arith.constant dense<0.0> : tensor<64x32xf32>
  %zero_o = arith.constant dense<0.0> : tensor<64x16xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    // expected-remark @below {{the running maximum changes in each iteration: the maximum is multiplied by itself [rescaled-always]}}
    %new = arith.maximumf %mx, %top : tensor<64xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %new2 = tile.broadcast %new1 : tensor<64x1xf32> -> tensor<64x32xf32>
    %x = arith.subf %s, %new2 : tensor<64x32xf32>
    %p = math.exp2 %x : tensor<64x32xf32>
    %e = arith.subf %mx, %new : tensor<64xf32>
    %c = math.exp2 %e : tensor<64xf32>
    %dc = arith.mulf %den, %c : tensor<64xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %den1 = arith.addf %dc, %ps : tensor<64xf32>
    %c1 = tile.expand_dims %c axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %c2 = tile.broadcast %c1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %scaled = arith.mulf %acc, %c2 : tensor<64x16xf32>
    %pn = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xbf16>
    %vn = tile.load %v[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %acc1 = tile.gemm %pn, %vn, %scaled : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
    // expected-note @below {{see here}}
    %bad = arith.mulf %new, %new : tensor<64xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// A rounded maximum.

tile.kernel @attention(%q: !tile.global<[M, 16] x bf16>, %k: !tile.global<[N, 16] x bf16>, %v: !tile.global<[N, 16] x bf16>, %o: !tile.global<[M, 16] x f32, out>)
    grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zero_s = arith.constant dense<0.0> : tensor<64x32xf32>
  %zero_o = arith.constant dense<0.0> : tensor<64x16xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    // expected-remark @below {{the running maximum changes in each iteration: the maximum is rounded to a narrower type [rescaled-always]}}
    %new = arith.maximumf %mx, %top : tensor<64xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %new2 = tile.broadcast %new1 : tensor<64x1xf32> -> tensor<64x32xf32>
    %x = arith.subf %s, %new2 : tensor<64x32xf32>
    %p = math.exp2 %x : tensor<64x32xf32>
    %e = arith.subf %mx, %new : tensor<64xf32>
    %c = math.exp2 %e : tensor<64xf32>
    %dc = arith.mulf %den, %c : tensor<64xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %den1 = arith.addf %dc, %ps : tensor<64xf32>
    %c1 = tile.expand_dims %c axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %c2 = tile.broadcast %c1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %scaled = arith.mulf %acc, %c2 : tensor<64x16xf32>
    %pn = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xbf16>
    %vn = tile.load %v[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %acc1 = tile.gemm %pn, %vn, %scaled : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
    // expected-note @below {{see here}}
    %bad = arith.truncf %new : tensor<64xf32> to tensor<64xbf16>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// A comparison with a constant.

tile.kernel @attention(%q: !tile.global<[M, 16] x bf16>, %k: !tile.global<[N, 16] x bf16>, %v: !tile.global<[N, 16] x bf16>, %o: !tile.global<[M, 16] x f32, out>)
    grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zero_s = arith.constant dense<0.0> : tensor<64x32xf32>
  %zero_o = arith.constant dense<0.0> : tensor<64x16xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    // expected-remark @below {{the running maximum changes in each iteration: values that depend differently on the maximum are compared or selected [rescaled-always]}}
    %new = arith.maximumf %mx, %top : tensor<64xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %new2 = tile.broadcast %new1 : tensor<64x1xf32> -> tensor<64x32xf32>
    %x = arith.subf %s, %new2 : tensor<64x32xf32>
    %p = math.exp2 %x : tensor<64x32xf32>
    %e = arith.subf %mx, %new : tensor<64xf32>
    %c = math.exp2 %e : tensor<64xf32>
    %dc = arith.mulf %den, %c : tensor<64xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %den1 = arith.addf %dc, %ps : tensor<64xf32>
    %c1 = tile.expand_dims %c axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %c2 = tile.broadcast %c1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %scaled = arith.mulf %acc, %c2 : tensor<64x16xf32>
    %pn = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xbf16>
    %vn = tile.load %v[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %acc1 = tile.gemm %pn, %vn, %scaled : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
    // expected-note @below {{see here}}
    %bad = arith.cmpf ogt, %den1, %one : tensor<64xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// The maximum of another loop.

tile.kernel @attention(%q: !tile.global<[M, 16] x bf16>, %k: !tile.global<[N, 16] x bf16>, %v: !tile.global<[N, 16] x bf16>, %o: !tile.global<[M, 16] x f32, out>)
    grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zero_s = arith.constant dense<0.0> : tensor<64x32xf32>
  %zero_o = arith.constant dense<0.0> : tensor<64x16xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    // expected-remark @below {{the running maximum changes in each iteration: another loop uses a value that depends on the maximum [rescaled-always]}}
    %new = arith.maximumf %mx, %top : tensor<64xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %new2 = tile.broadcast %new1 : tensor<64x1xf32> -> tensor<64x32xf32>
    %x = arith.subf %s, %new2 : tensor<64x32xf32>
    %p = math.exp2 %x : tensor<64x32xf32>
    %e = arith.subf %mx, %new : tensor<64xf32>
    %c = math.exp2 %e : tensor<64xf32>
    %dc = arith.mulf %den, %c : tensor<64xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %den1 = arith.addf %dc, %ps : tensor<64xf32>
    %c1 = tile.expand_dims %c axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %c2 = tile.broadcast %c1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %scaled = arith.mulf %acc, %c2 : tensor<64x16xf32>
    %pn = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xbf16>
    %vn = tile.load %v[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %acc1 = tile.gemm %pn, %vn, %scaled : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
    // expected-note @below {{see here}}
    %bad = scf.for %j = %c0 to %N step %c32 iter_args(%t = %new) -> (tensor<64xf32>) {
      scf.yield %t : tensor<64xf32>
    }
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// A store in the loop.

tile.kernel @attention(%q: !tile.global<[M, 16] x bf16>, %k: !tile.global<[N, 16] x bf16>, %v: !tile.global<[N, 16] x bf16>, %o: !tile.global<[M, 16] x f32, out>)
    grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zero_s = arith.constant dense<0.0> : tensor<64x32xf32>
  %zero_o = arith.constant dense<0.0> : tensor<64x16xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    // expected-remark @below {{the running maximum changes in each iteration: a value that depends on the maximum is stored [rescaled-always]}}
    %new = arith.maximumf %mx, %top : tensor<64xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %new2 = tile.broadcast %new1 : tensor<64x1xf32> -> tensor<64x32xf32>
    %x = arith.subf %s, %new2 : tensor<64x32xf32>
    %p = math.exp2 %x : tensor<64x32xf32>
    %e = arith.subf %mx, %new : tensor<64xf32>
    %c = math.exp2 %e : tensor<64xf32>
    %dc = arith.mulf %den, %c : tensor<64xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %den1 = arith.addf %dc, %ps : tensor<64xf32>
    %c1 = tile.expand_dims %c axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %c2 = tile.broadcast %c1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %scaled = arith.mulf %acc, %c2 : tensor<64x16xf32>
    %pn = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xbf16>
    %vn = tile.load %v[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %acc1 = tile.gemm %pn, %vn, %scaled : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
    // expected-note @below {{see here}}
    tile.store %acc1 to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// A carried value of the iteration before.

tile.kernel @attention(%q: !tile.global<[M, 16] x bf16>, %k: !tile.global<[N, 16] x bf16>, %v: !tile.global<[N, 16] x bf16>, %o: !tile.global<[M, 16] x f32, out>)
    grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zero_s = arith.constant dense<0.0> : tensor<64x32xf32>
  %zero_o = arith.constant dense<0.0> : tensor<64x16xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    // expected-remark @below {{the running maximum changes in each iteration: a carried value stays relative to the maximum of the iteration before [rescaled-always]}}
    %new = arith.maximumf %mx, %top : tensor<64xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %new2 = tile.broadcast %new1 : tensor<64x1xf32> -> tensor<64x32xf32>
    %x = arith.subf %s, %new2 : tensor<64x32xf32>
    %p = math.exp2 %x : tensor<64x32xf32>
    %e = arith.subf %mx, %new : tensor<64xf32>
    %c = math.exp2 %e : tensor<64xf32>
    %dc = arith.mulf %den, %c : tensor<64xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %lag = math.exp2 %mx : tensor<64xf32>
    // expected-note @below {{see here}}
    %den1 = arith.mulf %ps, %lag : tensor<64xf32>
    %c1 = tile.expand_dims %c axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %c2 = tile.broadcast %c1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %scaled = arith.mulf %acc, %c2 : tensor<64x16xf32>
    %pn = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xbf16>
    %vn = tile.load %v[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %acc1 = tile.gemm %pn, %vn, %scaled : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// No accumulator of a product.

tile.kernel @attention(%q: !tile.global<[M, 16] x bf16>, %k: !tile.global<[N, 16] x bf16>, %v: !tile.global<[N, 16] x bf16>, %o: !tile.global<[M, 16] x f32, out>)
    grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zero_s = arith.constant dense<0.0> : tensor<64x32xf32>
  %zero_o = arith.constant dense<0.0> : tensor<64x16xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    // expected-remark @below {{the running maximum changes in each iteration: it multiplies no accumulator of a product [rescaled-always]}}
    %new = arith.maximumf %mx, %top : tensor<64xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %new2 = tile.broadcast %new1 : tensor<64x1xf32> -> tensor<64x32xf32>
    %x = arith.subf %s, %new2 : tensor<64x32xf32>
    %p = math.exp2 %x : tensor<64x32xf32>
    %e = arith.subf %mx, %new : tensor<64xf32>
    %c = math.exp2 %e : tensor<64xf32>
    %dc = arith.mulf %den, %c : tensor<64xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %den1 = arith.addf %dc, %ps : tensor<64xf32>
    %c1 = tile.expand_dims %c axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %c2 = tile.broadcast %c1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %scaled = arith.mulf %acc, %c2 : tensor<64x16xf32>
    %pn = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xbf16>
    %vn = tile.load %v[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %pv = tile.gemm %pn, %vn, %zero_o : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
    %acc1 = arith.addf %scaled, %pv : tensor<64x16xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// A maximum of what depends on it.

tile.kernel @attention(%q: !tile.global<[M, 16] x bf16>, %k: !tile.global<[N, 16] x bf16>, %v: !tile.global<[N, 16] x bf16>, %o: !tile.global<[M, 16] x f32, out>)
    grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zero_s = arith.constant dense<0.0> : tensor<64x32xf32>
  %zero_o = arith.constant dense<0.0> : tensor<64x16xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %twice = arith.addf %mx, %top : tensor<64xf32>
    // expected-note @+2 {{see here}}
    // expected-remark @below {{the running maximum changes in each iteration: the maximum is taken of values that depend on it [rescaled-always]}}
    %new = arith.maximumf %mx, %twice : tensor<64xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %new2 = tile.broadcast %new1 : tensor<64x1xf32> -> tensor<64x32xf32>
    %x = arith.subf %s, %new2 : tensor<64x32xf32>
    %p = math.exp2 %x : tensor<64x32xf32>
    %e = arith.subf %mx, %new : tensor<64xf32>
    %c = math.exp2 %e : tensor<64xf32>
    %dc = arith.mulf %den, %c : tensor<64xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %den1 = arith.addf %dc, %ps : tensor<64xf32>
    %c1 = tile.expand_dims %c axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %c2 = tile.broadcast %c1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %scaled = arith.mulf %acc, %c2 : tensor<64x16xf32>
    %pn = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xbf16>
    %vn = tile.load %v[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %acc1 = tile.gemm %pn, %vn, %scaled : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// Results that an outer loop carries.

tile.kernel @attention(%q: !tile.global<[M, 16] x bf16>, %k: !tile.global<[N, 16] x bf16>, %v: !tile.global<[N, 16] x bf16>, %o: !tile.global<[M, 16] x f32, out>)
    grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zero_s = arith.constant dense<0.0> : tensor<64x32xf32>
  %zero_o = arith.constant dense<0.0> : tensor<64x16xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %h = %c0 to %c16 step %c16 iter_args(%mx0 = %none, %den0 = %zero, %acc0 = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
  %inner:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %mx0, %den = %den0, %acc = %acc0) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    // expected-remark @below {{the running maximum changes in each iteration: a value that depends on the maximum leaves an outer loop or branch [rescaled-always]}}
    %new = arith.maximumf %mx, %top : tensor<64xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %new2 = tile.broadcast %new1 : tensor<64x1xf32> -> tensor<64x32xf32>
    %x = arith.subf %s, %new2 : tensor<64x32xf32>
    %p = math.exp2 %x : tensor<64x32xf32>
    %e = arith.subf %mx, %new : tensor<64xf32>
    %c = math.exp2 %e : tensor<64xf32>
    %dc = arith.mulf %den, %c : tensor<64xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %den1 = arith.addf %dc, %ps : tensor<64xf32>
    %c1 = tile.expand_dims %c axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %c2 = tile.broadcast %c1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %scaled = arith.mulf %acc, %c2 : tensor<64x16xf32>
    %pn = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xbf16>
    %vn = tile.load %v[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %acc1 = tile.gemm %pn, %vn, %scaled : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  // expected-note @below {{see here}}
  scf.yield %inner#0, %inner#1, %inner#2 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// As the kernel asks.

tile.kernel @attention(%q: !tile.global<[M, 16] x bf16>, %k: !tile.global<[N, 16] x bf16>, %v: !tile.global<[N, 16] x bf16>, %o: !tile.global<[M, 16] x f32, out>)
    grid(%m in tiles(M, 64)) attributes {tile.no_lazy_rescale} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zero_s = arith.constant dense<0.0> : tensor<64x32xf32>
  %zero_o = arith.constant dense<0.0> : tensor<64x16xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    // expected-remark @below {{the running maximum changes in each iteration: 'numerics (lazy_rescale = false)' asks for it [rescaled-always]}}
    %new = arith.maximumf %mx, %top : tensor<64xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %new2 = tile.broadcast %new1 : tensor<64x1xf32> -> tensor<64x32xf32>
    %x = arith.subf %s, %new2 : tensor<64x32xf32>
    %p = math.exp2 %x : tensor<64x32xf32>
    %e = arith.subf %mx, %new : tensor<64xf32>
    %c = math.exp2 %e : tensor<64xf32>
    %dc = arith.mulf %den, %c : tensor<64xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %den1 = arith.addf %dc, %ps : tensor<64xf32>
    %c1 = tile.expand_dims %c axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %c2 = tile.broadcast %c1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %scaled = arith.mulf %acc, %c2 : tensor<64x16xf32>
    %pn = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xbf16>
    %vn = tile.load %v[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %acc1 = tile.gemm %pn, %vn, %scaled : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// A degree that another carried value changes.

tile.kernel @attention(%q: !tile.global<[M, 16] x bf16>, %k: !tile.global<[N, 16] x bf16>, %v: !tile.global<[N, 16] x bf16>, %o: !tile.global<[M, 16] x f32, out>)
    grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zero_s = arith.constant dense<0.0> : tensor<64x32xf32>
  %zero_o = arith.constant dense<0.0> : tensor<64x16xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:4 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o, %w = %zero) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>, tensor<64xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    // expected-remark @below {{the running maximum changes in each iteration: a carried value is relative to the maximum in another way than in the iteration before [rescaled-always]}}
    %new = arith.maximumf %mx, %top : tensor<64xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %new2 = tile.broadcast %new1 : tensor<64x1xf32> -> tensor<64x32xf32>
    %x = arith.subf %s, %new2 : tensor<64x32xf32>
    %p = math.exp2 %x : tensor<64x32xf32>
    %e = arith.subf %mx, %new : tensor<64xf32>
    %c = math.exp2 %e : tensor<64xf32>
    %dc = arith.mulf %den, %c : tensor<64xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %den1 = arith.addf %dc, %ps : tensor<64xf32>
    %c1 = tile.expand_dims %c axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %c2 = tile.broadcast %c1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %scaled = arith.mulf %acc, %c2 : tensor<64x16xf32>
    %pn = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xbf16>
    %vn = tile.load %v[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %acc1 = tile.gemm %pn, %vn, %scaled : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
    %log = math.log2 %dc : tensor<64xf32>
    // expected-note @below {{see here}}
    %w1 = arith.addf %new, %log : tensor<64xf32>
    scf.yield %new, %den1, %acc1, %w1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>, tensor<64xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}
