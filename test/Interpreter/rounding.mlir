// Each operation rounds its result to its element type, to nearest even.
// RUN: tile-run %s --kernel bf16 --print y | FileCheck %s --check-prefix=BF16
// RUN: tile-run %s --kernel f8 --print y --print z | FileCheck %s --check-prefix=F8
// RUN: tile-run %s --kernel sums --print y --print z | FileCheck %s --check-prefix=SUMS
// RUN: tile-run %s --kernel fma --print y --print z | FileCheck %s --check-prefix=FMA

// 256 + 1 and 256 + 3 are ties in bf16 (2 apart); subnormals stay.
// BF16: y = [256, 260, 1.83671e-40, inf]
tile.kernel @bf16(%y: !tile.global<[4] x bf16, out>) grid() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %r = tile.range %c0 to %c4 : !tile.range<4>
  %a = arith.constant dense<[256.0, 256.0, 9.1835e-41, 3.38953139e+38]> : tensor<4xbf16>
  %b = arith.constant dense<[1.0, 3.0, 9.1835e-41, 3.38953139e+38]> : tensor<4xbf16>
  %s = arith.addf %a, %b : tensor<4xbf16>
  tile.store %s to %y[%r] : tensor<4xbf16>, !tile.global<[4] x bf16, out>, !tile.range<4>
}

// Overflow is NaN in f8E4M3FN and infinity in f8E5M2.
// F8: y = [nan, 448, 0.001953125, 3.25]
// F8: z = [inf, 384, 0.001953125, 3.5]
tile.kernel @f8(%y: !tile.global<[4] x f8E4M3FN, out>, %z: !tile.global<[4] x f8E5M2, out>) grid() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %r = tile.range %c0 to %c4 : !tile.range<4>
  %a = arith.constant dense<[1.0e+30, 400.0, 0.0019, 3.3]> : tensor<4xf32>
  %four = arith.constant dense<[1.0, 1.1, 1.0, 1.0]> : tensor<4xf32>
  %b = arith.mulf %a, %four : tensor<4xf32>
  %c = arith.truncf %b : tensor<4xf32> to tensor<4xf8E4M3FN>
  tile.store %c to %y[%r] : tensor<4xf8E4M3FN>, !tile.global<[4] x f8E4M3FN, out>, !tile.range<4>
  %d = arith.truncf %a : tensor<4xf32> to tensor<4xf8E5M2>
  tile.store %d to %z[%r] : tensor<4xf8E5M2>, !tile.global<[4] x f8E5M2, out>, !tile.range<4>
}

// A sum of 16-bit floats is rounded at each step (256 + 1 = 256); one of f32 is not.
// SUMS: y = [256]
// SUMS: z = [264]
tile.kernel @sums(%y: !tile.global<[1] x bf16, out>, %z: !tile.global<[1] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<[256.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<9xbf16>
  %s = tile.reduce sum %a axis 0 : tensor<9xbf16> -> tensor<bf16>
  %t = tensor.extract %s[] : tensor<bf16>
  tile.store %t to %y[%c0] : bf16, !tile.global<[1] x bf16, out>, index
  %b = arith.extf %a : tensor<9xbf16> to tensor<9xf32>
  %u = tile.reduce sum %b axis 0 : tensor<9xf32> -> tensor<f32>
  %v = tensor.extract %u[] : tensor<f32>
  tile.store %v to %z[%c0] : f32, !tile.global<[1] x f32, out>, index
}

// fma rounds once: (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, which a product rounded to f32 loses.
// In bf16, 1.75 * 0.578125 is a tie between 1.0078125 and 1.015625, and the addend, too small for
// an f32 result to show it, decides.
// FMA: y = [5.9604645e-08, 0]
// FMA: z = [1.0078125]
tile.kernel @fma(%y: !tile.global<[2] x f32, out>, %z: !tile.global<[1] x bf16, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = arith.constant 1.000244140625 : f32
  %b = arith.constant -1.00048828125 : f32
  %0 = math.fma %a, %a, %b : f32
  tile.store %0 to %y[%c0] : f32, !tile.global<[2] x f32, out>, index
  %1 = arith.mulf %a, %a : f32
  %2 = arith.addf %1, %b : f32
  tile.store %2 to %y[%c1] : f32, !tile.global<[2] x f32, out>, index
  %c = arith.constant 1.75 : bf16
  %d = arith.constant 0.578125 : bf16
  %e = arith.constant -1.0e-30 : bf16
  %3 = math.fma %c, %d, %e : bf16
  tile.store %3 to %z[%c0] : bf16, !tile.global<[1] x bf16, out>, index
}
