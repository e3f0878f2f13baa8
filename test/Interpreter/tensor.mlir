// Making and taking apart tiles.
// RUN: tile-run %s --kernel tiles --arg x=2.5 --print y --print z | FileCheck %s
// RUN: tile-run %s --kernel poison --print y --print z | FileCheck %s --check-prefix=POISON
// RUN: not tile-run %s --kernel outside --arg i=4 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tile-run %s --kernel outside --arg i=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// CHECK: y = {{\[}}[2.5, 2.5, 9],
// CHECK-NEXT: [2.5, 2.5, 2.5]]
// CHECK: z = [1, 2, 2]
tile.kernel @tiles(%x: f32, %y: !tile.global<[2, 3] x f32, out>, %z: !tile.global<[3] x i32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r2 = tile.range %c0 to %c2 : !tile.range<2>
  %r3 = tile.range %c0 to %c3 : !tile.range<3>
  %s = tensor.splat %x : tensor<6xf32>
  %nine = arith.constant 9.0 : f32
  %i = tensor.insert %nine into %s[%c2] : tensor<6xf32>
  %e = tensor.expand_shape %i [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  tile.store %e to %y[%r2, %r3] : tensor<2x3xf32>, !tile.global<[2, 3] x f32, out>, !tile.range<2>, !tile.range<3>
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %f = tensor.from_elements %one, %two : tensor<2xi32>
  %g = tensor.extract %f[%c1] : tensor<2xi32>
  %h = tensor.from_elements %one, %two, %g : tensor<3x1xi32>
  %k = tensor.collapse_shape %h [[0, 1]] : tensor<3x1xi32> into tensor<3xi32>
  tile.store %k to %z[%r3] : tensor<3xi32>, !tile.global<[3] x i32, out>, !tile.range<3>
}

// POISON: y = [nan]
// POISON: z = [-1]
tile.kernel @poison(%y: !tile.global<[1] x f32, out>, %z: !tile.global<[1] x i32, out>) grid() {
  %c0 = arith.constant 0 : index
  %a = tensor.empty() : tensor<1xf32>
  %b = tensor.extract %a[%c0] : tensor<1xf32>
  tile.store %b to %y[%c0] : f32, !tile.global<[1] x f32, out>, index
  %c = ub.poison : i32
  tile.store %c to %z[%c0] : i32, !tile.global<[1] x i32, out>, index
}

// OUTSIDE: error: index 4 of dimension 0 is outside of the tile, whose extent is 4
// NEGATIVE: error: index -1 of dimension 0 is outside of the tile, whose extent is 4
tile.kernel @outside(%i: index) grid() {
  %t = arith.constant dense<1.0> : tensor<4xf32>
  %e = tensor.extract %t[%i] : tensor<4xf32>
}
