// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem))' -split-input-file -verify-diagnostics -o /dev/null

// expected-error @below {{needs 253984 bytes of shared memory, and a block has 232448; expected fewer `stages` or smaller tiles}}
sm.kernel @stages() grid() warps(4) {
  // expected-note @below {{245760 bytes from 8192: 5 slots of 256x96 bf16, swizzle 64}}
  %s = sm.slots.alloc : !sm.slots<5 x !sm.smem<256x96xbf16, swizzle = 64>>
  // expected-note @below {{8192 bytes from 0: 64x64 bf16, swizzle 128}}
  %t = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  // expected-note @below {{32 bytes from 253952: 4 barriers}}
  %b = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<4>
}

// -----

// expected-error @below {{needs 262144 bytes of shared memory, and a block has 232448; expected smaller tiles}}
sm.kernel @tile() grid() warps(4) {
  // expected-note @below {{262144 bytes from 0: 256x256 f32}}
  %t = sm.scratch : !sm.smem<256x256xf32>
}

// -----

sm.kernel @ring() grid() warps(4) {
  // expected-error @below {{expected no rings; run 'sm-expand-rings' first}}
  %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">

sm.kernel @carried(%x: !tile.global<[M, K] x bf16>, %i: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %c64 = arith.constant 64 : index
  %a = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
  %r = scf.for %k = %i to %K step %c64 iter_args(%t = %a) -> (!sm.smem<64x64xbf16, swizzle = 128>) {
    // expected-error @below {{writes a tile in shared memory that the loop has carried from the iteration before and still reads; expected the last read before it, or a ring}}
    %n = sm.fetch %x[%k, %i] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
    // expected-note @below {{read here}}
    %v = sm.smem.load %t : !sm.smem<64x64xbf16, swizzle = 128> -> tensor<64x64xbf16, #acc>
    scf.yield %n : !sm.smem<64x64xbf16, swizzle = 128>
  }
}

// -----

// What is written goes on to be read as the other tile.

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">

sm.kernel @exchanged(%x: !tile.global<[M, K] x bf16>, %i: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %c64 = arith.constant 64 : index
  %a = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
  %r:2 = scf.for %k = %i to %K step %c64 iter_args(%s = %a, %t = %a) -> (!sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x64xbf16, swizzle = 128>) {
    // expected-error @below {{writes a tile in shared memory that the loop has carried from the iteration before and still reads; expected the last read before it, or a ring}}
    %n = sm.fetch %x[%k, %i] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
    %v = sm.smem.load %t : !sm.smem<64x64xbf16, swizzle = 128> -> tensor<64x64xbf16, #acc>
    // expected-note @below {{read here}}
    scf.yield %n, %s : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x64xbf16, swizzle = 128>
  }
}

// -----

// A plan is kept.

// expected-error @below {{needs 8192 bytes of shared memory, and its plan has 4096; expected smaller tiles}}
sm.kernel @planned() grid() warps(4) form(scheduled) attributes {sm.planned_bytes = 4096 : i64} {
  // expected-note @below {{8192 bytes from 0: 64x64 bf16, swizzle 128}}
  %t = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
}
