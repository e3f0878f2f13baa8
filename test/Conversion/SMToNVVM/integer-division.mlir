// RUN: tile-opt %s --sm-place-fences --convert-sm-to-nvvm | tile-ptx | FileCheck %s

// Division by unknown numbers: `div` of PTX is undefined for zero.

#one = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">

// For elements, the smallest integer divided by -1 wraps around.
// CHECK-LABEL: .entry elements(
sm.kernel @elements(%x: !tile.global<[128] x i32>, %y: !tile.global<[128] x i32>, %z: !tile.global<[128] x i32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %a = sm.load %x[%c0] dims [0] limits(%c128) in_bounds [true] : !tile.global<[128] x i32>, index -> tensor<128xi32, #one>
  %b = sm.load %y[%c0] dims [0] limits(%c128) in_bounds [true] : !tile.global<[128] x i32>, index -> tensor<128xi32, #one>
  // CHECK: selp.b32 %[[DIVISOR:.*]], 1, %{{.*}}, %{{.*}};
  // CHECK: div.s32 %{{.*}}, %{{.*}}, %[[DIVISOR]];
  // CHECK: neg.s32
  // CHECK: selp.b32 %{{.*}}, 0, %{{.*}}, %{{.*}};
  %q = arith.floordivsi %a, %b : tensor<128xi32, #one>
  sm.store %q to %z[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xi32, #one>, !tile.global<[128] x i32, out>, index
}

// Positions do not wrap.
// CHECK-LABEL: .entry positions(
sm.kernel @positions(%x: index, %y: index, %z: !tile.global<[128] x i32, out>) grid() warps(4) {
  %c128 = arith.constant 128 : index
  // CHECK: max.u32 %[[DIVISOR:.*]], %{{.*}}, 1;
  // CHECK: div.s32 %{{.*}}, %{{.*}}, %[[DIVISOR]];
  // CHECK-NOT: neg.s32
  // CHECK: selp.b32 %{{.*}}, 0, %{{.*}}, %{{.*}};
  %q = arith.floordivsi %x, %y : index
  %i = sm.indices %q : tensor<128xi32, #one>
  %c0 = arith.constant 0 : index
  sm.store %i to %z[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xi32, #one>, !tile.global<[128] x i32, out>, index
}

// A constant needs no guard.
// CHECK-LABEL: .entry constant(
sm.kernel @constant(%x: !tile.global<[128] x i32>, %z: !tile.global<[128] x i32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %seven = arith.constant dense<7> : tensor<128xi32, #one>
  %a = sm.load %x[%c0] dims [0] limits(%c128) in_bounds [true] : !tile.global<[128] x i32>, index -> tensor<128xi32, #one>
  // CHECK-NOT: selp.b32 %{{.*}}, 0,
  // CHECK: mul.hi.s32
  %q = arith.floordivsi %a, %seven : tensor<128xi32, #one>
  sm.store %q to %z[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xi32, #one>, !tile.global<[128] x i32, out>, index
}
