// RUN: tile-opt %s --tile-lower-checks=keep=true | FileCheck %s

// Without checks and prints there is no buffer.
// CHECK-LABEL: tile.kernel @none(
// CHECK-SAME: %x: !tile.global<[N] x f32>) grid
tile.kernel @none(%x: !tile.global<[N] x f32>) grid(%n in tiles(N, 64)) {
}

// The buffer has a name of its own. A store that does not apply is at -1.
// CHECK-LABEL: tile.kernel @check(
// CHECK-SAME: %reports: !tile.global<[N] x f32>, %reports_: !tile.global<[2130706432] x i64, inout>)
// CHECK-SAME: tile.reports = "{\22axes\22:[{\22count\22:\22N ceildiv 8\22,\22name\22:\22n\22},{\22count\22:\224\22,\22name\22:\22b\22}],\22checks\22:[{{.*}}\22shape\22:[8],\22text\22:\22positive\22},{{.*}}\22text\22:\22scalar\22}],\22prints\22:[]}"
tile.kernel @check(%reports: !tile.global<[N] x f32>) grid(%n in tiles(N, 8), %b in 4) {
  // CHECK: %[[WORDS:.*]] = tile.load %reports_[%{{.*}}]
  // CHECK: %[[W:.*]] = arith.index_cast %[[WORDS]] : i64 to index
  // CHECK: %[[COUNT:.*]] = tile.size N ceildiv 8
  // CHECK: %[[B:.*]] = arith.muli %b, %[[COUNT]] : index
  // CHECK: %[[P:.*]] = arith.addi %{{.*}}, %[[B]] : index
  // CHECK: arith.muli %[[P]], %[[W]] : index
  // CHECK: %[[HOLDS:.*]] = arith.cmpf
  // CHECK: %[[FIRST:.*]] = arith.select %[[HOLDS]]
  // CHECK: tile.reduce min %[[FIRST]] axis 0
  // CHECK: %[[PLACE:.*]] = arith.select %{{.*}}, %c-1{{.*}}, %{{.*}} : index
  // CHECK: tile.store %{{.*}} to %reports_[%[[PLACE]]] : i64
  // CHECK-NOT: tile.check
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %t = tile.load %reports[%n] : !tile.global<[N] x f32>, !tile.range<8 of N> -> tensor<8xf32>
  %c = arith.cmpf oge, %t, %zero : tensor<8xf32>
  tile.check %c, "positive" : tensor<8xi1>
  %c2 = arith.constant 2 : index
  %s = arith.cmpi slt, %b, %c2 : index
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
  // CHECK-NEXT: tile.store
  tile.check %s, "scalar" : i1
}

// CHECK-LABEL: tile.kernel @print(
// CHECK-SAME: \22prints\22:[{{.*}}\22text\22:\22values\22,\22values\22:[{\22kind\22:\22float\22,\22shape\22:[2,4]},{\22kind\22:\22uint\22},{\22kind\22:\22int\22},{\22kind\22:\22bool\22}]}]
tile.kernel @print(%i: i8, %b: i1, %n: index) grid() {
  // CHECK: tile.barrier
  // CHECK: tile.load %reports
  // CHECK-COUNT-4: tile.store %{{.*}} to %reports
  // CHECK-NOT: tile.print
  %t = arith.constant dense<1.0> : tensor<2x4xf16>
  tile.print "values" %t, %i, %n, %b unsigned [false, true, false, false] : tensor<2x4xf16>, i8, index, i1
}
