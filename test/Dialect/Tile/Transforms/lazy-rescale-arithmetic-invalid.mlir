// RUN: tile-opt %s -tile-lazy-rescale=remarks=true -split-input-file -verify-diagnostics -o /dev/null

// Each case is the loop of lazy-rescale.mlir with one more use of a value; the note is at that use.

// Exponentials of base e (fold_exp2 = false).

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
    // expected-remark @below {{the running maximum changes in each iteration: 'exp' and 'log' of base e are kept [rescaled-always]}}
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
    %bad = math.exp %x : tensor<64x32xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// A temperature from memory.

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
    // expected-remark @below {{the running maximum changes in each iteration: the maximum is multiplied by a number that is not known at compile time [rescaled-always]}}
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
    %bad = arith.mulf %new, %top : tensor<64xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// A sum over queries.

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
    // expected-remark @below {{the running maximum changes in each iteration: rows with different maxima are combined [rescaled-always]}}
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
    %bad = tile.reduce sum %p axis 0 : tensor<64x32xf32> -> tensor<32xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// A product that sums over queries.

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
  %zero_t = arith.constant dense<0.0> : tensor<32x16xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    // expected-remark @below {{the running maximum changes in each iteration: rows with different maxima are combined [rescaled-always]}}
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
    %bad = tile.gemm %pn, %qm, %zero_t transpose_a : tensor<64x32xbf16>, tensor<64x16xbf16> -> tensor<32x16xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// Weights multiplied by weights.

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
  %zero_pp = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    // expected-remark @below {{the running maximum changes in each iteration: both operands of a product depend on the maximum [rescaled-always]}}
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
    %bad = tile.gemm %pn, %pn, %zero_pp transpose_b : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<64x64xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// The maximum in a product.

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
  %zero_pp = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero_x = arith.constant dense<0.5> : tensor<64x32xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    // expected-remark @below {{the running maximum changes in each iteration: the maximum is an operand of a product [rescaled-always]}}
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
    %bad = tile.gemm %x, %zero_x, %zero_pp transpose_b : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x64xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// Integers.

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
    // expected-remark @below {{the running maximum changes in each iteration: a value that depends on the maximum becomes an integer [rescaled-always]}}
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
    %bad = arith.fptosi %p : tensor<64x32xf32> to tensor<64x32xi32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// A high power.

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
  %four = arith.constant dense<4.0> : tensor<64x32xf32>
  %d = tile.range %c0 to %c16 full : !tile.range<16>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xbf16>
  %r:3 = scf.for %i = %c0 to %N step %c32 iter_args(%mx = %none, %den = %zero, %acc = %zero_o) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>) {
    %n = tile.range %i to %N full : !tile.range<32 of N>
    %kn = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xbf16>
    %s = tile.gemm %qm, %kn, %zero_s transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
    %top = tile.reduce max %s axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    // expected-remark @below {{the running maximum changes in each iteration: a high power of the maximum may overflow [rescaled-always]}}
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
    %x4 = arith.mulf %x, %four : tensor<64x32xf32>
    // expected-note @below {{see here}}
    %bad = math.exp2 %x4 : tensor<64x32xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// A power as an exponent.

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
    // expected-remark @below {{the running maximum changes in each iteration: a power of the maximum is an exponent [rescaled-always]}}
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
    %bad = math.exp2 %p : tensor<64x32xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// Another function.

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
    // expected-remark @below {{the running maximum changes in each iteration: an operation on a value that depends on the maximum is not homogeneous [rescaled-always]}}
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
    %bad = math.tanh %p : tensor<64x32xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// The logarithm of the maximum.

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
    // expected-remark @below {{the running maximum changes in each iteration: the logarithm of the maximum is taken [rescaled-always]}}
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
    %bad = math.log2 %new : tensor<64xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// A sum of maxima.

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
    // expected-remark @below {{the running maximum changes in each iteration: the maximum is added up [rescaled-always]}}
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
    %bad = tile.reduce sum %x axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}

// -----

// Maxima of rows and of columns.

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
    // expected-remark @below {{the running maximum changes in each iteration: maxima of rows and of columns are combined [rescaled-always]}}
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
    %across = tile.expand_dims %new axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %rows = tile.broadcast %new1 : tensor<64x1xf32> -> tensor<64x64xf32>
    %columns = tile.broadcast %across : tensor<1x64xf32> -> tensor<64x64xf32>
    // expected-note @below {{see here}}
    %bad = arith.subf %rows, %columns : tensor<64x64xf32>
    scf.yield %new, %den1, %acc1 : tensor<64xf32>, tensor<64xf32>, tensor<64x16xf32>
  }
  %l1 = tile.expand_dims %r#1 axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %l2 = tile.broadcast %l1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.divf %r#2, %l2 : tensor<64x16xf32>
  tile.store %y to %o[%m, %d] : tensor<64x16xf32>, !tile.global<[M, 16] x f32, out>, !tile.range<64 of M>, !tile.range<16>
}
