// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | FileCheck %s
// RUN: %if ptxas %{ tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx --emit=cubin --report -o /dev/null - 2>&1 | FileCheck %s --check-prefix=REPORT %}

// REPORT: roles: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled

// Warps 0 and 1 share a warpgroup with 2 and 3, and so its registers; the barriers of turns come
// behind those of the four roles.

// CHECK-LABEL: llvm.func @roles
// CHECK-DAG: %[[WARP:.*]] = nvvm.shfl.sync idx
// CHECK: llvm.icmp "ult" %[[WARP]]
// CHECK: nvvm.setmaxregister decrease 40
// CHECK-NOT: nvvm.setmaxregister
// CHECK: nvvm.elect.sync
// CHECK: nvvm.elect.sync
// CHECK: nvvm.setmaxregister increase 232
// CHECK: nvvm.barrier.arrive id = {{.*}} number_of_threads
// CHECK: nvvm.barrier id = {{.*}} number_of_threads
// CHECK: nvvm.barrier.arrive id = {{.*}} number_of_threads
// CHECK-NOT: nvvm.setmaxregister
// CHECK: llvm.return
sm.kernel @roles(%i: i32) grid() warps(12) form(expanded) {
  %b = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<2>
  sm.role "one" warps(2) registers(40) elected {
    sm.mbarrier.arrive %b[%i] : !sm.mbarrier<2>
  }
  sm.role "two" warps(2) registers(40) elected {
    sm.mbarrier.wait %b[%i] parity %i : !sm.mbarrier<2>
  }
  sm.role "math" warps(8) registers(232) {
    sm.turn.start
    sm.turn.take
    sm.turn.pass
    sm.mma.retire leave 0
    sm.barrier
  }
}
