// RUN: tile-opt %s -convert-sm-to-nvvm | FileCheck %s

// A warp multiplies an accumulator only if one of its factors is not 1. Rows share a factor.

#layout = #sm.layout<"16x8 = register[2*(0,1) 2*(8,0)] lane[4*(0,2) 8*(1,0)]">
#column = #sm.layout<"16x1 = register[2*(8,0)] lane[4*(0,0) 8*(1,0)]">
module attributes {sm.target = #sm.target<"sm_90a">} {
  // CHECK-LABEL: llvm.func @k(
  // CHECK: %[[ONE:.*]] = llvm.mlir.constant(1.000000e+00 : f32)
  // CHECK: %[[A:.*]] = llvm.fcmp "une" %[[F:.*]], %[[ONE]]
  // CHECK: %[[B:.*]] = llvm.fcmp "une" %[[G:.*]], %[[ONE]]
  // CHECK: %[[OR:.*]] = llvm.or %[[A]], %[[B]]
  // CHECK: %[[ANY:.*]] = nvvm.vote.sync any %{{.*}}, %[[OR]] -> i1
  // CHECK: llvm.cond_br %[[ANY]], ^[[THEN:bb[0-9]+]], ^{{.*}}
  // CHECK: ^[[THEN]]:
  // CHECK-COUNT-2: llvm.fmul %{{.*}}, %[[F]]
  // CHECK-COUNT-2: llvm.fmul %{{.*}}, %[[G]]
  sm.kernel @k(%x: !tile.global<[16, 8] x f32>, %f: !tile.global<[16, 1] x f32>, %y: !tile.global<[16, 8] x f32, out>) grid() warps(1) form(fenced) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %a = sm.load %x[%c0, %c0] dims [0, 1] limits(%c16, %c8) : !tile.global<[16, 8] x f32>, index, index -> tensor<16x8xf32, #layout>
    %c = sm.load %f[%c0, %c0] dims [0, 1] limits(%c16, %c1) : !tile.global<[16, 1] x f32>, index, index -> tensor<16x1xf32, #column>
    %b = sm.broadcast %c : tensor<16x1xf32, #column> -> tensor<16x8xf32, #layout>
    %p = arith.mulf %a, %b {tile.rare_factor} : tensor<16x8xf32, #layout>
    sm.store %p to %y[%c0, %c0] dims [0, 1] limits(%c16, %c8) : tensor<16x8xf32, #layout>, !tile.global<[16, 8] x f32, out>, index, index
  }
}
