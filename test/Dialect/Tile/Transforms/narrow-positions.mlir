// RUN: tile-opt %s -tile-narrow-positions -canonicalize -split-input-file | FileCheck %s

// Linear expressions of sizes and positions have 32 bits, although their terms may not: nothing
// changes.

// CHECK-LABEL: tile.kernel @causal
// CHECK-NOT: i64
tile.kernel @causal(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %end = tile.end %m : !tile.range<16 of M>
  %sum = arith.addi %end, %N : index
  %shifted = arith.subi %sum, %M : index
  %last = arith.minsi %N, %shifted : index
  %r = scf.for %i = %c0 to %last step %c64 iter_args(%a = %zero) -> (tensor<16xf32>) {
    %n = tile.range %i to %last : !tile.range<64>
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64> -> tensor<16x64xf32>
    %row = tile.reduce sum %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %b = arith.addf %a, %row : tensor<16xf32>
    scf.yield %b : tensor<16xf32>
  }
  tile.store %r to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// A share of the blocks is no more than the blocks; the product is.

// CHECK-LABEL: tile.kernel @share
// CHECK: %[[PRODUCT:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: %[[QUOTIENT:.*]] = arith.floordivsi %[[PRODUCT]], %{{.*}} : i64
// CHECK: %[[FIRST:.*]] = arith.index_cast %[[QUOTIENT]] : i64 to index
// CHECK: %[[START:.*]] = arith.muli %[[FIRST]], %{{.*}} : index
// CHECK: scf.for %{{.*}} = %[[START]] to %{{.*}} step %{{.*}} {
tile.kernel @share(%x: !tile.global<[K] x f32>, %y: !tile.global<[K] x f32, out>, %S: index) grid(%s in S) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %K = tile.size K
  %size = tile.size S
  %blocks = arith.ceildivsi %K, %c64 : index
  %a = arith.muli %blocks, %s : index
  %b = arith.floordivsi %a, %size : index
  %start = arith.muli %b, %c64 : index
  %s1 = arith.addi %s, %c1 : index
  %c = arith.muli %blocks, %s1 : index
  %d = arith.floordivsi %c, %size : index
  %end = arith.muli %d, %c64 : index
  scf.for %i = %start to %end step %c64 {
    %k = tile.range %i to %K : !tile.range<64 of K>
    %t = tile.load %x[%k] : !tile.global<[K] x f32>, !tile.range<64 of K> -> tensor<64xf32>
    tile.store %t to %y[%k] : tensor<64xf32>, !tile.global<[K] x f32, out>, !tile.range<64 of K>
  }
}

// -----

// An index from memory is brought next to the tensors; a product of sizes becomes a float in 64 bits.

// CHECK-LABEL: tile.kernel @from_memory
// CHECK-DAG: %[[LOW:.*]] = arith.constant -1 : i64
// CHECK-DAG: %[[HIGH:.*]] = arith.constant 2130706432 : i64
// CHECK: %[[AT:.*]] = tile.load %i
// CHECK: %[[RAISED:.*]] = arith.maxsi %[[AT]], %[[LOW]] : i64
// CHECK: %[[BOUNDED:.*]] = arith.minsi %[[RAISED]], %[[HIGH]] : i64
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[BOUNDED]] : i64 to index
// CHECK: tile.load %x[%[[INDEX]]]
// CHECK: %[[COUNT:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: arith.sitofp %[[COUNT]] : i64 to f32
tile.kernel @from_memory(%x: !tile.global<[N] x f32>, %i: !tile.global<[1] x i64>, %z: !tile.global<[1] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %at = tile.load %i[%c0] : !tile.global<[1] x i64>, index -> i64
  %index = arith.index_cast %at : i64 to index
  %v = tile.load %x[%index] : !tile.global<[N] x f32>, index -> f32
  %N = tile.size N
  %square = arith.muli %N, %N : index
  %wide = arith.index_cast %square : index to i64
  %float = arith.sitofp %wide : i64 to f32
  %q = arith.divf %v, %float : f32
  tile.store %q to %z[%c0] : f32, !tile.global<[1] x f32, out>, index
}

// -----

// Of a range that lies anywhere: the part within tensors, how much of it is valid, its low bits.

// CHECK-LABEL: tile.kernel @anywhere
// CHECK-DAG: %[[BELOW:.*]] = arith.constant -16777216 : i64
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[EXTENT:.*]] = arith.constant 16 : i64
// CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %[[EXTENT]] : i64
// CHECK: %[[END:.*]] = arith.minsi %[[LAST]], %to : i64
// CHECK: %[[NONE:.*]] = arith.maxsi %[[END]], %from : i64
// CHECK: %[[LENGTH:.*]] = arith.subi %[[NONE]], %from : i64
// CHECK: %[[FEW:.*]] = arith.maxsi %[[LENGTH]], %[[ZERO]] : i64
// CHECK: arith.minsi %[[FEW]], %[[EXTENT]] : i64
// CHECK: %[[VALID:.*]] = tile.range %c0 to
// CHECK: arith.maxsi %from, %[[BELOW]] : i64
// CHECK: arith.maxsi %to, %[[ZERO]] : i64
// CHECK: %[[ACCESS:.*]] = tile.range
// CHECK: tile.load %x[%[[ACCESS]]]
// CHECK: tile.valid %[[VALID]]
// CHECK: %[[LOW:.*]] = arith.trunci %from : i64 to i32
// CHECK: tensor.splat %[[LOW]] : tensor<16xi32>
tile.kernel @anywhere(%x: !tile.global<[N] x i32>, %from: i64, %to: i64, %y: !tile.global<[16] x i32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0> : tensor<16xi32>
  %a = arith.index_cast %from : i64 to index
  %b = arith.index_cast %to : i64 to index
  %r = tile.range %a to %b : !tile.range<16>
  %t = tile.load %x[%r] : !tile.global<[N] x i32>, !tile.range<16> -> tensor<16xi32>
  %v = tile.valid %r : !tile.range<16> -> tensor<16xi1>
  %i = tile.indices %r : !tile.range<16> -> tensor<16xi32>
  %s = arith.select %v, %i, %zero : tensor<16xi1>, tensor<16xi32>
  %u = arith.addi %t, %s : tensor<16xi32>
  %all = tile.range %c0 to %c16 : !tile.range<16>
  tile.store %u to %y[%all] : tensor<16xi32>, !tile.global<[16] x i32, out>, !tile.range<16>
}

// -----

// What loops and branches carry; a loop that begins anywhere.

// CHECK-LABEL: tile.kernel @carried
// CHECK: scf.for %[[TRIP:.*]] = %c0 to %{{.*}} step %c1 iter_args(%{{.*}} = %{{.*}}) -> (i64)
// CHECK: scf.if %flag -> (i64)
tile.kernel @carried(%from: i64, %n: index, %flag: i1, %y: !tile.global<[2] x i64, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = arith.index_cast %from : i64 to index
  %b = arith.addi %a, %n : index
  %sum = scf.for %i = %a to %b step %c2 iter_args(%s = %c0) -> (index) {
    %next = arith.addi %s, %i : index
    scf.yield %next : index
  }
  %chosen = scf.if %flag -> (index) {
    scf.yield %sum : index
  } else {
    scf.yield %n : index
  }
  %p = arith.index_cast %sum : index to i64
  %q = arith.index_cast %chosen : index to i64
  tile.store %p to %y[%c0] : i64, !tile.global<[2] x i64, out>, index
  tile.store %q to %y[%c1] : i64, !tile.global<[2] x i64, out>, index
}

// -----

// A constant of more than 32 bits, which a branch and a loop need in 64 bits.

// CHECK-LABEL: tile.kernel @constant
// CHECK: arith.constant 4294967296 : i64
// CHECK: arith.select %c, %{{.*}}, %{{.*}} : i64
tile.kernel @constant(%x: !tile.global<[N] x f32>, %c: i1, %y: !tile.global<[1] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c51 = arith.constant 51 : index
  %large = arith.constant 4294967296 : index
  %v = arith.select %c, %c1, %large : index
  %negative = arith.subi %c0, %v : index
  %last = arith.minsi %negative, %c51 : index
  %r = scf.for %i = %c0 to %last step %c16 iter_args(%a = %v) -> (index) {
    %next = arith.floordivsi %a, %c3 : index
    scf.yield %next : index
  }
  %t = tile.load %x[%r] : !tile.global<[N] x f32>, index -> f32
  tile.store %t to %y[%c0] : f32, !tile.global<[1] x f32, out>, index
}

// -----

// A magnitude asks for all bits.

// CHECK-LABEL: tile.kernel @magnitude
// CHECK: %[[N:.*]] = arith.index_cast %n : index to i64
// CHECK: %[[MINUS:.*]] = arith.addi %[[N]], %{{.*}} : i64
// CHECK: %[[ABS:.*]] = math.absi %[[MINUS]] : i64
// CHECK: tile.store %[[ABS]] to %y
tile.kernel @magnitude(%n: index, %y: !tile.global<[1] x i64, out>) grid() {
  %c0 = arith.constant 0 : index
  %minus = arith.constant -1 : index
  %next = arith.addi %n, %minus : index
  %abs = math.absi %next : index
  %t = arith.index_cast %abs : index to i64
  tile.store %t to %y[%c0] : i64, !tile.global<[1] x i64, out>, index
}

// -----

// Where a tile ends may not have 32 bits although it begins and is limited in them; nor may where it
// begins, although it ends in them.

// CHECK-LABEL: tile.kernel @ends
// CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %{{.*}} : i64
// CHECK: arith.minsi %[[LAST]], %{{.*}} : i64
// CHECK: %[[ABS:.*]] = math.absi %{{.*}} : i64
// CHECK: %[[START:.*]] = arith.minsi %[[ABS]], %{{.*}} : i64
// CHECK: arith.addi %[[START]], %{{.*}} : i64
// CHECK-NOT: tile.end
tile.kernel @ends(%x: !tile.global<[N] x f32>, %n: index, %y: !tile.global<[2] x i64, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %N = tile.size N
  %a = tile.range %n to %N : !tile.range<64 of N>
  %e = tile.end %a : !tile.range<64 of N>
  %p = arith.index_cast %e : index to i64
  tile.store %p to %y[%c0] : i64, !tile.global<[2] x i64, out>, index
  %next = arith.addi %n, %c1 : index
  %abs = math.absi %next : index
  %b = tile.range %abs to %N : !tile.range<64 of N>
  %f = tile.end %b : !tile.range<64 of N>
  %q = arith.index_cast %f : index to i64
  tile.store %q to %y[%c1] : i64, !tile.global<[2] x i64, out>, index
}

// -----

// A full range that moves by more than an i32 stays full. Its access has no limit but that of the tensor.

// CHECK-LABEL: tile.kernel @whole_blocks
// CHECK: scf.for
// CHECK: %[[RAISED:.*]] = arith.maxsi %{{.*}}, %c-16777216_i64 : i64
// CHECK: %[[BOUNDED:.*]] = arith.minsi %[[RAISED]], %c2130706432_i64 : i64
// CHECK: %[[START:.*]] = arith.index_cast %[[BOUNDED]] : i64 to index
// CHECK: %[[WHOLE:.*]] = tile.range %c0{{.*}} to %c64{{.*}} full : !tile.range<64>
// CHECK: %[[MOVED:.*]] = tile.shift %[[WHOLE]] by %[[START]] : !tile.range<64>
// CHECK: tile.load %x[%[[MOVED]]]
// CHECK: tile.store %{{.*}} to %y[%[[MOVED]]]
tile.kernel @whole_blocks(%x: !tile.global<[N] x f32>, %c: !tile.global<[2] x i32>, %y: !tile.global<[N] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %first = tile.load %c[%c0] : !tile.global<[2] x i32>, index -> i32
  %last = tile.load %c[%c1] : !tile.global<[2] x i32>, index -> i32
  %begin = arith.index_cast %first : i32 to index
  %stop = arith.index_cast %last : i32 to index
  %rows = arith.subi %stop, %begin : index
  %blocks = arith.floordivsi %rows, %c64 : index
  %end = arith.muli %blocks, %c64 : index
  scf.for %i = %c0 to %end step %c64 {
    %n = tile.range %i to %rows full : !tile.range<64>
    %m = tile.shift %n by %begin : !tile.range<64>
    %t = tile.load %x[%m] : !tile.global<[N] x f32>, !tile.range<64> -> tensor<64xf32>
    tile.store %t to %y[%m] : tensor<64xf32>, !tile.global<[N] x f32, out>, !tile.range<64>
  }
}
