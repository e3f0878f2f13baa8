// CTAs of a cluster that do not meet before one acts on another, or before one leaves.
// DEFINE: %{run} = not tile-run %s --device sim --arg 'x=ones(128, 64)'
// RUN: %{run} --kernel arrival 2>&1 | FileCheck %s --check-prefix=ARRIVAL
// RUN: %{run} --kernel arrival --order late 2>&1 | FileCheck %s --check-prefix=ARRIVAL
// RUN: %{run} --kernel copy 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: %{run} --kernel leaves 2>&1 | FileCheck %s --check-prefix=LEAVES
// RUN: %{run} --kernel leaves --seeds 3 2>&1 | FileCheck %s --check-prefix=LEAVES
// RUN: %{run} --kernel waits 2>&1 | FileCheck %s --check-prefix=WAITS
// RUN: %{run} --kernel last_release 2>&1 | FileCheck %s --check-prefix=RELEASE
// RUN: %{run} --kernel last_release --order late 2>&1 | FileCheck %s --check-prefix=RELEASE
// RUN: %{run} --kernel last_release --order early 2>&1 | FileCheck %s --check-prefix=RELEASE
// RUN: %{run} --kernel last_copy 2>&1 | FileCheck %s --check-prefix=LAST-COPY
// RUN: %{run} --kernel last_copy --seeds 3 2>&1 | FileCheck %s --check-prefix=LAST-COPY
// RUN: tile-run %s --device sim --arg 'x=ones(128, 64)' --kernel last_release_met --seeds 5
// RUN: tile-run %s --device sim --arg 'x=ones(128, 64)' --kernel meets --seeds 5 | FileCheck %s --check-prefix=MEETS

!x = !tile.global<[M, N] x bf16>
!tile = !sm.smem<64x64xbf16, swizzle = 128>

// ARRIVAL: error: arrives at a barrier of CTA 1, which has not initialised it yet; expected a sm.cluster.barrier before the roles
// ARRIVAL: note: in warp 0 of CTA 0 of kernel 'arrival'
sm.kernel @arrival(%x: !x) grid(m in tiles(M, 64)) warps(1) cluster(2) form(expanded) shared(8) {
  %i = arith.constant 0 : i32
  %a = sm.mbarrier.alloc arrivals(2) at 0 : !sm.mbarrier<1>
  sm.mbarrier.arrive %a[%i] cluster : !sm.mbarrier<1>
  sm.cluster.barrier
}

// COPY: error: signals a barrier of CTA 1, which has not initialised it yet
sm.kernel @copy(%x: !x) grid(m in tiles(M, 64)) warps(1) cluster(2) form(expanded) shared(8200) {
  %c0 = arith.constant 0 : index
  %i = arith.constant 0 : i32
  %n = arith.constant 64 : index
  %a = sm.mbarrier.alloc arrivals(1) at 8192 : !sm.mbarrier<1>
  %s = sm.scratch at 0 : !tile
  sm.role "load" warps(1) elected {
    sm.mbarrier.expect %a[%i] bytes 8192 : !sm.mbarrier<1>
    sm.tma.load %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %s signal %a[%i] multicast : !x, index, index, !tile, !sm.mbarrier<1>
    sm.mbarrier.wait %a[%i] parity %i : !sm.mbarrier<1>
  }
  sm.cluster.barrier
}

// LEAVES: error: CTA {{[01]}} may end before this arrives at its barrier; expected a sm.cluster.barrier at the end
sm.kernel @leaves(%x: !x) grid(m in tiles(M, 64)) warps(1) cluster(2) form(expanded) shared(8) {
  %i = arith.constant 0 : i32
  %a = sm.mbarrier.alloc arrivals(2) at 0 : !sm.mbarrier<1>
  sm.cluster.barrier
  sm.mbarrier.arrive %a[%i] cluster : !sm.mbarrier<1>
}

// WAITS: error: deadlock: no agent of CTAs 0 to 1 can go on
// WAITS: note: warp 0 of CTA 0 waits for a phase of parity 0 of a barrier: phase 0: 2 of 3 arrivals have come
// WAITS: note: warp 0 of CTA 1 waits for a phase of parity 0 of a barrier: phase 0: 2 of 3 arrivals have come
sm.kernel @waits(%x: !x) grid(m in tiles(M, 64)) warps(1) cluster(2) form(expanded) shared(8) {
  %i = arith.constant 0 : i32
  %a = sm.mbarrier.alloc arrivals(3) at 0 : !sm.mbarrier<1>
  sm.cluster.barrier
  sm.mbarrier.arrive %a[%i] cluster : !sm.mbarrier<1>
  sm.mbarrier.wait %a[%i] parity %i : !sm.mbarrier<1>
  sm.cluster.barrier
}

// MEETS: x {{.*}} bf16
sm.kernel @meets(%x: !x) grid(m in tiles(M, 64)) warps(1) cluster(2) form(expanded) shared(8200) {
  %c0 = arith.constant 0 : index
  %i = arith.constant 0 : i32
  %n = arith.constant 64 : index
  %a = sm.mbarrier.alloc arrivals(1) at 8192 : !sm.mbarrier<1>
  %s = sm.scratch at 0 : !tile
  sm.cluster.barrier
  sm.role "load" warps(1) elected {
    sm.mbarrier.expect %a[%i] bytes 8192 : !sm.mbarrier<1>
    sm.tma.load %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %s signal %a[%i] multicast : !x, index, index, !tile, !sm.mbarrier<1>
    sm.mbarrier.wait %a[%i] parity %i : !sm.mbarrier<1>
  }
  sm.cluster.barrier
}

// Who reads a stage for the last time tells all CTAs that may write to it. Nobody writes there again, so
// nobody waits for it, and a CTA can be gone when its neighbour says so.
// RELEASE: [[@LINE+15]]:5: error: CTA {{[01]}} may end before this arrives at its barrier; expected a sm.cluster.barrier at the end
sm.kernel @last_release(%x: !x) grid(m in tiles(M, 64)) warps(2) cluster(2) form(expanded) shared(8208) {
  %c0 = arith.constant 0 : index
  %i = arith.constant 0 : i32
  %n = arith.constant 64 : index
  %full = sm.mbarrier.alloc arrivals(1) at 8192 : !sm.mbarrier<1>
  %empty = sm.mbarrier.alloc arrivals(2) at 8200 : !sm.mbarrier<1>
  %s = sm.scratch at 0 : !tile
  sm.cluster.barrier
  sm.role "load" warps(1) elected {
    sm.mbarrier.expect %full[%i] bytes 8192 : !sm.mbarrier<1>
    sm.tma.load %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %s signal %full[%i] multicast : !x, index, index, !tile, !sm.mbarrier<1>
  }
  sm.role "math" warps(1) {
    sm.mbarrier.wait %full[%i] parity %i : !sm.mbarrier<1>
    sm.mbarrier.arrive %empty[%i] cluster : !sm.mbarrier<1>
  }
}

// The same where they meet.
sm.kernel @last_release_met(%x: !x) grid(m in tiles(M, 64)) warps(2) cluster(2) form(expanded) shared(8208) {
  %c0 = arith.constant 0 : index
  %i = arith.constant 0 : i32
  %n = arith.constant 64 : index
  %full = sm.mbarrier.alloc arrivals(1) at 8192 : !sm.mbarrier<1>
  %empty = sm.mbarrier.alloc arrivals(2) at 8200 : !sm.mbarrier<1>
  %s = sm.scratch at 0 : !tile
  sm.cluster.barrier
  sm.role "load" warps(1) elected {
    sm.mbarrier.expect %full[%i] bytes 8192 : !sm.mbarrier<1>
    sm.tma.load %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %s signal %full[%i] multicast : !x, index, index, !tile, !sm.mbarrier<1>
  }
  sm.role "math" warps(1) {
    sm.mbarrier.wait %full[%i] parity %i : !sm.mbarrier<1>
    sm.mbarrier.arrive %empty[%i] cluster : !sm.mbarrier<1>
  }
  sm.cluster.barrier
}

// CTA 1 does not wait for what CTA 0 copies into its memory.
// LAST-COPY: error: the CTA ends before anyone has waited for this copy
// LAST-COPY: note: in warp 0 of CTA 1 of kernel 'last_copy'
sm.kernel @last_copy(%x: !x) grid(m in tiles(M, 64)) warps(1) cluster(2) form(expanded) shared(8200) {
  %c0 = arith.constant 0 : index
  %i = arith.constant 0 : i32
  %n = arith.constant 64 : index
  %full = sm.mbarrier.alloc arrivals(1) at 8192 : !sm.mbarrier<1>
  %s = sm.scratch at 0 : !tile
  sm.cluster.barrier
  %rank = sm.cta_rank
  %first = arith.cmpi eq, %rank, %c0 : index
  sm.role "load" warps(1) elected {
    sm.mbarrier.expect %full[%i] bytes 8192 : !sm.mbarrier<1>
    sm.tma.load %x[%c0, %c0] dims [0, 1] limits(%n, %n) into %s signal %full[%i] multicast : !x, index, index, !tile, !sm.mbarrier<1>
    scf.if %first {
      sm.mbarrier.wait %full[%i] parity %i : !sm.mbarrier<1>
    }
  }
}
