// RUN: tile-opt %s --sm-place-fences --convert-sm-to-nvvm | FileCheck %s

// Constants, indices, and operations that only rename registers.

#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
#column = #sm.layout<"64x1 = register[2*(8,0)] lane[4*(0,0) 8*(1,0)] warp[4*(16,0)]">
#acc = #sm.layout<"64x8 = register[2*(0,1) 2*(8,0)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#turned = #sm.layout<"8x64 = register[2*(1,0) 2*(0,8)] lane[4*(2,0) 8*(0,1)] warp[4*(0,16)]">

// Register 2h + e of the result is register h of the column. Nothing is computed between the
// conversion of the two indices and the stores of four registers.
// CHECK-LABEL: llvm.func @rename(
// CHECK: %[[LANE:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: %[[R0:.*]] = llvm.sitofp %{{.*}} : i32 to f32
// CHECK: %[[R1:.*]] = llvm.sitofp %{{.*}} : i32 to f32
// CHECK-NOT: llvm.sitofp
// CHECK: llvm.bitcast %[[R0]]
// CHECK: st.global
// CHECK: llvm.bitcast %[[R0]]
// CHECK: st.global
// CHECK: llvm.bitcast %[[R1]]
// CHECK: st.global
// CHECK: llvm.bitcast %[[R1]]
// CHECK: st.global
sm.kernel @rename(%y: !tile.global<[8, M] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %m = tile.size M
  %i = sm.indices %c8 : tensor<64xi32, #row>
  %f = arith.sitofp %i : tensor<64xi32, #row> to tensor<64xf32, #row>
  %e = sm.expand_dims %f axis 1 : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
  %b = sm.broadcast %e : tensor<64x1xf32, #column> -> tensor<64x8xf32, #acc>
  %t = sm.transpose %b : tensor<64x8xf32, #acc> -> tensor<8x64xf32, #turned>
  sm.store %t to %y[%c0, %c0] dims [0, 1] limits(%c8, %m) : tensor<8x64xf32, #turned>, !tile.global<[8, M] x f32, out>, index, index
}

// A constant whose elements differ is chosen by the thread's coordinate.
#line = #sm.layout<"4 = lane[4*(1) 8*(0)] warp[4*(0)]">
// CHECK-LABEL: llvm.func @table(
// CHECK-COUNT-3: llvm.select
// CHECK-NOT: llvm.select
sm.kernel @table(%y: !tile.global<[4] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %t = arith.constant dense<[1.0, 2.0, 3.0, 5.0]> : tensor<4xf32, #line>
  sm.store %t to %y[%c0] dims [0] limits(%c4) in_bounds [true] : tensor<4xf32, #line>, !tile.global<[4] x f32, out>, index
}

// Loops carry tiles as their registers, and branches yield them.
// CHECK-LABEL: llvm.func @carried(
// CHECK: ^bb{{[0-9]+}}(%{{.*}}: i32, %{{.*}}: vector<2xbf16>, %{{.*}}: f32):
#two = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
#one = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @carried(%y: !tile.global<[256] x bf16, out>, %z: !tile.global<[128] x f32, out>, %n: index, %b: i1) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %s = arith.constant dense<0.5> : tensor<256xbf16, #two>
  %t = arith.constant dense<1.5> : tensor<128xf32, #one>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %s, %v = %t) -> (tensor<256xbf16, #two>, tensor<128xf32, #one>) {
    %w = scf.if %b -> tensor<256xbf16, #two> {
      %a = arith.addf %u, %u : tensor<256xbf16, #two>
      scf.yield %a : tensor<256xbf16, #two>
    } else {
      scf.yield %u : tensor<256xbf16, #two>
    }
    %x = arith.addf %v, %v : tensor<128xf32, #one>
    scf.yield %w, %x : tensor<256xbf16, #two>, tensor<128xf32, #one>
  }
  sm.store %r#0 to %y[%c0] dims [0] limits(%c256) : tensor<256xbf16, #two>, !tile.global<[256] x bf16, out>, index
  sm.store %r#1 to %z[%c0] dims [0] limits(%c128) : tensor<128xf32, #one>, !tile.global<[128] x f32, out>, index
}

// Whether any element that the warp holds is true.
// CHECK-LABEL: llvm.func @any(
// CHECK: llvm.or
// CHECK: nvvm.vote.sync any
sm.kernel @any(%y: !tile.global<[1] x i1, out>, %x: !tile.global<[256] x i1>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %t = sm.load %x[%c0] dims [0] limits(%c256) in_bounds [true] : !tile.global<[256] x i1>, index -> tensor<256xi1, #two>
  %a = sm.any %t : tensor<256xi1, #two>
  sm.store %a to %y[%c0] dims [] : i1, !tile.global<[1] x i1, out>, index
}
