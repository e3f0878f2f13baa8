// RUN: tile-opt %s -split-input-file -verify-diagnostics

// Barriers and slots of an expanded ring have the number of the ring and agree with each other.

sm.kernel @side_alone_c2() grid() warps(4) form(expanded) {
  // expected-error @below {{'sm.mbarrier.alloc' op expected 'ring' and 'side' together}}
  %b = "sm.mbarrier.alloc"() <{arrivals = 1 : i64, side = 0 : i32}> : () -> !sm.mbarrier<4>
}

// -----

sm.kernel @ring_alone_c2() grid() warps(4) form(expanded) {
  // expected-error @below {{'sm.mbarrier.alloc' op expected 'ring' and 'side' together}}
  %b = "sm.mbarrier.alloc"() <{arrivals = 1 : i64, ring = 0 : i64}> : () -> !sm.mbarrier<4>
}

// -----

sm.kernel @barrier_number_c2() grid() warps(4) form(expanded) {
  // expected-error @below {{'sm.mbarrier.alloc' op expected a ring from 0 on, got -1}}
  %b = sm.mbarrier.alloc arrivals(1) ring(-1) full : !sm.mbarrier<4>
}

// -----

sm.kernel @stages_number_c1() grid() warps(4) form(expanded) {
  // expected-error @below {{'sm.slots.alloc' op expected a ring from 0 on, got -2}}
  %s = sm.slots.alloc ring(-2) : !sm.slots<4 x !sm.smem<64x64xbf16, swizzle = 128>>
}

// -----

sm.kernel @two_of_a_side_c3() grid() warps(4) form(expanded) {
  // expected-note @below {{the first one}}
  %a = sm.mbarrier.alloc arrivals(1) ring(0) full : !sm.mbarrier<4>
  %b = sm.mbarrier.alloc arrivals(1) ring(0) empty : !sm.mbarrier<4>
  %c = sm.mbarrier.alloc arrivals(1) ring(1) full : !sm.mbarrier<4>
  // expected-error @below {{'sm.mbarrier.alloc' op is another barrier that says that slots of ring 0 are full}}
  %d = sm.mbarrier.alloc arrivals(1) ring(0) full : !sm.mbarrier<4>
}

// -----

sm.kernel @barriers_of_sides_c3() grid() warps(4) form(expanded) {
  %a = sm.mbarrier.alloc arrivals(1) ring(0) full : !sm.mbarrier<4>
  // expected-error @below {{'sm.mbarrier.alloc' op has 3 slots of a ring of 4}}
  %b = sm.mbarrier.alloc arrivals(1) ring(0) empty : !sm.mbarrier<3>
}

// -----

sm.kernel @stages_of_barriers_c2() grid() warps(4) form(expanded) {
  %a = sm.mbarrier.alloc arrivals(1) ring(0) full : !sm.mbarrier<4>
  // expected-error @below {{'sm.slots.alloc' op has 2 slots of a ring of 4}}
  %s = sm.slots.alloc ring(0) : !sm.slots<2 x !sm.smem<64x64xbf16, swizzle = 128>>
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[M, K] x bf16>

// Another copy that is right, and then one that signals the wrong side, index or ring.
sm.kernel @side_of_copy_c3(%x: !x, %k: index, %i: i32) grid() warps(1) form(expanded) {
  %s = sm.slots.alloc ring(0) : !sm.slots<4 x !t>
  %full = sm.mbarrier.alloc arrivals(1) ring(0) full : !sm.mbarrier<4>
  %empty = sm.mbarrier.alloc arrivals(1) ring(0) empty : !sm.mbarrier<4>
  sm.role "load" warps(1) elected {
    %t = sm.slots.at %s[%i] : !sm.slots<4 x !t>
    sm.tma.load %x[%k, %k] dims [0, 1] limits(%k, %k) into %t signal %full[%i] : !x, index, index, !t, !sm.mbarrier<4>
    // expected-error @below {{'sm.tma.load' op fills a slot of ring 0; expected it to signal the full barrier of that slot}}
    sm.tma.load %x[%k, %k] dims [0, 1] limits(%k, %k) into %t signal %empty[%i] : !x, index, index, !t, !sm.mbarrier<4>
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[M, K] x bf16>

sm.kernel @index_of_copy_c3(%x: !x, %k: index, %i: i32, %j: i32) grid() warps(1) form(expanded) {
  %s = sm.slots.alloc ring(0) : !sm.slots<4 x !t>
  %full = sm.mbarrier.alloc arrivals(1) ring(0) full : !sm.mbarrier<4>
  sm.role "load" warps(1) elected {
    %t = sm.slots.at %s[%i] : !sm.slots<4 x !t>
    // expected-error @below {{'sm.tma.load' op fills a slot of ring 0; expected it to signal the full barrier of that slot}}
    sm.tma.load %x[%k, %k] dims [0, 1] limits(%k, %k) into %t signal %full[%j] : !x, index, index, !t, !sm.mbarrier<4>
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[M, K] x bf16>

sm.kernel @channel_of_copy_c3(%x: !x, %k: index, %i: i32) grid() warps(1) form(expanded) {
  %s = sm.slots.alloc ring(0) : !sm.slots<4 x !t>
  %full = sm.mbarrier.alloc arrivals(1) ring(1) full : !sm.mbarrier<4>
  sm.role "load" warps(1) elected {
    %t = sm.slots.at %s[%i] : !sm.slots<4 x !t>
    // expected-error @below {{'sm.tma.load' op fills a slot of ring 0; expected it to signal the full barrier of that slot}}
    sm.tma.load %x[%k, %k] dims [0, 1] limits(%k, %k) into %t signal %full[%i] : !x, index, index, !t, !sm.mbarrier<4>
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[M, K] x bf16>

sm.kernel @no_channel_of_copy_c3(%x: !x, %k: index, %i: i32) grid() warps(1) form(expanded) {
  %s = sm.scratch : !t
  %full = sm.mbarrier.alloc arrivals(1) ring(1) full : !sm.mbarrier<4>
  sm.role "load" warps(1) elected {
    // expected-error @below {{'sm.tma.load' op signals ring 1, but fills no slot of it}}
    sm.tma.load %x[%k, %k] dims [0, 1] limits(%k, %k) into %s signal %full[%i] : !x, index, index, !t, !sm.mbarrier<4>
  }
}

// -----

sm.kernel @same_stage_c1(%i: i32) grid() warps(4) form(expanded) {
  // expected-error @below {{'sm.slot_after' op expected another one of 4 slots, got the one 4 after}}
  %j = sm.slot_after %i by 4 of 4
}

// -----

sm.kernel @no_distance_c1(%i: i32) grid() warps(4) form(expanded) {
  // expected-error @below {{'sm.slot_after' op expected another one of 4 slots, got the one 0 after}}
  %j = sm.slot_after %i by 0 of 4
}

// -----

sm.kernel @other_count_c1(%i: i32) grid() warps(4) form(expanded) {
  %s = sm.slots.alloc : !sm.slots<4 x !sm.smem<64x64xbf16, swizzle = 128>>
  // expected-note @below {{computed here}}
  %j = sm.slot_after %i by 1 of 3
  // expected-error @below {{'sm.slots.at' op expected an index of one of 4 slots, got one of 3}}
  %t = sm.slots.at %s[%j] : !sm.slots<4 x !sm.smem<64x64xbf16, swizzle = 128>>
}
