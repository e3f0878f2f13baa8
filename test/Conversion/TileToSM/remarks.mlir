// RUN: tile-opt %s --tile-to-sm=remarks --verify-diagnostics -o /dev/null

tile.kernel @tensor_cores(%a: !tile.global<[M, 64] x bf16>, %b: !tile.global<[64, N] x bf16>, %c: !tile.global<[M, N] x f32, out>)
    grid(%m in tiles(M, 128), %n in tiles(N, 32)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %d = tile.range %c0 to %c64 : !tile.range<64>
  %x = tile.load %a[%m, %d] : !tile.global<[M, 64] x bf16>, !tile.range<128 of M>, !tile.range<64> -> tensor<128x64xbf16>
  %y = tile.load %b[%d, %n] : !tile.global<[64, N] x bf16>, !tile.range<64>, !tile.range<32 of N> -> tensor<64x32xbf16>
  %z = arith.constant dense<0.0> : tensor<128x32xf32>
  // expected-remark@+1 {{the product of 128x32x64 runs on tensor cores, in 2 warpgroups, with operand a in shared memory}}
  %s = tile.gemm %x, %y, %z : tensor<128x64xbf16>, tensor<64x32xbf16> -> tensor<128x32xf32>
  tile.store %s to %c[%m, %n] : tensor<128x32xf32>, !tile.global<[M, N] x f32, out>, !tile.range<128 of M>, !tile.range<32 of N>
}

// What two warpgroups cannot share, three may, whatever the schedule asks for.
tile.kernel @thirds(%a: !tile.global<[M, 64] x bf16>, %b: !tile.global<[64, N] x bf16>, %c: !tile.global<[M, N] x f32, out>)
    grid(%m in tiles(M, 192), %n in tiles(N, 32)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %d = tile.range %c0 to %c64 : !tile.range<64>
  %x = tile.load %a[%m, %d] : !tile.global<[M, 64] x bf16>, !tile.range<192 of M>, !tile.range<64> -> tensor<192x64xbf16>
  %y = tile.load %b[%d, %n] : !tile.global<[64, N] x bf16>, !tile.range<64>, !tile.range<32 of N> -> tensor<64x32xbf16>
  %z = arith.constant dense<0.0> : tensor<192x32xf32>
  // expected-remark@+1 {{the product of 192x32x64 runs on tensor cores, in 3 warpgroups, with operand a in shared memory}}
  %s = tile.gemm %x, %y, %z : tensor<192x64xbf16>, tensor<64x32xbf16> -> tensor<192x32xf32>
  tile.store %s to %c[%m, %n] : tensor<192x32xf32>, !tile.global<[M, N] x f32, out>, !tile.range<192 of M>, !tile.range<32 of N>
}

tile.kernel @thirds_of_a_schedule(%a: !tile.global<[M, 64] x bf16>, %b: !tile.global<[64, N] x bf16>, %c: !tile.global<[M, N] x f32, out>)
    grid(%m in tiles(M, 192), %n in tiles(N, 32)) schedule<warpgroups = 2> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %d = tile.range %c0 to %c64 : !tile.range<64>
  %x = tile.load %a[%m, %d] : !tile.global<[M, 64] x bf16>, !tile.range<192 of M>, !tile.range<64> -> tensor<192x64xbf16>
  %y = tile.load %b[%d, %n] : !tile.global<[64, N] x bf16>, !tile.range<64>, !tile.range<32 of N> -> tensor<64x32xbf16>
  %z = arith.constant dense<0.0> : tensor<192x32xf32>
  // expected-remark@+1 {{the product of 192x32x64 runs on tensor cores, in 3 warpgroups, with operand a in shared memory}}
  %s = tile.gemm %x, %y, %z : tensor<192x64xbf16>, tensor<64x32xbf16> -> tensor<192x32xf32>
  tile.store %s to %c[%m, %n] : tensor<192x32xf32>, !tile.global<[M, N] x f32, out>, !tile.range<192 of M>, !tile.range<32 of N>
}

tile.kernel @neither(%a: !tile.global<[M, 64] x bf16>, %b: !tile.global<[64, N] x bf16>, %c: !tile.global<[M, N] x f32, out>)
    grid(%m in tiles(M, 320), %n in tiles(N, 32)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %d = tile.range %c0 to %c64 : !tile.range<64>
  %x = tile.load %a[%m, %d] : !tile.global<[M, 64] x bf16>, !tile.range<320 of M>, !tile.range<64> -> tensor<320x64xbf16>
  %y = tile.load %b[%d, %n] : !tile.global<[64, N] x bf16>, !tile.range<64>, !tile.range<32 of N> -> tensor<64x32xbf16>
  %z = arith.constant dense<0.0> : tensor<320x32xf32>
  // expected-remark@+1 {{the product of 320x32x64 runs on tensor cores, in 1 warpgroup, with operand a in shared memory}}
  %s = tile.gemm %x, %y, %z : tensor<320x64xbf16>, tensor<64x32xbf16> -> tensor<320x32xf32>
  tile.store %s to %c[%m, %n] : tensor<320x32xf32>, !tile.global<[M, N] x f32, out>, !tile.range<320 of M>, !tile.range<32 of N>
}

tile.kernel @from_registers(%a: !tile.global<[M, 64] x bf16>, %b: !tile.global<[64, N] x bf16>, %c: !tile.global<[M, N] x f32, out>)
    grid(%m in tiles(M, 64), %n in tiles(N, 32)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %d = tile.range %c0 to %c64 : !tile.range<64>
  %x = tile.load %a[%m, %d] : !tile.global<[M, 64] x bf16>, !tile.range<64 of M>, !tile.range<64> -> tensor<64x64xbf16>
  %w = math.absf %x : tensor<64x64xbf16>
  %y = tile.load %b[%d, %n] : !tile.global<[64, N] x bf16>, !tile.range<64>, !tile.range<32 of N> -> tensor<64x32xbf16>
  %z = arith.constant dense<0.0> : tensor<64x32xf32>
  // expected-remark@+1 {{the product of 64x32x64 runs on tensor cores, in 1 warpgroup, with operand a in registers}}
  %s = tile.gemm %w, %y, %z : tensor<64x64xbf16>, tensor<64x32xbf16> -> tensor<64x32xf32>
  tile.store %s to %c[%m, %n] : tensor<64x32xf32>, !tile.global<[M, N] x f32, out>, !tile.range<64 of M>, !tile.range<32 of N>
}

tile.kernel @multiply_adds(%c: !tile.global<[M, N] x f32, inout>, %d: !tile.global<[M, N] x i32, inout>)
    grid(%m in tiles(M, 64), %n in tiles(N, 32)) {
  %f = arith.constant dense<1.0> : tensor<64x64xf32>
  %g = arith.constant dense<1.0> : tensor<64x32xf32>
  // expected-remark@+3 {{the product of 64x32x64 runs as multiply-adds: operands are of f32 and f32}}
  // expected-warning@+2 {{this product of f32, 64x32x64, runs as multiply-adds}}
  // expected-note@+1 {{tensor cores multiply operands `as tf32`}}
  %r0 = tile.gemm %f, %g, %g : tensor<64x64xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
  tile.atomic add %r0 to %c[%m, %n] : tensor<64x32xf32>, !tile.global<[M, N] x f32, inout>, !tile.range<64 of M>, !tile.range<32 of N>
  %a1 = arith.constant dense<1.0> : tensor<32x64xbf16>
  %b1 = arith.constant dense<1.0> : tensor<64x32xbf16>
  %z1 = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-remark@+3 {{the product of 32x32x64 runs as multiply-adds: operand a, whose rows repeat in registers, is made of constants}}
  // expected-warning@+2 {{as multiply-adds, not on tensor cores: operand a, whose rows repeat in registers, is made of constants}}
  // expected-note@+1 {{tensor cores take a power of two of rows}}
  %r1 = tile.gemm %a1, %b1, %z1 : tensor<32x64xbf16>, tensor<64x32xbf16> -> tensor<32x32xf32>
  %a2 = arith.constant dense<1.0> : tensor<64x64xbf16>
  %b2 = arith.constant dense<1.0> : tensor<64x20xbf16>
  %z2 = arith.constant dense<0.0> : tensor<64x20xf32>
  // expected-remark@+3 {{the product of 64x20x64 runs as multiply-adds: 20 columns are no multiple of 8}}
  // expected-warning@+2 {{as multiply-adds, not on tensor cores: 20 columns}}
  // expected-note@+1 {{tensor cores take a power of two of rows}}
  %r2 = tile.gemm %a2, %b2, %z2 : tensor<64x64xbf16>, tensor<64x20xbf16> -> tensor<64x20xf32>
  %b3 = arith.constant dense<1.0> : tensor<64x320xbf16>
  %z3 = arith.constant dense<0.0> : tensor<64x320xf32>
  // expected-remark@+1 {{the product of 64x320x64 runs on tensor cores, in 1 warpgroup, with operand a in shared memory}}
  %r3 = tile.gemm %a2, %b3, %z3 : tensor<64x64xbf16>, tensor<64x320xbf16> -> tensor<64x320xf32>
  %a4 = arith.constant dense<1.0> : tensor<64x24xbf16>
  %b4 = arith.constant dense<1.0> : tensor<24x32xbf16>
  // expected-remark@+3 {{the product of 64x32x24 runs as multiply-adds: 24 terms are no multiple of 16}}
  // expected-warning@+2 {{as multiply-adds, not on tensor cores: 24 terms}}
  // expected-note@+1 {{tensor cores take a power of two of rows}}
  %r4 = tile.gemm %a4, %b4, %g : tensor<64x24xbf16>, tensor<24x32xbf16> -> tensor<64x32xf32>
  %a5 = arith.constant dense<1.0> : tensor<64x64xf8E4M3FN>
  %b5 = arith.constant dense<1.0> : tensor<64x32xf8E4M3FN>
  // expected-remark@+1 {{the product of 64x32x64 runs on tensor cores, in 1 warpgroup, with operand a in shared memory, and a copy of operand b that threads transpose}}
  %r5 = tile.gemm %a5, %b5, %g : tensor<64x64xf8E4M3FN>, tensor<64x32xf8E4M3FN> -> tensor<64x32xf32>
  %b6 = arith.constant dense<1.0> : tensor<64x8xbf16>
  %z6 = arith.constant dense<1.0> : tensor<64x8xf32>
  // expected-remark@+3 {{runs as multiply-adds: operand b: }}
  // expected-warning@+2 {{as multiply-adds, not on tensor cores: operand b: the tile follows no swizzle}}
  // expected-note@+1 {{tensor cores take a power of two of rows}}
  %r6 = tile.gemm %a2, %b6, %z6 : tensor<64x64xbf16>, tensor<64x8xbf16> -> tensor<64x8xf32>
  %a7 = arith.constant dense<1> : tensor<64x32xi8>
  %b7 = arith.constant dense<1> : tensor<32x32xi8>
  %z7 = arith.constant dense<1> : tensor<64x32xi32>
  // expected-remark@+1 {{the product of 64x32x32 runs on tensor cores, in 1 warpgroup, with operand a in shared memory, and a copy of operand b that threads transpose; tensor cores read operands of 8 bits along K, as `b[n, k].T` lies}}
  %r7 = tile.gemm %a7, %b7, %z7 : tensor<64x32xi8>, tensor<32x32xi8> -> tensor<64x32xi32>
}

// Rows and columns of one square tile meet in a sum.
tile.kernel @movement(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 64), %n in tiles(N, 64)) {
  %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<64 of M>, !tile.range<64 of N> -> tensor<64x64xf32>
  %r = tile.reduce sum %t axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  // expected-remark@+1 {{changes its layout: 64 f32 moves within warps}}
  %c = tile.reduce sum %t axis 0 : tensor<64x64xf32> -> tensor<64xf32>
  %s = arith.addf %r, %c : tensor<64xf32>
  tile.store %s to %y[%m] : tensor<64xf32>, !tile.global<[M] x f32, out>, !tile.range<64 of M>
}

// Rows that are fewer than those of an instruction repeat; what no number of them makes, warns.
tile.kernel @few_rows(%a: !tile.global<[M, 64] x bf16>, %b: !tile.global<[64, N] x bf16>, %c: !tile.global<[M, N] x f32, out>)
    grid(%m in tiles(M, 16), %n in tiles(N, 32)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %d = tile.range %c0 to %c64 : !tile.range<64>
  %x = tile.load %a[%m, %d] : !tile.global<[M, 64] x bf16>, !tile.range<16 of M>, !tile.range<64> -> tensor<16x64xbf16>
  %y = tile.load %b[%d, %n] : !tile.global<[64, N] x bf16>, !tile.range<64>, !tile.range<32 of N> -> tensor<64x32xbf16>
  %z = arith.constant dense<0.0> : tensor<16x32xf32>
  // expected-remark@+1 {{the product of 16x32x64 runs on tensor cores, in 1 warpgroup, with operand a in registers, where its rows repeat}}
  %s = tile.gemm %x, %y, %z : tensor<16x64xbf16>, tensor<64x32xbf16> -> tensor<16x32xf32>
  tile.store %s to %c[%m, %n] : tensor<16x32xf32>, !tile.global<[M, N] x f32, out>, !tile.range<16 of M>, !tile.range<32 of N>
}

tile.kernel @transposed(%a: !tile.global<[M, 64] x bf16>, %b: !tile.global<[64, N] x bf16>, %c: !tile.global<[M, N] x f32, out>)
    grid(%m in tiles(M, 24), %n in tiles(N, 64)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %d = tile.range %c0 to %c64 : !tile.range<64>
  %x = tile.load %a[%m, %d] : !tile.global<[M, 64] x bf16>, !tile.range<24 of M>, !tile.range<64> -> tensor<24x64xbf16>
  %y = tile.load %b[%d, %n] : !tile.global<[64, N] x bf16>, !tile.range<64>, !tile.range<64 of N> -> tensor<64x64xbf16>
  %z = arith.constant dense<0.0> : tensor<24x64xf32>
  // expected-remark@+2 {{the product of 24 rows and 64 columns is computed as its transpose}}
  // expected-remark@+1 {{the product of 64x24x64 runs on tensor cores, in 1 warpgroup, with operand a in shared memory}}
  %s = tile.gemm %x, %y, %z : tensor<24x64xbf16>, tensor<64x64xbf16> -> tensor<24x64xf32>
  tile.store %s to %c[%m, %n] : tensor<24x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<24 of M>, !tile.range<64 of N>
}

tile.kernel @odd_rows(%a: !tile.global<[M, 64] x bf16>, %b: !tile.global<[64, N] x bf16>, %c: !tile.global<[M, N] x f32, out>)
    grid(%m in tiles(M, 33), %n in tiles(N, 64)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %d = tile.range %c0 to %c64 : !tile.range<64>
  %x = tile.load %a[%m, %d] : !tile.global<[M, 64] x bf16>, !tile.range<33 of M>, !tile.range<64> -> tensor<33x64xbf16>
  %y = tile.load %b[%d, %n] : !tile.global<[64, N] x bf16>, !tile.range<64>, !tile.range<64 of N> -> tensor<64x64xbf16>
  %z = arith.constant dense<0.0> : tensor<33x64xf32>
  // expected-remark@+3 {{the product of 33x64x64 runs as multiply-adds: 33 rows are neither 1, 2, 4, … 32 nor a multiple of 64}}
  // expected-warning@+2 {{this product of 33x64x64 runs as multiply-adds, not on tensor cores: 33 rows are neither 1, 2, 4, … 32 nor a multiple of 64}}
  // expected-note@+1 {{tensor cores take a power of two of rows up to 32 or a multiple of 64, or a multiple of 8 if columns are a multiple of 64; columns in multiples of 8; terms in multiples of 16; operands in memory with rows of a multiple of 32 bytes; tiles may extend past the ends of tensors}}
  %s = tile.gemm %x, %y, %z : tensor<33x64xbf16>, tensor<64x64xbf16> -> tensor<33x64xf32>
  tile.store %s to %c[%m, %n] : tensor<33x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<33 of M>, !tile.range<64 of N>
}
