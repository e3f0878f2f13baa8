// dV and dK of attention from the stored log-sum-exp, for one tile of keys:
// p = exp(scale * k q - lse), dS = scale * p * (dp - delta).
tile.kernel @gradient(%q: !tile.global<[M, 4] x f32>, %k: !tile.global<[N, 4] x f32>,
                      %v: !tile.global<[N, 4] x f32>, %do: !tile.global<[M, 4] x f32>,
                      %lse: !tile.global<[M] x f32>, %delta: !tile.global<[M] x f32>, %scale: f32,
                      %dk: !tile.global<[N, 4] x f32, out>, %dv: !tile.global<[N, 4] x f32, out>)
    grid(%n in tiles(N, 8)) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %M = tile.size M
  %zeroacc = arith.constant dense<0.0> : tensor<8x4xf32>
  %minf2 = arith.constant dense<0xFF800000> : tensor<8x4xf32>
  %d = tile.range %c0 to %c4 : !tile.range<4>
  %kn = tile.load %k[%n, %d] : !tile.global<[N, 4] x f32>, !tile.range<8 of N>, !tile.range<4> -> tensor<8x4xf32>
  %vn = tile.load %v[%n, %d] : !tile.global<[N, 4] x f32>, !tile.range<8 of N>, !tile.range<4> -> tensor<8x4xf32>
  %r:2 = scf.for %i = %c0 to %M step %c4 iter_args(%adk = %zeroacc, %adv = %zeroacc) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %m = tile.range %i to %M : !tile.range<4 of M>
    %qt = tile.load %q[%m, %d] : !tile.global<[M, 4] x f32>, !tile.range<4 of M>, !tile.range<4> -> tensor<4x4xf32>
    %dot = tile.load %do[%m, %d] : !tile.global<[M, 4] x f32>, !tile.range<4 of M>, !tile.range<4> -> tensor<4x4xf32>
    %kq = tile.gemm %kn, %qt, %zeroacc transpose_b : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %sc = tensor.splat %scale : tensor<8x4xf32>
    %s0 = arith.mulf %kq, %sc : tensor<8x4xf32>
    %valid = tile.valid %m : !tile.range<4 of M> -> tensor<4xi1>
    %valid1 = tile.expand_dims %valid axis 0 : tensor<4xi1> -> tensor<1x4xi1>
    %valid2 = tile.broadcast %valid1 : tensor<1x4xi1> -> tensor<8x4xi1>
    %s = arith.select %valid2, %s0, %minf2 : tensor<8x4xi1>, tensor<8x4xf32>
    %l = tile.load %lse[%m] : !tile.global<[M] x f32>, !tile.range<4 of M> -> tensor<4xf32>
    %l1 = tile.expand_dims %l axis 0 : tensor<4xf32> -> tensor<1x4xf32>
    %l2 = tile.broadcast %l1 : tensor<1x4xf32> -> tensor<8x4xf32>
    %x = arith.subf %s, %l2 : tensor<8x4xf32>
    %p = math.exp %x : tensor<8x4xf32>
    %adv1 = tile.gemm %p, %dot, %adv : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %dp = tile.gemm %vn, %dot, %zeroacc transpose_b : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %e = tile.load %delta[%m] : !tile.global<[M] x f32>, !tile.range<4 of M> -> tensor<4xf32>
    %e1 = tile.expand_dims %e axis 0 : tensor<4xf32> -> tensor<1x4xf32>
    %e2 = tile.broadcast %e1 : tensor<1x4xf32> -> tensor<8x4xf32>
    %dpe = arith.subf %dp, %e2 : tensor<8x4xf32>
    %ds0 = arith.mulf %p, %dpe : tensor<8x4xf32>
    %ds = arith.mulf %ds0, %sc : tensor<8x4xf32>
    %adk1 = tile.gemm %ds, %qt, %adk : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    scf.yield %adk1, %adv1 : tensor<8x4xf32>, tensor<8x4xf32>
  }
  tile.store %r#0 to %dk[%n, %d] : tensor<8x4xf32>, !tile.global<[N, 4] x f32, out>, !tile.range<8 of N>, !tile.range<4>
  tile.store %r#1 to %dv[%n, %d] : tensor<8x4xf32>, !tile.global<[N, 4] x f32, out>, !tile.range<8 of N>, !tile.range<4>
}
