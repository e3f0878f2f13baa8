// RUN: tile-opt %s -split-input-file -verify-diagnostics

sm.kernel @alloc_c1() grid() warps(4) {
  sm.role "math" warps(4) {
    // expected-error @below {{'sm.ring.alloc' op expected to be in kernel scope, outside of roles}}
    %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64xf32>]>
  }
}

// -----

sm.kernel @acquire_c1() grid() warps(4) {
  %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64xf32>]>
  // expected-error @below {{'sm.ring.acquire' op expected to be in a role}}
  %s = sm.ring.acquire %r : !sm.ring<4 x [!sm.smem<64xf32>]>
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
    // expected-error @below {{'sm.pingpong.wait' op expected at least two warpgroups for ping-pong, got 4 warps}}
    sm.pingpong.wait
  }
  sm.role "more" warps(4) {
  }
}

// -----

sm.kernel @role_turns_c1() grid() warps(8) {
  sm.role "math" warps(8) {
    // expected-error @below {{'sm.pingpong.wait' op expected to be in a role of 4 warps that is not elected}}
    sm.pingpong.wait roles
  }
}

// -----

sm.kernel @role_turns_start() grid() warps(8) {
  sm.role "one" warps(4) {
    // expected-error @below {{'sm.pingpong.start' op expected to be in the last of the ping-pong roles}}
    sm.pingpong.start roles
  }
  sm.role "two" warps(4) {
    sm.pingpong.wait roles
  }
}

// -----

!r = !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
sm.kernel @ring_take_c1() grid() warps(4) {
  %r = sm.ring.alloc : !r
  sm.role "load" warps(4) elected {
    // expected-error @below {{'sm.ring.take' op expected to be in a role of 4 warps that is not elected}}
    sm.ring.take %r : !r
  }
}

// -----

sm.kernel @ring_take_none() grid() warps(4) {
  sm.role "math" warps(4) {
    // expected-error @below {{'sm.ring.take' op expected at least one ring}}
    "sm.ring.take"() : () -> ()
  }
}

// -----

!r = !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
sm.kernel @ring_pass_twice() grid() warps(4) {
  %r = sm.ring.alloc : !r
  sm.role "math" warps(4) {
    // expected-error @below {{'sm.ring.pass' op names a ring twice}}
    sm.ring.pass %r, %r : !r, !r
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
    // expected-error @below {{'sm.mbarrier.alloc' op expected to be in kernel scope, outside of roles}}
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
  // expected-error @below {{'sm.mbarrier.expect' op expected to be in an elected role}}
  sm.mbarrier.expect %b[%i] bytes 64 : !sm.mbarrier<4>
}

// -----

sm.kernel @stages_kind(%x: f32, %i: i32) grid() warps(4) {
  // expected-error @below {{expected slots, got 'f32'}}
  %s = sm.slots.at %x[%i] : f32
}

// -----

sm.kernel @arrive_c1(%x: !tile.global<[M] x f32>, %i: i32) grid(m in tiles(M, 64)) warps(4) cluster(2) form(expanded) {
  %b = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<4>
  // expected-error @below {{'sm.mbarrier.arrive' op expected one of 'cluster', 'warps' and 'fetches'}}
  sm.mbarrier.arrive %b[%i] cluster warps : !sm.mbarrier<4>
}

// -----

sm.kernel @arrive_c1_fetches(%i: i32) grid() warps(4) form(expanded) {
  %b = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<4>
  // expected-error @below {{'sm.mbarrier.arrive' op expected one of 'cluster', 'warps' and 'fetches'}}
  sm.mbarrier.arrive %b[%i] warps fetches : !sm.mbarrier<4>
}

// -----

sm.kernel @arrive_c3(%i: i32) grid() warps(4) form(expanded) {
  %b = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<4>
  // expected-error @below {{'sm.mbarrier.arrive' op expected 'after' without 'cluster' and 'fetches'}}
  sm.mbarrier.arrive %b[%i] fetches after %i : i32 : !sm.mbarrier<4>
}

// -----

sm.kernel @arrive_c2(%i: i32) grid() warps(4) form(expanded) {
  %b = sm.mbarrier.alloc arrivals(128) : !sm.mbarrier<4>
  sm.role "load" warps(4) elected {
    // expected-error @below {{'sm.mbarrier.arrive' op arrives for fetches, but the threads of an elected role start none}}
    sm.mbarrier.arrive %b[%i] fetches : !sm.mbarrier<4>
  }
}

// -----

sm.kernel @words_place_c1() grid() warps(4) form(expanded) {
  sm.role "math" warps(4) {
    // expected-error @below {{'sm.words.alloc' op expected to be in kernel scope, outside of roles}}
    %w = sm.words.alloc : !sm.words<4>
  }
}

// -----

sm.kernel @turns_of_roles_c1() grid() warps(8) {
  sm.role "math" warps(8) {
    // expected-error @below {{'sm.pingpong.wait' op expected to be in a role of 4 warps that is not elected}}
    sm.pingpong.wait roles
  }
}

// -----

sm.kernel @ring_take_c1() grid() warps(4) {
  %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64xf32>]>
  sm.role "load" warps(4) elected {
    // expected-error @below {{'sm.ring.take' op expected to be in a role of 4 warps that is not elected}}
    sm.ring.take %r : !sm.ring<4 x [!sm.smem<64xf32>]>
  }
}

// -----

sm.kernel @queue_place_c1() grid() warps(4) {
  sm.role "math" warps(4) {
    // expected-error @below {{'sm.queue.alloc' op expected to be in kernel scope, outside of roles}}
    %q = sm.queue.alloc : !sm.queue<2>
  }
}

// -----

sm.kernel @push_role_c1(%n: index) grid() warps(4) {
  %q = sm.queue.alloc : !sm.queue<2>
  sm.role "math" warps(4) {
    // expected-error @below {{'sm.queue.push' op expected to be in an elected role}}
    sm.queue.push %n to %q : !sm.queue<2>
  }
}

// -----

sm.kernel @push_roles_c1(%n: index) grid() warps(2) {
  %q = sm.queue.alloc : !sm.queue<2>
  sm.role "load" warps(1) elected {
    // expected-error @below {{'sm.queue.push' op expected one role to push to a queue}}
    sm.queue.push %n to %q : !sm.queue<2>
  }
  sm.role "more" warps(1) elected {
    // expected-note @below {{another one pushes here}}
    sm.queue.push %n to %q : !sm.queue<2>
  }
}

// -----

sm.kernel @pop_place_c1() grid() warps(4) {
  %q = sm.queue.alloc : !sm.queue<2>
  // expected-error @below {{'sm.queue.pop' op expected to be in a role}}
  %n = sm.queue.pop %q : !sm.queue<2>
}

// -----

sm.kernel @pop_role_c1(%n: index) grid() warps(1) {
  %q = sm.queue.alloc : !sm.queue<2>
  sm.role "load" warps(1) elected {
    // expected-note @below {{pushed here}}
    sm.queue.push %n to %q : !sm.queue<2>
    // expected-error @below {{'sm.queue.pop' op expected another role to push what this one pops}}
    %m = sm.queue.pop %q : !sm.queue<2>
  }
}
