// RUN: tile-opt %s --tile-to-sm | FileCheck %s
// RUN: tile-opt %s --tile-to-sm=raster-group=1 | FileCheck %s --check-prefix=PLAIN

// The first axis is the fastest; the last one takes what is left.
// CHECK-LABEL: sm.kernel @axes
// CHECK-SAME:  grid(m in tiles(M, 16), h in H, b in 3) warps(4)
// CHECK:       %[[COUNT:.*]] = tile.size M ceildiv 16
// CHECK:       %[[P:.*]] = sm.program_id
// CHECK-NEXT:  %[[M:.*]] = arith.remui %[[P]], %[[COUNT]] : index
// CHECK-NEXT:  %[[REST:.*]] = arith.divui %[[P]], %[[COUNT]] : index
// CHECK-NEXT:  %[[H:.*]] = arith.remui %[[REST]], %H : index
// CHECK-NEXT:  %[[B:.*]] = arith.divui %[[REST]], %H : index
// CHECK:       %[[START:.*]] = arith.muli %[[M]], %c16 : index
// CHECK:       sm.load %x[%[[B]], %[[H]], %[[START]]]
tile.kernel @axes(%x: !tile.global<[3, H, M] x f32>, %y: !tile.global<[3, H, M] x f32, out>)
    grid(%m in tiles(M, 16), %h in H, %b in 3) {
  %t = tile.load %x[%b, %h, %m] in_bounds [true, true, false] : !tile.global<[3, H, M] x f32>, index, index, !tile.range<16 of M> -> tensor<16xf32>
  tile.store %t to %y[%b, %h, %m] in_bounds [true, true, false] : tensor<16xf32>, !tile.global<[3, H, M] x f32, out>, index, index, !tile.range<16 of M>
}

// Programs of a product walk bands along the first axis: 16 tiles of 16 rows beside 8 tiles of 32
// columns are what 132 multiprocessors do at a time.
// CHECK-LABEL: sm.kernel @bands
// CHECK-DAG:   %[[MS:.*]] = tile.size M ceildiv 16
// CHECK-DAG:   %[[NS:.*]] = tile.size N ceildiv 32
// CHECK-DAG:   %[[P:.*]] = sm.program_id
// CHECK:       %[[TILES:.*]] = arith.minsi %[[MS]], %c16 : index
// CHECK-NEXT:  %[[BAND:.*]] = arith.muli %[[TILES]], %[[NS]] : index
// CHECK-NEXT:  %[[GROUP:.*]] = arith.divui %[[P]], %[[BAND]] : index
// CHECK-NEXT:  %[[FIRST:.*]] = arith.muli %[[GROUP]], %[[TILES]] : index
// CHECK-NEXT:  %[[LEFT:.*]] = arith.subi %[[MS]], %[[FIRST]] : index
// CHECK-NEXT:  %[[WIDTH:.*]] = arith.minsi %[[LEFT]], %[[TILES]] : index
// CHECK-NEXT:  %[[IN:.*]] = arith.remui %[[P]], %[[BAND]] : index
// CHECK-NEXT:  %[[OFFSET:.*]] = arith.remui %[[IN]], %[[WIDTH]] : index
// CHECK-NEXT:  %[[M:.*]] = arith.addi %[[FIRST]], %[[OFFSET]] : index
// CHECK-NEXT:  %[[N:.*]] = arith.divui %[[IN]], %[[WIDTH]] : index
// CHECK:       arith.muli %[[M]], %c16 : index
// CHECK:       arith.muli %[[N]], %c32 : index
// PLAIN-LABEL: sm.kernel @bands
// PLAIN:       %[[MS:.*]] = tile.size M ceildiv 16
// PLAIN:       %[[P:.*]] = sm.program_id
// PLAIN-NEXT:  arith.remui %[[P]], %[[MS]] : index
// PLAIN-NEXT:  arith.divui %[[P]], %[[MS]] : index
// PLAIN-NOT:   arith.remui
tile.kernel @bands(%y: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 16), %n in tiles(N, 32)) {
  %a = arith.constant dense<1.0> : tensor<16x8xf32>
  %b = arith.constant dense<1.0> : tensor<8x32xf32>
  %z = arith.constant dense<0.0> : tensor<16x32xf32>
  %s = tile.gemm %a, %b, %z : tensor<16x8xf32>, tensor<8x32xf32> -> tensor<16x32xf32>
  tile.store %s to %y[%m, %n] : tensor<16x32xf32>, !tile.global<[M, N] x f32, out>, !tile.range<16 of M>, !tile.range<32 of N>
}

// CHECK-LABEL: sm.kernel @one() grid() warps(4) {
// CHECK-NEXT:  }
tile.kernel @one() grid() {
}
