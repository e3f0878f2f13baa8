// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-place-fences))' -split-input-file -verify-diagnostics -o /dev/null

// expected-error @below {{is in the scheduled form, expected the expanded one, of sm-allocate-smem}}
sm.kernel @scheduled() grid() warps(4) form(scheduled) {
}

// -----

// expected-error @below {{is in the fenced form, expected the expanded one, of sm-allocate-smem}}
sm.kernel @twice() grid() warps(4) form(fenced) {
}

// -----

sm.kernel @rings() grid() warps(4) form(expanded) {
  // expected-error @below {{expected no rings; run 'sm-expand-rings' first}}
  %r = sm.ring.alloc : !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
}

// -----

sm.kernel @no_address() grid() warps(4) form(expanded) {
  // expected-error @below {{expected an address in shared memory; run 'sm-allocate-smem' first}}
  %s = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#other = #sm.layout<"128 = lane[32*(4)] warp[4*(1)]">
sm.kernel @no_scratch_address(%v: f32) grid() warps(4) {
  %t = tensor.splat %v : tensor<128xf32, #line>
  // expected-error @below {{expected an address in shared memory; run 'sm-allocate-smem' first}}
  %s = sm.convert %t : tensor<128xf32, #line> -> tensor<128xf32, #other>
}

// -----

sm.kernel @region(%i: index) grid() warps(4) form(expanded) {
  // expected-error @below {{cannot be followed to place barriers; expected loops and conditions of scf only}}
  scf.execute_region {
    sm.barrier
    scf.yield
  }
}

// -----

// A barrier does not help against a product of the iteration before.

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @in_flight(%n: index) grid() warps(4) form(expanded) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %h = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
  %b = sm.scratch at 8192 : !t
  %f = sm.mma.issue %b, %b, %z : !t, !t, tensor<64x64xf32, #acc>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%q = %f) -> (!sm.pending<tensor<64x64xf32, #acc>>) {
    // expected-error @below {{writes shared memory that an operation in flight may still read; expected it to be awaited first}}
    %a = sm.smem.store %h at 0 : tensor<64x64xbf16, #acc> -> !t
    // expected-note @below {{started here}}
    %p = sm.mma.issue %a, %b, %z : !t, !t, tensor<64x64xf32, #acc>
    sm.mma.retire leave 1
    scf.yield %p : !sm.pending<tensor<64x64xf32, #acc>>
  }
}

// -----

// Nor against the copies of a store, for which only the end of the role waits.

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @store_in_flight(%y: !tile.global<[M, 64] x bf16, out>, %i: index) grid() warps(4) form(expanded) {
  %M = tile.size M
  %c64 = arith.constant 64 : index
  sm.role "math" warps(4) {
    %h = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
    // expected-note @below {{started here}}
    sm.tma.store %h to %y[%i, %i] dims [0, 1] limits(%M, %c64) columns 64 buffers 1 {sm.scratch_address = 0 : i64} : tensor<64x64xbf16, #acc>, !tile.global<[M, 64] x bf16, out>, index, index
    // expected-error @below {{writes shared memory that an operation in flight may still read; expected it to be awaited first}}
    %s = sm.smem.store %h at 0 : tensor<64x64xbf16, #acc> -> !t
  }
}

// -----

// Other warpgroups wait for their turn, and would never come.

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = !sm.smem<128x64xbf16, swizzle = 128>
sm.kernel @turn() grid() warps(8) form(expanded) {
  sm.role "math" warps(8) {
    %h = arith.constant dense<0.0> : tensor<128x64xbf16, #acc>
    // expected-note @below {{the turn starts here}}
    sm.pingpong.wait
    %s = sm.smem.store %h at 0 : tensor<128x64xbf16, #acc> -> !t
    // expected-error @below {{waits for all threads of its role while one warpgroup has its turn, for which the others wait; expected it before the turn}}
    %r = sm.smem.load %s : !t -> tensor<128x64xbf16, #acc>
    sm.pingpong.pass
  }
}

// -----

sm.kernel @barrier_in_turn() grid() warps(8) form(expanded) {
  sm.role "math" warps(8) {
    // expected-note @below {{the turn starts here}}
    sm.pingpong.wait
    // expected-error @below {{waits for all threads of its role while one warpgroup has its turn, for which the others wait; expected it before the turn}}
    sm.barrier
    sm.pingpong.pass
  }
}

// -----

// A fetch that nobody waits for may write when the bytes are another buffer's.

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @fetch_in_flight(%x: !tile.global<[M, 64] x bf16>, %i: index) grid() warps(4) form(expanded) {
  %M = tile.size M
  %c64 = arith.constant 64 : index
  %h = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
  %a = sm.scratch at 0 : !t
  // expected-note @below {{started here}}
  sm.fetch.start %x[%i, %i] dims [0, 1] limits(%M, %c64) into %a : !tile.global<[M, 64] x bf16>, index, index, !t
  sm.fetch.await leave 1
  // expected-error @below {{writes shared memory that an operation in flight may still read; expected it to be awaited first}}
  %s = sm.smem.store %h at 0 : tensor<64x64xbf16, #acc> -> !t
  sm.fetch.await leave 0
}
