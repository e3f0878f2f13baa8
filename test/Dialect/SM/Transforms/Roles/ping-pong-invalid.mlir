// RUN: tile-opt %s -sm-expand-rings -split-input-file -verify-diagnostics -o /dev/null

// Rings that roles use in turn: who uses them has them, and passes them on every path.

!r = !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
sm.kernel @alone() grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !r
  sm.role "math" warps(4) {
    // expected-error @below {{'sm.ring.take' op expected another role to pass rings to}}
    sm.ring.take %r : !r
    sm.ring.pass %r : !r
  }
}

// -----

!r = !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
sm.kernel @others() grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !r
  %s = sm.ring.alloc : !r
  sm.role "math0" warps(4) {
    // expected-note @below {{others are here}}
    sm.ring.take %r, %s : !r, !r
    sm.ring.pass %r, %s : !r, !r
  }
  sm.role "math1" warps(4) {
    // expected-error @below {{'sm.ring.take' op expected the same rings as at other turns of the kernel, in their order}}
    sm.ring.take %s, %r : !r, !r
    sm.ring.pass %r, %s : !r, !r
  }
}

// -----

!r = !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
sm.kernel @twice() grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !r
  sm.role "math0" warps(4) {
    // expected-note @below {{the turn starts here}}
    sm.ring.take %r : !r
    // expected-error @below {{'sm.ring.take' op takes rings that this role has already}}
    sm.ring.take %r : !r
  }
  sm.role "math1" warps(4) {
    sm.ring.take %r : !r
    sm.ring.pass %r : !r
  }
}

// -----

!r = !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
sm.kernel @untaken() grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !r
  sm.role "math0" warps(4) {
    // expected-error @below {{'sm.ring.pass' op passes rings that this role has not taken}}
    sm.ring.pass %r : !r
  }
  sm.role "math1" warps(4) {
    sm.ring.take %r : !r
    sm.ring.pass %r : !r
  }
}

// -----

!r = !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
sm.kernel @kept() grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !r
  sm.role "math0" warps(4) {
    sm.ring.take %r : !r
    sm.ring.pass %r : !r
  }
  sm.role "math1" warps(4) {
    // expected-error @below {{'sm.ring.take' op takes rings that its role does not pass}}
    sm.ring.take %r : !r
  }
}

// -----

!t = !sm.smem<64x64xbf16, swizzle = 128>
!r = !sm.ring<2 x [!t]>
sm.kernel @bystander() grid() warps(12) form(scheduled) {
  %r = sm.ring.alloc : !r
  sm.role "math0" warps(4) {
    sm.ring.take %r : !r
    sm.ring.pass %r : !r
  }
  sm.role "math1" warps(4) {
    sm.ring.take %r : !r
    sm.ring.pass %r : !r
  }
  sm.role "other" warps(4) {
    // expected-error @below {{'sm.ring.wait' op waits for a slot of a ring that roles use in turn; expected it between 'sm.ring.take' and 'sm.ring.pass'}}
    %s = sm.ring.wait %r : !r
    sm.ring.release %s : !sm.slot<[!t]>
  }
}

// -----

// Passed on one way only.
!r = !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
sm.kernel @sometimes(%c: i1) grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !r
  sm.role "math0" warps(4) {
    // expected-note @below {{the turn starts here}}
    sm.ring.take %r : !r
    // expected-error @below {{'scf.if' op takes or passes rings, but may do so never or often}}
    scf.if %c {
      sm.ring.pass %r : !r
    }
  }
  sm.role "math1" warps(4) {
    sm.ring.take %r : !r
    sm.ring.pass %r : !r
  }
}

// -----

!r = !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
sm.kernel @one_way(%c: i1) grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !r
  sm.role "math0" warps(4) {
    // expected-note @below {{the turn starts here}}
    sm.ring.take %r : !r
    // expected-error @below {{'scf.if' op ends with the turn on one way and without it on another}}
    scf.if %c {
      sm.ring.pass %r : !r
    } else {
    }
    sm.ring.pass %r : !r
  }
  sm.role "math1" warps(4) {
    sm.ring.take %r : !r
    sm.ring.pass %r : !r
  }
}

// -----

// Taken as often as a loop runs, and passed once.
!r = !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
sm.kernel @often(%n: index) grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !r
  sm.role "math0" warps(4) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{'scf.for' op takes or passes rings, but may do so never or often}}
    scf.for %i = %c0 to %n step %c1 {
      // expected-note @below {{the turn starts here}}
      sm.ring.take %r : !r
    }
    sm.ring.pass %r : !r
  }
  sm.role "math1" warps(4) {
    sm.ring.take %r : !r
    sm.ring.pass %r : !r
  }
}

// -----

!r = !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
// Nobody waits for a slot.
sm.kernel @unused() grid() warps(12) form(scheduled) {
  // expected-error @below {{expected one role that fills this ring and others that use it, got 0 and 0}}
  %r = sm.ring.alloc : !r
  sm.role "load" warps(4) elected {
  }
  sm.role "math0" warps(4) {
    sm.ring.take %r : !r
    sm.ring.pass %r : !r
  }
  sm.role "math1" warps(4) {
    sm.ring.take %r : !r
    sm.ring.pass %r : !r
  }
}
