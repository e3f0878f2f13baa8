// RUN: tile-opt %s -sm-expand-rings -split-input-file -verify-diagnostics -o /dev/null

// Slots are linear; what is wrong is said where it is.

!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @dropped() grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  // expected-error @below {{does not commit or release a slot on every path}}
  sm.role "math" warps(4) {
    // expected-note @below {{the slot is taken here}}
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @after() grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "math" warps(4) {
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
    // expected-note @below {{the slot is committed or released here}}
    sm.ring.release %s : !sm.slot<[!t]>
    // expected-error @below {{uses a slot after its commit or release}}
    sm.ring.release %s : !sm.slot<[!t]>
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @tile_after(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "math" warps(4) {
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
    %t = sm.slot.tile %s[0] : !sm.slot<[!t]>
    // expected-note @below {{the slot is committed or released here}}
    sm.ring.release %s : !sm.slot<[!t]>
    // expected-error @below {{uses a tile of a slot after its commit or release}}
    %read = sm.smem.load %t : !t -> tensor<64x64xbf16, #sm.layout<"64x64 = register[8*(0,1) 4*(16,0)] lane[8*(0,8) 4*(1,0)] warp[4*(4,0)]">>
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @one_path(%c: i1) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "math" warps(4) {
    // expected-note @below {{the slot is taken here}}
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
    // expected-error @below {{commits or releases a slot on one of two paths}}
    scf.if %c {
      sm.ring.release %s : !sm.slot<[!t]>
    }
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @other_path(%c: i1) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "math" warps(4) {
    // expected-note @below {{the slot is taken here}}
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
    // expected-error @below {{does not commit or release a slot on every path}}
    scf.if %c {
      sm.ring.release %s : !sm.slot<[!t]>
    } else {
    }
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @in_loop(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) {
    // expected-note @below {{the slot is taken here}}
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
    // expected-error @below {{commits or releases a slot of an outer block in each iteration}}
    scf.for %i = %c0 to %n step %c1 {
      sm.ring.release %s : !sm.slot<[!t]>
    }
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @twice(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) {
    // expected-note @below {{the slot is taken here}}
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
    // expected-error @below {{commits or releases a slot twice}}
    %p:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s, %b = %s) -> (!sm.slot<[!t]>, !sm.slot<[!t]>) {
      scf.yield %a, %b : !sm.slot<[!t]>, !sm.slot<[!t]>
    }
    sm.ring.release %p#0 : !sm.slot<[!t]>
    sm.ring.release %p#1 : !sm.slot<[!t]>
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @chosen(%c: i1) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "math" warps(4) {
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
    %u = sm.ring.wait %r : !sm.ring<2 x [!t]>
    // expected-error @below {{cannot make a slot}}
    %x = arith.select %c, %s, %u : !sm.slot<[!t]>
    sm.ring.release %x : !sm.slot<[!t]>
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @unknown_user() grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "math" warps(4) {
    // expected-note @below {{the slot is taken here}}
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
    // expected-error @below {{cannot take a slot}}
    %x = builtin.unrealized_conversion_cast %s : !sm.slot<[!t]> to i32
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @two_rings(%c: i1) grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  %q = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "math" warps(8) {
    // expected-error @below {{slots of two rings, or of two sides, are carried as one value}}
    %x = scf.if %c -> (!sm.slot<[!t]>) {
      // expected-note @below {{one is taken here}}
      %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
      scf.yield %s : !sm.slot<[!t]>
    } else {
      // expected-note @below {{another one is taken here}}
      %s = sm.ring.wait %q : !sm.ring<2 x [!t]>
      scf.yield %s : !sm.slot<[!t]>
    }
    sm.ring.release %x : !sm.slot<[!t]>
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @unfilled() grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "load" warps(4) elected {
    // expected-error @below {{expected one copy into tile 0 of this slot, in the block of its acquire, got 0}}
    %s = sm.ring.acquire %r : !sm.ring<2 x [!t]>
    sm.ring.commit %s : !sm.slot<[!t]>
  }
  sm.role "math" warps(4) {
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
    sm.ring.release %s : !sm.slot<[!t]>
  }
}

// -----

#row = #sm.layout<"64 = register[2*(1) 8*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">
!t = !sm.smem<64xf32>
sm.kernel @filled_twice() grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "math" warps(4) {
    %x = arith.constant dense<0.0> : tensor<64xf32, #row>
    // expected-error @below {{expected one 'sm.slot.store' into tile 0 of this slot, in the block of its acquire, got 2}}
    %s = sm.ring.acquire %r : !sm.ring<2 x [!t]>
    %t = sm.slot.tile %s[0] : !sm.slot<[!t]>
    sm.slot.store %t with %x : !t, tensor<64xf32, #row>
    sm.slot.store %t with %x : !t, tensor<64xf32, #row>
    sm.ring.commit %s : !sm.slot<[!t]>
  }
  sm.role "store" warps(4) elected {
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
    sm.ring.release %s : !sm.slot<[!t]>
  }
}

// -----

!t = !sm.smem<64xf32>
sm.kernel @unfetched() grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "fetch" warps(4) {
    // expected-error @below {{expected one fetch into tile 0 of this slot, in the block of its acquire, got 0}}
    %s = sm.ring.acquire %r : !sm.ring<2 x [!t]>
    sm.ring.commit %s : !sm.slot<[!t]>
  }
  sm.role "math" warps(4) {
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
    sm.ring.release %s : !sm.slot<[!t]>
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @shared_by_warps(%x: !tile.global<[M, 64] x bf16>) grid(m in tiles(M, 64)) warps(8) cluster(2) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  // expected-error @below {{warps give back slots that the cluster fills; expected no 'warps' or no multicast}}
  %r = sm.ring.alloc warps : !sm.ring<2 x [!t]>
  sm.role "load" warps(4) elected {
    %s = sm.ring.acquire %r : !sm.ring<2 x [!t]>
    %t = sm.slot.tile %s[0] : !sm.slot<[!t]>
    sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%M, %c64) into %t multicast : !tile.global<[M, 64] x bf16>, index, index, !t
    sm.ring.commit %s : !sm.slot<[!t]>
  }
  sm.role "math" warps(4) {
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
    sm.ring.release %s : !sm.slot<[!t]>
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @nobody_fills() grid() warps(4) form(scheduled) {
  // expected-error @below {{expected one role that fills this ring and others that use it, got 0 and 1}}
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "math" warps(4) {
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
    sm.ring.release %s : !sm.slot<[!t]>
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @beside() grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  // expected-error @below {{expected to take slots in a role}}
  %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
  sm.ring.release %s : !sm.slot<[!t]>
}

// -----

!t = !sm.smem<64x4xbf16>
sm.kernel @no_box(%x: !tile.global<[M, 4] x bf16>, %i: index) grid() warps(8) form(scheduled) {
  // expected-error @below {{a tile of this ring cannot be copied by TMA: no box of at most 256 along each dimension}}
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "load" warps(4) elected {
    %s = sm.ring.acquire %r : !sm.ring<2 x [!t]>
    %t = sm.slot.tile %s[0] : !sm.slot<[!t]>
    sm.copy.start %x[%i, %i] dims [0, 1] limits(%i, %i) into %t : !tile.global<[M, 4] x bf16>, index, index, !t
    sm.ring.commit %s : !sm.slot<[!t]>
  }
  sm.role "math" warps(4) {
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
    sm.ring.release %s : !sm.slot<[!t]>
  }
}

// -----

// Tiles of a ring lie one after the other, and each begins where a tensor copy may write.
!t = !sm.smem<4x8xbf16>
!x = !tile.global<[M, N] x bf16>
sm.kernel @patterns(%x: !x) grid() warps(8) form(scheduled) {
  %c0 = arith.constant 0 : index
  %M = tile.size M
  %N = tile.size N
  // expected-error @below {{expected tiles of whole swizzle patterns of 128 bytes, got 64 bytes}}
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "load" warps(4) elected {
    %s = sm.ring.acquire %r : !sm.ring<2 x [!t]>
    %t = sm.slot.tile %s[0] : !sm.slot<[!t]>
    sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%M, %N) into %t : !x, index, index, !t
    sm.ring.commit %s : !sm.slot<[!t]>
  }
  sm.role "math" warps(4) {
    %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
    sm.ring.release %s : !sm.slot<[!t]>
  }
}

// -----

sm.kernel @unread(%n: index) grid() warps(1) form(scheduled) {
  // expected-error @below {{expected one role that pushes to this queue and others that pop, got 1 and 0}}
  %q = sm.queue.alloc : !sm.queue<2>
  sm.role "load" warps(1) elected {
    sm.queue.push %n to %q : !sm.queue<2>
  }
}

// -----

#row = #sm.layout<"64 = register[2*(32)] lane[32*(1)]">
!t = !sm.smem<64xf32>
sm.kernel @unfilled(%x: !tile.global<[M] x f32>, %i: index) grid() warps(5) form(scheduled) {
  %M = tile.size M
  %r = sm.ring.alloc : !sm.ring<2 x [!t, !t, !t]>
  sm.role "fetch" warps(1) {
    %v = arith.constant dense<1.0> : tensor<64xf32, #row>
    // expected-error @below {{expected one fetch or 'sm.slot.store' into tile 2 of this slot, in the block of its acquire, got 0}}
    %s = sm.ring.acquire %r : !sm.ring<2 x [!t, !t, !t]>
    %t = sm.slot.tile %s[0] : !sm.slot<[!t, !t, !t]>
    sm.slot.store %t with %v : !t, tensor<64xf32, #row>
    %u = sm.slot.tile %s[1] : !sm.slot<[!t, !t, !t]>
    sm.fetch.start %x[%i] dims [0] limits(%M) into %u : !tile.global<[M] x f32>, index, !t
    sm.ring.commit %s : !sm.slot<[!t, !t, !t]>
  }
  sm.role "math" warps(4) {
    %s = sm.ring.wait %r : !sm.ring<2 x [!t, !t, !t]>
    sm.ring.release %s : !sm.slot<[!t, !t, !t]>
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @clipped_multicast(%x: !tile.global<[M, 64] x bf16>, %end: index) grid(m in tiles(M, 64)) warps(8) cluster(2) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // expected-error @below {{copies of this ring may end before their tensors do; expected no multicast}}
  %r = sm.ring.alloc : !sm.ring<1 x [!t]>
  sm.role "load" warps(4) elected {
    %s = sm.ring.acquire %r : !sm.ring<1 x [!t]>
    %t = sm.slot.tile %s[0] : !sm.slot<[!t]>
    sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%end, %c64) into %t multicast : !tile.global<[M, 64] x bf16>, index, index, !t
    sm.ring.commit %s : !sm.slot<[!t]>
  }
  sm.role "math" warps(4) {
    %s = sm.ring.wait %r : !sm.ring<1 x [!t]>
    sm.ring.release %s : !sm.slot<[!t]>
  }
}
