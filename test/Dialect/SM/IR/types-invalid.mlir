// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{invalid layout: }}
#l = #sm.layout<"128 = lane[32*(1)">

// -----

// expected-error @below {{expected a layout over register, lane and warp}}
#l = #sm.layout<"128 = offset[128*(1)]">

// -----

// expected-error @below {{expected a layout over 32 lanes, got 16}}
#l = #sm.layout<"128 = lane[16*(1)] warp[4*(16)] register[2*(64)]">

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @encoding_shape() grid() warps(4) {
  // expected-error @below {{expected a layout of the shape of the tensor, got one of 128}}
  %z = arith.constant dense<0.0> : tensor<64xf32, #line>
}

// -----

sm.kernel @smem_element() grid() warps(4) {
  // expected-error @below {{expected an element type of tiles, got 'index'}}
  %s = sm.scratch : !sm.smem<64xindex>
}

// -----

sm.kernel @smem_rank() grid() warps(4) {
  // expected-error @below {{expected a shared tile of at least one dimension}}
  %s = sm.scratch : !sm.smem<f32>
}

// -----

sm.kernel @smem_shape() grid() warps(4) {
  // expected-error @below {{expected the extents of a tile to be at least 1, got 0}}
  %s = sm.scratch : !sm.smem<64x0xf32>
}

// -----

sm.kernel @smem_span() grid() warps(4) {
  // expected-error @below {{no such tile in shared memory: expected rows in multiples of the swizzle span, 64 elements, got 32}}
  %s = sm.scratch : !sm.smem<64x32xbf16, swizzle = 128>
}

// -----

sm.kernel @smem_rows() grid() warps(4) {
  // expected-error @below {{no such tile in shared memory: expected a multiple of 8 rows under a swizzle, got 4}}
  %s = sm.scratch : !sm.smem<4x64xbf16, swizzle = 128>
}

// -----

sm.kernel @smem_swizzle() grid() warps(4) {
  // expected-error @below {{expected a swizzle of 32, 64 or 128}}
  %s = sm.scratch : !sm.smem<64x64xbf16, swizzle = 16>
}

// -----

sm.kernel @ring_stages() grid() warps(4) {
  // expected-error @below {{expected 1 to 64 slots, got 0}}
  %r = sm.ring.alloc : !sm.ring<0 x [!sm.smem<64xf32>]>
}

// -----

sm.kernel @ring_empty() grid() warps(4) {
  // expected-error @below {{expected a ring to carry at least one tile}}
  %r = sm.ring.alloc : !sm.ring<2 x []>
}

// -----

sm.kernel @ring_tiles() grid() warps(4) {
  // expected-error @below {{invalid kind of type specified}}
  %r = sm.ring.alloc : !sm.ring<2 x [f32]>
}

// -----

sm.kernel @stages_count() grid() warps(4) form(expanded) {
  // expected-error @below {{expected 1 to 64 slots, got 65}}
  %s = sm.slots.alloc : !sm.slots<65 x !sm.smem<64xf32>>
}

// -----

sm.kernel @stages_pattern() grid() warps(4) form(expanded) {
  // expected-error @below {{expected tiles of whole swizzle patterns of 128 bytes, got 64 bytes}}
  %s = sm.slots.alloc : !sm.slots<2 x !sm.smem<16xf32>>
}

// -----

sm.kernel @pending() grid() warps(4) {
  // expected-error @below {{expected a tile in registers, with a layout, got 'tensor<64xf32>'}}
  %p = builtin.unrealized_conversion_cast to !sm.pending<tensor<64xf32>>
}

// -----

sm.kernel @mbarriers() grid() warps(4) form(expanded) {
  // expected-error @below {{expected 1 to 1024 barriers, got 0}}
  %b = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<0>
}

// -----

sm.kernel @queue() grid() warps(4) {
  // expected-error @below {{expected a queue of 1 to 64 numbers, got 0}}
  %q = sm.queue.alloc : !sm.queue<0>
}

// -----

sm.kernel @words() grid() warps(4) form(expanded) {
  // expected-error @below {{expected 1 to 1024 words, got 1025}}
  %w = sm.words.alloc : !sm.words<1025>
}
