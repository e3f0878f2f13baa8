// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// The names of parameters and axes are part of the kernel and survive printing,
// also through the generic form.
// CHECK-LABEL: tile.kernel @names(%query: !tile.global<[B, M, 64] x bf16>, %scale: f32, %count: index,
// CHECK-SAME:      %out: !tile.global<[count, M floordiv 2 + 1] x f32, out>)
// CHECK-SAME:      grid(%row in tiles(M, 96), %batch in B, %part in count)
// CHECK-SAME:      schedule<warpgroups = 3, stages = 2, cluster = [2, 1], registers = 160, exchange = 2, late_stores = true, pingpong = true, persistent = true>
// CHECK-SAME:      attributes {tile.no_fold_exp2} {
tile.kernel @names(%query: !tile.global<[B, M, 64] x bf16>, %scale: f32, %count: index,
                   %out: !tile.global<[count, (M floordiv 2) + 1] x f32, out>)
    grid(%row in tiles(M, 96), %batch in B, %part in count)
    schedule<persistent = true, warpgroups = 3, stages = 2, cluster = [2, 1], registers = 160, exchange = 2, late_stores = true, pingpong = true>
    attributes {tile.no_fold_exp2} {
  // CHECK: tile.start %row
  %s = tile.start %row : !tile.range<96 of M>
}

// CHECK-LABEL: tile.kernel @warps
// CHECK-SAME:      schedule<warps = 2, registers = 64>
tile.kernel @warps() grid() schedule<registers = 64, warps = 2> {
}

// Numbered arguments get names from their positions.
// CHECK-LABEL: tile.kernel @numbered(%arg0: f32, %arg1: f32) grid(%axis0 in 4)
tile.kernel @numbered(%0: f32, %1: f32) grid(%2 in 4) {
}

// CHECK-LABEL: tile.kernel @sizes
tile.kernel @sizes(%a: !tile.global<[M, N] x f32>) grid() {
  // CHECK: %M = tile.size M
  // CHECK: tile.size N - M * 3
  %0 = tile.size M
  %1 = tile.size N - 3 * M
}

// CHECK-LABEL: tile.kernel @access
tile.kernel @access(%x: !tile.global<[N] x f8E4M3FN>, %b: !tile.global<[N] x i1, inout>) grid(%n in tiles(N, 7)) {
  // CHECK: tile.load %x[%n] fill({{.*}} : f8E4M3FN) in_bounds [true]
  %0 = tile.load %x[%n] fill(1.0 : f8E4M3FN) in_bounds [true] : !tile.global<[N] x f8E4M3FN>, !tile.range<7 of N> -> tensor<7xf8E4M3FN>
  %1 = tile.load %b[%n] : !tile.global<[N] x i1, inout>, !tile.range<7 of N> -> tensor<7xi1>
  // CHECK: tile.store %{{.*}} to %b[%n] in_bounds [false]
  tile.store %1 to %b[%n] in_bounds [false] : tensor<7xi1>, !tile.global<[N] x i1, inout>, !tile.range<7 of N>
}

// CHECK-LABEL: tile.kernel @combiners
tile.kernel @combiners() grid() {
  %f = arith.constant dense<1.0> : tensor<4x8xf32>
  %i = arith.constant dense<true> : tensor<4x8xi1>
  // CHECK: %[[R:.*]]:2 = tile.reduce_with %{{.*}}, %{{.*}} axis 1 : (tensor<4x8xf32>, tensor<4x8xi1>) -> (tensor<4xf32>, tensor<4xi1>) {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[P:.*]]: i1, %[[B:.*]]: f32, %[[Q:.*]]: i1):
  // CHECK-NEXT: %[[S:.*]] = arith.select %[[Q]], %[[B]], %[[A]] : f32
  // CHECK-NEXT: tile.yield %[[S]], %[[P]] : f32, i1
  // CHECK-NEXT: }
  %r:2 = tile.reduce_with %f, %i axis 1 : (tensor<4x8xf32>, tensor<4x8xi1>) -> (tensor<4xf32>, tensor<4xi1>) {
  ^bb0(%a: f32, %p: i1, %b: f32, %q: i1):
    %s = arith.select %q, %b, %a : f32
    tile.yield %s, %p : f32, i1
  }
  // CHECK: tile.scan_with %{{.*}} axis 0 reverse {tag} : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  %t = tile.scan_with %f axis 0 reverse {tag} : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %b : f32
  }
}

// CHECK-LABEL: tile.kernel @debug
tile.kernel @debug() grid() {
  %t = arith.constant dense<true> : tensor<4xi1>
  %c0 = arith.constant 0 : index
  // CHECK: tile.check %{{.*}}, "text" : tensor<4xi1>
  tile.check %t, "text" : tensor<4xi1>
  // CHECK: tile.print "text" %{{.*}}, %{{.*}} unsigned [false, true] : tensor<4xi1>, index
  tile.print "text" %t, %c0 unsigned [false, true] : tensor<4xi1>, index
  // CHECK: tile.print "text" unsigned []
  tile.print "text" unsigned []
}

// CHECK-LABEL: tile.kernel @asm
tile.kernel @asm() grid() {
  %f = arith.constant dense<1.0> : tensor<4xf32>
  %i = arith.constant 3 : i32
  // CHECK: tile.asm "add.f32 $0, $1, $2;" %{{.*}}, %{{.*}} {tag} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = tile.asm "add.f32 $0, $1, $2;" %f, %f {tag} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tile.asm "neg.s32 $0, $1;\0A" %{{.*}} : (i32) -> i32
  %n = tile.asm "neg.s32 $0, $1;\0A" %i : (i32) -> i32
}
