// RUN: tile-opt %s -sm-multicta=remarks -split-input-file -verify-diagnostics | FileCheck %s
// RUN: tile-opt %s -sm-multicta=remarks -sm-expand-rings -split-input-file -verify-diagnostics | FileCheck %s --check-prefix=EXPAND

// The box of %b is the same in both CTAs. Its ring is free when both have released a stage.

// CHECK-LABEL: sm.kernel @shared
// CHECK: sm.copy.start %a{{.*}} into %{{[0-9]+}} :
// CHECK: sm.copy.start %b{{.*}} into %{{[0-9]+}} multicast :

// EXPAND-LABEL: sm.kernel @shared
// EXPAND: %[[FULL:.*]] = sm.mbarrier.alloc arrivals(1) ring({{[0-9]}}) full : !sm.mbarrier<4>
// EXPAND: %[[EMPTY:.*]] = sm.mbarrier.alloc arrivals(2) ring({{[0-9]}}) empty : !sm.mbarrier<4>
// EXPAND: sm.cluster.barrier
// EXPAND-NEXT: sm.role "load"
// EXPAND: sm.mbarrier.expect %[[FULL]][%{{.*}}] bytes 16384
// EXPAND: sm.tma.load %a{{.*}} signal %[[FULL]][%{{.*}}] :
// EXPAND: sm.tma.load %b{{.*}} signal %[[FULL]][%{{.*}}] multicast :
// EXPAND: sm.role "math"
// EXPAND: sm.mbarrier.arrive %[[EMPTY]][%{{.*}}] cluster
// EXPAND: sm.cluster.barrier
!a = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @shared(%a: !tile.global<[M, K] x bf16>, %b: !tile.global<[K, N] x bf16>)
    grid(m in tiles(M, 64), n in tiles(N, 64)) warps(8) cluster(2) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %K = tile.size K
  %N = tile.size N
  %ring = sm.ring.alloc : !sm.ring<4 x [!a, !a]>
  %n = sm.program_id
  %rank = sm.cta_rank
  %m = arith.muli %rank, %c64 : index
  sm.role "load" warps(4) elected {
    scf.for %k = %c0 to %K step %c64 {
      %s = sm.ring.acquire %ring : !sm.ring<4 x [!a, !a]>
      %ta = sm.slot.tile %s[0] : !sm.slot<[!a, !a]>
      // expected-remark @below {{this copy is not shared by the cluster: its position depends on the rank of the CTA}}
      sm.copy.start %a[%m, %k] dims [0, 1] limits(%M, %K) into %ta : !tile.global<[M, K] x bf16>, index, index, !a
      %tb = sm.slot.tile %s[1] : !sm.slot<[!a, !a]>
      sm.copy.start %b[%k, %n] dims [0, 1] limits(%K, %N) into %tb : !tile.global<[K, N] x bf16>, index, index, !a
      sm.ring.commit %s : !sm.slot<[!a, !a]>
    }
  }
  sm.role "math" warps(4) {
    scf.for %k = %c0 to %K step %c64 {
      %s = sm.ring.wait %ring : !sm.ring<4 x [!a, !a]>
      sm.ring.release %s : !sm.slot<[!a, !a]>
    }
  }
}

// -----

// The trip count of one role's loop is that of the other, and depends on the rank; so does a value
// that a loop carries, or that a branch chooses.

// CHECK-LABEL: sm.kernel @apart
// CHECK-NOT: multicast
// CHECK-LABEL: sm.kernel @carried
// CHECK-NOT: multicast

// EXPAND-LABEL: sm.kernel @apart
// EXPAND-NOT: sm.cluster
// EXPAND-LABEL: sm.kernel @carried
// EXPAND-NOT: sm.cluster
!a = !sm.smem<64x64xbf16, swizzle = 128>
// expected-warning @below {{`cluster` is not done, its CTAs run side by side and share no copy: of the last one, a CTA may take more slots of its ring than another [nothing-shared]}}
// expected-note @below {{leave `cluster` away, or let it go along an axis that does not index what it is to share, in loops that end alike}}
sm.kernel @apart(%b: !tile.global<[K, N] x bf16>)
    grid(n in tiles(N, 64)) warps(8) cluster(2) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = tile.size K
  %N = tile.size N
  %ring = sm.ring.alloc : !sm.ring<4 x [!a]>
  %rank = sm.cta_rank
  %end = arith.muli %rank, %c64 : index
  sm.role "load" warps(4) elected {
    scf.for %k = %c0 to %end step %c64 {
      %s = sm.ring.acquire %ring : !sm.ring<4 x [!a]>
      %tb = sm.slot.tile %s[0] : !sm.slot<[!a]>
      // expected-remark @below {{this copy is not shared by the cluster: a CTA may take more slots of its ring than another}}
      sm.copy.start %b[%c0, %c0] dims [0, 1] limits(%K, %N) into %tb : !tile.global<[K, N] x bf16>, index, index, !a
      sm.ring.commit %s : !sm.slot<[!a]>
    }
  }
  sm.role "math" warps(4) {
    scf.for %k = %c0 to %end step %c64 {
      %s = sm.ring.wait %ring : !sm.ring<4 x [!a]>
      sm.ring.release %s : !sm.slot<[!a]>
    }
  }
}

// expected-warning @below {{`cluster` is not done, its CTAs run side by side and share no copy: of the last one, its position depends on the rank of the CTA [nothing-shared]}}
// expected-note @below {{leave `cluster` away, or let it go along an axis that does not index what it is to share, in loops that end alike}}
sm.kernel @carried(%b: !tile.global<[K, N] x bf16>)
    grid(n in tiles(N, 64)) warps(8) cluster(2) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = tile.size K
  %N = tile.size N
  %ring = sm.ring.alloc : !sm.ring<4 x [!a]>
  %rank = sm.cta_rank
  %isFirst = arith.cmpi eq, %rank, %c0 : index
  sm.role "load" warps(4) elected {
    scf.for %k = %c0 to %K step %c64 iter_args(%at = %c0) -> (index) {
      %s = sm.ring.acquire %ring : !sm.ring<4 x [!a]>
      %tb = sm.slot.tile %s[0] : !sm.slot<[!a]>
      // expected-remark @below {{its position depends on the rank of the CTA}}
      sm.copy.start %b[%at, %c0] dims [0, 1] limits(%K, %N) into %tb : !tile.global<[K, N] x bf16>, index, index, !a
      sm.ring.commit %s : !sm.slot<[!a]>
      %next = scf.if %isFirst -> (index) {
        scf.yield %c64 : index
      } else {
        scf.yield %c0 : index
      }
      scf.yield %next : index
    }
  }
  sm.role "math" warps(4) {
    scf.for %k = %c0 to %K step %c64 {
      %s = sm.ring.wait %ring : !sm.ring<4 x [!a]>
      sm.ring.release %s : !sm.slot<[!a]>
    }
  }
}

// -----

// Four rows of 128 bytes do not lie aligned.

// CHECK-LABEL: sm.kernel @row
// CHECK-NOT: multicast
!row = !sm.smem<8x64xbf16, swizzle = 128>
// expected-warning @below {{`cluster` is not done, its CTAs run side by side and share no copy: of the last one, the 1 boxes of the tile cannot be shared out to 2 CTAs [nothing-shared]}}
// expected-note @below {{leave `cluster` away, or let it go along an axis that does not index what it is to share, in loops that end alike}}
sm.kernel @row(%b: !tile.global<[K, N] x bf16>)
    grid(n in tiles(N, 64)) warps(8) cluster(2) form(scheduled) {
  %c0 = arith.constant 0 : index
  %K = tile.size K
  %N = tile.size N
  %ring = sm.ring.alloc : !sm.ring<1 x [!row]>
  sm.role "load" warps(4) elected {
    %s = sm.ring.acquire %ring : !sm.ring<1 x [!row]>
    %tb = sm.slot.tile %s[0] : !sm.slot<[!row]>
    // expected-remark @below {{this copy is not shared by the cluster: the 1 boxes of the tile cannot be shared out to 2 CTAs}}
    sm.copy.start %b[%c0, %c0] dims [0, 1] limits(%K, %N) into %tb : !tile.global<[K, N] x bf16>, index, index, !row
    sm.ring.commit %s : !sm.slot<[!row]>
  }
  sm.role "math" warps(4) {
    %s = sm.ring.wait %ring : !sm.ring<1 x [!row]>
    sm.ring.release %s : !sm.slot<[!row]>
  }
}

// -----

// A kernel of one role has no copies; its plain variant says nothing.

// expected-warning @below {{`cluster` is not done, its CTAs run side by side and share no copy: no role fetches tiles for the others [nothing-shared]}}
// expected-note @below {{leave `cluster` away}}
sm.kernel @alone() grid(n in 4) warps(4) cluster(2) {
}
sm.kernel @alone_plain() grid(n in 4) warps(4) cluster(2) attributes {sm.variant_of = "alone"} {
}
