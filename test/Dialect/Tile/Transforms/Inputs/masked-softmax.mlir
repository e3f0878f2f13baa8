// A softmax in two passes over the numbers of a tensor, masked by the lowest f32 and by a bias.

tile.kernel @masked_softmax(%x: !tile.global<[M, N] x f32>, %bias: !tile.global<[N] x f32>, %scale: f32, %y: !tile.global<[M, N] x f32, out>)
    grid(%m in tiles(M, 4)) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %N = tile.size N
  %low = arith.constant dense<-3.4028234e+38> : tensor<4xf32>
  %low2 = arith.constant dense<-3.4028234e+38> : tensor<4x8xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %sc = tensor.splat %scale : tensor<4x8xf32>
  %r:2 = scf.for %i = %c0 to %N step %c8 iter_args(%mx = %low, %den = %zero) -> (tensor<4xf32>, tensor<4xf32>) {
    %n = tile.range %i to %N : !tile.range<8 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<4 of M>, !tile.range<8 of N> -> tensor<4x8xf32>
    %b = tile.load %bias[%n] : !tile.global<[N] x f32>, !tile.range<8 of N> -> tensor<8xf32>
    %b1 = tile.expand_dims %b axis 0 : tensor<8xf32> -> tensor<1x8xf32>
    %b2 = tile.broadcast %b1 : tensor<1x8xf32> -> tensor<4x8xf32>
    %s0 = arith.mulf %t, %sc : tensor<4x8xf32>
    %s1 = arith.addf %s0, %b2 : tensor<4x8xf32>
    %v = tile.valid %n : !tile.range<8 of N> -> tensor<8xi1>
    %v1 = tile.expand_dims %v axis 0 : tensor<8xi1> -> tensor<1x8xi1>
    %v2 = tile.broadcast %v1 : tensor<1x8xi1> -> tensor<4x8xi1>
    %s = arith.select %v2, %s1, %low2 : tensor<4x8xi1>, tensor<4x8xf32>
    %row = tile.reduce max %s axis 1 : tensor<4x8xf32> -> tensor<4xf32>
    %new = arith.maximumf %mx, %row : tensor<4xf32>
    %e = arith.subf %mx, %new : tensor<4xf32>
    %c = math.exp %e : tensor<4xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<4xf32> -> tensor<4x1xf32>
    %new2 = tile.broadcast %new1 : tensor<4x1xf32> -> tensor<4x8xf32>
    %d = arith.subf %s, %new2 : tensor<4x8xf32>
    %p = math.exp %d : tensor<4x8xf32>
    %dc = arith.mulf %den, %c : tensor<4xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<4x8xf32> -> tensor<4xf32>
    %den1 = arith.addf %dc, %ps : tensor<4xf32>
    scf.yield %new, %den1 : tensor<4xf32>, tensor<4xf32>
  }
  scf.for %i = %c0 to %N step %c8 {
    %n = tile.range %i to %N : !tile.range<8 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<4 of M>, !tile.range<8 of N> -> tensor<4x8xf32>
    %b = tile.load %bias[%n] : !tile.global<[N] x f32>, !tile.range<8 of N> -> tensor<8xf32>
    %b1 = tile.expand_dims %b axis 0 : tensor<8xf32> -> tensor<1x8xf32>
    %b2 = tile.broadcast %b1 : tensor<1x8xf32> -> tensor<4x8xf32>
    %s0 = arith.mulf %t, %sc : tensor<4x8xf32>
    %s1 = arith.addf %s0, %b2 : tensor<4x8xf32>
    %new1 = tile.expand_dims %r#0 axis 1 : tensor<4xf32> -> tensor<4x1xf32>
    %new2 = tile.broadcast %new1 : tensor<4x1xf32> -> tensor<4x8xf32>
    %d = arith.subf %s1, %new2 : tensor<4x8xf32>
    %p = math.exp %d : tensor<4x8xf32>
    %den1 = tile.expand_dims %r#1 axis 1 : tensor<4xf32> -> tensor<4x1xf32>
    %den2 = tile.broadcast %den1 : tensor<4x1xf32> -> tensor<4x8xf32>
    %q = arith.divf %p, %den2 : tensor<4x8xf32>
    tile.store %q to %y[%m, %n] : tensor<4x8xf32>, !tile.global<[M, N] x f32, out>, !tile.range<4 of M>, !tile.range<8 of N>
  }
}
