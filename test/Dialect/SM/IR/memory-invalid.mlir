// RUN: tile-opt %s -split-input-file -verify-diagnostics

sm.kernel @parameter_c1(%x: !tile.global<[N] x f32>, %y: !tile.global<[N] x f32>, %c: i1, %i: index) grid() warps(4) {
  %z = arith.select %c, %x, %y : !tile.global<[N] x f32>
  // expected-error @below {{'sm.load' op expected the global tensor to be a parameter of the kernel}}
  %t = sm.load %z[%i] dims [] : !tile.global<[N] x f32>, index -> f32
}

// -----

sm.kernel @reads_out_c1(%x: !tile.global<[N] x f32, out>, %i: index) grid() warps(4) {
  // expected-error @below {{'sm.load' op reads an 'out' tensor}}
  %t = sm.load %x[%i] dims [] : !tile.global<[N] x f32, out>, index -> f32
}

// -----

sm.kernel @writes_in_c1(%x: !tile.global<[N] x f32>, %i: index, %v: f32) grid() warps(4) {
  // expected-error @below {{'sm.store' op writes an 'in' tensor}}
  sm.store %v to %x[%i] dims [] : f32, !tile.global<[N] x f32>, index
}

// -----

sm.kernel @indices_c2(%x: !tile.global<[M, N] x f32>, %i: index) grid() warps(4) {
  // expected-error @below {{'sm.load' op expected 2 indices, one per dimension, got 1}}
  %t = sm.load %x[%i] dims [] : !tile.global<[M, N] x f32>, index -> f32
}

// -----

sm.kernel @dims_c2(%x: !tile.global<[M, N] x f32>, %i: index) grid() warps(4) {
  // expected-error @below {{'sm.fetch' op expected rising dimensions from 0 to 1 in 'dims'}}
  %t = sm.fetch %x[%i, %i] dims [1, 0] limits(%i, %i) : !tile.global<[M, N] x f32>, index, index -> !sm.smem<8x8xf32>
}

// -----

sm.kernel @dims_range_c2(%x: !tile.global<[M, N] x f32>, %i: index) grid() warps(4) {
  // expected-error @below {{'sm.fetch' op expected rising dimensions from 0 to 1 in 'dims'}}
  %t = sm.fetch %x[%i, %i] dims [2] limits(%i) : !tile.global<[M, N] x f32>, index, index -> !sm.smem<8xf32>
}

// -----

sm.kernel @limits_c2(%x: !tile.global<[M, N] x f32>, %i: index) grid() warps(4) {
  // expected-error @below {{'sm.fetch' op expected 2 limits, one for each of 'dims', got 1}}
  %t = sm.fetch %x[%i, %i] dims [0, 1] limits(%i) : !tile.global<[M, N] x f32>, index, index -> !sm.smem<8x8xf32>
}

// -----

sm.kernel @flags_c2(%x: !tile.global<[M, N] x f32>, %i: index) grid() warps(4) {
  // expected-error @below {{'sm.fetch' op expected 2 in_bounds flags, one for each of 'dims', got 1}}
  %t = sm.fetch %x[%i, %i] dims [0, 1] limits(%i, %i) in_bounds [true] : !tile.global<[M, N] x f32>, index, index -> !sm.smem<8x8xf32>
}

// -----

sm.kernel @rank_c3(%x: !tile.global<[M, N] x f32>, %i: index) grid() warps(4) {
  // expected-error @below {{'sm.fetch' op expected a tile of rank 2 of 'f32', got '!sm.smem<8xf32>'}}
  %t = sm.fetch %x[%i, %i] dims [0, 1] limits(%i, %i) : !tile.global<[M, N] x f32>, index, index -> !sm.smem<8xf32>
}

// -----

sm.kernel @element_c3(%x: !tile.global<[M, N] x f32, out>, %i: index, %v: i32) grid() warps(4) {
  // expected-error @below {{'sm.store' op expected a tile of rank 0 of 'f32', got 'i32'}}
  sm.store %v to %x[%i, %i] dims [] : i32, !tile.global<[M, N] x f32, out>, index, index
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @gather_extent_c3(%x: !tile.global<[N] x f32>, %i: index) grid() warps(4) {
  %g = sm.indices %i : tensor<128xi32, #line>
  // expected-error @below {{'sm.load' op cannot gather by index 0, 'tensor<128xi32}}
  %t = sm.load %x[%g] dims [] : !tile.global<[N] x f32>, tensor<128xi32, #line> -> f32
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @gather_element_c3(%x: !tile.global<[N] x f32>, %i: index) grid() warps(4) {
  %g = arith.constant dense<0> : tensor<128xi64, #line>
  // expected-error @below {{'sm.load' op cannot gather by index 0, 'tensor<128xi64}}
  %t = sm.load %x[%g] dims [0] limits(%i) : !tile.global<[N] x f32>, tensor<128xi64, #line> -> tensor<128xf32, #line>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @gather_by_fetch(%x: !tile.global<[N] x f32>, %i: index) grid() warps(4) {
  %g = sm.indices %i : tensor<128xi32, #line>
  // expected-error @below {{'sm.fetch' op cannot gather by index 0, 'tensor<128xi32}}
  %t = sm.fetch %x[%g] dims [0] limits(%i) : !tile.global<[N] x f32>, tensor<128xi32, #line> -> !sm.smem<128xf32>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @axes_count_c3(%x: !tile.global<[M, N] x f32>, %i: index) grid() warps(4) {
  %g = sm.indices %i : tensor<128xi32, #line>
  // expected-error @below {{'sm.load' op expected 2 axes, one for each of 'dims', got 1}}
  %t = sm.load %x[%g, %g] dims [0, 1] axes [0] limits(%i, %i) : !tile.global<[M, N] x f32>, tensor<128xi32, #line>, tensor<128xi32, #line> -> tensor<128xf32, #line>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @axes_range_c3(%x: !tile.global<[M, N] x f32>, %i: index) grid() warps(4) {
  %g = sm.indices %i : tensor<128xi32, #line>
  // expected-error @below {{'sm.load' op expected the axes of index 1 to begin at 1, or to be those of another gather, got 0}}
  %t = sm.load %x[%g, %i] dims [0, 1] axes [0, 0] limits(%i, %i) : !tile.global<[M, N] x f32>, tensor<128xi32, #line>, index -> tensor<128xf32, #line>
}

// -----

sm.kernel @fill_c4(%x: !tile.global<[N] x f32>, %i: index) grid() warps(4) {
  // expected-error @below {{'sm.load' op expected fill to be 'f32', got 'i32'}}
  %t = sm.load %x[%i] dims [] fill(1 : i32) : !tile.global<[N] x f32>, index -> f32
}

// -----

sm.kernel @atomic_access_c1(%x: !tile.global<[N] x f32, out>, %i: index, %v: f32) grid() warps(4) {
  // expected-error @below {{'sm.atomic' op expected an 'inout' tensor, got '!tile.global<[N] x f32, out>'}}
  sm.atomic add %v to %x[%i] dims [] : f32, !tile.global<[N] x f32, out>, index
}

// -----

sm.kernel @atomic_element_c1(%x: !tile.global<[N] x i8, inout>, %i: index, %v: i8) grid() warps(4) {
  // expected-error @below {{'sm.atomic' op expected elements of f64, f32, f16, bf16, i32 or i64, got 'i8'}}
  sm.atomic add %v to %x[%i] dims [] : i8, !tile.global<[N] x i8, inout>, index
}

// -----

sm.kernel @atomic_cas_c4(%x: !tile.global<[N] x i32, inout>, %i: index, %v: i32) grid() warps(4) {
  // expected-error @below {{'sm.atomic' op expected an operand after 'if' for 'cas', and none for others}}
  sm.atomic cas %v to %x[%i] dims [] : i32, !tile.global<[N] x i32, inout>, index
}

// -----

sm.kernel @atomic_order_c5(%x: !tile.global<[N] x i32, inout>, %i: index, %v: i32) grid() warps(4) {
  // expected-error @below {{'sm.atomic' op expected a result for the order 'acquire'}}
  sm.atomic add %v to %x[%i] dims [] order acquire : i32, !tile.global<[N] x i32, inout>, index
}

// -----

sm.kernel @atomic_expected_c4(%x: !tile.global<[N] x i32, inout>, %i: index, %v: i32, %w: i64) grid() warps(4) {
  // expected-error @below {{'sm.atomic' op expected values of 'i32', got 'i64'}}
  sm.atomic cas %v if %w : i64 to %x[%i] dims [] : i32, !tile.global<[N] x i32, inout>, index
}

// -----

sm.kernel @masked_put(%x: !tile.global<[M, N] x f32, out>, %i: index, %c: i1) grid() warps(4) {
  %s = sm.scratch : !sm.smem<8x8xf32>
  // expected-error @below {{'sm.copy.store' op cannot be masked}}
  sm.copy.store %s to %x[%i, %i] dims [0, 1] limits(%i, %i) mask(%c) : !sm.smem<8x8xf32>, !tile.global<[M, N] x f32, out>, index, index
}

// -----

sm.kernel @put_add_access_c4(%x: !tile.global<[M, N] x f32, out>, %i: index) grid() warps(4) {
  %s = sm.scratch : !sm.smem<8x8xf32>
  // expected-error @below {{'sm.copy.store' op with 'add', expected an 'inout' tensor of f32, f16 or bf16, got '!tile.global<[M, N] x f32, out>'}}
  sm.copy.store %s to %x[%i, %i] dims [0, 1] limits(%i, %i) add : !sm.smem<8x8xf32>, !tile.global<[M, N] x f32, out>, index, index
}

// -----

sm.kernel @put_add_element_c4(%x: !tile.global<[M, N] x i32, inout>, %i: index) grid() warps(4) {
  %s = sm.scratch : !sm.smem<8x8xi32>
  // expected-error @below {{'sm.copy.store' op with 'add', expected an 'inout' tensor of f32, f16 or bf16, got '!tile.global<[M, N] x i32, inout>'}}
  sm.copy.store %s to %x[%i, %i] dims [0, 1] limits(%i, %i) add : !sm.smem<8x8xi32>, !tile.global<[M, N] x i32, inout>, index, index
}

// -----

#row = #sm.layout<"64 = register[2*(1) 8*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">
sm.kernel @fill_shape_c1() grid() warps(4) {
  %r = sm.ring.alloc : !sm.ring<2 x [!sm.smem<128xf32>]>
  sm.role "math" warps(4) {
    %x = arith.constant dense<0.0> : tensor<64xf32, #row>
    %s = sm.ring.acquire %r : !sm.ring<2 x [!sm.smem<128xf32>]>
    %t = sm.slot.tile %s[0] : !sm.slot<[!sm.smem<128xf32>]>
    // expected-error @below {{'sm.slot.store' op expected operand and result to be of one shape and element type}}
    sm.slot.store %t with %x : !sm.smem<128xf32>, tensor<64xf32, #row>
    sm.ring.commit %s : !sm.slot<[!sm.smem<128xf32>]>
  }
}

// -----

#row = #sm.layout<"64 = register[2*(1) 8*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">
sm.kernel @fill_used_c2() grid() warps(4) {
  %r = sm.ring.alloc : !sm.ring<2 x [!sm.smem<64xf32>]>
  sm.role "math" warps(4) {
    %x = arith.constant dense<0.0> : tensor<64xf32, #row>
    %s = sm.ring.wait %r : !sm.ring<2 x [!sm.smem<64xf32>]>
    %t = sm.slot.tile %s[0] : !sm.slot<[!sm.smem<64xf32>]>
    // expected-error @below {{'sm.slot.store' op expected the tile of a slot that was acquired}}
    sm.slot.store %t with %x : !sm.smem<64xf32>, tensor<64xf32, #row>
    sm.ring.release %s : !sm.slot<[!sm.smem<64xf32>]>
  }
}

// -----

#row = #sm.layout<"64 = register[2*(1) 8*(8)] lane[4*(2) 8*(0)]">
sm.kernel @fill_elected_c2() grid() warps(1) {
  %r = sm.ring.alloc : !sm.ring<2 x [!sm.smem<64xf32>]>
  sm.role "load" warps(1) elected {
    %x = arith.constant dense<0.0> : tensor<64xf32, #row>
    %s = sm.ring.acquire %r : !sm.ring<2 x [!sm.smem<64xf32>]>
    %t = sm.slot.tile %s[0] : !sm.slot<[!sm.smem<64xf32>]>
    // expected-error @below {{'sm.slot.store' op cannot be in an elected role: all threads of a role execute it}}
    sm.slot.store %t with %x : !sm.smem<64xf32>, tensor<64xf32, #row>
    sm.ring.commit %s : !sm.slot<[!sm.smem<64xf32>]>
  }
}

// -----

sm.kernel @copy_masked(%x: !tile.global<[M, N] x f32>, %i: index, %c: i1) grid() warps(4) {
  %s = sm.scratch : !sm.smem<8x8xf32>
  // expected-error @below {{'sm.copy.start' op cannot be masked}}
  sm.copy.start %x[%i, %i] dims [0, 1] limits(%i, %i) mask(%c) into %s : !tile.global<[M, N] x f32>, index, index, !sm.smem<8x8xf32>
}

// -----

sm.kernel @copy_tile_c4(%x: !tile.global<[M, N] x f32>, %i: index) grid() warps(4) {
  %s = sm.scratch : !sm.smem<8x8xf32>
  // expected-error @below {{'sm.copy.start' op expected the tile of a slot that was acquired}}
  sm.copy.start %x[%i, %i] dims [0, 1] limits(%i, %i) into %s : !tile.global<[M, N] x f32>, index, index, !sm.smem<8x8xf32>
}

// -----

sm.kernel @copy_to_used_slot_c4(%x: !tile.global<[M, N] x f32>, %i: index) grid() warps(4) {
  %r = sm.ring.alloc : !sm.ring<2 x [!sm.smem<8x8xf32>]>
  %s = sm.ring.wait %r : !sm.ring<2 x [!sm.smem<8x8xf32>]>
  %t = sm.slot.tile %s[0] : !sm.slot<[!sm.smem<8x8xf32>]>
  // expected-error @below {{'sm.copy.start' op expected the tile of a slot that was acquired}}
  sm.copy.start %x[%i, %i] dims [0, 1] limits(%i, %i) into %t : !tile.global<[M, N] x f32>, index, index, !sm.smem<8x8xf32>
}

// -----

sm.kernel @tma_role(%x: !tile.global<[M, N] x f32>, %i: index, %j: i32) grid() warps(4) {
  %b = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<2>
  %s = sm.scratch : !sm.smem<8x8xf32>
  // expected-error @below {{'sm.tma.load' op expected to be in an elected role}}
  sm.tma.load %x[%i, %i] dims [0, 1] limits(%i, %i) into %s signal %b[%j] : !tile.global<[M, N] x f32>, index, index, !sm.smem<8x8xf32>, !sm.mbarrier<2>
}

// -----

sm.kernel @tma_masked(%x: !tile.global<[M, N] x f32>, %i: index, %j: i32, %c: i1) grid() warps(4) {
  %b = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<2>
  %s = sm.scratch : !sm.smem<8x8xf32>
  sm.role "load" warps(4) elected {
    // expected-error @below {{'sm.tma.load' op cannot be masked}}
    sm.tma.load %x[%i, %i] dims [0, 1] limits(%i, %i) mask(%c) into %s signal %b[%j] : !tile.global<[M, N] x f32>, index, index, !sm.smem<8x8xf32>, !sm.mbarrier<2>
  }
}

// -----

sm.kernel @types_of_copy(%x: !tile.global<[N] x f32>, %i: index) grid() warps(4) {
  %s = sm.scratch : !sm.smem<8xf32>
  // expected-error @below {{expected at least 2 types, got 1}}
  sm.copy.start %x[%i] dims [0] limits(%i) into %s : !tile.global<[N] x f32>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @stage_shape_c1() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.smem.store' op expected operand and result to be of one shape and element type, got 'tensor<128xf32, #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">>' and '!sm.smem<64xf32>'}}
  %t = sm.smem.store %z : tensor<128xf32, #line> -> !sm.smem<64xf32>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @read_element_c1() grid() warps(4) {
  %s = sm.scratch : !sm.smem<128xbf16>
  // expected-error @below {{'sm.smem.load' op expected operand and result to be of one shape and element type, got}}
  %t = sm.smem.load %s : !sm.smem<128xbf16> -> tensor<128xf32, #line>
}

// -----

sm.kernel @clip_role_c1(%i: index) grid() warps(4) {
  %s = sm.scratch : !sm.smem<8x8xf32>
  // expected-error @below {{'sm.clip' op expected to be in an elected role}}
  sm.clip %s axis 0 from %i : !sm.smem<8x8xf32>
}

// -----

sm.kernel @clip_axis_c2(%i: index) grid() warps(4) {
  %s = sm.scratch : !sm.smem<8x8xf32>
  sm.role "load" warps(4) elected {
    // expected-error @below {{'sm.clip' op expected axis 0 or 1 of a tile of rank 2, got axis 2 of '!sm.smem<8x8xf32>'}}
    sm.clip %s axis 2 from %i : !sm.smem<8x8xf32>
  }
}

// -----

sm.kernel @clip_rank_c2(%i: index) grid() warps(4) {
  %s = sm.scratch : !sm.smem<8xf32>
  sm.role "load" warps(4) elected {
    // expected-error @below {{'sm.clip' op expected axis 0 or 1 of a tile of rank 2, got axis 0 of '!sm.smem<8xf32>'}}
    sm.clip %s axis 0 from %i : !sm.smem<8xf32>
  }
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @tma_store_access_c1(%x: !tile.global<[M, N] x bf16>, %i: index) grid() warps(4) {
  %t = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
  // expected-error @below {{'sm.tma.store' op writes an 'in' tensor}}
  sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%i, %i) columns 64 buffers 2 : tensor<64x64xbf16, #acc>, !tile.global<[M, N] x bf16>, index, index
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @tma_store_masked(%x: !tile.global<[M, N] x bf16, out>, %i: index, %c: i1) grid() warps(4) {
  %t = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
  // expected-error @below {{'sm.tma.store' op cannot be masked}}
  sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%i, %i) mask(%c) columns 64 buffers 2 : tensor<64x64xbf16, #acc>, !tile.global<[M, N] x bf16, out>, index, index
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @tma_store_element_c4(%x: !tile.global<[M, N] x i32, out>, %i: index) grid() warps(4) {
  %t = arith.constant dense<0> : tensor<64x64xi32, #acc>
  // expected-error @below {{'sm.tma.store' op expected a tile of rank 2 of 16-bit elements or f32, got 'tensor<64x64xi32}}
  sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%i, %i) columns 32 buffers 2 : tensor<64x64xi32, #acc>, !tile.global<[M, N] x i32, out>, index, index
}

// -----

#acc = #sm.layout<"32x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[4*(8,0)]">
sm.kernel @tma_store_rows_c4(%x: !tile.global<[M, N] x bf16, out>, %i: index) grid() warps(4) {
  %t = arith.constant dense<0.0> : tensor<32x64xbf16, #acc>
  // expected-error @below {{'sm.tma.store' op expected rows that do not repeat, in multiples of 64, got 32}}
  sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%i, %i) columns 64 buffers 2 : tensor<32x64xbf16, #acc>, !tile.global<[M, N] x bf16, out>, index, index
}

// -----

#acc = #sm.layout<"64x64 = register[64*(0,1)] lane[32*(1,0)] warp[2*(32,0)]">
sm.kernel @tma_store_no_warpgroup_c4(%x: !tile.global<[M, N] x bf16, out>, %i: index) grid() warps(2) {
  %t = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
  // expected-error @below {{'sm.tma.store' op expected an accumulator: }}
  sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%i, %i) columns 64 buffers 2 : tensor<64x64xbf16, #acc>, !tile.global<[M, N] x bf16, out>, index, index
}

// -----

#acc = #sm.layout<"64x64 = register[32*(0,1)] lane[2*(0,32) 16*(1,0)] warp[4*(16,0)]">
sm.kernel @tma_store_layout_c4(%x: !tile.global<[M, N] x bf16, out>, %i: index) grid() warps(4) {
  %t = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
  // expected-error @below {{'sm.tma.store' op expected the layout of an accumulator, }}
  sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%i, %i) columns 64 buffers 2 : tensor<64x64xbf16, #acc>, !tile.global<[M, N] x bf16, out>, index, index
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @tma_store_columns_c5(%x: !tile.global<[M, N] x bf16, out>, %i: index) grid() warps(4) {
  %t = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
  // expected-error @below {{'sm.tma.store' op expected columns of 32, 64 or 128 bytes that divide 64, got 48}}
  sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%i, %i) columns 48 buffers 2 : tensor<64x64xbf16, #acc>, !tile.global<[M, N] x bf16, out>, index, index
}

// -----

#acc = #sm.layout<"64x48 = register[2*(0,1) 2*(8,0) 6*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @tma_store_columns_divide_c5(%x: !tile.global<[M, N] x bf16, out>, %i: index) grid() warps(4) {
  %t = arith.constant dense<0.0> : tensor<64x48xbf16, #acc>
  // expected-error @below {{'sm.tma.store' op expected columns of 32, 64 or 128 bytes that divide 48, got 32}}
  sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%i, %i) columns 32 buffers 2 : tensor<64x48xbf16, #acc>, !tile.global<[M, N] x bf16, out>, index, index
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0) 2*(0,32)]">
sm.kernel @tma_store_shared_columns_c5(%x: !tile.global<[M, N] x bf16, out>, %i: index) grid() warps(8) {
  %t = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
  // expected-error @below {{'sm.tma.store' op expected columns of 32, 64 or 128 bytes that divide 32, got 64}}
  sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%i, %i) columns 64 buffers 2 : tensor<64x64xbf16, #acc>, !tile.global<[M, N] x bf16, out>, index, index
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @tma_store_buffers_c5(%x: !tile.global<[M, N] x bf16, out>, %i: index) grid() warps(4) {
  %t = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
  // expected-error @below {{'sm.tma.store' op expected 1 to 8 buffers, got 9}}
  sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%i, %i) columns 64 buffers 9 : tensor<64x64xbf16, #acc>, !tile.global<[M, N] x bf16, out>, index, index
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @tma_store_wide_columns_c5(%x: !tile.global<[M, N] x f32, out>, %i: index) grid() warps(4) {
  %t = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  // expected-error @below {{'sm.tma.store' op expected columns of 32, 64 or 128 bytes that divide 64, got 64}}
  sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%i, %i) columns 64 buffers 2 : tensor<64x64xf32, #acc>, !tile.global<[M, N] x f32, out>, index, index
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @tma_store_add_access_c6(%x: !tile.global<[M, N] x f32, out>, %i: index) grid() warps(4) {
  %t = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  // expected-error @below {{'sm.tma.store' op expected an 'inout' tensor to add to, got '!tile.global<[M, N] x f32, out>'}}
  sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%i, %i) columns 32 buffers 2 add : tensor<64x64xf32, #acc>, !tile.global<[M, N] x f32, out>, index, index
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @smem_atomic_element_c1() grid() warps(4) {
  %t = sm.scratch : !sm.smem<64xf32>
  %v = arith.constant dense<1.0> : tensor<128xf32, #line>
  %p = arith.constant dense<1> : tensor<128xi32, #line>
  // expected-error @below {{'sm.smem.atomic' op expected a tile of rank 1 of i32 or i64, got '!sm.smem<64xf32>'}}
  sm.smem.atomic add %v to %t[%p] : tensor<128xf32, #line>, !sm.smem<64xf32>, tensor<128xi32, #line>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @smem_atomic_kind_c1() grid() warps(4) {
  %t = sm.scratch : !sm.smem<64xi32>
  %p = arith.constant dense<1> : tensor<128xi32, #line>
  // expected-error @below {{'sm.smem.atomic' op 'exchange' depends on the order of the operations}}
  sm.smem.atomic exchange %p to %t[%p] : tensor<128xi32, #line>, !sm.smem<64xi32>, tensor<128xi32, #line>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @smem_atomic_value_c2() grid() warps(4) {
  %t = sm.scratch : !sm.smem<64xi64>
  %p = arith.constant dense<1> : tensor<128xi32, #line>
  // expected-error @below {{'sm.smem.atomic' op expected values of 'i64', got 'tensor<128xi32,}}
  sm.smem.atomic add %p to %t[%p] : tensor<128xi32, #line>, !sm.smem<64xi64>, tensor<128xi32, #line>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#other = #sm.layout<"128 = lane[32*(4)] warp[4*(1)]">
sm.kernel @smem_atomic_positions_c2() grid() warps(4) {
  %t = sm.scratch : !sm.smem<64xi32>
  %v = arith.constant dense<1> : tensor<128xi32, #line>
  %p = arith.constant dense<1> : tensor<128xi32, #other>
  // expected-error @below {{'sm.smem.atomic' op expected positions of 'tensor<128xi32, #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">>', got}}
  sm.smem.atomic add %v to %t[%p] : tensor<128xi32, #line>, !sm.smem<64xi32>, tensor<128xi32, #other>
}
