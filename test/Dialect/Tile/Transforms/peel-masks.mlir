// RUN: tile-opt %s -tile-peel-masks -split-input-file | FileCheck %s
// RUN: tile-opt %s -tile-peel-masks -tile-peel-masks -split-input-file | FileCheck %s
// RUN: tile-opt %s -tile-peel-masks=max-splits=1 -split-input-file | FileCheck %s --check-prefix=ONCE
// RUN: tile-opt %s -tile-peel-masks=peel-loads=true -split-input-file | FileCheck %s --check-prefix=LOADS

// The last, ragged block is split off: before it all ranges are full, the mask is gone and the
// load is in bounds. What is split off has one iteration at most.

// CHECK-LABEL: tile.kernel @ragged
// CHECK: %[[N:.*]] = tile.size N
// CHECK: %[[T:.*]] = arith.addi %[[N]], %c-63
// CHECK: %[[UB:.*]] = arith.minsi %[[T]], %[[N]]
// CHECK: %[[FULL:.*]] = scf.for %[[I:.*]] = %c0 to %[[UB]] step %c64
// CHECK:   %[[R:.*]] = tile.range %[[I]] to %[[N]] full
// CHECK:   %[[X:.*]] = tile.load {{.*}} in_bounds [false, true]
// CHECK-NOT: tile.valid
// CHECK-NOT: arith.select
// CHECK:   tile.reduce max %[[X]]
// CHECK: } {tile.peeled}
// CHECK: %[[LEN:.*]] = arith.maxsi %[[UB]], %c0
// CHECK: %[[COUNT:.*]] = arith.ceildivsi %[[LEN]], %c64
// CHECK: %[[NEXT:.*]] = arith.muli %[[COUNT]], %c64
// CHECK: %[[LAST:.*]] = scf.for %[[J:.*]] = %[[NEXT]] to %[[N]] step %c64 iter_args(%{{.*}} = %[[FULL]])
// CHECK:   tile.range %[[J]] to %[[N]] :
// CHECK:   tile.load %x[%m, %{{[0-9]+}}] :
// CHECK:   tile.valid
// CHECK:   arith.select
// CHECK: } {tile.max_trip_count = 1 : i64, tile.peeled}
// CHECK: tile.store %[[LAST]]
tile.kernel @ragged(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %minf = arith.constant dense<0xFF800000> : tensor<16xf32>
  %minf2 = arith.constant dense<0xFF800000> : tensor<16x64xf32>
  %r = scf.for %i = %c0 to %N step %c64 iter_args(%mx = %minf) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %v = tile.valid %n : !tile.range<64 of N> -> tensor<64xi1>
    %v1 = tile.expand_dims %v axis 0 : tensor<64xi1> -> tensor<1x64xi1>
    %v2 = tile.broadcast %v1 : tensor<1x64xi1> -> tensor<16x64xi1>
    %s = arith.select %v2, %t, %minf2 : tensor<16x64xi1>, tensor<16x64xf32>
    %rm = tile.reduce max %s axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %new = arith.maximumf %mx, %rm : tensor<16xf32>
    scf.yield %new : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// A window that ends at the diagonal: m - W < n <= m. The middle loop carries no mask; with one
// split allowed, the loop is split at its end and the lower bound stays a mask. How long the
// diagonal is depends on m.

// CHECK-LABEL: tile.kernel @window
// CHECK: %[[START:.*]] = tile.start %m
// CHECK: %[[LOW:.*]] = arith.subi %{{.*}}, %w
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c32
// CHECK: arith.cmpi sgt
// CHECK: arith.cmpi sle
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK-NOT: arith.select
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: arith.cmpi sgt
// CHECK: arith.cmpi sle
// CHECK-NOT: max_trip_count
// CHECK-NOT: scf.for

// ONCE-LABEL: tile.kernel @window
// ONCE: scf.for
// ONCE: scf.for
// ONCE-NOT: scf.for
tile.kernel @window(%x: !tile.global<[N, N] x f32>, %w: index, %y: !tile.global<[N] x f32, out>) grid(%m in tiles(N, 16)) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %end = tile.end %m : !tile.range<16 of N>
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %zero2 = arith.constant dense<0.0> : tensor<16x32xf32>
  %mi = tile.indices %m : !tile.range<16 of N> -> tensor<16xi32>
  %mi1 = tile.expand_dims %mi axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %mi2 = tile.broadcast %mi1 : tensor<16x1xi32> -> tensor<16x32xi32>
  %r = scf.for %i = %c0 to %end step %c32 iter_args(%sum = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %end : !tile.range<32>
    %t = tile.load %x[%m, %n] : !tile.global<[N, N] x f32>, !tile.range<16 of N>, !tile.range<32> -> tensor<16x32xf32>
    %ni = tile.indices %n : !tile.range<32> -> tensor<32xi32>
    %ni1 = tile.expand_dims %ni axis 0 : tensor<32xi32> -> tensor<1x32xi32>
    %ni2 = tile.broadcast %ni1 : tensor<1x32xi32> -> tensor<16x32xi32>
    %w32 = arith.index_cast %w : index to i32
    %ws = tensor.splat %w32 : tensor<16x32xi32>
    %mw = arith.subi %mi2, %ws : tensor<16x32xi32>
    %near = arith.cmpi sgt, %ni2, %mw : tensor<16x32xi32>
    %past = arith.cmpi sle, %ni2, %mi2 : tensor<16x32xi32>
    %mask = arith.andi %near, %past : tensor<16x32xi1>
    %s = arith.select %mask, %t, %zero2 : tensor<16x32xi1>, tensor<16x32xf32>
    %rs = tile.reduce sum %s axis 1 : tensor<16x32xf32> -> tensor<16xf32>
    %new = arith.addf %sum, %rs : tensor<16xf32>
    scf.yield %new : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[N] x f32, out>, !tile.range<16 of N>
}

// -----

// Constants: all blocks of 192 / 64 are full, so nothing is split; the range after them is not.

// ONCE-LABEL: tile.kernel @constants
// CHECK-LABEL: tile.kernel @constants
// CHECK: scf.for
// CHECK: tile.range %{{.*}} full : !tile.range<64>
// CHECK: tile.load {{.*}} in_bounds [false, true]
// CHECK-NOT: tile.valid
// CHECK-NOT: scf.for
// CHECK: tile.range %c192 to %c200 : !tile.range<64>
// CHECK: tile.load %x[%m, %{{[0-9]+}}] :
tile.kernel @constants(%x: !tile.global<[M, 200] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c192 = arith.constant 192 : index
  %c200 = arith.constant 200 : index
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %zero2 = arith.constant dense<0.0> : tensor<16x64xf32>
  %r = scf.for %i = %c0 to %c192 step %c64 iter_args(%sum = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %c200 : !tile.range<64>
    %t = tile.load %x[%m, %n] : !tile.global<[M, 200] x f32>, !tile.range<16 of M>, !tile.range<64> -> tensor<16x64xf32>
    %v = tile.valid %n : !tile.range<64> -> tensor<64xi1>
    %v1 = tile.expand_dims %v axis 0 : tensor<64xi1> -> tensor<1x64xi1>
    %v2 = tile.broadcast %v1 : tensor<1x64xi1> -> tensor<16x64xi1>
    %s = arith.select %v2, %t, %zero2 : tensor<16x64xi1>, tensor<16x64xf32>
    %rs = tile.reduce sum %s axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %new = arith.addf %sum, %rs : tensor<16xf32>
    scf.yield %new : tensor<16xf32>
  }
  %n = tile.range %c192 to %c200 : !tile.range<64>
  %t = tile.load %x[%m, %n] : !tile.global<[M, 200] x f32>, !tile.range<16 of M>, !tile.range<64> -> tensor<16x64xf32>
  %rs = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
  %sum = arith.addf %r, %rs : tensor<16xf32>
  tile.store %sum to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// The blocks before the diagonal tile are full since its start is a multiple of 32, which is a
// multiple of 16; no split is needed.

// CHECK-LABEL: tile.kernel @before_the_diagonal
// CHECK: scf.for
// CHECK: tile.range %{{.*}} full : !tile.range<16>
// CHECK-NOT: tile.valid
// CHECK-NOT: scf.for
tile.kernel @before_the_diagonal(%x: !tile.global<[N, N] x f32>, %y: !tile.global<[N] x f32, out>) grid(%m in tiles(N, 32)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %start = tile.start %m : !tile.range<32 of N>
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %zero2 = arith.constant dense<0.0> : tensor<32x16xf32>
  %r = scf.for %i = %c0 to %start step %c16 iter_args(%sum = %zero) -> (tensor<32xf32>) {
    %n = tile.range %i to %start : !tile.range<16>
    %t = tile.load %x[%m, %n] : !tile.global<[N, N] x f32>, !tile.range<32 of N>, !tile.range<16> -> tensor<32x16xf32>
    %v = tile.valid %n : !tile.range<16> -> tensor<16xi1>
    %v1 = tile.expand_dims %v axis 0 : tensor<16xi1> -> tensor<1x16xi1>
    %v2 = tile.broadcast %v1 : tensor<1x16xi1> -> tensor<32x16xi1>
    %s = arith.select %v2, %t, %zero2 : tensor<32x16xi1>, tensor<32x16xf32>
    %rs = tile.reduce sum %s axis 1 : tensor<32x16xf32> -> tensor<32xf32>
    %new = arith.addf %sum, %rs : tensor<32xf32>
    scf.yield %new : tensor<32xf32>
  }
  tile.store %r to %y[%m] : tensor<32xf32>, !tile.global<[N] x f32, out>, !tile.range<32 of N>
}

// -----

// Only loads are masked here: that is free on the target, so the loop is not split unless asked.

// CHECK-LABEL: tile.kernel @loads
// CHECK: scf.for
// CHECK-NOT: scf.for
// LOADS-LABEL: tile.kernel @loads
// LOADS: scf.for
// LOADS: tile.range %{{.*}} full : !tile.range<64 of N>
// LOADS: in_bounds [false, true]
// LOADS: scf.for
// LOADS: tile.range %{{.*}} : !tile.range<64 of N>
tile.kernel @loads(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %r = scf.for %i = %c0 to %N step %c64 iter_args(%sum = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
    %rs = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %new = arith.addf %sum, %rs : tensor<16xf32>
    scf.yield %new : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// A range shifted into a packed tensor is valid where the range is; where it lies is not known, so
// the load stays checked. A grid index and the tile of a dimension are known to lie inside.

// LOADS-LABEL: tile.kernel @packed
// CHECK-LABEL: tile.kernel @packed
// CHECK: scf.for
// CHECK: tile.load %x[%h, %{{[0-9]+}}] in_bounds [true, false]
// CHECK-NOT: tile.valid
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: tile.valid
tile.kernel @packed(%x: !tile.global<[H, T] x f32>, %at: index, %len: index, %y: !tile.global<[H] x f32, out>) grid(%h in H) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %r = scf.for %i = %c0 to %len step %c64 iter_args(%sum = %zero) -> (tensor<64xf32>) {
    %n = tile.range %i to %len : !tile.range<64>
    %moved = tile.shift %n by %at : !tile.range<64>
    %t = tile.load %x[%h, %moved] : !tile.global<[H, T] x f32>, index, !tile.range<64> -> tensor<64xf32>
    %v = tile.valid %moved : !tile.range<64> -> tensor<64xi1>
    %s = arith.select %v, %t, %zero : tensor<64xi1>, tensor<64xf32>
    %new = arith.addf %sum, %s : tensor<64xf32>
    scf.yield %new : tensor<64xf32>
  }
  %s = tile.reduce sum %r axis 0 : tensor<64xf32> -> tensor<f32>
  %s1 = tile.expand_dims %s axis 0 : tensor<f32> -> tensor<1xf32>
  %one = tile.range %h to %h : !tile.range<1>
  tile.store %s1 to %y[%one] : tensor<1xf32>, !tile.global<[H] x f32, out>, !tile.range<1>
}

// A mask that only says which elements are positions is one that the access has in any case: no split.

// CHECK-LABEL: tile.kernel @positions
// CHECK:         scf.for
// CHECK:           tile.valid
// CHECK:           tile.gemm
// CHECK-NOT:       tile.gemm
tile.kernel @positions(%x: !tile.global<[R, 32] x bf16>, %rows: !tile.global<[N] x i32>, %w: !tile.global<[M, N] x bf16>, %y: !tile.global<[M, 32] x f32, out>)
    grid(%m in tiles(M, 32)) {
  %none = arith.constant dense<-1> : tensor<32xi32>
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %all = tile.range %c0 to %c32 : !tile.range<32>
  %s = scf.for %i = %c0 to %N step %c32 iter_args(%acc = %z) -> (tensor<32x32xf32>) {
    %n = tile.range %i to %N : !tile.range<32 of N>
    %a = tile.load %w[%m, %n] : !tile.global<[M, N] x bf16>, !tile.range<32 of M>, !tile.range<32 of N> -> tensor<32x32xbf16>
    %p = tile.load %rows[%n] : !tile.global<[N] x i32>, !tile.range<32 of N> -> tensor<32xi32>
    %valid = tile.valid %n : !tile.range<32 of N> -> tensor<32xi1>
    %places = arith.select %valid, %p, %none : tensor<32xi1>, tensor<32xi32>
    %b = tile.load %x[%places, %all] : !tile.global<[R, 32] x bf16>, tensor<32xi32>, !tile.range<32> -> tensor<32x32xbf16>
    %d = tile.gemm %a, %b, %acc : tensor<32x32xbf16>, tensor<32x32xbf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tile.store %s to %y[%m, %all] : tensor<32x32xf32>, !tile.global<[M, 32] x f32, out>, !tile.range<32 of M>, !tile.range<32>
}

// -----

// Where positions may not have 32 bits, a test leaves all iterations to the last loop.

// CHECK-LABEL: tile.kernel @untested
// CHECK:         %[[BOUND:.*]] = arith.select %{{.*}}, %{{.*}}, %q : index
// CHECK:         scf.for %{{.*}} = %q to %[[BOUND]]
// CHECK:         } {tile.peeled}
// CHECK:         scf.for
// CHECK:         } {tile.peeled}
tile.kernel @untested(%q: index, %n: index, %y: !tile.global<[1] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %end = arith.addi %q, %n : index
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %one = arith.constant dense<1.0> : tensor<32xf32>
  %r = scf.for %i = %q to %end step %c32 iter_args(%sum = %zero) -> (tensor<32xf32>) {
    %range = tile.range %i to %end : !tile.range<32>
    %ni = tile.indices %range : !tile.range<32> -> tensor<32xi32>
    %end32 = arith.index_cast %end : index to i32
    %ends = tensor.splat %end32 : tensor<32xi32>
    %inside = arith.cmpi slt, %ni, %ends : tensor<32xi32>
    %s = arith.select %inside, %one, %zero : tensor<32xi1>, tensor<32xf32>
    %new = arith.addf %sum, %s : tensor<32xf32>
    scf.yield %new : tensor<32xf32>
  }
  %total = tile.reduce sum %r axis 0 : tensor<32xf32> -> tensor<f32>
  %t1 = tile.expand_dims %total axis 0 : tensor<f32> -> tensor<1xf32>
  %place = tile.range %c0 to %c1 : !tile.range<1>
  tile.store %t1 to %y[%place] : tensor<1xf32>, !tile.global<[1] x f32, out>, !tile.range<1>
}

// In a loop of products, the ragged end splits the loop, and the causal mask does not: two loops, and the first one
// compares positions.

// CHECK-LABEL: tile.kernel @causal_products
// CHECK:       scf.for
// CHECK-NOT:     tile.valid
// CHECK:         arith.cmpi sge, {{.*}} : tensor<32x32xi32>
// CHECK:       scf.for
// CHECK:         tile.valid
// CHECK:         arith.cmpi sge, {{.*}} : tensor<32x32xi32>
// CHECK-NOT:   scf.for
tile.kernel @causal_products(%x: !tile.global<[M, 32] x bf16>, %y: !tile.global<[N, 32] x bf16>,
                             %z: !tile.global<[M, 32] x f32, out>) grid(%m in tiles(M, 32)) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tile.range %c0 to %c32 full : !tile.range<32>
  %a = tile.load %x[%m, %d] : !tile.global<[M, 32] x bf16>, !tile.range<32 of M>, !tile.range<32> -> tensor<32x32xbf16>
  %r = scf.for %i = %c0 to %N step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32>) {
    %n = tile.range %i to %N : !tile.range<32 of N>
    %b = tile.load %y[%n, %d] : !tile.global<[N, 32] x bf16>, !tile.range<32 of N>, !tile.range<32> -> tensor<32x32xbf16>
    %s = tile.gemm %a, %b, %zero transpose_b : tensor<32x32xbf16>, tensor<32x32xbf16> -> tensor<32x32xf32>
    %v = tile.valid %n : !tile.range<32 of N> -> tensor<32xi1>
    %v1 = tile.expand_dims %v axis 0 : tensor<32xi1> -> tensor<1x32xi1>
    %v2 = tile.broadcast %v1 : tensor<1x32xi1> -> tensor<32x32xi1>
    %p = arith.select %v2, %s, %zero : tensor<32x32xi1>, tensor<32x32xf32>
    %mi = tile.indices %m : !tile.range<32 of M> -> tensor<32xi32>
    %m1 = tile.expand_dims %mi axis 1 : tensor<32xi32> -> tensor<32x1xi32>
    %m2 = tile.broadcast %m1 : tensor<32x1xi32> -> tensor<32x32xi32>
    %ni = tile.indices %n : !tile.range<32 of N> -> tensor<32xi32>
    %n1 = tile.expand_dims %ni axis 0 : tensor<32xi32> -> tensor<1x32xi32>
    %n2 = tile.broadcast %n1 : tensor<1x32xi32> -> tensor<32x32xi32>
    %sees = arith.cmpi sge, %m2, %n2 : tensor<32x32xi32>
    %q = arith.select %sees, %p, %zero : tensor<32x32xi1>, tensor<32x32xf32>
    %sum = arith.addf %acc, %q : tensor<32x32xf32>
    scf.yield %sum : tensor<32x32xf32>
  }
  tile.store %r to %z[%m, %d] : tensor<32x32xf32>, !tile.global<[M, 32] x f32, out>, !tile.range<32 of M>, !tile.range<32>
}
