// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @gemm_rank_c1() grid() {
  %a = arith.constant dense<0.0> : tensor<4xf32>
  %c = arith.constant dense<0.0> : tensor<4x4xf32>
  // expected-error @below {{'tile.gemm' op expected tiles of rank 2, got 'tensor<4xf32>', 'tensor<4x4xf32>' and 'tensor<4x4xf32>'}}
  %d = tile.gemm %a, %c, %c : tensor<4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
}

// -----

tile.kernel @gemm_tf32_c5() grid() {
  %a = arith.constant dense<1.0> : tensor<4x4xbf16>
  %c = arith.constant dense<1.0> : tensor<4x4xf32>
  // expected-error @below {{'tile.gemm' op expected operands of f32 for `tf32`, got 'bf16'}}
  %d = tile.gemm %a, %a, %c tf32 : tensor<4x4xbf16>, tensor<4x4xbf16> -> tensor<4x4xf32>
}

// -----

tile.kernel @gemm_inner_c2() grid() {
  %a = arith.constant dense<0.0> : tensor<4x8xf32>
  %c = arith.constant dense<0.0> : tensor<4x4xf32>
  // expected-error @below {{'tile.gemm' op multiplies 4x8 by 4x4; the inner extents differ}}
  %d = tile.gemm %a, %c, %c : tensor<4x8xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
}

// -----

tile.kernel @gemm_inner_transposed_c2() grid() {
  %a = arith.constant dense<0.0> : tensor<4x8xf32>
  %c = arith.constant dense<0.0> : tensor<8x4xf32>
  // expected-error @below {{'tile.gemm' op multiplies 8x4 by 8x4; the inner extents differ}}
  %d = tile.gemm %a, %c, %c transpose_a : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
}

// -----

tile.kernel @gemm_accumulator_c2() grid() {
  %a = arith.constant dense<0.0> : tensor<4x8xf32>
  %b = arith.constant dense<0.0> : tensor<8x2xf32>
  %c = arith.constant dense<0.0> : tensor<2x4xf32>
  // expected-error @below {{'tile.gemm' op expected the accumulator to be 4x2, got 'tensor<2x4xf32>'}}
  %d = tile.gemm %a, %b, %c : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<2x4xf32>
}

// -----

tile.kernel @gemm_operands_c3() grid() {
  %a = arith.constant dense<0.0> : tensor<4x4xf16>
  %b = arith.constant dense<0.0> : tensor<4x4xbf16>
  %c = arith.constant dense<0.0> : tensor<4x4xf32>
  // expected-error @below {{'tile.gemm' op expected operands of one element type, got 'f16' and 'bf16'}}
  %d = tile.gemm %a, %b, %c : tensor<4x4xf16>, tensor<4x4xbf16> -> tensor<4x4xf32>
}

// -----

tile.kernel @gemm_accumulate_c4() grid() {
  %a = arith.constant dense<0.0> : tensor<4x4xf16>
  // expected-error @below {{'tile.gemm' op expected float operands with an f32 accumulator or i8 operands with an i32 accumulator, got 'f16' and 'f16'}}
  %d = tile.gemm %a, %a, %a : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf16>
}

// -----

tile.kernel @reduce_axis_c1() grid() {
  %a = arith.constant dense<0.0> : tensor<4x8xf32>
  // expected-error @below {{'tile.reduce' op expected an axis from 0 to 1, got 2}}
  %d = tile.reduce sum %a axis 2 : tensor<4x8xf32> -> tensor<4xf32>
}

// -----

tile.kernel @reduce_result_c2() grid() {
  %a = arith.constant dense<0.0> : tensor<4x8xf32>
  // expected-error @below {{'tile.reduce' op expected the result to be 'tensor<8xf32>', got 'tensor<4xf32>'}}
  %d = tile.reduce sum %a axis 0 : tensor<4x8xf32> -> tensor<4xf32>
}

// -----

tile.kernel @reduce_element_c3() grid() {
  %a = arith.constant dense<true> : tensor<4x8xi1>
  // expected-error @below {{'tile.reduce' op expected numbers, got 'tensor<4x8xi1>'}}
  %d = tile.reduce max %a axis 0 : tensor<4x8xi1> -> tensor<8xi1>
}

// -----

tile.kernel @reduce_keep_result_c2() grid() {
  %a = arith.constant dense<0.0> : tensor<4x8xf32>
  // expected-error @below {{'tile.reduce' op expected the result to be 'tensor<4x2xf32>', got 'tensor<4xf32>'}}
  %d = tile.reduce sum %a axis 1 keep 2 : tensor<4x8xf32> -> tensor<4xf32>
}

// -----

tile.kernel @reduce_keep_c4() grid() {
  %a = arith.constant dense<0.0> : tensor<4x8xf32>
  // expected-error @below {{'tile.reduce' op expected 'keep' to divide the extent 8 of the axis, got 3}}
  %d = tile.reduce sum %a axis 1 keep 3 : tensor<4x8xf32> -> tensor<4x3xf32>
}

// -----

tile.kernel @reduce_keep_zero_c4() grid() {
  %a = arith.constant dense<0.0> : tensor<4x8xf32>
  // expected-error @below {{'tile.reduce' op expected 'keep' to divide the extent 8 of the axis, got 0}}
  %d = tile.reduce sum %a axis 1 keep 0 : tensor<4x8xf32> -> tensor<4xf32>
}

// -----

tile.kernel @scan_axis_c1() grid() {
  %a = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.scan' op expected an axis from 0 to 0, got 1}}
  %d = tile.scan sum %a axis 1 : tensor<4xf32>
}

// -----

tile.kernel @scan_element_c2() grid() {
  %a = arith.constant dense<true> : tensor<4xi1>
  // expected-error @below {{'tile.scan' op expected numbers, got 'tensor<4xi1>'}}
  %d = tile.scan sum %a axis 0 : tensor<4xi1>
}

// -----

tile.kernel @broadcast_rank_c1() grid() {
  %a = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.broadcast' op expected source and result of one rank and element type, got 'tensor<4xf32>' and 'tensor<4x4xf32>'}}
  %d = tile.broadcast %a : tensor<4xf32> -> tensor<4x4xf32>
}

// -----

tile.kernel @broadcast_extent_c2() grid() {
  %a = arith.constant dense<0.0> : tensor<4x2xf32>
  // expected-error @below {{'tile.broadcast' op expected each extent to be 1 or unchanged, got 'tensor<4x2xf32>' to 'tensor<4x4xf32>'}}
  %d = tile.broadcast %a : tensor<4x2xf32> -> tensor<4x4xf32>
}

// -----

tile.kernel @expand_axis_c1() grid() {
  %a = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.expand_dims' op expected an axis from 0 to 1, got 2}}
  %d = tile.expand_dims %a axis 2 : tensor<4xf32> -> tensor<4x1xf32>
}

// -----

tile.kernel @expand_result_c2() grid() {
  %a = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.expand_dims' op expected the result to be 'tensor<1x4xf32>', got 'tensor<4x1xf32>'}}
  %d = tile.expand_dims %a axis 0 : tensor<4xf32> -> tensor<4x1xf32>
}

// -----

tile.kernel @transpose_rank_c1() grid() {
  %a = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.transpose' op expected a tile of rank 2, got 'tensor<4xf32>'}}
  %d = tile.transpose %a : tensor<4xf32> -> tensor<4xf32>
}

// -----

tile.kernel @transpose_result_c2() grid() {
  %a = arith.constant dense<0.0> : tensor<4x2xf32>
  // expected-error @below {{'tile.transpose' op expected the result to be 'tensor<2x4xf32>', got 'tensor<4x2xf32>'}}
  %d = tile.transpose %a : tensor<4x2xf32> -> tensor<4x2xf32>
}

// -----

tile.kernel @rearrange_source_c1() grid() {
  // expected-error @below {{'tile.rearrange' op expected a source}}
  %d = "tile.rearrange"() <{strides = array<i64: 1>}> : () -> tensor<4xf32>
}

// -----

tile.kernel @rearrange_types_c1() grid() {
  %a = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.rearrange' op expected sources and result of one element type, got 'tensor<4xf32>' and 'tensor<4xf16>'}}
  %d = tile.rearrange %a by [1] : (tensor<4xf32>) -> tensor<4xf16>
}

// -----

tile.kernel @rearrange_strides_c2() grid() {
  %a = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.rearrange' op expected 2 strides, one for each dimension of the result, got 1}}
  %d = tile.rearrange %a by [1] : (tensor<4xf32>) -> tensor<2x2xf32>
}

// -----

tile.kernel @rearrange_numbers_c3() grid() {
  %a = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.rearrange' op expected numbers of elements from 0 to 7, got -3 to 4}}
  %d = tile.rearrange %a, %a from 1 by [3, -4] : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x2xf32>
}

// -----

tile.kernel @rearrange_stride_c3() grid() {
  %a = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.rearrange' op expected strides of at most 4, the number of elements, got 4611686018427387904}}
  %d = tile.rearrange %a by [4611686018427387904] : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

tile.kernel @rearrange_xor_c4() grid() {
  %a = arith.constant dense<0.0> : tensor<12xf32>
  // expected-error @below {{'tile.rearrange' op expected 'xor' to keep the numbers of elements from 0 to 11, got 4}}
  %d = tile.rearrange %a by [1] xor 4 : (tensor<12xf32>) -> tensor<12xf32>
}

// -----

tile.kernel @iota_rank_c1() grid() {
  // expected-error @below {{'tile.iota' op expected a result of rank 1, got 'tensor<4x4xi32>'}}
  %d = tile.iota : tensor<4x4xi32>
}

// -----

tile.kernel @asm_operand_c1() grid() {
  // expected-error @below {{'tile.asm' op expected an operand}}
  %d = tile.asm "mov.f32 $0, 1.0;" : () -> f32
}

// -----

tile.kernel @asm_type_c1() grid() {
  %a = arith.constant dense<0> : tensor<4xi8>
  // expected-error @below {{'tile.asm' op expected elements of f16, bf16, f32, f64, i16, i32 or i64, got 'tensor<4xi8>'}}
  %d = tile.asm "mov.b16 $0, $1;" %a : (tensor<4xi8>) -> tensor<4xi16>
}

// -----

tile.kernel @asm_shape_c2() grid() {
  %a = arith.constant dense<0.0> : tensor<4xf32>
  %b = arith.constant 0.0 : f32
  // expected-error @below {{'tile.asm' op expected operands and a result of one shape, got 'f32' and 'tensor<4xf32>'}}
  %d = tile.asm "add.f32 $0, $1, $2;" %a, %b : (tensor<4xf32>, f32) -> tensor<4xf32>
}

// -----

tile.kernel @asm_text_c3() grid() {
  %a = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.asm' op line 2, column 1: unknown instruction 'foo.f32'}}
  %d = tile.asm "neg.f32 $0, $1;\0Afoo.f32 $0, $1;" %a : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

tile.kernel @asm_unused_c3() grid() {
  %a = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.asm' op the text does not use the operand `$2`}}
  %d = tile.asm "neg.f32 $0, $1;" %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// -----

tile.kernel @dynamic_tile(%a: tensor<?xf32>) grid() {
  // expected-error @below {{'tile.reduce' op operand #0 must be statically shaped tensor}}
  %d = tile.reduce sum %a axis 0 : tensor<?xf32> -> tensor<f32>
}
