// Barriers that never complete, or that get what they do not expect, and what a CTA leaves.
// DEFINE: %{run} = not tile-run %s --device sim --arg 'x=randn(64, 64)'
// RUN: %{run} --kernel deadlock 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// RUN: %{run} --kernel deadlock --order late 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// RUN: %{run} --kernel deadlock --seeds 4 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// RUN: %{run} --kernel divergent 2>&1 | FileCheck %s --check-prefix=DIVERGENT
// RUN: %{run} --kernel turns 2>&1 | FileCheck %s --check-prefix=TURNS
// RUN: %{run} --kernel often 2>&1 | FileCheck %s --check-prefix=OFTEN
// RUN: %{run} --kernel bytes 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: %{run} --kernel bytes --order late 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: %{run} --kernel index 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: %{run} --kernel load_index 2>&1 | FileCheck %s --check-prefix=LOAD-INDEX
// RUN: %{run} --kernel forgotten 2>&1 | FileCheck %s --check-prefix=FORGOTTEN
// RUN: %{run} --kernel forgotten --order late 2>&1 | FileCheck %s --check-prefix=FORGOTTEN
// RUN: %{run} --kernel endless --step-limit 1000 2>&1 | FileCheck %s --check-prefix=ENDLESS

!x = !tile.global<[M, N] x bf16>
!tile = !sm.smem<64x64xbf16, swizzle = 128>
#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">

// The first one waits for the second phase, which nobody completes.
// DEADLOCK: barriers.mlir:[[#@LINE+11]]:{{[0-9]+}}: error: deadlock: no agent of CTA 0 can go on
// DEADLOCK: barriers.mlir:[[#@LINE+10]]:{{[0-9]+}}: note: warp 0 (role 'load') waits for a phase of parity 1 of a barrier: phase 1: 0 of 1 arrivals have come
// DEADLOCK: barriers.mlir:[[#@LINE+13]]:{{[0-9]+}}: note: warps 1 to 4 (role 'math') wait for a phase of parity 0 of a barrier: phase 0: 0 of 2 arrivals have come
sm.kernel @deadlock(%x: !x) grid() warps(5) form(expanded) shared(16) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %a = sm.mbarrier.alloc arrivals(1) at 0 : !sm.mbarrier<1>
  %b = sm.mbarrier.alloc arrivals(2) at 8 : !sm.mbarrier<1>
  sm.role "load" warps(1) elected {
    sm.mbarrier.arrive %a[%i0] : !sm.mbarrier<1>
    sm.mbarrier.wait %a[%i0] parity %i0 : !sm.mbarrier<1>
    sm.mbarrier.wait %a[%i0] parity %i1 : !sm.mbarrier<1>
    sm.mbarrier.arrive %b[%i0] : !sm.mbarrier<1>
  }
  sm.role "math" warps(4) {
    sm.mbarrier.wait %b[%i0] parity %i0 : !sm.mbarrier<1>
    sm.mbarrier.arrive %a[%i0] : !sm.mbarrier<1>
  }
}

// Warpgroups of one role that wait for different things.
// DIVERGENT: error: deadlock: no agent of CTA 0 can go on
// DIVERGENT: note: warps 0 to 3 (role 'one') wait for a phase of parity 0 of a barrier: phase 0: 0 of 2 arrivals have come
// DIVERGENT: note: warps 4 to 7 (role 'one') wait for the turn of warpgroup 1: 128 of 256 threads have come
sm.kernel @divergent(%x: !x) grid() warps(8) form(expanded) shared(8) {
  %i0 = arith.constant 0 : i32
  %a = sm.mbarrier.alloc arrivals(2) at 0 : !sm.mbarrier<1>
  sm.role "one" warps(8) {
    sm.pingpong.start
    sm.pingpong.wait
    sm.mbarrier.wait %a[%i0] parity %i0 : !sm.mbarrier<1>
  }
}

// The turn is not given on.
// TURNS: error: deadlock: no agent of CTA 0 can go on
// TURNS: note: warps 4 to 7 (role 'math') wait for the turn of warpgroup 1: 128 of 256 threads have come
sm.kernel @turns(%x: !x) grid() warps(8) {
  sm.role "math" warps(8) {
    sm.pingpong.start
    sm.pingpong.wait
  }
}

// OFTEN: barriers.mlir:[[#@LINE+6]]:{{[0-9]+}}: error: arrives once too often at a barrier: phase 0: 1 of 1 arrivals have come, 64 bytes are to come
sm.kernel @often(%x: !x) grid() warps(1) form(expanded) shared(8) {
  %i0 = arith.constant 0 : i32
  %a = sm.mbarrier.alloc arrivals(1) at 0 : !sm.mbarrier<1>
  sm.role "load" warps(1) elected {
    sm.mbarrier.expect %a[%i0] bytes 64 : !sm.mbarrier<1>
    sm.mbarrier.arrive %a[%i0] : !sm.mbarrier<1>
  }
}

// BYTES: barriers.mlir:[[#@LINE+9]]:{{[0-9]+}}: error: more bytes come to a barrier than it expects: phase 0: 1 of 1 arrivals have come, 8128 bytes too many have come
sm.kernel @bytes(%x: !x) grid() warps(1) form(expanded) shared(8200) {
  %c0 = arith.constant 0 : index
  %i = arith.constant 0 : i32
  %n = arith.constant 64 : index
  %a = sm.mbarrier.alloc arrivals(1) at 8192 : !sm.mbarrier<1>
  %s = sm.scratch at 0 : !tile
  sm.role "load" warps(1) elected {
    sm.mbarrier.expect %a[%i] bytes 64 : !sm.mbarrier<1>
    sm.tma.load %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %s signal %a[%i] : !x, index, index, !tile, !sm.mbarrier<1>
    sm.mbarrier.wait %a[%i] parity %i : !sm.mbarrier<1>
  }
}

// INDEX: error: the index of the barrier is 1, of 1
sm.kernel @index(%x: !x) grid() warps(1) form(expanded) shared(8) {
  %i = arith.constant 1 : i32
  %a = sm.mbarrier.alloc arrivals(1) at 0 : !sm.mbarrier<1>
  sm.mbarrier.arrive %a[%i] : !sm.mbarrier<1>
}

// LOAD-INDEX: error: the index of the barrier is -1, of 1
// LOAD-INDEX: note: in warp 0 (role 'load') of CTA 0 of kernel 'load_index'
sm.kernel @load_index(%x: !x) grid() warps(1) form(expanded) shared(8200) {
  %c0 = arith.constant 0 : index
  %i = arith.constant -1 : i32
  %n = arith.constant 64 : index
  %a = sm.mbarrier.alloc arrivals(1) at 8192 : !sm.mbarrier<1>
  %s = sm.scratch at 0 : !tile
  sm.role "load" warps(1) elected {
    sm.tma.load %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %s signal %a[%i] : !x, index, index, !tile, !sm.mbarrier<1>
  }
}

// FORGOTTEN: barriers.mlir:[[#@LINE+9]]:{{[0-9]+}}: error: the CTA ends before anyone has waited for this copy
sm.kernel @forgotten(%x: !x) grid() warps(1) form(expanded) shared(8200) {
  %c0 = arith.constant 0 : index
  %i = arith.constant 0 : i32
  %n = arith.constant 64 : index
  %a = sm.mbarrier.alloc arrivals(1) at 8192 : !sm.mbarrier<1>
  %s = sm.scratch at 0 : !tile
  sm.role "load" warps(1) elected {
    sm.mbarrier.expect %a[%i] bytes 8192 : !sm.mbarrier<1>
    sm.tma.load %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %s signal %a[%i] : !x, index, index, !tile, !sm.mbarrier<1>
  }
}

// ENDLESS: error: the step limit of 1000 executed operations is reached
// ENDLESS: note: in warp 0 of CTA 0 of kernel 'endless'
sm.kernel @endless(%x: !x) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 2147483647 : index
  scf.for %i = %c0 to %n step %c1 {
  }
}
