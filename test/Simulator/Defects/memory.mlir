// What is wrong with accesses of shared memory, in whichever order its two sides come.
// DEFINE: %{run} = not tile-run %s --device sim --arg 'x=randn(64, 64)'
// RUN: %{run} --kernel copied 2>&1 | FileCheck %s --check-prefix=COPIED
// RUN: %{run} --kernel copied --order late 2>&1 | FileCheck %s --check-prefix=COPIED
// RUN: %{run} --kernel copied --seeds 3 2>&1 | FileCheck %s --check-prefixes=COPIED,REPEAT
// RUN: %{run} --kernel copied --order early 2>&1 | FileCheck %s --check-prefix=COPIED-EARLY
// RUN: %{run} --kernel staged 2>&1 | FileCheck %s --check-prefix=STAGED
// RUN: %{run} --kernel staged --order early 2>&1 | FileCheck %s --check-prefix=STAGED
// RUN: %{run} --kernel unfenced 2>&1 | FileCheck %s --check-prefix=UNFENCED
// RUN: %{run} --kernel unfenced --order late 2>&1 | FileCheck %s --check-prefix=UNFENCED
// RUN: tile-run %s --device sim --arg 'x=randn(64, 64)' --kernel fenced --seeds 3 | FileCheck %s --check-prefix=FENCED
// RUN: %{run} --kernel overwritten 2>&1 | FileCheck %s --check-prefix=OVERWRITTEN
// RUN: %{run} --kernel unwritten 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: %{run} --kernel outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: %{run} --kernel overlap 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: %{run} --kernel stage 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: %{run} --kernel counted 2>&1 | FileCheck %s --check-prefix=COUNTED

!x = !tile.global<[M, N] x bf16>
!tile = !sm.smem<64x64xbf16, swizzle = 128>
#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#rows = #sm.layout<"64x64 = register[8*(0,1) 4*(16,0)] lane[8*(0,8) 4*(1,0)] warp[4*(4,0)]">

// COPIED: memory.mlir:[[#@LINE+18]]:{{[0-9]+}}: error: race: warp {{[1-4]}} (role 'math') reads byte {{[0-9]+}} of shared memory, and nothing orders this and what a tensor copy writes there
// COPIED: memory.mlir:[[#@LINE+14]]:{{[0-9]+}}: note: the other side is here
// COPIED: note: in warp {{[1-4]}} (role 'math') of CTA 0 of kernel 'copied'
// COPIED-NOT: error
// REPEAT: tile-run: note: repeat this run with --order random --sim-seed 0
// COPIED-EARLY: error: warp 4 (role 'math') reads byte {{[0-9]+}} of shared memory, which nobody has written
// COPIED-EARLY: error: race: a tensor copy writes byte 0 of shared memory, and nothing orders this and what warp {{[1-4]}} (role 'math') reads there
sm.kernel @copied(%x: !x) grid() warps(5) form(expanded) shared(8200) {
  %c0 = arith.constant 0 : index
  %i = arith.constant 0 : i32
  %n = arith.constant 64 : index
  %full = sm.mbarrier.alloc arrivals(1) at 8192 : !sm.mbarrier<1>
  %s = sm.scratch at 0 : !tile
  sm.role "load" warps(1) elected {
    sm.mbarrier.expect %full[%i] bytes 8192 : !sm.mbarrier<1>
    sm.tma.load %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %s signal %full[%i] : !x, index, index, !tile, !sm.mbarrier<1>
  }
  sm.role "math" warps(4) {
    %t = sm.smem.load %s : !tile -> tensor<64x64xbf16, #rows>
    sm.mbarrier.wait %full[%i] parity %i : !sm.mbarrier<1>
  }
}

// STAGED: error: race: warp {{[0-3]}} reads byte {{[0-9]+}} of shared memory, and nothing orders this and what warp {{[0-3]}} writes there
sm.kernel @staged(%x: !x) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%n, %n) : !x, index, index -> tensor<64x64xbf16, #rows>
  %s = sm.smem.store %t : tensor<64x64xbf16, #rows> -> !tile
  %u = sm.smem.load %s : !tile -> tensor<64x64xbf16, #acc>
}

// UNFENCED: memory.mlir:[[#@LINE+11]]:{{[0-9]+}}: error: missing fence: the tensor cores read byte 0 of shared memory after a write by threads; expected a sm.fence between
// UNFENCED: memory.mlir:[[#@LINE+8]]:{{[0-9]+}}: note: the write is here
// UNFENCED-NOT: error
sm.kernel @unfenced(%x: !x) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %z = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%n, %n) : !x, index, index -> tensor<64x64xbf16, #rows>
  sm.fence
  %s = sm.smem.store %t : tensor<64x64xbf16, #rows> -> !tile
  sm.barrier
  %p = sm.mma %s, %s, %z : !tile, !tile, tensor<64x64xf32, #acc>
}

// FENCED: x {{.*}} bf16
sm.kernel @fenced(%x: !x) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %z = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%n, %n) : !x, index, index -> tensor<64x64xbf16, #rows>
  %s = sm.smem.store %t : tensor<64x64xbf16, #rows> -> !tile
  sm.fence
  sm.barrier
  %p = sm.mma %s, %s, %z : !tile, !tile, tensor<64x64xf32, #acc>
}

// OVERWRITTEN: memory.mlir:[[#@LINE+11]]:{{[0-9]+}}: error: race: warp {{[0-3]}} writes byte {{[0-9]+}} of shared memory, and nothing orders this and what the tensor cores read there
// OVERWRITTEN: memory.mlir:[[#@LINE+9]]:{{[0-9]+}}: note: the other side is here
sm.kernel @overwritten(%x: !x) grid() warps(4) form(fenced) shared(8192) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %z = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%n, %n) : !x, index, index -> tensor<64x64xbf16, #rows>
  %s = sm.smem.store %t at 0 : tensor<64x64xbf16, #rows> -> !tile
  sm.fence
  sm.barrier
  %p = sm.mma.issue %s, %s, %z : !tile, !tile, tensor<64x64xf32, #acc>
  %r = sm.smem.store %t at 0 : tensor<64x64xbf16, #rows> -> !tile
  %q = sm.mma.await %p : !sm.pending<tensor<64x64xf32, #acc>>
}

// UNWRITTEN: error: warp 0 reads byte 0 of shared memory, which nobody has written
sm.kernel @unwritten(%x: !x) grid() warps(4) {
  %s = sm.scratch : !tile
  %u = sm.smem.load %s : !tile -> tensor<64x64xbf16, #rows>
}

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#one = #sm.layout<"1 = lane[32*(0)] warp[4*(0)]">

// OUTSIDE: error: warp 0 writes byte {{[0-9]+}} of shared memory, which has 8 bytes
sm.kernel @outside(%x: !x) grid() warps(4) form(expanded) shared(8) {
  %z = arith.constant dense<1.0> : tensor<128xf32, #line>
  %s = sm.scan sum %z axis 0 {sm.scratch_address = 0 : i64} : tensor<128xf32, #line>
}

// Two buffers at one place: the scan overwrites what a tensor copy brings.
// OVERLAP: error: race: {{.*}} writes byte {{[0-9]+}} of shared memory, and nothing orders this and what {{.*}} there
sm.kernel @overlap(%x: !x) grid() warps(5) form(expanded) shared(8200) {
  %c0 = arith.constant 0 : index
  %i = arith.constant 0 : i32
  %n = arith.constant 64 : index
  %full = sm.mbarrier.alloc arrivals(1) at 8192 : !sm.mbarrier<1>
  %s = sm.scratch at 0 : !tile
  sm.role "load" warps(1) elected {
    sm.mbarrier.expect %full[%i] bytes 8192 : !sm.mbarrier<1>
    sm.tma.load %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %s signal %full[%i] : !x, index, index, !tile, !sm.mbarrier<1>
  }
  sm.role "math" warps(4) {
    %z = arith.constant dense<1.0> : tensor<128xf32, #line>
    %a = sm.scan sum %z axis 0 {sm.scratch_address = 1024 : i64} : tensor<128xf32, #line>
    sm.mbarrier.wait %full[%i] parity %i : !sm.mbarrier<1>
  }
}

// STAGE: error: the index of the slot is 2, of 2
sm.kernel @stage(%x: !x) grid() warps(4) form(expanded) shared(16384) {
  %i = arith.constant 2 : i32
  %s = sm.slots.alloc at 0 : !sm.slots<2 x !tile>
  %t = sm.slots.at %s[%i] : !sm.slots<2 x !tile>
}

// The warps change the same element, which is no race. The load without a barrier is one.
// COUNTED: memory.mlir:[[#@LINE+8]]:{{[0-9]+}}: error: race: warp 1 writes byte 4 of shared memory, and nothing orders this and what warp 0 reads there
// COUNTED-NOT: error
sm.kernel @counted(%x: !x) grid() warps(4) form(fenced) {
  %ones = arith.constant dense<1> : tensor<128xi32, #line>
  %t = sm.smem.store %ones : tensor<128xi32, #line> -> !sm.smem<128xi32>
  sm.barrier
  sm.smem.atomic add %ones to %t[%ones] : tensor<128xi32, #line>, !sm.smem<128xi32>, tensor<128xi32, #line>
  sm.barrier
  sm.smem.atomic add %ones to %t[%ones] : tensor<128xi32, #line>, !sm.smem<128xi32>, tensor<128xi32, #line>
  %r = sm.smem.load %t : !sm.smem<128xi32> -> tensor<128xi32, #line>
}
