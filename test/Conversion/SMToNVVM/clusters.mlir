// RUN: tile-opt %s -pass-pipeline='builtin.module(convert-sm-to-nvvm)' | tile-ptx | FileCheck %s
// RUN: %if ptxas %{ tile-opt %s -pass-pipeline='builtin.module(convert-sm-to-nvvm)' | tile-ptx --emit=cubin -o /dev/null - %}

// What each launch does before it touches global memory: the next launch may start, barriers are
// set up and known to the cluster, and the launch before this one is complete.

// CHECK-LABEL: .entry shared(
// CHECK: .explicitcluster
// CHECK-NEXT: .reqnctapercluster 2, 1, 1
// CHECK: griddepcontrol.launch_dependents;
// CHECK: mbarrier.init
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: barrier.cluster.arrive;
// CHECK-NEXT: barrier.cluster.wait;
// CHECK-NOT: cp.async
// CHECK: griddepcontrol.wait;

// Each CTA copies one of the two boxes to both, at the same place and barrier.
// CHECK: mov.b16 %[[MASK:rs[0-9]+]], 3;
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%{{r[0-9]+}}], [%{{rd[0-9]+}}, {%{{r[0-9]+}}, %{{r[0-9]+}}}], [%{{r[0-9]+}}], %[[MASK]];
// CHECK-NOT: cp.async
// Two threads of a warpgroup tell one CTA each.
// CHECK: setp.lt.u32 p, %[[THREAD:r[0-9]+]], 2;
// CHECK-NEXT: @p mapa.shared::cluster.u32 remote, %{{r[0-9]+}}, %[[THREAD]];
// CHECK-NEXT: @p mbarrier.arrive.shared::cluster.b64 _, [remote];
// Nobody leaves while the other one may write to it.
// CHECK: barrier.cluster.arrive;
// CHECK-NEXT: barrier.cluster.wait;
// CHECK: ret;
!b = !sm.smem<64x128xbf16, swizzle = 128>
sm.kernel @shared(%b: !tile.global<[K, N] x bf16>, %i: i32) grid(n in tiles(N, 128)) warps(8) cluster(2) form(fenced) shared(17408) {
  %c0 = arith.constant 0 : index
  %K = tile.size K
  %N = tile.size N
  %full = sm.mbarrier.alloc arrivals(1) at 16384 : !sm.mbarrier<1>
  %empty = sm.mbarrier.alloc arrivals(2) at 16392 : !sm.mbarrier<1>
  %s = sm.scratch at 0 : !b
  sm.cluster.barrier
  sm.role "load" warps(4) elected {
    sm.mbarrier.expect %full[%i] bytes 16384 : !sm.mbarrier<1>
    sm.tma.load %b[%c0, %c0] dims [0, 1] limits(%K, %N) into %s signal %full[%i] multicast : !tile.global<[K, N] x bf16>, index, index, !b, !sm.mbarrier<1>
  }
  sm.role "math" warps(4) {
    sm.mbarrier.wait %full[%i] parity %i : !sm.mbarrier<1>
    sm.mbarrier.arrive %empty[%i] cluster : !sm.mbarrier<1>
  }
  sm.cluster.barrier
}
