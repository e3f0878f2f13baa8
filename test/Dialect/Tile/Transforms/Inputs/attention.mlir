// Causal attention on tiles of 8 rows and 4 columns of keys; rows of queries before the first
// key are fully masked when there are more queries than keys.
tile.kernel @attention(%q: !tile.global<[M, 4] x f32>, %k: !tile.global<[N, 4] x f32>,
                       %v: !tile.global<[N, 4] x f32>, %scale: f32,
                       %o: !tile.global<[M, 4] x f32, out>, %lse: !tile.global<[M] x f32, out>)
    grid(%m in tiles(M, 8)) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %N = tile.size N
  %off = tile.size N - M
  %minf = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %zeroacc = arith.constant dense<0.0> : tensor<8x4xf32>
  %minf2 = arith.constant dense<0xFF800000> : tensor<8x4xf32>
  %d = tile.range %c0 to %c4 : !tile.range<4>
  %qm = tile.load %q[%m, %d] : !tile.global<[M, 4] x f32>, !tile.range<8 of M>, !tile.range<4> -> tensor<8x4xf32>
  %mend = tile.end %m : !tile.range<8 of M>
  %e = arith.addi %mend, %off : index
  %last = arith.minsi %N, %e : index
  %r:3 = scf.for %i = %c0 to %last step %c4 iter_args(%mx = %minf, %den = %zero, %acc = %zeroacc) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
    %n = tile.range %i to %last : !tile.range<4>
    %kt = tile.load %k[%n, %d] : !tile.global<[N, 4] x f32>, !tile.range<4>, !tile.range<4> -> tensor<4x4xf32>
    %qk = tile.gemm %qm, %kt, %zeroacc transpose_b : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %sc = tensor.splat %scale : tensor<8x4xf32>
    %s0 = arith.mulf %sc, %qk : tensor<8x4xf32>
    %valid = tile.valid %n : !tile.range<4> -> tensor<4xi1>
    %valid1 = tile.expand_dims %valid axis 0 : tensor<4xi1> -> tensor<1x4xi1>
    %valid2 = tile.broadcast %valid1 : tensor<1x4xi1> -> tensor<8x4xi1>
    %s1 = arith.select %valid2, %s0, %minf2 : tensor<8x4xi1>, tensor<8x4xf32>
    %mi = tile.indices %m : !tile.range<8 of M> -> tensor<8xi32>
    %mi1 = tile.expand_dims %mi axis 1 : tensor<8xi32> -> tensor<8x1xi32>
    %offi = arith.index_cast %off : index to i32
    %offt = tensor.splat %offi : tensor<8x1xi32>
    %mi2 = arith.addi %mi1, %offt : tensor<8x1xi32>
    %mi3 = tile.broadcast %mi2 : tensor<8x1xi32> -> tensor<8x4xi32>
    %ni = tile.indices %n : !tile.range<4> -> tensor<4xi32>
    %ni1 = tile.expand_dims %ni axis 0 : tensor<4xi32> -> tensor<1x4xi32>
    %ni2 = tile.broadcast %ni1 : tensor<1x4xi32> -> tensor<8x4xi32>
    %cm = arith.cmpi sge, %mi3, %ni2 : tensor<8x4xi32>
    %s = arith.select %cm, %s1, %minf2 : tensor<8x4xi1>, tensor<8x4xf32>
    %rm = tile.reduce max %s axis 1 : tensor<8x4xf32> -> tensor<8xf32>
    %new = arith.maximumf %mx, %rm : tensor<8xf32>
    // A row without any key so far is measured against 0, so that no inf - inf arises.
    %none = arith.cmpf oeq, %new, %minf : tensor<8xf32>
    %ref = arith.select %none, %zero, %new : tensor<8xi1>, tensor<8xf32>
    %ref1 = tile.expand_dims %ref axis 1 : tensor<8xf32> -> tensor<8x1xf32>
    %ref2 = tile.broadcast %ref1 : tensor<8x1xf32> -> tensor<8x4xf32>
    %x = arith.subf %s, %ref2 : tensor<8x4xf32>
    %p = math.exp %x : tensor<8x4xf32>
    %y = arith.subf %mx, %ref : tensor<8xf32>
    %c = math.exp %y : tensor<8xf32>
    %dc = arith.mulf %den, %c : tensor<8xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<8x4xf32> -> tensor<8xf32>
    %den1 = arith.addf %dc, %ps : tensor<8xf32>
    %ce = tile.expand_dims %c axis 1 : tensor<8xf32> -> tensor<8x1xf32>
    %cb = tile.broadcast %ce : tensor<8x1xf32> -> tensor<8x4xf32>
    %ac = arith.mulf %acc, %cb : tensor<8x4xf32>
    %vt = tile.load %v[%n, %d] : !tile.global<[N, 4] x f32>, !tile.range<4>, !tile.range<4> -> tensor<4x4xf32>
    %acc1 = tile.gemm %p, %vt, %ac : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    scf.yield %new, %den1, %acc1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
  }
  %de = tile.expand_dims %r#1 axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  %db = tile.broadcast %de : tensor<8x1xf32> -> tensor<8x4xf32>
  %on = arith.divf %r#2, %db : tensor<8x4xf32>
  tile.store %on to %o[%m, %d] : tensor<8x4xf32>, !tile.global<[M, 4] x f32, out>, !tile.range<8 of M>, !tile.range<4>
  %ld = math.log %r#1 : tensor<8xf32>
  %l = arith.addf %r#0, %ld : tensor<8xf32>
  tile.store %l to %lse[%m] : tensor<8xf32>, !tile.global<[M] x f32, out>, !tile.range<8 of M>
}
