tile.kernel @matmul(%a: !tile.global<[M, K] x f32>, %b: !tile.global<[K, N] x f32>,
                    %bias: !tile.global<[N] x i32>, %scale: f32, %n: index, %flag: i1,
                    %c: !tile.global<[M, N] x f32, out>, %parts: !tile.global<[S] x f32, out>) grid() {
}
tile.kernel @scale(%x: !tile.global<[N] x f32>, %by: f32, %y: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 4)) {
  %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<4 of N> -> tensor<4xf32>
  %s = tensor.splat %by : tensor<4xf32>
  %p = arith.mulf %t, %s : tensor<4xf32>
  tile.store %p to %y[%n] : tensor<4xf32>, !tile.global<[N] x f32, out>, !tile.range<4 of N>
}
tile.kernel @half(%x: !tile.global<[N] x f32>, %y: !tile.global<[N] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %n = tile.size N
  %r = tile.range %c0 to %n : !tile.range<4 of N>
  %t = tile.load %x[%r] : !tile.global<[N] x f32>, !tile.range<4 of N> -> tensor<4xf32>
  tile.store %t to %y[%r] : tensor<4xf32>, !tile.global<[N] x f32, out>, !tile.range<4 of N>
}
tile.kernel @update(%x: !tile.global<[N] x i8, inout>) grid() {
}
tile.kernel @none() grid() {
}
