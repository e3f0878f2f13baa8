// RUN: tile-opt %s -sm-pipeline=remarks -split-input-file -verify-diagnostics | FileCheck %s

// Fetches that go on being waited for at once.

// CHECK-NOT: sm.fetch.start

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#few = #sm.layout<"4x8 = lane[8*(0,1) 4*(1,0)] warp[4*(0,0)]">
!x = !tile.global<[M, K] x bf16>
!z = !tile.global<[M, K] x bf16, inout>
!i = !tile.global<[K] x i32, inout>
!t = !sm.smem<64x64xbf16, swizzle = 128>
!h = tensor<64x64xbf16, #acc>
sm.kernel @fetches(%x: !x, %z: !z, %q: !i, %n: index) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %M = tile.size M
  %K = tile.size K
  %l0 = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> (index) {
    // expected-remark @below {{this fetch is waited for at once: its position depends on what the loop carries}}
    %a = sm.fetch %x[%i, %at] dims [0, 1] limits(%M, %K) : !x, index, index -> !t
    %r = sm.smem.load %a : !t -> !h
    %next = arith.addi %at, %i : index
    scf.yield %next : index
  }
  scf.for %i = %c0 to %n step %c1 {
    %row = sm.load %q[%i] dims [] : !i, index -> i32
    %at = arith.index_cast %row : i32 to index
    // expected-remark @below {{this fetch is waited for at once: its position depends on more than scalars}}
    %a = sm.fetch %x[%at, %c0] dims [0, 1] limits(%M, %K) : !x, index, index -> !t
    %r = sm.smem.load %a : !t -> !h
    // expected-remark @below {{this fetch is waited for at once: the kernel writes its tensor}}
    %b = sm.fetch %z[%i, %c0] dims [0, 1] limits(%M, %K) : !z, index, index -> !t
    %s = sm.smem.load %b : !t -> !h
    // expected-remark @below {{this fetch is waited for at once: nothing uses it}}
    %c = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %K) : !x, index, index -> !t
  }
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark @below {{this fetch is waited for at once: slots of its tile would not be aligned}}
    %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %K) : !x, index, index -> !sm.smem<4x8xbf16>
    %r = sm.smem.load %a : !sm.smem<4x8xbf16> -> tensor<4x8xbf16, #few>
  }
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark @below {{this fetch is waited for at once: its loop holds another one}}
    %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %K) : !x, index, index -> !t
    scf.for %j = %c0 to %n step %c1 {
      %r = sm.smem.load %a : !t -> !h
    }
  }
}

// -----

// Three blocks of 64 KiB share a multiprocessor; of 128 KiB it has room for one.

#wide = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!x = !tile.global<[M, K] x bf16>
!t = !sm.smem<64x512xbf16, swizzle = 128>
!f = tensor<64x64xf32, #wide>
// expected-remark @below {{fetches are waited for at once: two slots take 131072 bytes of shared memory, and 3 blocks of 65536 bytes share a multiprocessor without them}}
sm.kernel @room(%x: !x, %n: index) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %M = tile.size M
  %K = tile.size K
  %z = arith.constant dense<0.0> : !f
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!f) {
    %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %K) : !x, index, index -> !t
    %p = sm.mma %a, %a, %acc transpose_b : !t, !t, !f
    scf.yield %p : !f
  }
}
