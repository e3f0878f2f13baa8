// RUN: tile-opt %s -sm-expand-rings -split-input-file -verify-diagnostics -o /dev/null

// Roles that certainly wait for ever, as soon as their loops run. Each kernel
// with one word changed is proven in progress.mlir.

// The role that uses wants the next tile of one ring before it gives back that of
// the other.
!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @other_order(%x: !tile.global<[M, 64] x bf16>) grid() warps(8) form(scheduled) {
  %a = sm.ring.alloc : !sm.ring<1 x [!t]>
  %b = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = tile.size M
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %m step %c64 {
      // expected-error @below {{waits for ever: role 'load' waits here for role 'math'}}
      %s = sm.ring.acquire %a : !sm.ring<1 x [!t]>
      %st = sm.slot.tile %s[0] : !sm.slot<[!t]>
      sm.copy.start %x[%i, %c0] dims [0, 1] limits(%m, %c64) into %st : !tile.global<[M, 64] x bf16>, index, index, !t
      sm.ring.commit %s : !sm.slot<[!t]>
      %q = sm.ring.acquire %b : !sm.ring<2 x [!t]>
      %qt = sm.slot.tile %q[0] : !sm.slot<[!t]>
      sm.copy.start %x[%i, %c0] dims [0, 1] limits(%m, %c64) into %qt : !tile.global<[M, 64] x bf16>, index, index, !t
      sm.ring.commit %q : !sm.slot<[!t]>
    }
  }
  sm.role "math" warps(4) {
    %runs = arith.cmpi slt, %c0, %m : index
    scf.if %runs {
      %first = sm.ring.wait %b : !sm.ring<2 x [!t]>
      %last = scf.for %i = %c64 to %m step %c64 iter_args(%q = %first) -> (!sm.slot<[!t]>) {
        // expected-note @below {{role 'math' waits here for role 'load'}}
        %next = sm.ring.wait %b : !sm.ring<2 x [!t]>
        %s = sm.ring.wait %a : !sm.ring<1 x [!t]>
        sm.ring.release %s : !sm.slot<[!t]>
        sm.ring.release %q : !sm.slot<[!t]>
        scf.yield %next : !sm.slot<[!t]>
      }
      %s = sm.ring.wait %a : !sm.ring<1 x [!t]>
      sm.ring.release %s : !sm.slot<[!t]>
      sm.ring.release %last : !sm.slot<[!t]>
    }
  }
}

// -----

// Two slots are held, where the ring has one.
!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @too_few_stages(%x: !tile.global<[M, 64] x bf16>) grid() warps(8) form(scheduled) {
  %a = sm.ring.alloc : !sm.ring<1 x [!t]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = tile.size M
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %m step %c64 {
      // expected-error @below {{waits for ever: role 'load' waits here for role 'math'}}
      %s = sm.ring.acquire %a : !sm.ring<1 x [!t]>
      %st = sm.slot.tile %s[0] : !sm.slot<[!t]>
      sm.copy.start %x[%i, %c0] dims [0, 1] limits(%m, %c64) into %st : !tile.global<[M, 64] x bf16>, index, index, !t
      sm.ring.commit %s : !sm.slot<[!t]>
    }
  }
  sm.role "math" warps(4) {
    %runs = arith.cmpi slt, %c0, %m : index
    scf.if %runs {
      %first = sm.ring.wait %a : !sm.ring<1 x [!t]>
      %last = scf.for %i = %c64 to %m step %c64 iter_args(%s = %first) -> (!sm.slot<[!t]>) {
        // expected-note @below {{role 'math' waits here for role 'load'}}
        %next = sm.ring.wait %a : !sm.ring<1 x [!t]>
        sm.ring.release %s : !sm.slot<[!t]>
        scf.yield %next : !sm.slot<[!t]>
      }
      sm.ring.release %last : !sm.slot<[!t]>
    }
  }
}

// -----

// Only the role that uses goes on.
!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @one_more(%x: !tile.global<[M, 64] x bf16>) grid() warps(8) form(scheduled) {
  %a = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // expected-note @below {{role 'load' ends without it}}
  sm.role "load" warps(4) elected {
    %s = sm.ring.acquire %a : !sm.ring<2 x [!t]>
    %st = sm.slot.tile %s[0] : !sm.slot<[!t]>
    sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%c64, %c64) into %st : !tile.global<[M, 64] x bf16>, index, index, !t
    sm.ring.commit %s : !sm.slot<[!t]>
  }
  sm.role "math" warps(4) {
    %s = sm.ring.wait %a : !sm.ring<2 x [!t]>
    sm.ring.release %s : !sm.slot<[!t]>
    // expected-error @below {{waits for ever: role 'math' waits here for role 'load'}}
    %q = sm.ring.wait %a : !sm.ring<2 x [!t]>
    sm.ring.release %q : !sm.slot<[!t]>
  }
}

// -----

// Nobody has the first turn.
sm.kernel @no_start() grid() warps(8) form(scheduled) {
  sm.role "math" warps(8) {
    // expected-error @below {{waits for ever: role 'math' waits here for another of its warpgroups}}
    // expected-note @below {{role 'math' waits here for another of its warpgroups}}
    sm.pingpong.wait
    sm.pingpong.pass
  }
}

// -----

// The warpgroup that has its turn waits for the one that wants it.
sm.kernel @meeting_in_a_turn() grid() warps(8) form(scheduled) {
  sm.role "math" warps(8) {
    sm.pingpong.start
    // expected-note @below {{role 'math' waits here for another of its warpgroups}}
    sm.pingpong.wait
    // expected-error @below {{waits for ever: role 'math' waits here for another of its warpgroups}}
    sm.barrier
    sm.pingpong.pass
  }
}

// -----

// A number that is popped and not pushed, after the loop in which they agree.
sm.kernel @queue(%n: index) grid() warps(8) form(scheduled) {
  %q = sm.queue.alloc : !sm.queue<2>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{role 'load' ends without it}}
  sm.role "load" warps(4) elected {
    sm.queue.push %n to %q : !sm.queue<2>
  }
  sm.role "math" warps(4) {
    %a = sm.queue.pop %q : !sm.queue<2>
    // expected-error @below {{waits for ever: role 'math' waits here for role 'load'}}
    %b = sm.queue.pop %q : !sm.queue<2>
  }
}

// -----

// Slots that one role fills and no role releases, from the third iteration of the outer loop on.
!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @later_iterations(%x: !tile.global<[M, 64] x bf16>, %n: index) grid() warps(8) form(scheduled) {
  %a = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %m = tile.size M
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %i step %c1 {
        // expected-error @below {{waits for ever: role 'load' waits here for role 'math'}}
        %s = sm.ring.acquire %a : !sm.ring<2 x [!t]>
        %st = sm.slot.tile %s[0] : !sm.slot<[!t]>
        sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%m, %c64) into %st : !tile.global<[M, 64] x bf16>, index, index, !t
        sm.ring.commit %s : !sm.slot<[!t]>
      }
    }
  }
  // expected-note @below {{role 'math' ends without it}}
  sm.role "math" warps(4) {
    scf.for %i = %c0 to %c0 step %c1 {
      %s = sm.ring.wait %a : !sm.ring<2 x [!t]>
      sm.ring.release %s : !sm.slot<[!t]>
    }
  }
}
