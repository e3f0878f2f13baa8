// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected an element type (f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i1, i8, i16, i32, i64), got 'f80'}}
tile.kernel @element(%x: !tile.global<[N] x f80>) grid() {
}

// -----

// expected-error @below {{expected a global tensor to have at least one dimension}}
tile.kernel @rank(%x: !tile.global<[] x f32>) grid() {
}

// -----

// expected-error @below {{expected a dimension of at least 0, got -1}}
tile.kernel @dimension(%x: !tile.global<[-1] x f32>) grid() {
}

// -----

// expected-error @below {{expected 'in', 'out' or 'inout', got 'readonly'}}
tile.kernel @access(%x: !tile.global<[N] x f32, readonly>) grid() {
}

// -----

// expected-error @below {{expected a size: an integer, a name or '('}}
tile.kernel @size(%x: !tile.global<[N + ] x f32>) grid() {
}

// -----

// expected-error @below {{expected a divisor of at least 1}}
tile.kernel @divisor(%x: !tile.global<[N floordiv 0] x f32>) grid() {
}

// -----

// expected-error @below {{size expression is nested too deeply}}
tile.kernel @depth(%x: !tile.global<[((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((N))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))] x f32>) grid() {
}

// -----

// expected-error @below {{size expression is nested too deeply}}
tile.kernel @minus(%x: !tile.global<[0 - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - N] x f32>) grid() {
}

// -----

tile.kernel @range_extent(%n: index) grid() {
  // expected-error @below {{expected the extents of a tile to be at least 1, got 0}}
  %r = tile.range %n to %n : !tile.range<0>
}

// -----

tile.kernel @range_size(%n: index) grid() {
  // expected-error @below {{expected a tile of at most 16777216 elements}}
  %r = tile.range %n to %n : !tile.range<16777217>
}

// -----

tile.kernel @range_limit(%x: !tile.global<[M, N] x f32>) grid() {
  %c0 = arith.constant 0 : index
  %n = tile.size N
  // expected-error @below {{'tile.range' op expected the limit to be the size 'M', got 'N'}}
  %r = tile.range %c0 to %n : !tile.range<16 of M>
}

// -----

tile.kernel @shift_type(%n: index) grid(%m in tiles(64, 16)) {
  // expected-error @below {{the result is an unnamed range of the same extent}}
  %r = "tile.shift"(%m, %n) : (!tile.range<16>, index) -> !tile.range<8>
}

// -----

tile.kernel @indices_extent() grid(%m in tiles(64, 16)) {
  // expected-error @below {{'tile.indices' op expected the result to be 'tensor<16xi32>', got 'tensor<8xi32>'}}
  %i = tile.indices %m : !tile.range<16> -> tensor<8xi32>
}

// -----

tile.kernel @valid_extent() grid(%m in tiles(64, 16)) {
  // expected-error @below {{'tile.valid' op expected the result to be 'tensor<16xi1>', got 'tensor<16x1xi1>'}}
  %i = tile.valid %m : !tile.range<16> -> tensor<16x1xi1>
}
