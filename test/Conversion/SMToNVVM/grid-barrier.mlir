// A barrier of the grid: one thread of the role adds to the word of arrivals, and waits until its sign changes.
// RUN: tile-opt %s -convert-sm-to-nvvm | FileCheck %s

// CHECK-LABEL: llvm.func @kernel_scope(
// CHECK-SAME: %[[COUNTER:.*]]: !llvm.ptr<1>
// CHECK: nvvm.barrier0
// CHECK: %[[ARRIVALS:.*]] = llvm.getelementptr %[[COUNTER]][1]
// CHECK: atom.acq_rel.gpu.global.add.u32
// CHECK-SAME: ld.acquire.gpu.global.u32
// CHECK: nvvm.barrier0
sm.kernel @kernel_scope() grid() warps(4) form(fenced) {
  sm.barrier grid
}
