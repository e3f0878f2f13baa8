// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @load_parameter_c1(%x: !tile.global<[N] x f32>, %y: !tile.global<[N] x f32>, %c: i1) grid(%n in tiles(N, 4)) {
  %z = arith.select %c, %x, %y : !tile.global<[N] x f32>
  // expected-error @below {{'tile.load' op expected the global tensor to be a parameter of the kernel}}
  %t = tile.load %z[%n] : !tile.global<[N] x f32>, !tile.range<4 of N> -> tensor<4xf32>
}

// -----

tile.kernel @load_access_c1(%x: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 4)) {
  // expected-error @below {{'tile.load' op reads an 'out' tensor; declare it 'inout' to read it}}
  %t = tile.load %x[%n] : !tile.global<[N] x f32, out>, !tile.range<4 of N> -> tensor<4xf32>
}

// -----

tile.kernel @load_rank_c2(%x: !tile.global<[M, N] x f32>) grid(%n in tiles(N, 4)) {
  // expected-error @below {{'tile.load' op expected 2 indices, one per dimension, got 1}}
  %t = tile.load %x[%n] : !tile.global<[M, N] x f32>, !tile.range<4 of N> -> tensor<4xf32>
}

// -----

tile.kernel @load_dimension_c3(%x: !tile.global<[M, N] x f32>) grid(%m in tiles(M, 4), %n in tiles(N, 4)) {
  // expected-error @below {{'tile.load' op expected index 0 to walk 'M', got a range of 'N'}}
  %t = tile.load %x[%n, %m] : !tile.global<[M, N] x f32>, !tile.range<4 of N>, !tile.range<4 of M> -> tensor<4x4xf32>
}

// -----

tile.kernel @load_result_c4(%x: !tile.global<[M, N] x f32>) grid(%m in tiles(M, 4), %n in 8) {
  // expected-error @below {{'tile.load' op expected the value to be 'tensor<4xf32>', got 'tensor<4x1xf32>'}}
  %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<4 of M>, index -> tensor<4x1xf32>
}

// -----

tile.kernel @load_scalar_c4(%x: !tile.global<[M] x f32>) grid(%m in M) {
  // expected-error @below {{'tile.load' op expected the value to be 'f32', got 'i32'}}
  %t = tile.load %x[%m] : !tile.global<[M] x f32>, index -> i32
}

// -----

tile.kernel @load_size_c4(%x: !tile.global<[M, N] x f32>) grid(%m in tiles(M, 8192), %n in tiles(N, 8192)) {
  // expected-error @below {{'tile.load' op expected a tile of at most 16777216 elements}}
  %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<8192 of M>, !tile.range<8192 of N> -> tensor<8192x8192xf32>
}

// -----

tile.kernel @load_gather_c4(%x: !tile.global<[M] x f32>) grid() {
  %i = arith.constant dense<0> : tensor<2x2xi32>
  // expected-error @below {{'tile.load' op expected the value to be 'tensor<2x2xf32>', got 'tensor<4xf32>'}}
  %t = tile.load %x[%i] : !tile.global<[M] x f32>, tensor<2x2xi32> -> tensor<4xf32>
}

// -----

tile.kernel @load_axes_c6(%x: !tile.global<[M, N] x f32>) grid() {
  %i = arith.constant dense<0> : tensor<4xi32>
  // expected-error @below {{'tile.load' op expected 2 axes, one per range and tensor, got 1}}
  %t = tile.load %x[%i, %i] axes [0] : !tile.global<[M, N] x f32>, tensor<4xi32>, tensor<4xi32> -> tensor<4xf32>
}

// -----

tile.kernel @load_shapes_c6(%x: !tile.global<[M, N] x f32>) grid() {
  %i = arith.constant dense<0> : tensor<4xi32>
  %j = arith.constant dense<0> : tensor<8xi32>
  // expected-error @below {{'tile.load' op expected the axes of an index to begin at 1, or to be those of a tensor of its type, got 0}}
  %t = tile.load %x[%i, %j] axes [0, 0] : !tile.global<[M, N] x f32>, tensor<4xi32>, tensor<8xi32> -> tensor<4xf32>
}

// -----

tile.kernel @store_range_c6(%x: !tile.global<[M, M] x f32, out>) grid(%m in tiles(M, 4)) {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.store' op expected the axes of an index to begin at 1, or to be those of a tensor of its type, got 0}}
  tile.store %t to %x[%m, %m] axes [0, 0] : tensor<4xf32>, !tile.global<[M, M] x f32, out>, !tile.range<4 of M>, !tile.range<4 of M>
}

// -----

tile.kernel @load_fill_c5(%x: !tile.global<[M] x f32>) grid(%m in tiles(M, 4)) {
  // expected-error @below {{'tile.load' op expected fill to be 'f32', got 'i32'}}
  %t = tile.load %x[%m] fill(0 : i32) : !tile.global<[M] x f32>, !tile.range<4 of M> -> tensor<4xf32>
}

// -----

tile.kernel @load_in_bounds_c5(%x: !tile.global<[M] x f32>) grid(%m in tiles(M, 4)) {
  // expected-error @below {{'tile.load' op expected 1 in_bounds flags, one per dimension, got 2}}
  %t = tile.load %x[%m] in_bounds [true, false] : !tile.global<[M] x f32>, !tile.range<4 of M> -> tensor<4xf32>
}

// -----

tile.kernel @store_access_c1(%x: !tile.global<[N] x f32>) grid(%n in tiles(N, 4)) {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.store' op writes an 'in' tensor; declare it 'out' or 'inout' to write it}}
  tile.store %t to %x[%n] : tensor<4xf32>, !tile.global<[N] x f32>, !tile.range<4 of N>
}

// -----

tile.kernel @store_value_c4(%x: !tile.global<[N] x f16, out>) grid(%n in tiles(N, 4)) {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.store' op expected the value to be 'tensor<4xf16>', got 'tensor<4xf32>'}}
  tile.store %t to %x[%n] : tensor<4xf32>, !tile.global<[N] x f16, out>, !tile.range<4 of N>
}

// -----

tile.kernel @atomic_access_c1(%x: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 4)) {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.atomic' op expected an 'inout' tensor, got 'out'}}
  tile.atomic add %t to %x[%n] : tensor<4xf32>, !tile.global<[N] x f32, out>, !tile.range<4 of N>
}

// -----

tile.kernel @atomic_element_c6(%x: !tile.global<[N] x i8, inout>) grid(%n in tiles(N, 4)) {
  %t = arith.constant dense<0> : tensor<4xi8>
  // expected-error @below {{'tile.atomic' op expected elements of f64, f32, f16, bf16, i32 or i64, got 'i8'}}
  tile.atomic add %t to %x[%n] : tensor<4xi8>, !tile.global<[N] x i8, inout>, !tile.range<4 of N>
}

// -----

tile.kernel @atomic_kind_c7(%x: !tile.global<[N] x f32, inout>) grid(%n in tiles(N, 4)) {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.atomic' op expected elements of i32 or i64, got 'f32'}}
  tile.atomic max %t to %x[%n] : tensor<4xf32>, !tile.global<[N] x f32, inout>, !tile.range<4 of N>
}

// -----

tile.kernel @atomic_expected_c8(%x: !tile.global<[N] x i32, inout>) grid(%n in tiles(N, 4)) {
  %t = arith.constant dense<0> : tensor<4xi32>
  // expected-error @below {{'tile.atomic' op expected one operand 'tensor<4xi32>' after 'if' for 'cas', and none for others}}
  tile.atomic cas %t to %x[%n] : tensor<4xi32>, !tile.global<[N] x i32, inout>, !tile.range<4 of N>
}

// -----

tile.kernel @atomic_result_c9(%x: !tile.global<[N] x i32, inout>) grid(%n in tiles(N, 4)) {
  %t = arith.constant dense<0> : tensor<4xi32>
  // expected-error @below {{'tile.atomic' op expected the result to be 'tensor<4xi32>', got 'tensor<4xi64>'}}
  %o = tile.atomic xor %t to %x[%n] : tensor<4xi32>, !tile.global<[N] x i32, inout>, !tile.range<4 of N> -> tensor<4xi64>
}

// -----

tile.kernel @atomic_order_c10(%x: !tile.global<[N] x i32, inout>) grid(%n in tiles(N, 4)) {
  %t = arith.constant dense<0> : tensor<4xi32>
  // expected-error @below {{'tile.atomic' op expected a result for the order 'acq_rel'}}
  tile.atomic xor %t to %x[%n] order acq_rel : tensor<4xi32>, !tile.global<[N] x i32, inout>, !tile.range<4 of N>
}
