// RUN: tile-opt %s --tile-plan-products --tile-to-sm -split-input-file -verify-diagnostics

// Plans of products that the machine cannot carry out; the planner leaves them as they are.

tile.kernel @swizzle(%x: !tile.global<[M, K] x bf16>, %w: !tile.global<[K, N] x bf16>, %y: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 128), %n in tiles(N, 64)) attributes {sm.warpgroups = 1 : i64} {
  %c0 = arith.constant 0 : index
  %K = tile.size K
  %k = tile.range %c0 to %K : !tile.range<32 of K>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %a = tile.load %x[%m, %k] : !tile.global<[M, K] x bf16>, !tile.range<128 of M>, !tile.range<32 of K> -> tensor<128x32xbf16>
  %b = tile.load %w[%k, %n] : !tile.global<[K, N] x bf16>, !tile.range<32 of K>, !tile.range<64 of N> -> tensor<32x64xbf16>
  // expected-error@+1 {{cannot have operand a in shared memory with a swizzle of 128 bytes; the widest for rows of 32 elements has 64}}
  %p = tile.gemm %a, %b, %zero {sm.product = #sm.product<tensor_cores, a = shared 128, b = shared 128>} : tensor<128x32xbf16>, tensor<32x64xbf16> -> tensor<128x64xf32>
  tile.store %p to %y[%m, %n] : tensor<128x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<128 of M>, !tile.range<64 of N>
}

// -----

tile.kernel @unit(%x: !tile.global<[M, K] x f32>, %w: !tile.global<[K, N] x f32>, %y: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 128), %n in tiles(N, 64)) attributes {sm.warpgroups = 1 : i64} {
  %c0 = arith.constant 0 : index
  %K = tile.size K
  %k = tile.range %c0 to %K : !tile.range<64 of K>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %a = tile.load %x[%m, %k] : !tile.global<[M, K] x f32>, !tile.range<128 of M>, !tile.range<64 of K> -> tensor<128x64xf32>
  %b = tile.load %w[%k, %n] : !tile.global<[K, N] x f32>, !tile.range<64 of K>, !tile.range<64 of N> -> tensor<64x64xf32>
  // expected-error@+1 {{cannot be done on tensor cores as its plan says: operands are of f32 and f32}}
  %p = tile.gemm %a, %b, %zero {sm.product = #sm.product<tensor_cores, a = shared 128, b = shared 128>} : tensor<128x64xf32>, tensor<64x64xf32> -> tensor<128x64xf32>
  tile.store %p to %y[%m, %n] : tensor<128x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<128 of M>, !tile.range<64 of N>
}

// -----

tile.kernel @threads(%x: !tile.global<[M, K] x f32>, %w: !tile.global<[K, N] x f32>, %y: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 128), %n in tiles(N, 64)) attributes {sm.warpgroups = 1 : i64} {
  %c0 = arith.constant 0 : index
  %K = tile.size K
  %k = tile.range %c0 to %K : !tile.range<64 of K>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %a = tile.load %x[%m, %k] : !tile.global<[M, K] x f32>, !tile.range<128 of M>, !tile.range<64 of K> -> tensor<128x64xf32>
  %b = tile.load %w[%k, %n] : !tile.global<[K, N] x f32>, !tile.range<64 of K>, !tile.range<64 of N> -> tensor<64x64xf32>
  // expected-error@+1 {{of tf32 cannot be done by threads, which multiply all bits of f32; truncate its operands and remove `tf32`}}
  %p = tile.gemm %a, %b, %zero tf32 {sm.product = #sm.product<threads, a = shared 128, b = shared 128>} : tensor<128x64xf32>, tensor<64x64xf32> -> tensor<128x64xf32>
  tile.store %p to %y[%m, %n] : tensor<128x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<128 of M>, !tile.range<64 of N>
}

// -----

tile.kernel @rows(%x: !tile.global<[M, K] x bf16>, %w: !tile.global<[K, N] x bf16>, %y: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 16), %n in tiles(N, 64)) attributes {sm.warpgroups = 1 : i64} {
  %c0 = arith.constant 0 : index
  %K = tile.size K
  %k = tile.range %c0 to %K : !tile.range<64 of K>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %a = tile.load %x[%m, %k] : !tile.global<[M, K] x bf16>, !tile.range<16 of M>, !tile.range<64 of K> -> tensor<16x64xbf16>
  %b = tile.load %w[%k, %n] : !tile.global<[K, N] x bf16>, !tile.range<64 of K>, !tile.range<64 of N> -> tensor<64x64xbf16>
  // expected-error@+1 {{cannot be done on tensor cores as its plan says: operand a, whose rows repeat, comes from registers}}
  %p = tile.gemm %a, %b, %zero {sm.product = #sm.product<tensor_cores, a = shared 128, b = shared 128>} : tensor<16x64xbf16>, tensor<64x64xbf16> -> tensor<16x64xf32>
  tile.store %p to %y[%m, %n] : tensor<16x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<16 of M>, !tile.range<64 of N>
}

// -----

tile.kernel @few(%x: !tile.global<[M, K] x bf16>, %w: !tile.global<[K, N] x bf16>, %y: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 16), %n in tiles(N, 64)) attributes {sm.warpgroups = 2 : i64} {
  %c0 = arith.constant 0 : index
  %K = tile.size K
  %k = tile.range %c0 to %K : !tile.range<64 of K>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %a = tile.load %x[%m, %k] : !tile.global<[M, K] x bf16>, !tile.range<16 of M>, !tile.range<64 of K> -> tensor<16x64xbf16>
  %b = tile.load %w[%k, %n] : !tile.global<[K, N] x bf16>, !tile.range<64 of K>, !tile.range<64 of N> -> tensor<64x64xbf16>
  // expected-error@+1 {{has 16 rows, which are work for one warpgroup, but the plan has 2}}
  %p = tile.gemm %a, %b, %zero {sm.product = #sm.product<tensor_cores, a = registers, b = shared 128>} : tensor<16x64xbf16>, tensor<64x64xbf16> -> tensor<16x64xf32>
  tile.store %p to %y[%m, %n] : tensor<16x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<16 of M>, !tile.range<64 of N>
}

// -----

tile.kernel @thirds(%x: !tile.global<[M, K] x bf16>, %w: !tile.global<[K, N] x bf16>, %y: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 128), %n in tiles(N, 64)) attributes {sm.warpgroups = 3 : i64} {
  %c0 = arith.constant 0 : index
  %K = tile.size K
  %k = tile.range %c0 to %K : !tile.range<64 of K>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %a = tile.load %x[%m, %k] : !tile.global<[M, K] x bf16>, !tile.range<128 of M>, !tile.range<64 of K> -> tensor<128x64xbf16>
  %b = tile.load %w[%k, %n] : !tile.global<[K, N] x bf16>, !tile.range<64 of K>, !tile.range<64 of N> -> tensor<64x64xbf16>
  // expected-error@+1 {{cannot be shared by the 3 warpgroups of the plan: it has 128 rows}}
  %p = tile.gemm %a, %b, %zero {sm.product = #sm.product<tensor_cores, a = shared 128, b = shared 128>} : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  tile.store %p to %y[%m, %n] : tensor<128x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<128 of M>, !tile.range<64 of N>
}

// -----

tile.kernel @columns(%x: !tile.global<[M, K] x bf16>, %w: !tile.global<[K, N] x bf16>, %y: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 64), %n in tiles(N, 64)) attributes {sm.warpgroups = 2 : i64} {
  %c0 = arith.constant 0 : index
  %K = tile.size K
  %k = tile.range %c0 to %K : !tile.range<64 of K>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%m, %k] : !tile.global<[M, K] x bf16>, !tile.range<64 of M>, !tile.range<64 of K> -> tensor<64x64xbf16>
  %b = tile.load %w[%k, %n] : !tile.global<[K, N] x bf16>, !tile.range<64 of K>, !tile.range<64 of N> -> tensor<64x64xbf16>
  // expected-error@+1 {{cannot be shared by the 2 warpgroups of the plan: it has 64 rows, and columns are shared where operand a lies in shared memory}}
  %p = tile.gemm %a, %b, %zero {sm.product = #sm.product<tensor_cores, a = registers, b = shared 64>} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.store %p to %y[%m, %n] : tensor<64x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<64 of M>, !tile.range<64 of N>
}

// -----

tile.kernel @parts(%x: !tile.global<[M, K] x bf16>, %w: !tile.global<[K, N] x bf16>, %y: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 64), %n in tiles(N, 64)) attributes {sm.warpgroups = 2 : i64} {
  %c0 = arith.constant 0 : index
  %K = tile.size K
  %k = tile.range %c0 to %K : !tile.range<64 of K>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%m, %k] : !tile.global<[M, K] x bf16>, !tile.range<64 of M>, !tile.range<64 of K> -> tensor<64x64xbf16>
  %b = tile.load %w[%k, %n] : !tile.global<[K, N] x bf16>, !tile.range<64 of K>, !tile.range<64 of N> -> tensor<64x64xbf16>
  // expected-error@+1 {{cannot be shared by the 2 warpgroups of the plan: each of 2 parts of the columns takes whole rows of the swizzle of operand b}}
  %p = tile.gemm %a, %b, %zero {sm.product = #sm.product<tensor_cores, a = shared 128, b = shared 128>} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.store %p to %y[%m, %n] : tensor<64x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<64 of M>, !tile.range<64 of N>
}

// -----

tile.kernel @places(%x: !tile.global<[M, K] x bf16>, %w: !tile.global<[K, N] x bf16>, %y: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 128), %n in tiles(N, 64)) attributes {sm.warpgroups = 1 : i64} {
  %c0 = arith.constant 0 : index
  %K = tile.size K
  %k = tile.range %c0 to %K : !tile.range<64 of K>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %a = tile.load %x[%m, %k] : !tile.global<[M, K] x bf16>, !tile.range<128 of M>, !tile.range<64 of K> -> tensor<128x64xbf16>
  %b = tile.load %w[%k, %n] : !tile.global<[K, N] x bf16>, !tile.range<64 of K>, !tile.range<64 of N> -> tensor<64x64xbf16>
  %p = tile.gemm %a, %b, %zero {sm.product = #sm.product<tensor_cores, a = shared 128, b = shared 128>} : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  tile.store %p to %y[%m, %n] : tensor<128x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<128 of M>, !tile.range<64 of N>
  // expected-error@+1 {{reads a tile with a swizzle of 64 bytes that another product reads with one of 128}}
  %q = tile.gemm %a, %b, %zero {sm.product = #sm.product<tensor_cores, a = shared 64, b = shared 128>} : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  tile.store %q to %y[%m, %n] : tensor<128x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<128 of M>, !tile.range<64 of N>
}

// -----

tile.kernel @constants(%y: !tile.global<[64, 64] x f32, out>) grid() attributes {sm.warpgroups = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %r = tile.range %c0 to %c64 : !tile.range<64>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %one = arith.constant dense<1.0> : tensor<64x64xbf16>
  // expected-error@+1 {{cannot be done on tensor cores as its plan says: operand a, which is made of constants, comes from shared memory}}
  %p = tile.gemm %one, %one, %zero {sm.product = #sm.product<tensor_cores, a = registers, b = shared 128>} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.store %p to %y[%r, %r] : tensor<64x64xf32>, !tile.global<[64, 64] x f32, out>, !tile.range<64>, !tile.range<64>
}

// -----

tile.kernel @warps(%x: !tile.global<[M, K] x bf16>, %w: !tile.global<[K, N] x bf16>, %y: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 64), %n in tiles(N, 64)) attributes {sm.warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %K = tile.size K
  %k = tile.range %c0 to %K : !tile.range<64 of K>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%m, %k] : !tile.global<[M, K] x bf16>, !tile.range<64 of M>, !tile.range<64 of K> -> tensor<64x64xbf16>
  %b = tile.load %w[%k, %n] : !tile.global<[K, N] x bf16>, !tile.range<64 of K>, !tile.range<64 of N> -> tensor<64x64xbf16>
  // expected-error@+1 {{cannot be done on tensor cores as its plan says: a warpgroup has 4 warps, but the plan has 'sm.warps' = 2}}
  %p = tile.gemm %a, %b, %zero {sm.product = #sm.product<tensor_cores, a = shared 128, b = shared 128>} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.store %p to %y[%m, %n] : tensor<64x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<64 of M>, !tile.range<64 of N>
}
