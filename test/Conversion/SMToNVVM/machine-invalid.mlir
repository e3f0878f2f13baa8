// RUN: tile-opt %s --convert-sm-to-nvvm -split-input-file -verify-diagnostics -o /dev/null

sm.kernel @no_address() grid() warps(4) form(fenced) {
  // expected-error @below {{expected an address in shared memory; run 'sm-allocate-smem' first}}
  // expected-error @below {{failed to legalize operation 'sm.scratch'}}
  %s = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
}

// -----

// A column of a tensor is no row of boxes.

sm.kernel @column(%x: !tile.global<[M, K] x f32, out>, %i: index) grid() warps(4) form(fenced) {
  %M = tile.size M
  %s = sm.scratch at 0 : !sm.smem<128xf32>
  // expected-error @below {{cannot be copied by TMA: TMA copies rows of the last dimension, which the tile does not walk}}
  // expected-error @below {{failed to legalize operation 'sm.copy.store'}}
  sm.copy.store %s to %x[%i, %i] dims [0] limits(%M) : !sm.smem<128xf32>, !tile.global<[M, K] x f32, out>, index, index
}

// -----

sm.kernel @rank(%x: !tile.global<[2, 2, 2, 2, 2, K] x f32, out>, %i: index) grid() warps(4) form(fenced) {
  %K = tile.size K
  %s = sm.scratch at 0 : !sm.smem<128xf32>
  // expected-error @below {{cannot be copied by TMA: TMA copies from tensors of at most 5 dimensions, not of 6}}
  // expected-error @below {{failed to legalize operation 'sm.copy.store'}}
  sm.copy.store %s to %x[%i, %i, %i, %i, %i, %i] dims [5] limits(%K) : !sm.smem<128xf32>, !tile.global<[2, 2, 2, 2, 2, K] x f32, out>, index, index, index, index, index, index
}

// -----

sm.kernel @turns() grid() warps(32) form(fenced) {
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
    // expected-error @below {{needs named barriers up to number 17; a block has 16; expected fewer roles or warpgroups}}
    // expected-error @below {{failed to legalize operation 'sm.pingpong.wait'}}
    sm.pingpong.wait
  }
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @store_columns(%x: !tile.global<[M, N, 4] x bf16, out>, %i: index) grid() warps(4) form(fenced) {
  %M = tile.size M
  %N = tile.size N
  %t = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
  // expected-error @below {{cannot be copied by TMA: TMA copies rows of the last dimension, which the tile does not walk}}
  // expected-error @below {{failed to legalize operation 'sm.tma.store'}}
  sm.tma.store %t to %x[%i, %i, %i] dims [0, 1] limits(%M, %N) columns 64 buffers 2 {sm.scratch_address = 0 : i64} : tensor<64x64xbf16, #acc>, !tile.global<[M, N, 4] x bf16, out>, index, index, index
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @store_scratch(%x: !tile.global<[M, N] x bf16, out>, %i: index) grid() warps(4) form(fenced) {
  %M = tile.size M
  %N = tile.size N
  %t = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
  // expected-error @below {{expected an address in shared memory; run 'sm-allocate-smem' first}}
  // expected-error @below {{failed to legalize operation 'sm.tma.store'}}
  sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%M, %N) columns 64 buffers 2 : tensor<64x64xbf16, #acc>, !tile.global<[M, N] x bf16, out>, index, index
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @store_barriers(%x: !tile.global<[M, N] x bf16, out>, %i: index) grid() warps(32) form(fenced) {
  %M = tile.size M
  %N = tile.size N
  sm.role "a" warps(24) {
  }
  sm.role "b" warps(4) {
  }
  sm.role "c" warps(4) {
    %t = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
    // expected-error @below {{needs 20 named barriers, with those of roles and ping-pong; a block has 16; expected fewer roles or warpgroups}}
    // expected-error @below {{failed to legalize operation 'sm.tma.store'}}
    sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%M, %N) columns 64 buffers 2 {sm.scratch_address = 0 : i64} : tensor<64x64xbf16, #acc>, !tile.global<[M, N] x bf16, out>, index, index
  }
}

// -----

sm.kernel @turns_of_roles() grid() warps(32) form(fenced) {
  sm.role "a" warps(4) {
    // expected-error @below {{needs named barriers up to number 16; a block has 16; expected fewer roles or warpgroups}}
    // expected-error @below {{failed to legalize operation 'sm.pingpong.wait'}}
    sm.pingpong.wait roles
  }
  sm.role "b" warps(4) {
  }
  sm.role "c" warps(4) {
  }
  sm.role "d" warps(4) {
  }
  sm.role "e" warps(4) {
  }
  sm.role "f" warps(4) {
  }
  sm.role "g" warps(4) {
  }
  sm.role "h" warps(4) {
    sm.pingpong.pass roles
  }
}
