// RUN: tile-opt %s -tile-guard-masks -canonicalize -cse | FileCheck %s

// A mask of the program, and one that moves by a block in each iteration (Q of them): one branch for both.

// CHECK-LABEL: tile.kernel @gradients
// CHECK:       scf.for
// CHECK-NOT:     tile.valid
// CHECK:         %[[S:.*]] = tile.gemm
// CHECK-NOT:     tile.indices
// CHECK:         %[[SEES:.*]] = arith.cmpi sge
// CHECK:         %[[LIMIT:.*]] = tile.limit %n
// CHECK:         arith.subi %[[LIMIT]],
// CHECK:         %[[FULL:.*]] = arith.cmpi sge
// CHECK:         %[[BOTH:.*]] = arith.andi %[[SEES]], %[[FULL]]
// CHECK:         scf.if %[[BOTH]]
// CHECK-NEXT:      scf.yield %[[S]]
// CHECK-NEXT:    } else {
// CHECK:           %[[P:.*]] = arith.select {{.*}}, %[[S]],
// CHECK:           arith.select {{.*}}, %[[P]],
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NOT:     scf.if
tile.kernel @gradients(%x: !tile.global<[N, 64] x bf16>, %y: !tile.global<[M, 64] x bf16>,
                       %z: !tile.global<[N, 64] x f32, out>) grid(%n in tiles(N, 64)) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %Q = arith.constant 100 : index
  %M = tile.size M
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.range %c0 to %c64 full : !tile.range<64>
  %a = tile.load %x[%n, %d] : !tile.global<[N, 64] x bf16>, !tile.range<64 of N>, !tile.range<64> -> tensor<64x64xbf16>
  %r = scf.for %i = %c0 to %Q step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %start = arith.muli %i, %c64 : index
    %m = tile.range %start to %M : !tile.range<64 of M>
    %b = tile.load %y[%m, %d] : !tile.global<[M, 64] x bf16>, !tile.range<64 of M>, !tile.range<64> -> tensor<64x64xbf16>
    %s = tile.gemm %a, %b, %zero transpose_b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %v = tile.valid %n : !tile.range<64 of N> -> tensor<64xi1>
    %v1 = tile.expand_dims %v axis 1 : tensor<64xi1> -> tensor<64x1xi1>
    %v2 = tile.broadcast %v1 : tensor<64x1xi1> -> tensor<64x64xi1>
    %p = arith.select %v2, %s, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %mi = tile.indices %m : !tile.range<64 of M> -> tensor<64xi32>
    %m1 = tile.expand_dims %mi axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %m2 = tile.broadcast %m1 : tensor<1x64xi32> -> tensor<64x64xi32>
    %ni = tile.indices %n : !tile.range<64 of N> -> tensor<64xi32>
    %n1 = tile.expand_dims %ni axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %n2 = tile.broadcast %n1 : tensor<64x1xi32> -> tensor<64x64xi32>
    %sees = arith.cmpi sge, %m2, %n2 : tensor<64x64xi32>
    %q = arith.select %sees, %p, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %sum = arith.addf %acc, %q : tensor<64x64xf32>
    scf.yield %sum : tensor<64x64xf32>
  }
  tile.store %r to %z[%n, %d] : tensor<64x64xf32>, !tile.global<[N, 64] x f32, out>, !tile.range<64 of N>, !tile.range<64>
}

// Sums of positions that may leave 32 bits are asked, too.

// CHECK-LABEL: tile.kernel @far
// CHECK-DAG:     arith.constant 2147483648 : index
// CHECK-DAG:     arith.constant 2147483584 : index
// CHECK:       scf.for
// CHECK:         arith.andi
// CHECK:         scf.if
tile.kernel @far(%x: !tile.global<[N, 64] x bf16>, %q: i32, %z: !tile.global<[N, 64] x f32, out>) grid(%n in tiles(N, 64)) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.range %c0 to %c64 full : !tile.range<64>
  %a = tile.load %x[%n, %d] : !tile.global<[N, 64] x bf16>, !tile.range<64 of N>, !tile.range<64> -> tensor<64x64xbf16>
  %far = tensor.splat %q : tensor<64xi32>
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %s = tile.gemm %a, %a, %acc transpose_b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %ni = tile.indices %n : !tile.range<64 of N> -> tensor<64xi32>
    %sum = arith.addi %ni, %far : tensor<64xi32>
    %di = tile.indices %d : !tile.range<64> -> tensor<64xi32>
    %n1 = tile.expand_dims %sum axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %n2 = tile.broadcast %n1 : tensor<64x1xi32> -> tensor<64x64xi32>
    %d1 = tile.expand_dims %di axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %d2 = tile.broadcast %d1 : tensor<1x64xi32> -> tensor<64x64xi32>
    %above = arith.cmpi sge, %n2, %d2 : tensor<64x64xi32>
    %p = arith.select %above, %s, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    scf.yield %p : tensor<64x64xf32>
  }
  tile.store %r to %z[%n, %d] : tensor<64x64xf32>, !tile.global<[N, 64] x f32, out>, !tile.range<64 of N>, !tile.range<64>
}

// Selections by data stay, and so do those of rows, and all in loops that multiply nothing.

// CHECK-LABEL: tile.kernel @others
// CHECK-NOT:     scf.if
tile.kernel @others(%x: !tile.global<[N, 64] x bf16>, %z: !tile.global<[N, 64] x f32, out>) grid(%n in tiles(N, 64)) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ones = arith.constant dense<1.0> : tensor<64xf32>
  %twos = arith.constant dense<2.0> : tensor<64xf32>
  %d = tile.range %c0 to %c64 full : !tile.range<64>
  %a = tile.load %x[%n, %d] : !tile.global<[N, 64] x bf16>, !tile.range<64 of N>, !tile.range<64> -> tensor<64x64xbf16>
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %s = tile.gemm %a, %a, %acc transpose_b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %above = arith.cmpf ogt, %s, %zero : tensor<64x64xf32>
    %p = arith.select %above, %s, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %valid = tile.valid %n : !tile.range<64 of N> -> tensor<64xi1>
    %row = arith.select %valid, %ones, %twos : tensor<64xi1>, tensor<64xf32>
    %row1 = tile.expand_dims %row axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %row2 = tile.broadcast %row1 : tensor<1x64xf32> -> tensor<64x64xf32>
    %scaled = arith.mulf %p, %row2 : tensor<64x64xf32>
    scf.yield %scaled : tensor<64x64xf32>
  }
  %t = scf.for %i = %c0 to %c64 step %c1 iter_args(%acc = %r) -> (tensor<64x64xf32>) {
    %v = tile.valid %n : !tile.range<64 of N> -> tensor<64xi1>
    %v1 = tile.expand_dims %v axis 1 : tensor<64xi1> -> tensor<64x1xi1>
    %v2 = tile.broadcast %v1 : tensor<64x1xi1> -> tensor<64x64xi1>
    %sum = arith.addf %acc, %acc : tensor<64x64xf32>
    %p = arith.select %v2, %sum, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    scf.yield %p : tensor<64x64xf32>
  }
  tile.store %t to %z[%n, %d] : tensor<64x64xf32>, !tile.global<[N, 64] x f32, out>, !tile.range<64 of N>, !tile.range<64>
}
