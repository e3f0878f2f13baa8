// The sums of a layer norm beside a product: mean and variance of the rows of x, and x w.
tile.kernel @lola(%x: !tile.global<[M, K] x f16>, %w: !tile.global<[K, 8] x f16>,
                  %s1: !tile.global<[M] x f32, out>, %s2: !tile.global<[M] x f32, out>,
                  %ws: !tile.global<[8] x f32, out>, %y: !tile.global<[M, 8] x f32, out>)
    grid(%m in tiles(M, 4)) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %K = tile.size K
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %zerow = arith.constant dense<0.0> : tensor<8xf32>
  %zeroacc = arith.constant dense<0.0> : tensor<4x8xf32>
  %n = tile.range %c0 to %c8 : !tile.range<8>
  %r:4 = scf.for %i = %c0 to %K step %c16 iter_args(%a = %zero, %b = %one, %c = %zerow, %acc = %zeroacc) -> (tensor<4xf32>, tensor<4xf32>, tensor<8xf32>, tensor<4x8xf32>) {
    %k = tile.range %i to %K : !tile.range<16 of K>
    %xt = tile.load %x[%m, %k] : !tile.global<[M, K] x f16>, !tile.range<4 of M>, !tile.range<16 of K> -> tensor<4x16xf16>
    %wt = tile.load %w[%k, %n] : !tile.global<[K, 8] x f16>, !tile.range<16 of K>, !tile.range<8> -> tensor<16x8xf16>
    %acc1 = tile.gemm %xt, %wt, %acc : tensor<4x16xf16>, tensor<16x8xf16> -> tensor<4x8xf32>
    %xf = arith.extf %xt : tensor<4x16xf16> to tensor<4x16xf32>
    %xs = tile.reduce sum %xf axis 1 : tensor<4x16xf32> -> tensor<4xf32>
    %a1 = arith.addf %a, %xs : tensor<4xf32>
    %xx = arith.mulf %xf, %xf : tensor<4x16xf32>
    %xxs = tile.reduce sum %xx axis 1 : tensor<4x16xf32> -> tensor<4xf32>
    %b1 = arith.addf %xxs, %b : tensor<4xf32>
    %wf = arith.extf %wt : tensor<16x8xf16> to tensor<16x8xf32>
    %wsum = tile.reduce sum %wf axis 0 : tensor<16x8xf32> -> tensor<8xf32>
    %c1 = arith.addf %c, %wsum : tensor<8xf32>
    scf.yield %a1, %b1, %c1, %acc1 : tensor<4xf32>, tensor<4xf32>, tensor<8xf32>, tensor<4x8xf32>
  }
  tile.store %r#0 to %s1[%m] : tensor<4xf32>, !tile.global<[M] x f32, out>, !tile.range<4 of M>
  tile.store %r#1 to %s2[%m] : tensor<4xf32>, !tile.global<[M] x f32, out>, !tile.range<4 of M>
  tile.store %r#2 to %ws[%n] : tensor<8xf32>, !tile.global<[8] x f32, out>, !tile.range<8>
  tile.store %r#3 to %y[%m, %n] : tensor<4x8xf32>, !tile.global<[M, 8] x f32, out>, !tile.range<4 of M>, !tile.range<8>
}
