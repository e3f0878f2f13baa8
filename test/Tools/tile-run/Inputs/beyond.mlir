// Copies 4 elements from `lo` on; that they are there is only said.
tile.kernel @beyond(%x: !tile.global<[N] x f32>, %lo: index, %y: !tile.global<[M] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %m = tile.size M
  %hi = arith.addi %lo, %c4 : index
  %from = tile.range %lo to %hi : !tile.range<4>
  %to = tile.range %c0 to %m : !tile.range<4 of M>
  %t = tile.load %x[%from] in_bounds [true] : !tile.global<[N] x f32>, !tile.range<4> -> tensor<4xf32>
  tile.store %t to %y[%to] : tensor<4xf32>, !tile.global<[M] x f32, out>, !tile.range<4 of M>
}
