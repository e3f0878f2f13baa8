// The loops, buffers and checks of each kind of operation. test/Host executes them.
// RUN: tile-opt %s --tile-to-host --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --tile-to-host='lanes=16' --canonicalize --cse | FileCheck %s --check-prefix=WIDE

// A product keeps 4 rows of two vectors in registers: 8 multiply-adds per step.
// CHECK-LABEL: func.func @product
// CHECK-SAME: attributes {tile.arena_bytes = {{[0-9]+}} : i64
// CHECK: memref.view %{{.*}} : memref<?xi8> to memref<8x16xf32>
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-8: math.fma %{{.*}} : vector<8xf32>
// CHECK: scf.yield
// WIDE-LABEL: func.func @product
// WIDE-COUNT-8: math.fma %{{.*}} : vector<16xf32>
tile.kernel @product(%a: !tile.global<[8, 4] x f32>, %b: !tile.global<[4, 16] x f32>, %c: !tile.global<[8, 16] x f32, inout>) grid() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %m = tile.range %c0 to %c8 : !tile.range<8>
  %k = tile.range %c0 to %c4 : !tile.range<4>
  %n = tile.range %c0 to %c16 : !tile.range<16>
  %x = tile.load %a[%m, %k] : !tile.global<[8, 4] x f32>, !tile.range<8>, !tile.range<4> -> tensor<8x4xf32>
  %y = tile.load %b[%k, %n] : !tile.global<[4, 16] x f32>, !tile.range<4>, !tile.range<16> -> tensor<4x16xf32>
  %z = arith.constant dense<0.0> : tensor<8x16xf32>
  %s = tile.gemm %x, %y, %z : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  tile.store %s to %c[%m, %n] : tensor<8x16xf32>, !tile.global<[8, 16] x f32, inout>, !tile.range<8>, !tile.range<16>
}

// A chain of elementwise operations is one loop; only the load has a buffer of its own. A full tile is stored without
// masks, and each store marks the elements of an output.
// CHECK-LABEL: func.func @chain
// CHECK: %[[X:.*]] = vector.load
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[X]], %[[X]] : vector<8xf32>
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[SUM]], {{.*}} : vector<8xf32>
// CHECK-NEXT: vector.store %[[PRODUCT]]
// CHECK: llvm.store {{.*}} : vector<8xf32>, !llvm.ptr
// CHECK: llvm.intr.masked.store {{.*}} : vector<8xf32>, vector<8xi1> into !llvm.ptr
// CHECK: llvm.store {{.*}} : vector<8xi8>, !llvm.ptr
tile.kernel @chain(%x: !tile.global<[N] x f32>, %y: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 64)) {
  %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
  %two = arith.constant dense<2.0> : tensor<64xf32>
  %s = arith.addf %t, %t : tensor<64xf32>
  %p = arith.mulf %s, %two : tensor<64xf32>
  tile.store %p to %y[%n] : tensor<64xf32>, !tile.global<[N] x f32, out>, !tile.range<64 of N>
}

// A sum of floats keeps its order: 8 rows advance together. A maximum is a vector of partial results.
// CHECK-LABEL: func.func @reductions
// CHECK: scf.for {{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32)
// CHECK: vector.reduction <maximumf>, {{.*}} : vector<8xf32> into f32
tile.kernel @reductions(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, inout>, %z: !tile.global<[M] x f32, inout>)
    grid(%m in tiles(M, 8), %n in tiles(N, 64)) {
  %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<8 of M>, !tile.range<64 of N> -> tensor<8x64xf32>
  %s = tile.reduce sum %t axis 1 : tensor<8x64xf32> -> tensor<8xf32>
  %r = tile.reduce max %t axis 1 : tensor<8x64xf32> -> tensor<8xf32>
  tile.store %s to %y[%m] : tensor<8xf32>, !tile.global<[M] x f32, inout>, !tile.range<8 of M>
  tile.store %r to %z[%m] : tensor<8xf32>, !tile.global<[M] x f32, inout>, !tile.range<8 of M>
}

// A carried tile has one buffer, which an elementwise sum replaces directly.
// CHECK-LABEL: func.func @carried
// CHECK: %[[TOTAL:.*]] = memref.view
// CHECK: scf.for
// CHECK: %[[OLD:.*]] = vector.load %[[TOTAL]]
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]]
// CHECK: vector.store %[[NEW]], %[[TOTAL]]
tile.kernel @carried(%x: !tile.global<[N] x f32>, %y: !tile.global<[8] x f32, inout>) grid() {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %size = tile.size N
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %sum = scf.for %i = %c0 to %size step %c8 iter_args(%total = %zero) -> tensor<8xf32> {
    %n = tile.range %i to %size : !tile.range<8 of N>
    %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<8 of N> -> tensor<8xf32>
    %next = arith.addf %total, %t : tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  %all = tile.range %c0 to %c8 : !tile.range<8>
  tile.store %sum to %y[%all] : tensor<8xf32>, !tile.global<[8] x f32, inout>, !tile.range<8>
}

// Programs that add to elements in memory run in order. bf16 has 16 bits in memory, and sums are rounded.
// CHECK-LABEL: func.func @additions
// CHECK-SAME: tile.ordered
// CHECK: llvm.load {{.*}} : !llvm.ptr -> vector<8xi16>
// CHECK: arith.shli
// CHECK: arith.addf
// CHECK: arith.trunci {{.*}} : vector<8xi32> to vector<8xi16>
tile.kernel @additions(%y: !tile.global<[N] x bf16, inout>) grid(%n in tiles(N, 8)) {
  %one = arith.constant dense<1.0> : tensor<8xbf16>
  tile.atomic add %one to %y[%n] : tensor<8xbf16>, !tile.global<[N] x bf16, inout>, !tile.range<8 of N>
}

// A division by zero sets the word of failures, and computes with another divisor.
// CHECK-LABEL: func.func @division
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[Y:.*]], %{{.*}} : vector<8xi32>
// CHECK: %[[DIVISOR:.*]] = arith.select %[[ZERO]], %{{.*}}, %[[Y]]
// CHECK: vector.reduction <or>, %[[ZERO]]
// CHECK: arith.divui %{{.*}}, %[[DIVISOR]]
// CHECK: llvm.store {{.*}} : i64, !llvm.ptr
tile.kernel @division(%x: !tile.global<[N] x i32>, %y: !tile.global<[N] x i32, inout>) grid(%n in tiles(N, 8)) {
  %a = tile.load %x[%n] : !tile.global<[N] x i32>, !tile.range<8 of N> -> tensor<8xi32>
  %b = tile.load %y[%n] : !tile.global<[N] x i32, inout>, !tile.range<8 of N> -> tensor<8xi32>
  %q = arith.divui %a, %b : tensor<8xi32>
  tile.store %q to %y[%n] : tensor<8xi32>, !tile.global<[N] x i32, inout>, !tile.range<8 of N>
}
