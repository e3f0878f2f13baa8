// What is wrong with fetches in flight, whenever they take effect.
// DEFINE: %{run} = not tile-run %s --device sim --arg 'x=randn(64, 64)'
// DEFINE: %{good} = tile-run %s --device sim --arg 'x=ones(64, 64)' --expect 'y=ones(64, 64)'
// RUN: %{run} --kernel early 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: %{run} --kernel early --order late 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: %{run} --kernel early --order early 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: %{run} --kernel early --seeds 3 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: %{run} --kernel apart 2>&1 | FileCheck %s --check-prefix=APART
// RUN: %{run} --kernel apart --order late 2>&1 | FileCheck %s --check-prefix=APART
// RUN: %{run} --kernel newest 2>&1 | FileCheck %s --check-prefix=NEWEST
// RUN: %{run} --kernel newest --order late 2>&1 | FileCheck %s --check-prefix=NEWEST
// RUN: %{run} --kernel overwritten 2>&1 | FileCheck %s --check-prefix=OVERWRITTEN
// RUN: %{run} --kernel overwritten --order late 2>&1 | FileCheck %s --check-prefix=OVERWRITTEN
// RUN: %{run} --kernel multiplied 2>&1 | FileCheck %s --check-prefix=MULTIPLIED
// RUN: %{run} --kernel multiplied --order late 2>&1 | FileCheck %s --check-prefix=MULTIPLIED
// RUN: %{run} --kernel unfenced 2>&1 | FileCheck %s --check-prefix=UNFENCED
// RUN: %{run} --kernel unfenced --order late 2>&1 | FileCheck %s --check-prefix=UNFENCED
// RUN: %{run} --kernel forgotten 2>&1 | FileCheck %s --check-prefix=FORGOTTEN
// RUN: %{run} --kernel forgotten --order late 2>&1 | FileCheck %s --check-prefix=FORGOTTEN
// RUN: %{good} --kernel ordered | FileCheck %s --check-prefix=GOOD
// RUN: %{good} --kernel ordered --order late | FileCheck %s --check-prefix=GOOD
// RUN: %{good} --kernel ordered --order early | FileCheck %s --check-prefix=GOOD
// RUN: %{good} --kernel ordered --seeds 3 | FileCheck %s --check-prefix=GOOD
// RUN: %{good} --kernel planned --order late | FileCheck %s --check-prefix=GOOD
// RUN: %{good} --kernel planned --seeds 3 | FileCheck %s --check-prefix=GOOD

!x = !tile.global<[M, N] x bf16>
!y = !tile.global<[M, N] x bf16, out>
!tile = !sm.smem<64x64xbf16, swizzle = 128>
!stages = !sm.slots<2 x !tile>
#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
// What a thread fetches, other threads read.
#other = #sm.layout<"64x64 = register[8*(0,1) 4*(1,0)] lane[8*(0,8) 4*(4,0)] warp[4*(16,0)]">
!h = tensor<64x64xbf16, #other>
!f = tensor<64x64xf32, #acc>

// EARLY: fetches.mlir:[[#@LINE+9]]:{{[0-9]+}}: error: race: warp {{[0-3]}} reads byte {{[0-9]+}} of shared memory, and nothing orders this and what a fetch in flight writes there
// EARLY: fetches.mlir:[[#@LINE+7]]:{{[0-9]+}}: note: the other side is here
sm.kernel @early(%x: !x, %y: !y) grid() warps(4) form(fenced) shared(16384) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %i = arith.constant 0 : i32
  %s = sm.slots.alloc at 0 : !stages
  %t = sm.slots.at %s[%i] : !stages
  sm.fetch.start %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %t : !x, index, index, !tile
  %r = sm.smem.load %t : !tile -> !h
  sm.fetch.await leave 0
}

// APART: error: race: warp {{[0-3]}} reads byte {{[0-9]+}} of shared memory, and nothing orders this and what a fetch in flight writes there
sm.kernel @apart(%x: !x, %y: !y) grid() warps(4) form(fenced) shared(16384) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %i = arith.constant 0 : i32
  %s = sm.slots.alloc at 0 : !stages
  %t = sm.slots.at %s[%i] : !stages
  sm.fetch.start %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %t : !x, index, index, !tile
  sm.fetch.await leave 0
  %r = sm.smem.load %t : !tile -> !h
}

// The await leaves the fetch that is read.
// NEWEST: error: race: warp {{[0-3]}} reads byte {{[0-9]+}} of shared memory, and nothing orders this and what a fetch in flight writes there
sm.kernel @newest(%x: !x, %y: !y) grid() warps(4) form(fenced) shared(16384) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %i = arith.constant 0 : i32
  %j = arith.constant 1 : i32
  %s = sm.slots.alloc at 0 : !stages
  %t = sm.slots.at %s[%i] : !stages
  %u = sm.slots.at %s[%j] : !stages
  sm.fetch.start %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %t : !x, index, index, !tile
  sm.fetch.start %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %u : !x, index, index, !tile
  sm.fetch.await leave 1
  sm.barrier
  %q = sm.smem.load %t : !tile -> !h
  %r = sm.smem.load %u : !tile -> !h
  sm.fetch.await leave 0
}

// OVERWRITTEN: error: race: a fetch in flight writes byte {{[0-9]+}} of shared memory, and nothing orders this and what warp {{[0-3]}} reads there
sm.kernel @overwritten(%x: !x, %y: !y) grid() warps(4) form(fenced) shared(16384) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %i = arith.constant 0 : i32
  %s = sm.slots.alloc at 0 : !stages
  %t = sm.slots.at %s[%i] : !stages
  sm.fetch.start %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %t : !x, index, index, !tile
  sm.fetch.await leave 0
  sm.barrier
  %r = sm.smem.load %t : !tile -> !h
  sm.fetch.start %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %t : !x, index, index, !tile
  sm.fetch.await leave 0
}

// MULTIPLIED: error: race: a fetch in flight writes byte {{[0-9]+}} of shared memory, and nothing orders this and what the tensor cores read there
sm.kernel @multiplied(%x: !x, %y: !y) grid() warps(4) form(fenced) shared(16384) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %i = arith.constant 0 : i32
  %z = arith.constant dense<0.0> : !f
  %s = sm.slots.alloc at 0 : !stages
  %t = sm.slots.at %s[%i] : !stages
  sm.fetch.start %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %t : !x, index, index, !tile
  sm.fetch.await leave 0
  sm.fence
  sm.barrier
  %p = sm.mma.issue %t, %t, %z : !tile, !tile, !f
  sm.fetch.start %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %t : !x, index, index, !tile
  %q = sm.mma.await %p : !sm.pending<!f>
  sm.fetch.await leave 0
}

// cp.async writes as threads do: tensor cores see it after a fence.
// UNFENCED: error: missing fence: the tensor cores read byte 0 of shared memory after a write by threads; expected a sm.fence between
sm.kernel @unfenced(%x: !x, %y: !y) grid() warps(4) form(fenced) shared(16384) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %i = arith.constant 0 : i32
  %z = arith.constant dense<0.0> : !f
  %s = sm.slots.alloc at 0 : !stages
  %t = sm.slots.at %s[%i] : !stages
  sm.fetch.start %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %t : !x, index, index, !tile
  sm.fence
  sm.fetch.await leave 0
  sm.barrier
  %p = sm.mma %t, %t, %z : !tile, !tile, !f
}

// FORGOTTEN: error: the CTA ends before anyone has waited for this copy
sm.kernel @forgotten(%x: !x, %y: !y) grid() warps(4) form(fenced) shared(16384) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %i = arith.constant 0 : i32
  %s = sm.slots.alloc at 0 : !stages
  %t = sm.slots.at %s[%i] : !stages
  sm.fetch.start %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %t : !x, index, index, !tile
}

// GOOD: y {{.*}} bf16
sm.kernel @ordered(%x: !x, %y: !y) grid() warps(4) form(fenced) shared(16384) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %i = arith.constant 0 : i32
  %j = arith.constant 1 : i32
  %s = sm.slots.alloc at 0 : !stages
  %t = sm.slots.at %s[%i] : !stages
  %u = sm.slots.at %s[%j] : !stages
  sm.fetch.start %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %t : !x, index, index, !tile
  sm.fetch.start %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %u : !x, index, index, !tile
  sm.fetch.await leave 1
  sm.barrier
  %q = sm.smem.load %t : !tile -> !h
  sm.fetch.await leave 0
  sm.barrier
  %r = sm.smem.load %u : !tile -> !h
  %a = arith.mulf %q, %r : !h
  sm.store %a to %y[%c0, %c0] dims [0, 1] limits(%n, %n) : !h, !y, index, index
}

// Before fences are placed, start and await order by themselves.
sm.kernel @planned(%x: !x, %y: !y) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %i = arith.constant 0 : i32
  %z = arith.constant dense<0.0> : !f
  %s = sm.slots.alloc : !stages
  %t = sm.slots.at %s[%i] : !stages
  sm.fetch.start %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %t : !x, index, index, !tile
  sm.fetch.await leave 0
  %p = sm.mma %t, %t, %z : !tile, !tile, !f
  %r = sm.smem.load %t : !tile -> !h
  sm.fetch.start %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %t : !x, index, index, !tile
  sm.fetch.await leave 0
  %q = sm.smem.load %t : !tile -> !h
  %a = arith.mulf %q, %r : !h
  sm.store %a to %y[%c0, %c0] dims [0, 1] limits(%n, %n) : !h, !y, index, index
}
