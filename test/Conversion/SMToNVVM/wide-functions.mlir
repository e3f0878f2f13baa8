// RUN: tile-opt %s --sm-place-fences --convert-sm-to-nvvm | tile-ptx | FileCheck %s

// Functions without an instruction are computed in f64. Rare arguments take more steps, in a branch of the whole warp.

#one = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">

// CHECK-LABEL: .entry sine(
// CHECK: cvt.f64.f32 [[X:%rd[0-9]+]]
// CHECK: setp.ge.f64 [[IS_RARE:%p[0-9]+]], {{%rd[0-9]+}}, 0d4270000000000000;
// CHECK: vote.sync.any.pred [[ANY:%p[0-9]+]], [[IS_RARE]], -1;
// CHECK: bra
// CHECK-NOT: approx
// CHECK: cvt.rn.f32.f64
sm.kernel @sine(%x: !tile.global<[128] x f32>, %y: !tile.global<[128] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %t = sm.load %x[%c0] dims [0] limits(%c128) in_bounds [true] : !tile.global<[128] x f32>, index -> tensor<128xf32, #one>
  %s = math.sin %t : tensor<128xf32, #one>
  sm.store %s to %y[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xf32, #one>, !tile.global<[128] x f32, out>, index
}

// The numbers of f16 have no rare ones.
// CHECK-LABEL: .entry narrow_sine(
// CHECK-NOT: vote
// CHECK: fma.rn.f64
// CHECK-NOT: vote
// CHECK: ret;
sm.kernel @narrow_sine(%x: !tile.global<[128] x f16>, %y: !tile.global<[128] x f16, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %t = sm.load %x[%c0] dims [0] limits(%c128) in_bounds [true] : !tile.global<[128] x f16>, index -> tensor<128xf16, #one>
  %s = math.sin %t : tensor<128xf16, #one>
  sm.store %s to %y[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xf16, #one>, !tile.global<[128] x f16, out>, index
}

// A remainder is exact: it subtracts multiples in f64. The quotients of most operands are one number of f64.
// CHECK-LABEL: .entry remainder(
// CHECK: vote.sync.any
// CHECK-COUNT-6: div.rn.f64
// CHECK: bra.uni
// CHECK: div.rn.f64
// CHECK-NOT: div
// CHECK: ret;
sm.kernel @remainder(%x: !tile.global<[128] x f32>, %a: f32, %y: !tile.global<[128] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %t = sm.load %x[%c0] dims [0] limits(%c128) in_bounds [true] : !tile.global<[128] x f32>, index -> tensor<128xf32, #one>
  %s = tensor.splat %a : tensor<128xf32, #one>
  %u = arith.remf %t, %s : tensor<128xf32, #one>
  sm.store %u to %y[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xf32, #one>, !tile.global<[128] x f32, out>, index
}

// A scalar takes all steps.
// CHECK-LABEL: .entry scalar_remainder(
// CHECK-NOT: vote
// CHECK-COUNT-6: div.rn.f64
// CHECK-NOT: div
// CHECK: ret;
sm.kernel @scalar_remainder(%a: f32, %b: f32, %y: !tile.global<[128] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %r = arith.remf %a, %b : f32
  %s = tensor.splat %r : tensor<128xf32, #one>
  sm.store %s to %y[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xf32, #one>, !tile.global<[128] x f32, out>, index
}

// Signs and roundings are instructions of f32.
// CHECK-LABEL: .entry instructions(
// CHECK-NOT: f64
// CHECK-DAG: copysign.f32
// CHECK-DAG: cvt.rni.f32.f32
// CHECK-DAG: cvt.rzi.f32.f32
// CHECK: ret;
sm.kernel @instructions(%x: !tile.global<[128] x f32>, %y: !tile.global<[128] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %t = sm.load %x[%c0] dims [0] limits(%c128) in_bounds [true] : !tile.global<[128] x f32>, index -> tensor<128xf32, #one>
  %r = math.roundeven %t : tensor<128xf32, #one>
  %z = math.trunc %t : tensor<128xf32, #one>
  %s = math.copysign %r, %z : tensor<128xf32, #one>
  sm.store %s to %y[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xf32, #one>, !tile.global<[128] x f32, out>, index
}
