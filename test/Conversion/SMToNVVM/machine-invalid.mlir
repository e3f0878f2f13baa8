// RUN: tile-opt %s -convert-sm-to-nvvm -split-input-file -verify-diagnostics -o /dev/null

sm.kernel @no_address() grid() warps(4) form(expanded) {
  // expected-error @below {{expected an address in shared memory; run 'sm-allocate-smem' first}}
  // expected-error @below {{failed to legalize operation 'sm.scratch'}}
  %s = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
}

// -----

// A column of a tensor is no row of boxes.

sm.kernel @column(%x: !tile.global<[M, K] x f32, out>, %i: index) grid() warps(4) form(expanded) {
  %M = tile.size M
  %s = sm.scratch at 0 : !sm.smem<128xf32>
  // expected-error @below {{cannot be copied by TMA: TMA copies rows of the last dimension, which the tile does not walk}}
  // expected-error @below {{failed to legalize operation 'sm.put'}}
  sm.put %s to %x[%i, %i] dims [0] limits(%M) : !sm.smem<128xf32>, !tile.global<[M, K] x f32, out>, index, index
}

// -----

sm.kernel @rank(%x: !tile.global<[2, 2, 2, 2, 2, K] x f32, out>, %i: index) grid() warps(4) form(expanded) {
  %K = tile.size K
  %s = sm.scratch at 0 : !sm.smem<128xf32>
  // expected-error @below {{cannot be copied by TMA: TMA copies from tensors of at most 5 dimensions, not of 6}}
  // expected-error @below {{failed to legalize operation 'sm.put'}}
  sm.put %s to %x[%i, %i, %i, %i, %i, %i] dims [5] limits(%K) : !sm.smem<128xf32>, !tile.global<[2, 2, 2, 2, 2, K] x f32, out>, index, index, index, index, index, index
}

// -----

sm.kernel @turns() grid() warps(32) form(expanded) {
  sm.role "a" warps(8) {
  }
  sm.role "b" warps(8) {
  }
  sm.role "c" warps(1) {
  }
  sm.role "d" warps(1) {
  }
  sm.role "e" warps(1) {
  }
  sm.role "f" warps(1) {
  }
  sm.role "h" warps(1) {
  }
  sm.role "i" warps(1) {
  }
  sm.role "j" warps(1) {
  }
  sm.role "k" warps(1) {
  }
  sm.role "g" warps(8) {
    // expected-error @below {{needs barriers up to number 17, of which a block has 16; expected fewer roles or warpgroups}}
    // expected-error @below {{failed to legalize operation 'sm.turn.take'}}
    sm.turn.take
  }
}
