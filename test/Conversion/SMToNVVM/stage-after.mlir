// RUN: tile-opt %s -convert-sm-to-nvvm | FileCheck %s

// The stage so many after another one begins again at the end of the array.

// CHECK-LABEL: llvm.func @after
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK-DAG: %[[SUM:.*]] = llvm.add %[[I:.*]], %[[TWO]] : i32
// CHECK: %[[THREE:.*]] = llvm.mlir.constant(3 : i32) : i32
// CHECK: llvm.urem %[[SUM]], %[[THREE]] : i32
// EXECUTE: after i=2
sm.kernel @after(%i: i32, %y: !tile.global<[M] x i32, out>) grid() warps(4) form(fenced) shared(0) {
  %c0 = arith.constant 0 : index
  %j = sm.slot_after %i by 2 of 3
  sm.store %j to %y[%c0] dims [] : i32, !tile.global<[M] x i32, out>, index
}
