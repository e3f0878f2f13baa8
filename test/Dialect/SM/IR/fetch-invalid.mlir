// RUN: tile-opt %s -split-input-file -verify-diagnostics

sm.kernel @elected_c4(%x: !tile.global<[M, K] x bf16>, %i: index) grid() warps(4) {
  %t = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  sm.role "load" warps(4) elected {
    // expected-error @below {{'sm.fetch.start' op cannot stand in an elected role: all threads of a role take part}}
    sm.fetch.start %x[%i, %i] dims [0, 1] limits(%i, %i) into %t : !tile.global<[M, K] x bf16>, index, index, !sm.smem<64x64xbf16, swizzle = 128>
  }
}

// -----

sm.kernel @type_c3(%x: !tile.global<[M, K] x f16>, %i: index) grid() warps(4) {
  %t = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  // expected-error @below {{'sm.fetch.start' op expected}}
  sm.fetch.start %x[%i, %i] dims [0, 1] limits(%i, %i) into %t : !tile.global<[M, K] x f16>, index, index, !sm.smem<64x64xbf16, swizzle = 128>
}

// -----

sm.kernel @leave_c1() grid() warps(4) {
  // expected-error @below {{'sm.fetch.await' op expected a count from 0 on, got -1}}
  "sm.fetch.await"() <{leave = -1 : i64}> : () -> ()
}

// -----

sm.kernel @await_elected_c1() grid() warps(4) {
  sm.role "load" warps(4) elected {
    // expected-error @below {{'sm.fetch.await' op cannot stand in an elected role: all threads of a role take part}}
    sm.fetch.await leave 0
  }
}
