// Part s of S of a log-softmax: nested loops, a bias, and a masked logit that is also picked.
tile.kernel @linear_logp(%h: !tile.global<[N, D] x f32>, %w: !tile.global<[V, D] x f32>,
                         %bias: !tile.global<[V] x f32>, %target: !tile.global<[N] x i32>,
                         %pmax: !tile.global<[N] x f32, out>, %psum: !tile.global<[N] x f32, out>,
                         %ppick: !tile.global<[N] x f32, out>)
    grid(%i in tiles(N, 4)) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %V = tile.size V
  %D = tile.size D
  %minf = arith.constant dense<0xFF800000> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %zeroacc = arith.constant dense<0.0> : tensor<4x16xf32>
  %minf2 = arith.constant dense<0xFF800000> : tensor<4x16xf32>
  %t = tile.load %target[%i] : !tile.global<[N] x i32>, !tile.range<4 of N> -> tensor<4xi32>
  %t1 = tile.expand_dims %t axis 1 : tensor<4xi32> -> tensor<4x1xi32>
  %t2 = tile.broadcast %t1 : tensor<4x1xi32> -> tensor<4x16xi32>
  %r:3 = scf.for %j = %c0 to %V step %c16 iter_args(%mx = %minf, %den = %zero, %pick = %zero) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %v = tile.range %j to %V : !tile.range<16 of V>
    %z0 = scf.for %l = %c0 to %D step %c4 iter_args(%a = %zeroacc) -> (tensor<4x16xf32>) {
      %k = tile.range %l to %D : !tile.range<4 of D>
      %ht = tile.load %h[%i, %k] : !tile.global<[N, D] x f32>, !tile.range<4 of N>, !tile.range<4 of D> -> tensor<4x4xf32>
      %wt = tile.load %w[%v, %k] : !tile.global<[V, D] x f32>, !tile.range<16 of V>, !tile.range<4 of D> -> tensor<16x4xf32>
      %a1 = tile.gemm %ht, %wt, %a transpose_b : tensor<4x4xf32>, tensor<16x4xf32> -> tensor<4x16xf32>
      scf.yield %a1 : tensor<4x16xf32>
    }
    %b = tile.load %bias[%v] : !tile.global<[V] x f32>, !tile.range<16 of V> -> tensor<16xf32>
    %b1 = tile.expand_dims %b axis 0 : tensor<16xf32> -> tensor<1x16xf32>
    %b2 = tile.broadcast %b1 : tensor<1x16xf32> -> tensor<4x16xf32>
    %z1 = arith.addf %z0, %b2 : tensor<4x16xf32>
    %valid = tile.valid %v : !tile.range<16 of V> -> tensor<16xi1>
    %valid1 = tile.expand_dims %valid axis 0 : tensor<16xi1> -> tensor<1x16xi1>
    %valid2 = tile.broadcast %valid1 : tensor<1x16xi1> -> tensor<4x16xi1>
    %z = arith.select %valid2, %z1, %minf2 : tensor<4x16xi1>, tensor<4x16xf32>
    %rm = tile.reduce max %z axis 1 : tensor<4x16xf32> -> tensor<4xf32>
    %new = arith.maximumf %mx, %rm : tensor<4xf32>
    %y = arith.subf %mx, %new : tensor<4xf32>
    %c = math.exp %y : tensor<4xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<4xf32> -> tensor<4x1xf32>
    %new2 = tile.broadcast %new1 : tensor<4x1xf32> -> tensor<4x16xf32>
    %x = arith.subf %z, %new2 : tensor<4x16xf32>
    %p = math.exp %x : tensor<4x16xf32>
    %dc = arith.mulf %den, %c : tensor<4xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<4x16xf32> -> tensor<4xf32>
    %den1 = arith.addf %dc, %ps : tensor<4xf32>
    %vi = tile.indices %v : !tile.range<16 of V> -> tensor<16xi32>
    %vi1 = tile.expand_dims %vi axis 0 : tensor<16xi32> -> tensor<1x16xi32>
    %vi2 = tile.broadcast %vi1 : tensor<1x16xi32> -> tensor<4x16xi32>
    %hit = arith.cmpi eq, %t2, %vi2 : tensor<4x16xi32>
    %hz = arith.select %hit, %z, %zeroacc : tensor<4x16xi1>, tensor<4x16xf32>
    %hs = tile.reduce sum %hz axis 1 : tensor<4x16xf32> -> tensor<4xf32>
    %pick1 = arith.addf %pick, %hs : tensor<4xf32>
    scf.yield %new, %den1, %pick1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  tile.store %r#0 to %pmax[%i] : tensor<4xf32>, !tile.global<[N] x f32, out>, !tile.range<4 of N>
  tile.store %r#1 to %psum[%i] : tensor<4xf32>, !tile.global<[N] x f32, out>, !tile.range<4 of N>
  tile.store %r#2 to %ppick[%i] : tensor<4xf32>, !tile.global<[N] x f32, out>, !tile.range<4 of N>
}
