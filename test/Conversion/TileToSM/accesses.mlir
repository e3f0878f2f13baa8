// RUN: tile-opt %s --tile-to-sm | FileCheck %s

// A dimension that is dropped without being known to be inside makes a mask;
// a limit below the size of the dimension stays, one that is the size is it. A limit that may be
// negative is raised to 0.
// CHECK-LABEL: sm.kernel @limits
// CHECK-DAG:   %[[ABOVE:.*]] = arith.maxsi %end, %{{.*}} : index
// CHECK-DAG:   %[[END:.*]] = arith.minsi %[[ABOVE]], %N : index
// CHECK-DAG:   %[[INSIDE0:.*]] = arith.cmpi ult, %b, %B : index
// CHECK-DAG:   %[[INSIDE1:.*]] = arith.cmpi ult, %end, %M : index
// CHECK-DAG:   %[[BOTH:.*]] = arith.andi %[[INSIDE0]], %[[INSIDE1]] : i1
// CHECK:       sm.load %x[%b, %end, %{{.*}}] dims [2] limits(%[[END]]) mask(%[[BOTH]]) fill(1.000000e+00 : f32)
// CHECK:       sm.load %x[%b, %{{.*}}, %{{.*}}] dims [1, 2] limits(%M, %N) mask(%[[INSIDE0]]) in_bounds [false, true]
// CHECK:       sm.load %x[%b, %c0, %end] dims [] : {{.*}} -> f32
// CHECK:       sm.barrier
// CHECK:       sm.store %{{.*}} to %y[%end] dims [] mask(%{{.*}}) : f32
tile.kernel @limits(%x: !tile.global<[B, M, N] x f32>, %y: !tile.global<[M] x f32, inout>, %b: index, %end: index)
    grid(%m in tiles(M, 16), %n in tiles(N, 64)) {
  %c0 = arith.constant 0 : index
  %r = tile.range %c0 to %end : !tile.range<64>
  %u = tile.load %x[%b, %end, %r] fill(1.0 : f32) : !tile.global<[B, M, N] x f32>, index, index, !tile.range<64> -> tensor<64xf32>
  %t = tile.load %x[%b, %m, %r] in_bounds [false, false, true] : !tile.global<[B, M, N] x f32>, index, !tile.range<16 of M>, !tile.range<64> -> tensor<16x64xf32>
  %s = tile.load %x[%b, %c0, %end] in_bounds [true, true, true] : !tile.global<[B, M, N] x f32>, index, index, index -> f32
  %e = tile.expand_dims %u axis 0 : tensor<64xf32> -> tensor<1x64xf32>
  %w = tile.broadcast %e : tensor<1x64xf32> -> tensor<16x64xf32>
  %p = arith.addf %t, %w : tensor<16x64xf32>
  %q = tile.reduce sum %p axis 1 : tensor<16x64xf32> -> tensor<16xf32>
  tile.store %q to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, inout>, !tile.range<16 of M>
  tile.barrier
  tile.store %s to %y[%end] : f32, !tile.global<[M] x f32, inout>, index
}

// The positions of a gather are held by whoever reads there.
// CHECK-LABEL: sm.kernel @gather
// CHECK:       %[[I:.*]] = sm.load %rows[%{{.*}}] dims [0] limits(%M) : {{.*}} -> tensor<16xi32, #[[LINE:.*]]>
// CHECK:       sm.load %x[%[[I]], %{{.*}}] dims [0, 1] limits(%V, %N) : !tile.global<[V, N] x f32>, tensor<16xi32, #[[LINE]]>, index
// CHECK-NOT:   sm.convert
tile.kernel @gather(%x: !tile.global<[V, N] x f32>, %rows: !tile.global<[M] x i32>, %y: !tile.global<[M, N] x f32, out>)
    grid(%m in tiles(M, 16), %n in tiles(N, 64)) {
  %i = tile.load %rows[%m] : !tile.global<[M] x i32>, !tile.range<16 of M> -> tensor<16xi32>
  %t = tile.load %x[%i, %n] : !tile.global<[V, N] x f32>, tensor<16xi32>, !tile.range<64 of N> -> tensor<16x64xf32>
  tile.store %t to %y[%m, %n] : tensor<16x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<16 of M>, !tile.range<64 of N>
}

// What cannot be fetched is loaded and staged: gathers, and fills that shared
// memory does not get by itself. A tile that is also used otherwise is fetched
// once and read.
// CHECK-LABEL: sm.kernel @operands
// CHECK:       %[[A:.*]] = sm.load %a[{{.*}}] dims [0, 1] limits(%M, %{{.*}}) fill(1.000000e+00 : bf16)
// CHECK-NEXT:  %[[STAGED:.*]] = sm.smem.store %[[A]]
// CHECK:       %[[B:.*]] = sm.fetch %b
// CHECK-NEXT:  %[[READ:.*]] = sm.smem.load %[[B]]
// CHECK:       sm.mma %[[STAGED]], %[[B]], %{{.*}} transpose_b :
// CHECK:       arith.addf %[[READ]], %[[READ]]
// CHECK:       sm.smem.store
tile.kernel @operands(%a: !tile.global<[M, 64] x bf16>, %b: !tile.global<[N, 64] x bf16>, %c: !tile.global<[M, N] x f32, out>, %d: !tile.global<[M, N] x f32, out>)
    grid(%m in tiles(M, 64), %n in tiles(N, 64)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %k = tile.range %c0 to %c64 : !tile.range<64>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%m, %k] fill(1.0 : bf16) : !tile.global<[M, 64] x bf16>, !tile.range<64 of M>, !tile.range<64> -> tensor<64x64xbf16>
  %y = tile.load %b[%n, %k] fill(0.0 : bf16) : !tile.global<[N, 64] x bf16>, !tile.range<64 of N>, !tile.range<64> -> tensor<64x64xbf16>
  %t = tile.transpose %y : tensor<64x64xbf16> -> tensor<64x64xbf16>
  %s = tile.gemm %x, %t, %z : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  %w = arith.addf %y, %y : tensor<64x64xbf16>
  %s2 = tile.gemm %x, %w, %s transpose_b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.store %s2 to %c[%m, %n] : tensor<64x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<64 of M>, !tile.range<64 of N>
}

// What is known to be full ends before its own limit: that of the tensor is left.
// CHECK-LABEL: sm.kernel @full
// CHECK: sm.load %x[%{{.*}}] dims [0] limits(%M) :
// CHECK: %[[ABOVE:.*]] = arith.maxsi %end, %{{.*}} : index
// CHECK: %[[END:.*]] = arith.minsi %[[ABOVE]], %M : index
// CHECK: sm.load %x[%{{.*}}] dims [0] limits(%[[END]]) :
tile.kernel @full(%x: !tile.global<[M] x f32>, %y: !tile.global<[M] x f32, out>, %start: index, %end: index)
    grid(%m in tiles(M, 64)) {
  %r = tile.range %start to %end full : !tile.range<64>
  %u = tile.load %x[%r] : !tile.global<[M] x f32>, !tile.range<64> -> tensor<64xf32>
  %s = tile.range %start to %end : !tile.range<64>
  %v = tile.load %x[%s] : !tile.global<[M] x f32>, !tile.range<64> -> tensor<64xf32>
  %w = arith.addf %u, %v : tensor<64xf32>
  tile.store %w to %y[%m] : tensor<64xf32>, !tile.global<[M] x f32, out>, !tile.range<64 of M>
}

// All warps have read what one of them overwrites; a barrier of the program is enough.
// CHECK-LABEL: sm.kernel @read_and_written
// CHECK:       sm.load %z
// CHECK:       sm.barrier
// CHECK-NEXT:  sm.store %{{.*}} to %z
// CHECK-NEXT:  sm.barrier
// CHECK-NEXT:  sm.load %z
// CHECK-NEXT:  sm.barrier
// CHECK-NEXT:  sm.store %{{.*}} to %z
// CHECK-NEXT:  sm.store %{{.*}} to %y
tile.kernel @read_and_written(%x: !tile.global<[M] x f32>, %z: !tile.global<[M] x f32, inout>, %y: !tile.global<[M] x f32, out>)
    grid(%m in tiles(M, 64)) {
  %a = tile.load %x[%m] : !tile.global<[M] x f32>, !tile.range<64 of M> -> tensor<64xf32>
  %b = tile.load %z[%m] : !tile.global<[M] x f32, inout>, !tile.range<64 of M> -> tensor<64xf32>
  %c = arith.addf %a, %b : tensor<64xf32>
  tile.store %c to %z[%m] : tensor<64xf32>, !tile.global<[M] x f32, inout>, !tile.range<64 of M>
  tile.barrier
  %d = tile.load %z[%m] : !tile.global<[M] x f32, inout>, !tile.range<64 of M> -> tensor<64xf32>
  tile.barrier
  tile.store %a to %z[%m] : tensor<64xf32>, !tile.global<[M] x f32, inout>, !tile.range<64 of M>
  tile.store %d to %y[%m] : tensor<64xf32>, !tile.global<[M] x f32, out>, !tile.range<64 of M>
}
