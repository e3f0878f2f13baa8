// RUN: tile-opt %s --tile-to-sm=remarks --verify-diagnostics | FileCheck %s

// The clusters of an axis are its programs; their CTAs take neighbouring tiles. Bands have as many
// tiles as without clusters.

// CHECK-LABEL: sm.kernel @pairs
// CHECK-SAME:  warps(4) cluster(2) schedule
// CHECK-DAG:   %[[MS:.*]] = tile.size M ceildiv 16 ceildiv 2
// CHECK-DAG:   %[[NS:.*]] = tile.size N ceildiv 32
// CHECK-DAG:   sm.program_id
// CHECK:       %[[TILES:.*]] = arith.minsi %[[MS]], %c8 : index
// CHECK-NEXT:  %[[BAND:.*]] = arith.muli %[[TILES]], %[[NS]] : index
// CHECK:       %[[PAIR:.*]] = arith.addi
// CHECK:       %[[FIRST:.*]] = arith.muli %[[PAIR]], %c2 : index
// CHECK:       %[[RANK:.*]] = sm.cta_rank
// CHECK:       %[[M:.*]] = arith.addi %[[FIRST]], %[[RANK]] : index
// CHECK:       arith.muli %[[M]], %c16 : index
tile.kernel @pairs(%a: !tile.global<[M, 64] x f32>, %b: !tile.global<[64, N] x f32>, %c: !tile.global<[M, N] x f32, out>)
    grid(%m in tiles(M, 16), %n in tiles(N, 32)) schedule<cluster = [2]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %d = tile.range %c0 to %c64 : !tile.range<64>
  %x = tile.load %a[%m, %d] : !tile.global<[M, 64] x f32>, !tile.range<16 of M>, !tile.range<64> -> tensor<16x64xf32>
  %y = tile.load %b[%d, %n] : !tile.global<[64, N] x f32>, !tile.range<64>, !tile.range<32 of N> -> tensor<64x32xf32>
  %z = arith.constant dense<0.0> : tensor<16x32xf32>
  // expected-remark@+3 {{the product}}
  // expected-warning@+2 {{this product of f32, 16x32x64, runs as multiply-adds}}
  // expected-note@+1 {{tensor cores multiply operands `as tf32`}}
  %s = tile.gemm %x, %y, %z : tensor<16x64xf32>, tensor<64x32xf32> -> tensor<16x32xf32>
  tile.store %s to %c[%m, %n] : tensor<16x32xf32>, !tile.global<[M, N] x f32, out>, !tile.range<16 of M>, !tile.range<32 of N>
}

// CHECK-LABEL: sm.kernel @second
// CHECK-SAME:  cluster(1, 4)
tile.kernel @second(%x: !tile.global<[8, M] x f32>, %y: !tile.global<[8, M] x f32, out>)
    grid(%m in tiles(M, 16), %h in 8) schedule<cluster = [1, 4]> {
  %t = tile.load %x[%h, %m] in_bounds [true, false] : !tile.global<[8, M] x f32>, index, !tile.range<16 of M> -> tensor<16xf32>
  tile.store %t to %y[%h, %m] in_bounds [true, false] : tensor<16xf32>, !tile.global<[8, M] x f32, out>, index, !tile.range<16 of M>
}

// CHECK-NOT: cluster({{[0-9]}}

// expected-warning @below {{`cluster` is not done, CTAs form no clusters: the programs along 'h' may be no multiple of 2, and nothing clips what is past the last one [no-cluster]}}
// expected-note @below {{sizes in multiples of whole clusters, as `M = 64 * N`, permit them}}
tile.kernel @index(%x: !tile.global<[H] x f32>) grid(%h in H) schedule<cluster = [2]> {
}

// expected-warning @below {{`cluster` is not done, CTAs form no clusters: the programs along 'm' may be no multiple of 2, and whole tiles are not clipped [no-cluster]}}
// expected-note @below {{sizes in multiples of whole clusters, as `M = 64 * N`, permit them}}
tile.kernel @whole(%x: !tile.global<[16 * M] x f32>, %y: !tile.global<[M] x f32>) grid(%m in tiles(16 * M, 16)) schedule<cluster = [2]> {
}

// expected-warning @below {{`cluster` is not done, CTAs form no clusters: the programs along 'm' may be no multiple of 2, and loads of single elements are not clipped [no-cluster]}}
// expected-note @below {{sizes in multiples of whole clusters, as `M = 64 * N`, permit them}}
tile.kernel @single(%x: !tile.global<[M] x f32>, %y: !tile.global<[M] x f32, out>, %i: index)
    grid(%m in tiles(M, 16)) schedule<cluster = [2]> {
  %v = tile.load %x[%i] in_bounds [true] : !tile.global<[M] x f32>, index -> f32
  tile.store %v to %y[%i] in_bounds [true] : f32, !tile.global<[M] x f32, out>, index
}

// A CTA that waits for a lock would keep the slots that the CTA with the lock needs.
// expected-warning @below {{`cluster` is not done, CTAs form no clusters: its programs may wait for each other [no-cluster]}}
// expected-note @below {{atomic operations without `acquire` permit them}}
tile.kernel @waits(%l: !tile.global<[32 * M] x i32, inout>, %M: index) grid(%m in tiles(32 * M, 16)) schedule<cluster = [2]> {
  %t = arith.constant dense<1> : tensor<16xi32>
  %old = tile.atomic exchange %t to %l[%m] order acquire : tensor<16xi32>, !tile.global<[32 * M] x i32, inout>, !tile.range<16> -> tensor<16xi32>
}

// A sum over the programs of the axis would have the share of those past its end.
// expected-warning @below {{`cluster` is not done, CTAs form no clusters: the programs along 'm' may be no multiple of 2, and stores outside of this axis are not clipped [no-cluster]}}
// expected-note @below {{sizes in multiples of whole clusters, as `M = 64 * N`, permit them}}
tile.kernel @sum(%x: !tile.global<[N] x f32>, %y: !tile.global<[N] x f32, inout>, %M: index)
    grid(%m in tiles(M, 16), %n in tiles(N, 16)) schedule<cluster = [2]> {
  %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<16 of N> -> tensor<16xf32>
  tile.atomic add %t to %y[%n] : tensor<16xf32>, !tile.global<[N] x f32, inout>, !tile.range<16 of N>
}
