// RUN: tile-opt %s -split-input-file -verify-diagnostics

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @rank_c1() grid() warps(4) {
  %a = sm.scratch : !sm.smem<64xbf16>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  // expected-error @below {{'sm.mma' op expected tiles of rank 2}}
  %p = sm.mma %a, %b, %z : !sm.smem<64xbf16>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @shapes_c1() grid() warps(4) {
  %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %b = sm.scratch : !sm.smem<32x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  // expected-error @below {{'sm.mma' op expected MxK by KxN into MxN, got 64x64 by 32x16 into 64x16}}
  %p = sm.mma %a, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<32x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @warpgroups() grid() warps(6) {
  %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  // expected-error @below {{'sm.mma' op expected whole warpgroups, got 6 warps}}
  %p = sm.mma %a, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
}

// -----

#acc = #sm.layout<"96x16 = lane[4*(0,2) 8*(1,0)] register[2*(0,1) 2*(0,8) 3*(32,0)] warp[4*(8,0)]">
sm.kernel @rows_c2() grid() warps(4) {
  %a = sm.scratch : !sm.smem<96x64xbf16, swizzle = 128>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : tensor<96x16xf32, #acc>
  // expected-error @below {{'sm.mma' op cannot be done by wgmma: expected rows in multiples of 64 for each of 1 warpgroups, or 1, 2, 4, … 32, got 96}}
  %p = sm.mma %a, %b, %z : !sm.smem<96x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<96x16xf32, #acc>
}

// -----

// Rows that repeat do so in registers: 64 rows are read from shared memory.
#acc = #sm.layout<"16x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(0,0)]">
sm.kernel @repeated_rows_c4() grid() warps(4) {
  %a = sm.scratch : !sm.smem<16x64xbf16, swizzle = 128>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  // expected-error @below {{'sm.mma' op cannot read operand a, '!sm.smem<16x64xbf16, swizzle = 128>', by wgmma: expected blocks of 8, 16, … 256 that divide 16, got 64}}
  %p = sm.mma %a, %b, %z : !sm.smem<16x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<16x16xf32, #acc>
}

// -----

#other = #sm.layout<"64x16 = lane[16*(0,1) 2*(1,0)] warp[4*(2,0)] register[8*(8,0)]">
sm.kernel @accumulator_layout_c2() grid() warps(4) {
  %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #other>
  // expected-error @below {{'sm.mma' op expected an accumulator of f32 and layout "64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]", got}}
  %p = sm.mma %a, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #other>
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @accumulator_element_c2() grid() warps(4) {
  %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  %z = arith.constant dense<0> : tensor<64x16xi32, #acc>
  // expected-error @below {{'sm.mma' op expected an accumulator of f32 and layout}}
  %p = sm.mma %a, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xi32, #acc>
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @elements_c3() grid() warps(4) {
  %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %b = sm.scratch : !sm.smem<64x16xf16, swizzle = 32>
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  // expected-error @below {{'sm.mma' op expected operands of f16, of bf16, of f32, of 8-bit floats or of i8, got 'bf16' and 'f16'}}
  %p = sm.mma %a, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xf16, swizzle = 32>, tensor<64x16xf32, #acc>
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#odd = #sm.layout<"64x8 = lane[8*(0,1) 4*(1,0)] warp[4*(4,0)] register[4*(16,0)]">
sm.kernel @fragment_columns_c4() grid() warps(4) {
  %a = arith.constant dense<0.0> : tensor<64x8xbf16, #odd>
  %b = sm.scratch : !sm.smem<8x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  // expected-error @below {{'sm.mma' op cannot take a from registers: expected columns in multiples of 16, got 8}}
  %p = sm.mma %a, %b, %z : tensor<64x8xbf16, #odd>, !sm.smem<8x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#other = #sm.layout<"64x16 = lane[16*(0,1) 2*(1,0)] warp[4*(2,0)] register[8*(8,0)]">
sm.kernel @fragment_layout_c4() grid() warps(4) {
  %a = arith.constant dense<0.0> : tensor<64x16xbf16, #other>
  %b = sm.scratch : !sm.smem<16x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  // expected-error @below {{'sm.mma' op expected operand a in registers, not transposed, with the layout "64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]"}}
  %p = sm.mma %a, %b, %z : tensor<64x16xbf16, #other>, !sm.smem<16x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#square = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @fragment_transposed_c4() grid() warps(4) {
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #square>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  // expected-error @below {{'sm.mma' op expected operand a in registers, not transposed, with the layout}}
  %p = sm.mma %a, %b, %z transpose_a : tensor<64x64xbf16, #square>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @descriptor_c5() grid() warps(4) {
  %a = sm.scratch : !sm.smem<64x64xbf16>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  // expected-error @below {{'sm.mma' op cannot read operand a, '!sm.smem<64x64xbf16>', by wgmma: the tile follows no swizzle of 128, 64 or 32 bytes over blocks of 64}}
  %p = sm.mma %a, %b, %z : !sm.smem<64x64xbf16>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
}

// -----

#acc = #sm.layout<"64x32 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @k_major_c5() grid() warps(4) {
  %a = sm.scratch : !sm.smem<64x128xf8E4M3FN, swizzle = 128>
  %b = sm.scratch : !sm.smem<128x32xf8E5M2, swizzle = 32>
  %z = arith.constant dense<0.0> : tensor<64x32xf32, #acc>
  // expected-error @below {{'sm.mma' op cannot read operand b, '!sm.smem<128x32xf8E5M2, swizzle = 32>', by wgmma: wgmma reads only 16-bit elements along MN; K must be contiguous for 8-bit ones}}
  %p = sm.mma %a, %b, %z : !sm.smem<64x128xf8E4M3FN, swizzle = 128>, !sm.smem<128x32xf8E5M2, swizzle = 32>, tensor<64x32xf32, #acc>
}

// -----

#acc = #sm.layout<"64x32 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @integers_k_major_c5() grid() warps(4) {
  %a = sm.scratch : !sm.smem<64x128xi8, swizzle = 128>
  %b = sm.scratch : !sm.smem<128x32xi8, swizzle = 32>
  %z = arith.constant dense<0> : tensor<64x32xi32, #acc>
  // expected-error @below {{'sm.mma' op cannot read operand b, '!sm.smem<128x32xi8, swizzle = 32>', by wgmma: wgmma reads only 16-bit elements along MN; K must be contiguous for 8-bit ones}}
  %p = sm.mma %a, %b, %z : !sm.smem<64x128xi8, swizzle = 128>, !sm.smem<128x32xi8, swizzle = 32>, tensor<64x32xi32, #acc>
}

// -----

#acc = #sm.layout<"64x32 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @integers_accumulator_c2() grid() warps(4) {
  %a = sm.scratch : !sm.smem<64x128xi8, swizzle = 128>
  %b = sm.scratch : !sm.smem<32x128xi8, swizzle = 128>
  %z = arith.constant dense<0.0> : tensor<64x32xf32, #acc>
  // expected-error @below {{'sm.mma' op expected an accumulator of i32 and layout}}
  %p = sm.mma %a, %b, %z transpose_b : !sm.smem<64x128xi8, swizzle = 128>, !sm.smem<32x128xi8, swizzle = 128>, tensor<64x32xf32, #acc>
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @accumulator_kind() grid() warps(4) {
  %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  // expected-error @below {{expected a tile in registers or a pending one, got 'f32'}}
  %p = sm.mma.issue %a, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, f32
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#wide = #sm.layout<"64x32 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @issue_result() grid() warps(4) {
  %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  // expected-error @below {{'sm.mma.issue' op expected the result to be '!sm.pending<tensor<64x16xf32}}
  %p = "sm.mma.issue"(%a, %b, %z) : (!sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>) -> !sm.pending<tensor<64x32xf32, #wide>>
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#wide = #sm.layout<"64x32 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @await_result() grid() warps(4) {
  %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %p = sm.mma.issue %a, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
  // expected-error @below {{'sm.mma.await' op expected the result to be 'tensor<64x16xf32}}
  %t = "sm.mma.await"(%p) : (!sm.pending<tensor<64x16xf32, #acc>>) -> tensor<64x32xf32, #wide>
}

// -----

sm.kernel @await_kind(%x: f32) grid() warps(4) {
  // expected-error @below {{expected a pending tile, got 'f32'}}
  %t = sm.mma.await %x : f32
}

// -----

// A product in flight owns its registers until it is awaited. What ptxas would say of its accumulator
// being read before (C7514), or of registers of A being written (C7513), has no spelling: a pending
// tile is no tile, and is consumed once.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!sum = tensor<64x16xf32, #acc>
sm.kernel @read_in_flight() grid() warps(4) {
  %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : !sum
  %p = sm.mma.issue %a, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, !sum
  // expected-error @below {{'arith.addf' op operand #0 must be floating-point-like}}
  %t = arith.addf %p, %p : !sm.pending<!sum>
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!sum = tensor<64x16xf32, #acc>
sm.kernel @operand_in_flight() grid() warps(4) {
  %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : !sum
  %p = sm.mma.issue %a, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, !sum
  // expected-error @below {{'sm.mma.issue' op operand #0 must be a tile in shared memory or in registers, but got '!sm.pending}}
  %q = sm.mma.issue %p, %b, %z : !sm.pending<!sum>, !sm.smem<64x16xbf16, swizzle = 32>, !sum
}

// -----

// A second product may not write registers that the first one still writes, other than after it.
#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!sum = tensor<64x16xf32, #acc>
sm.kernel @consumed_twice(%which: i1) grid() warps(4) {
  %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  %z = arith.constant dense<0.0> : !sum
  %p = sm.mma.issue %a, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, !sum
  // In two branches there is one consumer on each path.
  %s = scf.if %which -> !sum {
    %t = sm.mma.await %p : !sm.pending<!sum>
    scf.yield %t : !sum
  } else {
    %q = sm.mma.issue %a, %b, %p : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, !sm.pending<!sum>
    // expected-note @below {{consumed here}}
    %t = sm.mma.await %q : !sm.pending<!sum>
    // expected-error @below {{'sm.mma.await' op consumes a pending tile that something else consumes as well; use the tile that 'sm.mma.await' yields}}
    %u = sm.mma.await %q : !sm.pending<!sum>
    scf.yield %t : !sum
  }
}

// -----

sm.kernel @leave() grid() warps(4) {
  // expected-error @below {{'sm.mma.retire' op expected to leave 0 to 7 groups, got 8}}
  sm.mma.retire leave 8
}

// -----

#blocked = #sm.layout<"16x8 = lane[8*(0,1) 4*(1,0)] warp[4*(4,0)]">
sm.kernel @dot_accumulator() grid() warps(4) {
  %a = sm.scratch : !sm.smem<16x20xf32>
  %b = sm.scratch : !sm.smem<20x8xf32>
  %z = arith.constant dense<0.0> : tensor<16x8xbf16, #blocked>
  // expected-error @below {{'sm.dot' op expected an accumulator of f32 or i32, got 'bf16'}}
  %p = sm.dot %a, %b, %z : !sm.smem<16x20xf32>, !sm.smem<20x8xf32>, tensor<16x8xbf16, #blocked>
}

// -----

#blocked = #sm.layout<"16x8 = lane[8*(0,1) 4*(1,0)] warp[4*(4,0)]">
sm.kernel @dot_integers() grid() warps(4) {
  %a = sm.scratch : !sm.smem<16x20xi8>
  %b = sm.scratch : !sm.smem<20x8xi8>
  %z = arith.constant dense<0.0> : tensor<16x8xf32, #blocked>
  // expected-error @below {{'sm.dot' op expected operands of floats for f32, of i8 for i32, got 'i8' for 'f32'}}
  %p = sm.dot %a, %b, %z : !sm.smem<16x20xi8>, !sm.smem<20x8xi8>, tensor<16x8xf32, #blocked>
}

// -----

#blocked = #sm.layout<"16x8 = lane[8*(0,1) 4*(1,0)] warp[4*(4,0)]">
sm.kernel @dot_wide() grid() warps(4) {
  %a = sm.scratch : !sm.smem<16x20xi8>
  %b = sm.scratch : !sm.smem<20x8xi32>
  %z = arith.constant dense<0> : tensor<16x8xi32, #blocked>
  // expected-error @below {{'sm.dot' op expected operands of floats for f32, of i8 for i32, got 'i32' for 'i32'}}
  %p = sm.dot %a, %b, %z : !sm.smem<16x20xi8>, !sm.smem<20x8xi32>, tensor<16x8xi32, #blocked>
}

// -----

// Each of the warpgroups that share columns has some of the 64 that a row of the swizzle has.
#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0) 2*(0,32)]">
sm.kernel @shared_columns_c5() grid() warps(8) {
  %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %b = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %z = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  // Along the terms there are no such rows.
  %q = sm.mma %a, %b, %z transpose_b : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x64xbf16, swizzle = 128>, tensor<64x64xf32, #acc>
  // expected-error @below {{'sm.mma' op expected each of 2 warpgroups to read whole rows of a swizzle of operand b, got 32 columns of '!sm.smem<64x64xbf16, swizzle = 128>'}}
  %p = sm.mma %a, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x64xbf16, swizzle = 128>, tensor<64x64xf32, #acc>
}

// -----

// Whoever shares rows needs all of operand a, which shared memory has.
#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0) 2*(0,32)]">
#left = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0) 2*(0,0)]">
sm.kernel @shared_columns_c4() grid() warps(8) {
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #left>
  %b = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  %z = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  // expected-error @below {{'sm.mma' op cannot take a from registers: expected rows in multiples of 64 for each of 2 warpgroups, or 1, 2, 4, … 32, got 64}}
  %p = sm.mma %a, %b, %z transpose_b : tensor<64x64xbf16, #left>, !sm.smem<64x64xbf16, swizzle = 128>, tensor<64x64xf32, #acc>
}
