// RUN: tile-ptx %s | FileCheck %s

// What a kernel tells the launcher: blocks, clusters, tensor maps by value, dynamic shared memory.

// CHECK: .version 8.8
// CHECK: .target sm_90a

// CHECK: .extern .shared .align 1024 .b8 smem[];
llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// CHECK-LABEL: .visible .entry clustered(
// CHECK: .maxntid 384
// CHECK: .minnctapersm 1
// CHECK: .explicitcluster
// CHECK: .reqnctapercluster 2
llvm.func @clustered(%out: !llvm.ptr<1>) attributes {
    nvvm.kernel, nvvm.maxntid = array<i32: 384>, nvvm.minctasm = 1 : i32,
    nvvm.cluster_dim = array<i32: 2, 1, 1>} {
  %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %address = llvm.ptrtoint %smem : !llvm.ptr<3> to i32
  llvm.store %address, %out : i32, !llvm.ptr<1>
  llvm.return
}

// The tensor map is read where the launcher put it, without a local copy.
// CHECK-LABEL: .visible .entry mapped(
// CHECK: .param .align 64 .b8 mapped_param_0[128]
// CHECK-NOT: .local
// CHECK: prefetch{{.*}}.tensormap
llvm.func @mapped(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64,
                                   nvvm.grid_constant}) attributes {nvvm.kernel} {
  nvvm.prefetch tensormap, %map : !llvm.ptr
  llvm.return
}
