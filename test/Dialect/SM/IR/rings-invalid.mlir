// RUN: tile-opt %s -split-input-file -verify-diagnostics

sm.kernel @alloc_c1() grid() warps(4) {
  sm.role "math" warps(4) {
    // expected-error @below {{'sm.ring.alloc' op expected to stand in the kernel, beside its roles}}
    %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64xf32>]>
  }
}

// -----

sm.kernel @acquire_c1() grid() warps(4) {
  %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64xf32>]>
  sm.role "math" warps(4) {
    // expected-error @below {{'sm.ring.acquire' op expected to stand in an elected role}}
    %s = sm.ring.acquire %r : !sm.ring<4 x [!sm.smem<64xf32>]>
  }
}

// -----

sm.kernel @wait_slot() grid() warps(4) {
  %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64xf32>]>
  // expected-error @below {{'sm.ring.wait' op expected a slot of the ring, '!sm.slot<[!sm.smem<64xf32>]>', got '!sm.slot<[!sm.smem<32xf32>]>'}}
  %s = "sm.ring.wait"(%r) : (!sm.ring<4 x [!sm.smem<64xf32>]>) -> !sm.slot<[!sm.smem<32xf32>]>
}

// -----

sm.kernel @wait_kind(%x: f32) grid() warps(4) {
  // expected-error @below {{expected a ring, got 'f32'}}
  %s = sm.ring.wait %x : f32
}

// -----

sm.kernel @slot_kind(%x: f32) grid() warps(4) {
  // expected-error @below {{expected a slot, got 'f32'}}
  %s = sm.slot.tile %x[0] : f32
}

// -----

sm.kernel @slot_tile() grid() warps(4) {
  %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64xf32>]>
  %s = sm.ring.wait %r : !sm.ring<4 x [!sm.smem<64xf32>]>
  // expected-error @below {{expected a slot with a tile 1, got '!sm.slot<[!sm.smem<64xf32>]>'}}
  %t = sm.slot.tile %s[1] : !sm.slot<[!sm.smem<64xf32>]>
}

// -----

sm.kernel @slot_tile_c1() grid() warps(4) {
  %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64xf32>]>
  %s = sm.ring.wait %r : !sm.ring<4 x [!sm.smem<64xf32>]>
  // expected-error @below {{'sm.slot.tile' op expected a tile from 0 to 0, got -1}}
  %t = "sm.slot.tile"(%s) <{index = -1 : i64}> : (!sm.slot<[!sm.smem<64xf32>]>) -> !sm.smem<64xf32>
}

// -----

sm.kernel @slot_tile_type_c1() grid() warps(4) {
  %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64xf32>]>
  %s = sm.ring.wait %r : !sm.ring<4 x [!sm.smem<64xf32>]>
  // expected-error @below {{'sm.slot.tile' op expected the result to be '!sm.smem<64xf32>', got '!sm.smem<32xf32>'}}
  %t = "sm.slot.tile"(%s) <{index = 0 : i64}> : (!sm.slot<[!sm.smem<64xf32>]>) -> !sm.smem<32xf32>
}

// -----

sm.kernel @turns_c1() grid() warps(8) {
  sm.role "math" warps(4) {
    // expected-error @below {{'sm.turn.take' op expected at least two warpgroups that take turns, got 4 warps}}
    sm.turn.take
  }
  sm.role "more" warps(4) {
  }
}

// -----

sm.kernel @arrivals_c1() grid() warps(4) form(expanded) {
  // expected-error @below {{'sm.mbarrier.alloc' op expected 1 to 1048575 arrivals, got 0}}
  %b = sm.mbarrier.alloc arrivals(0) : !sm.mbarrier<4>
}

// -----

sm.kernel @mbarrier_place_c1() grid() warps(4) form(expanded) {
  sm.role "math" warps(4) {
    // expected-error @below {{'sm.mbarrier.alloc' op expected to stand in the kernel, beside its roles}}
    %b = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<4>
  }
}

// -----

sm.kernel @expect_bytes_c1(%i: i32) grid() warps(4) form(expanded) {
  %b = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<4>
  sm.role "load" warps(4) elected {
    // expected-error @below {{'sm.mbarrier.expect' op expected 0 to 1048575 bytes, got 1048576}}
    sm.mbarrier.expect %b[%i] bytes 1048576 : !sm.mbarrier<4>
  }
}

// -----

sm.kernel @expect_role_c1(%i: i32) grid() warps(4) form(expanded) {
  %b = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<4>
  // expected-error @below {{'sm.mbarrier.expect' op expected to stand in an elected role}}
  sm.mbarrier.expect %b[%i] bytes 64 : !sm.mbarrier<4>
}

// -----

sm.kernel @stages_kind(%x: f32, %i: i32) grid() warps(4) {
  // expected-error @below {{expected stages, got 'f32'}}
  %s = sm.stages.at %x[%i] : f32
}
