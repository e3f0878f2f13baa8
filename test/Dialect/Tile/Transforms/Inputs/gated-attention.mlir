// Attention with a sliding window and a gate: s = scale * q k + g[m] - g[n], where g is the
// cumulative sum of a decay over each tile of keys plus what came before it.
tile.kernel @gated(%q: !tile.global<[N, 4] x f32>, %k: !tile.global<[N, 4] x f32>,
                   %g: !tile.global<[N] x f32>, %scale: f32, %window: i32,
                   %den: !tile.global<[N] x f32, out>, %mxout: !tile.global<[N] x f32, out>)
    grid(%m in tiles(N, 8)) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %N = tile.size N
  %minf = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %zeroacc = arith.constant dense<0.0> : tensor<8x4xf32>
  %minf2 = arith.constant dense<0xFF800000> : tensor<8x4xf32>
  %d = tile.range %c0 to %c4 : !tile.range<4>
  %qm = tile.load %q[%m, %d] : !tile.global<[N, 4] x f32>, !tile.range<8 of N>, !tile.range<4> -> tensor<8x4xf32>
  %gm = tile.load %g[%m] : !tile.global<[N] x f32>, !tile.range<8 of N> -> tensor<8xf32>
  %gm1 = tile.expand_dims %gm axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  %gm2 = tile.broadcast %gm1 : tensor<8x1xf32> -> tensor<8x4xf32>
  %r:2 = scf.for %i = %c0 to %N step %c4 iter_args(%mx = %minf, %sum = %zero) -> (tensor<8xf32>, tensor<8xf32>) {
    %n = tile.range %i to %N : !tile.range<4 of N>
    %kt = tile.load %k[%n, %d] : !tile.global<[N, 4] x f32>, !tile.range<4 of N>, !tile.range<4> -> tensor<4x4xf32>
    %gt = tile.load %g[%n] : !tile.global<[N] x f32>, !tile.range<4 of N> -> tensor<4xf32>
    %gc = tile.scan sum %gt axis 0 : tensor<4xf32>
    %gc1 = tile.expand_dims %gc axis 0 : tensor<4xf32> -> tensor<1x4xf32>
    %gc2 = tile.broadcast %gc1 : tensor<1x4xf32> -> tensor<8x4xf32>
    %qk = tile.gemm %qm, %kt, %zeroacc transpose_b : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %sc = tensor.splat %scale : tensor<8x4xf32>
    %s0 = arith.mulf %qk, %sc : tensor<8x4xf32>
    %s1 = arith.addf %s0, %gm2 : tensor<8x4xf32>
    %s2 = arith.subf %s1, %gc2 : tensor<8x4xf32>
    // n <= m and m < n + window, as positions of tiles of one row and one column.
    %mi = tile.indices %m : !tile.range<8 of N> -> tensor<8xi32>
    %mi1 = tile.expand_dims %mi axis 1 : tensor<8xi32> -> tensor<8x1xi32>
    %mi2 = tile.broadcast %mi1 : tensor<8x1xi32> -> tensor<8x4xi32>
    %ni = tile.indices %n : !tile.range<4 of N> -> tensor<4xi32>
    %ni1 = tile.expand_dims %ni axis 0 : tensor<4xi32> -> tensor<1x4xi32>
    %ni2 = tile.broadcast %ni1 : tensor<1x4xi32> -> tensor<8x4xi32>
    %w = tensor.splat %window : tensor<8x4xi32>
    %nw = arith.addi %ni2, %w : tensor<8x4xi32>
    %past = arith.cmpi sle, %ni2, %mi2 : tensor<8x4xi32>
    %near = arith.cmpi slt, %mi2, %nw : tensor<8x4xi32>
    %mask = arith.andi %past, %near : tensor<8x4xi1>
    %s = arith.select %mask, %s2, %minf2 : tensor<8x4xi1>, tensor<8x4xf32>
    %rm = tile.reduce max %s axis 1 : tensor<8x4xf32> -> tensor<8xf32>
    %new = arith.maximumf %rm, %mx : tensor<8xf32>
    %none = arith.cmpf oeq, %new, %minf : tensor<8xf32>
    %ref = arith.select %none, %zero, %new : tensor<8xi1>, tensor<8xf32>
    %ref1 = tile.expand_dims %ref axis 1 : tensor<8xf32> -> tensor<8x1xf32>
    %ref2 = tile.broadcast %ref1 : tensor<8x1xf32> -> tensor<8x4xf32>
    %x = arith.subf %s, %ref2 : tensor<8x4xf32>
    %p = math.exp %x : tensor<8x4xf32>
    %y = arith.subf %mx, %ref : tensor<8xf32>
    %c = math.exp %y : tensor<8xf32>
    %dc = arith.mulf %sum, %c : tensor<8xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<8x4xf32> -> tensor<8xf32>
    %sum1 = arith.addf %ps, %dc : tensor<8xf32>
    scf.yield %new, %sum1 : tensor<8xf32>, tensor<8xf32>
  }
  tile.store %r#1 to %den[%m] : tensor<8xf32>, !tile.global<[N] x f32, out>, !tile.range<8 of N>
  tile.store %r#0 to %mxout[%m] : tensor<8xf32>, !tile.global<[N] x f32, out>, !tile.range<8 of N>
}
