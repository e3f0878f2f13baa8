// RUN: tile-opt %s -split-input-file -verify-diagnostics

sm.kernel @elected_c4(%x: !tile.global<[M, K] x bf16>, %i: index) grid() warps(4) {
  %t = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  sm.role "load" warps(4) elected {
    // expected-error @below {{'sm.fetch.start' op cannot be in an elected role: all threads of a role execute it}}
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
    // expected-error @below {{'sm.fetch.await' op cannot be in an elected role: all threads of a role execute it}}
    sm.fetch.await leave 0
  }
}

// -----

// A gather of other rows than the first dimension of the tile.
!at = tensor<64xi32, #sm.layout<"64 = register[8*(8)] lane[8*(0) 4*(1)] warp[2*(4)]">>
sm.kernel @columns_c5(%x: !tile.global<[M, K] x bf16>, %at: !at, %i: index) grid() warps(2) {
  %t = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  // expected-error @below {{'sm.fetch.start' op expected to gather along the first dimension of a tile of rank 1 or 2, got index 1 for '!sm.smem<64x64xbf16, swizzle = 128>'}}
  sm.fetch.start %x[%i, %at] dims [0, 1] limits(%i, %i) into %t : !tile.global<[M, K] x bf16>, index, !at, !sm.smem<64x64xbf16, swizzle = 128>
}

// -----

// 1024 threads, of which eight share a row.
!at = tensor<64xi32, #sm.layout<"64 = register[8*(8)] lane[8*(0) 4*(1)] warp[2*(4)]">>
sm.kernel @uneven_c5(%x: !tile.global<[M, K] x bf16>, %at: !at, %i: index) grid() warps(32) {
  %t = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  // expected-error @below {{'sm.fetch.start' op cannot gather to '!sm.smem<64x64xbf16, swizzle = 128>': 1024 threads do not share the 512 pieces of its 64 rows evenly}}
  sm.fetch.start %x[%at, %i] dims [0, 1] limits(%i, %i) into %t : !tile.global<[M, K] x bf16>, !at, index, !sm.smem<64x64xbf16, swizzle = 128>
}

// -----

!at = tensor<64xi32, #sm.layout<"64 = register[8*(8)] lane[8*(0) 4*(1)] warp[2*(4)]">>
sm.kernel @pieces_c5(%x: !tile.global<[M, K] x bf16>, %at: !at, %i: index) grid() warps(2) {
  %t = sm.scratch : !sm.smem<64x4xbf16>
  // expected-error @below {{'sm.fetch.start' op cannot gather to '!sm.smem<64x4xbf16>': its rows are no sequence of pieces of 16 bytes}}
  sm.fetch.start %x[%at, %i] dims [0, 1] limits(%i, %i) into %t : !tile.global<[M, K] x bf16>, !at, index, !sm.smem<64x4xbf16>
}

// -----

// Positions where another thread needs them.
!at = tensor<64xi32, #sm.layout<"64 = register[8*(1)] lane[8*(0) 4*(8)] warp[2*(32)]">>
sm.kernel @layout_c5(%x: !tile.global<[M, K] x bf16>, %at: !at, %i: index) grid() warps(2) {
  %t = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  // expected-error @below {{'sm.fetch.start' op expected positions where threads use them, "64 = register[8*(8)] lane[8*(0) 4*(1)] warp[2*(4)]", got}}
  sm.fetch.start %x[%at, %i] dims [0, 1] limits(%i, %i) into %t : !tile.global<[M, K] x bf16>, !at, index, !sm.smem<64x64xbf16, swizzle = 128>
}

// -----

sm.kernel @tile_c6(%x: !tile.global<[M, K] x f32>, %i: index) grid() warps(2) {
  %t = sm.scratch : !sm.smem<64x32xf32>
  // expected-error @below {{'sm.fetch.start' op expected a fill only for a tile of rank 1 that is not gathered, got '!sm.smem<64x32xf32>'}}
  sm.fetch.start %x[%i, %i] dims [0, 1] limits(%i, %i) fill(1.0 : f32) into %t : !tile.global<[M, K] x f32>, index, index, !sm.smem<64x32xf32>
}

// -----

!at = tensor<64xi32, #sm.layout<"64 = lane[32*(1)] warp[2*(32)]">>
sm.kernel @gathered_c6(%x: !tile.global<[M] x f32>, %at: !at, %i: index) grid() warps(2) {
  %t = sm.scratch : !sm.smem<64xf32>
  // expected-error @below {{'sm.fetch.start' op expected a fill only for a tile of rank 1 that is not gathered, got '!sm.smem<64xf32>'}}
  sm.fetch.start %x[%at] dims [0] limits(%i) fill(1.0 : f32) into %t : !tile.global<[M] x f32>, !at, !sm.smem<64xf32>
}

// -----

sm.kernel @type_c6(%x: !tile.global<[M] x f32>, %i: index) grid() warps(2) {
  %t = sm.scratch : !sm.smem<64xf32>
  // expected-error @below {{'sm.fetch.start' op expected fill to be 'f32', got 'f16'}}
  sm.fetch.start %x[%i] dims [0] limits(%i) fill(1.0 : f16) into %t : !tile.global<[M] x f32>, index, !sm.smem<64xf32>
}
