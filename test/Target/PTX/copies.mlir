// RUN: tile-ptx %s | FileCheck %s

// Copies by the tensor memory accelerator.

llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// CHECK-LABEL: .entry copies(
llvm.func @copies(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
                  %bar: !llvm.ptr<3>, %x: i32, %y: i32) attributes {nvvm.kernel} {
  %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %shared = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>
  // CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
  nvvm.cp.async.bulk.tensor.shared.cluster.global %shared, %map, %bar, box[%x, %y] : !llvm.ptr<7>, !llvm.ptr
  // CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %smem, box[%x, %y] : !llvm.ptr, !llvm.ptr<3>
  // CHECK: cp.async.bulk.commit_group
  nvvm.cp.async.bulk.commit.group
  // CHECK: cp.async.bulk.wait_group.read 1
  nvvm.cp.async.bulk.wait_group 1 {read}
  // CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group
  nvvm.cp.async.bulk.tensor.reduce %map, %smem, box[%x, %y] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
  llvm.return
}
