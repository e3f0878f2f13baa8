// RUN: tile-opt %S/../Inputs/gemm.mlir -sm-persist | FileCheck %s --check-prefix=GEMM
// RUN: tile-opt %s -sm-persist | FileCheck %s
// RUN: tile-opt %s -sm-persist | tile-opt -sm-persist | FileCheck %s

// Sizes and their quotients stay before the loop; a tile that every program starts with does
// not, since it would live in registers from one program to the next.

// GEMM: sm.kernel @matmul
// GEMM-SAME: warps(8) persistent schedule<
// GEMM-DAG: %[[K:.*]] = tile.size K
// GEMM: %[[FIRST:.*]] = sm.program_id
// GEMM: %[[M:.*]] = tile.size M ceildiv 128
// GEMM: %[[N:.*]] = tile.size N ceildiv 256
// GEMM: %[[ALL:.*]] = arith.muli %[[M]], %[[N]]
// GEMM: %[[STEP:.*]] = sm.cta_count
// GEMM: scf.for %[[P:.*]] = %[[FIRST]] to %[[ALL]] step %[[STEP]] {
// GEMM-NEXT: arith.remui %[[P]]
// GEMM-NEXT: arith.divui %[[P]]
// GEMM: arith.constant dense<0.000000e+00> : tensor<128x256xf32
// GEMM: scf.for {{.*}} to %[[K]]
// GEMM: sm.copy.store
// GEMM-NOT: sm.program_id

// A scalar that is loaded keeps its place: the tensor may be written.

// CHECK-LABEL: sm.kernel @scalars
// CHECK: %[[H:.*]] = tile.size H
// CHECK: %[[FIRST:.*]] = sm.program_id
// CHECK: %[[ALL:.*]] = tile.size H
// CHECK: scf.for %[[P:.*]] = %[[FIRST]] to %[[ALL]]
// CHECK: sm.load %{{.*}}[%[[P]]]
// CHECK: arith.addf
// CHECK: sm.store {{.*}}[%[[P]]]
sm.kernel @scalars(%x: !tile.global<[H] x f32, inout>) grid(h in H) warps(4) schedule<persistent = true> {
  %H = tile.size H
  %p = sm.program_id
  %q = sm.program_id
  %v = sm.load %x[%p] dims [] : !tile.global<[H] x f32, inout>, index -> f32
  %w = arith.addf %v, %v : f32
  sm.store %w to %x[%q] dims [] : f32, !tile.global<[H] x f32, inout>, index
}

// Not asked for.

// CHECK-LABEL: sm.kernel @plain
// CHECK-NOT: persistent
// CHECK-NOT: scf.for
sm.kernel @plain(%x: !tile.global<[H] x f32, inout>) grid(h in H) warps(4) {
  %p = sm.program_id
  %v = sm.load %x[%p] dims [] : !tile.global<[H] x f32, inout>, index -> f32
  sm.store %v to %x[%p] dims [] : f32, !tile.global<[H] x f32, inout>, index
}
