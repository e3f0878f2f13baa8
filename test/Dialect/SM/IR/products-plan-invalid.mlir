// RUN: tile-opt %s -split-input-file -verify-diagnostics

// What the text of a plan of products shows to be wrong.

// expected-error@+1 {{expected 'tensor_cores' or 'threads'}}
module attributes {test.a = #sm.product<wgmma, a = registers, b = shared>} {
}

// -----

// expected-error@+1 {{expected 'registers', 'shared' or 'transposed'}}
module attributes {test.a = #sm.product<tensor_cores, a = memory, b = shared>} {
}

// -----

// expected-error@+1 {{expected a swizzle of 32, 64 or 128}}
module attributes {test.a = #sm.planned_operand<shared 16>} {
}

// -----

// expected-error@+1 {{an operand in registers has no swizzle}}
module attributes {test.a = #sm.planned_operand<registers 32>} {
}

// -----

// expected-error@+1 {{operand b of a product lies in shared memory}}
module attributes {test.a = #sm.product<tensor_cores, a = registers, b = registers>} {
}

// -----

// expected-error@+1 {{threads read the operands of a product in shared memory, as they are written}}
module attributes {test.a = #sm.product<threads, a = registers, b = shared>} {
}

// -----

// expected-error@+1 {{threads read the operands of a product in shared memory, as they are written}}
module attributes {test.a = #sm.product<threads, a = shared, b = transposed 64>} {
}

// -----

// expected-error@+1 {{cannot have 'sm.warpgroups'; kernels of tiles have it}}
module attributes {sm.warpgroups = 1 : i64} {
}

// -----

// expected-error@+1 {{expected 'sm.warpgroups' to be an i64 from 1 to 3, got 4 : i64}}
tile.kernel @many() grid() attributes {sm.warpgroups = 4 : i64} {
}

// -----

// expected-error@+1 {{cannot have 'sm.warps'; kernels of tiles have it}}
module attributes {sm.warps = 1 : i64} {
}

// -----

// expected-error@+1 {{expected 'sm.warps' to be an i64 of 1, 2 or 16, got 4 : i64}}
tile.kernel @warps() grid() attributes {sm.warps = 4 : i64} {
}

// -----

// expected-error@+1 {{expected 'sm.warps' or 'sm.warpgroups', got both}}
tile.kernel @both() grid() attributes {sm.warpgroups = 1 : i64, sm.warps = 2 : i64} {
}

// -----

tile.kernel @unplanned_warps(%x: !tile.global<[16, 16] x f32>) grid() attributes {sm.warps = 1 : i64} {
  %a = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error@+1 {{has no 'sm.product', but its kernel has a plan}}
  %p = tile.gemm %a, %a, %a : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
}

// -----

// expected-error@+1 {{cannot have 'sm.product'; products of tiles have it}}
tile.kernel @kernel() grid() attributes {sm.product = #sm.product<threads, a = shared, b = shared>} {
}

// -----

tile.kernel @kind(%x: !tile.global<[16, 16] x f32>) grid() attributes {sm.warpgroups = 1 : i64} {
  %a = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error@+1 {{expected 'sm.product' to be an '#sm.product', got 1 : i64}}
  %p = tile.gemm %a, %a, %a {sm.product = 1 : i64} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
}

// -----

tile.kernel @unplanned(%x: !tile.global<[16, 16] x f32>) grid() attributes {sm.warpgroups = 1 : i64} {
  %a = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error@+1 {{has no 'sm.product', but its kernel has a plan}}
  %p = tile.gemm %a, %a, %a : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
}

// -----

tile.kernel @planless(%x: !tile.global<[16, 16] x f32>) grid() {
  %a = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error@+1 {{cannot have 'sm.product': its kernel has no 'sm.warpgroups' or 'sm.warps'}}
  %p = tile.gemm %a, %a, %a {sm.product = #sm.product<threads, a = shared, b = shared>} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
}
