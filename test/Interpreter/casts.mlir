// Constants, conversions between types, bitcasts and selection.
// RUN: tile-run %s --kernel to_integer --print a --print b --print c | FileCheck %s --check-prefix=TO-INTEGER
// RUN: tile-run %s --kernel to_float --print a --print b --print c | FileCheck %s --check-prefix=TO-FLOAT
// RUN: tile-run %s --kernel widths --print a --print b --print c --print d | FileCheck %s --check-prefix=WIDTHS
// RUN: tile-run %s --kernel bits --print a --print b --print c | FileCheck %s --check-prefix=BITS
// RUN: tile-run %s --kernel choose --arg b=true --print a --print s | FileCheck %s --check-prefix=CHOOSE
// RUN: tile-run %s --kernel floats --print a --print b | FileCheck %s --check-prefix=FLOATS

// Truncation toward zero; what does not fit saturates, NaN is 0.
// TO-INTEGER: a = [2, -2, 127, -128, 0, 127]
// TO-INTEGER: b = [2, 0, -1, 0, 0, -1]
// TO-INTEGER: c = [2, -2, 9223372036854775807, -1000, 0, 9223372036854775807]
tile.kernel @to_integer(%a: !tile.global<[6] x i8, out>, %b: !tile.global<[6] x i8, out>,
                        %c: !tile.global<[6] x i64, out>) grid() {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %r = tile.range %c0 to %c6 : !tile.range<6>
  %x = arith.constant dense<[2.9, -2.9, 1.0e+30, -1000.0, 0x7FC00000, 0x7F800000]> : tensor<6xf32>
  %0 = arith.fptosi %x : tensor<6xf32> to tensor<6xi8>
  %1 = arith.fptoui %x : tensor<6xf32> to tensor<6xi8>
  %2 = arith.fptosi %x : tensor<6xf32> to tensor<6xi64>
  tile.store %0 to %a[%r] : tensor<6xi8>, !tile.global<[6] x i8, out>, !tile.range<6>
  tile.store %1 to %b[%r] : tensor<6xi8>, !tile.global<[6] x i8, out>, !tile.range<6>
  tile.store %2 to %c[%r] : tensor<6xi64>, !tile.global<[6] x i64, out>, !tile.range<6>
}

// 2^62 + 2^54 + 1 lies just above a tie of bf16: one rounding goes up, two would not.
// TO-FLOAT: a = [4.647715e+18, -1]
// TO-FLOAT: b = [16777216, 4.2949673e+09]
// TO-FLOAT: c = [1, 1]
tile.kernel @to_float(%a: !tile.global<[2] x bf16, out>, %b: !tile.global<[2] x f32, out>,
                      %c: !tile.global<[2] x f16, out>) grid() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %r = tile.range %c0 to %c2 : !tile.range<2>
  %x = arith.constant dense<[4629700416936869889, -1]> : tensor<2xi64>
  %0 = arith.sitofp %x : tensor<2xi64> to tensor<2xbf16>
  tile.store %0 to %a[%r] : tensor<2xbf16>, !tile.global<[2] x bf16, out>, !tile.range<2>
  %y = arith.constant dense<[16777217, -1]> : tensor<2xi32>
  %1 = arith.uitofp %y : tensor<2xi32> to tensor<2xf32>
  tile.store %1 to %b[%r] : tensor<2xf32>, !tile.global<[2] x f32, out>, !tile.range<2>
  %t = arith.constant dense<true> : tensor<2xi1>
  %2 = arith.uitofp %t : tensor<2xi1> to tensor<2xf16>
  tile.store %2 to %c[%r] : tensor<2xf16>, !tile.global<[2] x f16, out>, !tile.range<2>
}

// WIDTHS: a = [-1, 1, -128]
// WIDTHS: b = [255, 1, 128]
// WIDTHS: c = [-1, -1, 0]
// WIDTHS: d = [-1, 4294967295, 4294967295]
tile.kernel @widths(%a: !tile.global<[3] x i32, out>, %b: !tile.global<[3] x i32, out>,
                    %c: !tile.global<[3] x i64, out>, %d: !tile.global<[3] x i64, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r = tile.range %c0 to %c3 : !tile.range<3>
  %x = arith.constant dense<[-1, 1, -128]> : tensor<3xi8>
  %0 = arith.extsi %x : tensor<3xi8> to tensor<3xi32>
  %1 = arith.extui %x : tensor<3xi8> to tensor<3xi32>
  tile.store %0 to %a[%r] : tensor<3xi32>, !tile.global<[3] x i32, out>, !tile.range<3>
  tile.store %1 to %b[%r] : tensor<3xi32>, !tile.global<[3] x i32, out>, !tile.range<3>
  %t = arith.constant dense<[true, true, false]> : tensor<3xi1>
  %2 = arith.extsi %t : tensor<3xi1> to tensor<3xi64>
  tile.store %2 to %c[%r] : tensor<3xi64>, !tile.global<[3] x i64, out>, !tile.range<3>
  // 2^32 - 1 as i64, cut to i32 (-1), and as index signed and unsigned.
  %w = arith.constant 4294967295 : i64
  %n = arith.trunci %w : i64 to i32
  %i = arith.index_cast %n : i32 to index
  %j = arith.index_castui %n : i32 to index
  %3 = arith.index_cast %i : index to i64
  %4 = arith.index_cast %j : index to i64
  tile.store %3 to %d[%c0] : i64, !tile.global<[3] x i64, out>, index
  tile.store %4 to %d[%c1] : i64, !tile.global<[3] x i64, out>, index
  tile.store %w to %d[%c2] : i64, !tile.global<[3] x i64, out>, index
}

// BITS: a = [1065353216, -1]
// BITS: b = [-8388608, 1]
// BITS: c = [126, -128]
tile.kernel @bits(%a: !tile.global<[2] x i32, out>, %b: !tile.global<[2] x f32, out>,
                  %c: !tile.global<[2] x i8, out>) grid() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %r = tile.range %c0 to %c2 : !tile.range<2>
  %x = arith.constant dense<[1.0, 0xFFFFFFFF]> : tensor<2xf32>
  %0 = arith.bitcast %x : tensor<2xf32> to tensor<2xi32>
  tile.store %0 to %a[%r] : tensor<2xi32>, !tile.global<[2] x i32, out>, !tile.range<2>
  %y = arith.constant dense<[-889192448, 1065353216]> : tensor<2xi32>
  %1 = arith.bitcast %y : tensor<2xi32> to tensor<2xf32>
  tile.store %1 to %b[%r] : tensor<2xf32>, !tile.global<[2] x f32, out>, !tile.range<2>
  %z = arith.constant dense<[448.0, -0.0]> : tensor<2xf8E4M3FN>
  %2 = arith.bitcast %z : tensor<2xf8E4M3FN> to tensor<2xi8>
  tile.store %2 to %c[%r] : tensor<2xi8>, !tile.global<[2] x i8, out>, !tile.range<2>
}

// CHOOSE: a = [1, -2, 3]
// CHOOSE: s = [1, 2, 3]
tile.kernel @choose(%b: i1, %a: !tile.global<[3] x f32, out>, %s: !tile.global<[3] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %r = tile.range %c0 to %c3 : !tile.range<3>
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y = arith.constant dense<[-1.0, -2.0, -3.0]> : tensor<3xf32>
  %m = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %0 = arith.select %m, %x, %y : tensor<3xi1>, tensor<3xf32>
  tile.store %0 to %a[%r] : tensor<3xf32>, !tile.global<[3] x f32, out>, !tile.range<3>
  %1 = arith.select %b, %x, %y : tensor<3xf32>
  tile.store %1 to %s[%r] : tensor<3xf32>, !tile.global<[3] x f32, out>, !tile.range<3>
}

// Widening is exact; f16 to bf16 is not a cast of arith.
// FLOATS: a = [-0, inf, 5.9604645e-08]
// FLOATS: b = [0, inf, 2]
tile.kernel @floats(%a: !tile.global<[3] x f32, out>, %b: !tile.global<[3] x f16, out>) grid() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %r = tile.range %c0 to %c3 : !tile.range<3>
  %x = arith.constant dense<[-0.0, 0x7C00, 0x0001]> : tensor<3xf16>
  %0 = arith.extf %x : tensor<3xf16> to tensor<3xf32>
  tile.store %0 to %a[%r] : tensor<3xf32>, !tile.global<[3] x f32, out>, !tile.range<3>
  %y = arith.constant dense<[1.0e-8, 65520.0, 2.0004]> : tensor<3xf32>
  %1 = arith.truncf %y : tensor<3xf32> to tensor<3xf16>
  tile.store %1 to %b[%r] : tensor<3xf16>, !tile.global<[3] x f16, out>, !tile.range<3>
}
