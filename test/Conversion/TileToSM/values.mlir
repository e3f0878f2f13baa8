// RUN: tile-opt %s --tile-to-sm | FileCheck %s

// A tile without dimensions becomes a scalar.
// CHECK-DAG:   #[[SCALAR:.*]] = #sm.layout<"scalar = lane[32*()] warp[4*()]">
// CHECK-LABEL: sm.kernel @scalars
// CHECK:       %[[Q:.*]] = sm.reduce max %{{.*}} axis 0 : {{.*}} -> tensor<f32, #[[SCALAR]]>
// CHECK:       %[[E:.*]] = tensor.extract %[[Q]][] : tensor<f32, #[[SCALAR]]>
// CHECK:       %[[F:.*]] = arith.mulf %[[E]], %{{.*}} : f32
// CHECK:       tensor.splat %[[F]]
// CHECK:       sm.store %[[F]] to %s[%{{.*}}] dims [] mask(%{{.*}}) : f32
tile.kernel @scalars(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M, N] x f32, out>, %s: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16), %n in tiles(N, 64)) {
  %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
  %r = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
  %q = tile.reduce max %r axis 0 : tensor<16xf32> -> tensor<f32>
  %e = tensor.extract %q[] : tensor<f32>
  %two = arith.constant 2.0 : f32
  %f = arith.mulf %e, %two : f32
  %sp = tensor.splat %f : tensor<16x64xf32>
  %o = arith.mulf %t, %sp : tensor<16x64xf32>
  tile.store %o to %y[%m, %n] : tensor<16x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<16 of M>, !tile.range<64 of N>
  %i = tile.start %m : !tile.range<16 of M>
  tile.store %f to %s[%i] : f32, !tile.global<[M] x f32, out>, index
}

// Ranges are pairs, wherever they go; tiles keep one layout around a loop.
// CHECK-LABEL: sm.kernel @loops
// CHECK:       %[[R:.*]]:2 = scf.if %c -> (index, index)
// CHECK:         scf.yield %c0, %N : index, index
// CHECK:         scf.yield %c64, %N : index, index
// CHECK:       %[[W:.*]]:4 = scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %c0, %{{.*}} = %[[R]]#0, %{{.*}} = %[[R]]#1) : (tensor<64x64xf32, #[[T:.*]]>, index, index, index) -> (tensor<64x64xf32, #[[T]]>, index, index, index)
// CHECK:         sm.transpose %{{.*}} : tensor<64x64xf32, #{{.*}}> -> tensor<64x64xf32, #[[T]]>
// CHECK:         arith.addf %{{.*}} : tensor<64x64xf32, #[[T]]>
// CHECK:       %[[ABOVE:.*]] = arith.maxsi %[[W]]#3, %c0 : index
// CHECK:       arith.minsi %[[ABOVE]], %N : index
// CHECK:       sm.store %[[W]]#0 to %y[%{{.*}}, %[[W]]#2]
// CHECK-NOT:   sm.convert
tile.kernel @loops(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M, N] x f32, out>, %c: i1) grid(%m in tiles(M, 64), %k in N) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %r0 = tile.range %c0 to %N : !tile.range<64>
  %r1 = tile.range %c64 to %N : !tile.range<64>
  %r2 = scf.if %c -> (!tile.range<64>) {
    scf.yield %r0 : !tile.range<64>
  } else {
    scf.yield %r1 : !tile.range<64>
  }
  %w:3 = scf.while (%a = %z, %i = %c0, %r = %r2) : (tensor<64x64xf32>, index, !tile.range<64>) -> (tensor<64x64xf32>, index, !tile.range<64>) {
    %go = arith.cmpi slt, %i, %N : index
    scf.condition(%go) %a, %i, %r : tensor<64x64xf32>, index, !tile.range<64>
  } do {
  ^bb0(%a: tensor<64x64xf32>, %i: index, %r: !tile.range<64>):
    %t = tile.load %x[%m, %r] : !tile.global<[M, N] x f32>, !tile.range<64 of M>, !tile.range<64> -> tensor<64x64xf32>
    %tt = tile.transpose %t : tensor<64x64xf32> -> tensor<64x64xf32>
    %b = arith.addf %a, %tt : tensor<64x64xf32>
    %j = arith.addi %i, %c64 : index
    %r3 = tile.shift %r by %c64 : !tile.range<64>
    scf.yield %b, %j, %r3 : tensor<64x64xf32>, index, !tile.range<64>
  }
  tile.store %w#0 to %y[%m, %w#2] : tensor<64x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<64 of M>, !tile.range<64>
}

// What an `if` that yields a range is folded to.
// CHECK-LABEL: sm.kernel @chosen_range
// CHECK:       %[[N:.*]] = tile.size N
// CHECK:       %[[START:.*]] = arith.select %c, %c0{{.*}}, %c64{{.*}} : index
// CHECK:       %[[LIMIT:.*]] = arith.select %c, %[[N]], %c7{{.*}} : index
// CHECK:       %[[ABOVE:.*]] = arith.maxsi %[[LIMIT]], %c0{{.*}} : index
// CHECK:       %[[BELOW:.*]] = arith.minsi %[[ABOVE]], %[[N]] : index
// CHECK:       sm.load %x[%[[START]]] {{.*}} limits(%[[BELOW]])
tile.kernel @chosen_range(%x: !tile.global<[N] x f32>, %y: !tile.global<[64] x f32, out>, %c: i1) grid() {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %r0 = tile.range %c0 to %N : !tile.range<64>
  %r1 = tile.range %c64 to %c7 : !tile.range<64>
  %r = arith.select %c, %r0, %r1 : !tile.range<64>
  %t = tile.load %x[%r] : !tile.global<[N] x f32>, !tile.range<64> -> tensor<64xf32>
  %all = tile.range %c0 to %c64 : !tile.range<64>
  tile.store %t to %y[%all] : tensor<64xf32>, !tile.global<[64] x f32, out>, !tile.range<64>
}

// Positions, and what is computed from them alone, are made where they are used.
// CHECK-LABEL: sm.kernel @orders
// CHECK-NOT:   sm.convert
// CHECK:       sm.transpose %{{.*}} -> tensor<32x64xf32, #[[T:.*]]>
// CHECK:       sm.broadcast %{{.*}} -> tensor<32x64xf32, #[[T]]>
// CHECK-NOT:   sm.convert
tile.kernel @orders(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[N, M] x f32, out>) grid(%m in tiles(M, 64), %n in tiles(N, 32)) {
  %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<64 of M>, !tile.range<32 of N> -> tensor<64x32xf32>
  %i = tile.iota : tensor<64xi32>
  %p = tile.transpose %t : tensor<64x32xf32> -> tensor<32x64xf32>
  %f = arith.sitofp %i : tensor<64xi32> to tensor<64xf32>
  %e = tile.expand_dims %f axis 0 : tensor<64xf32> -> tensor<1x64xf32>
  %b = tile.broadcast %e : tensor<1x64xf32> -> tensor<32x64xf32>
  %q = arith.addf %p, %b : tensor<32x64xf32>
  tile.store %q to %y[%n, %m] : tensor<32x64xf32>, !tile.global<[N, M] x f32, out>, !tile.range<32 of N>, !tile.range<64 of M>
}

// Partial results of an extent with an odd factor: each thread goes through every eighth element.
// CHECK-LABEL: sm.kernel @odd
// CHECK:       sm.reduce sum %{{.*}} axis 1 keep 8 : tensor<4x24x64xf32, {{.*}}> -> tensor<4x8x64xf32
tile.kernel @odd(%x: !tile.global<[B, 24, N] x f32>, %y: !tile.global<[B, 8, N] x f32, out>) grid(%b in tiles(B, 4), %n in tiles(N, 64)) schedule<warpgroups = 3> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %k = tile.range %c0 to %c24 : !tile.range<24>
  %e = tile.range %c0 to %c8 : !tile.range<8>
  %t = tile.load %x[%b, %k, %n] : !tile.global<[B, 24, N] x f32>, !tile.range<4 of B>, !tile.range<24>, !tile.range<64 of N> -> tensor<4x24x64xf32>
  %r = tile.reduce sum %t axis 1 keep 8 : tensor<4x24x64xf32> -> tensor<4x8x64xf32>
  tile.store %r to %y[%b, %e, %n] : tensor<4x8x64xf32>, !tile.global<[B, 8, N] x f32, out>, !tile.range<4 of B>, !tile.range<8>, !tile.range<64 of N>
}

// What is known of the length of a loop stays known.
// CHECK-LABEL: sm.kernel @counted
// CHECK:       scf.for
// CHECK:       } {tile.max_trip_count = 2 : i64}
tile.kernel @counted(%x: !tile.global<[M] x f32, inout>) grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.size M
  %t = tile.load %x[%m] : !tile.global<[M] x f32, inout>, !tile.range<64 of M> -> tensor<64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %t) -> (tensor<64xf32>) {
    %d = arith.addf %s, %s : tensor<64xf32>
    scf.yield %d : tensor<64xf32>
  } {tile.max_trip_count = 2 : i64}
  tile.store %r to %x[%m] : tensor<64xf32>, !tile.global<[M] x f32, inout>, !tile.range<64 of M>
}
