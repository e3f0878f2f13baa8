// RUN: tile-ptx %s | FileCheck %s
// RUN: %if nvdisasm %{ tile-ptx %s --emit=cubin -o %t.cubin %}
// RUN: %if nvdisasm %{ %python %root/gpu/machine_code/scan_machine_code.py %t.cubin | FileCheck %s --check-prefix=SCAN %}

// ptxas 13.5.37 would store the words of operand A before it moves the constants to them. It does not know
// the highest bit of %dynamic_smem_size, so they are no constants for it.

// SCAN-NOT: {{^}}wrong stored-early
// SCAN: 1 files

!acc = !llvm.struct<(f32, f32, f32, f32)>

// The store and the accumulators keep their constants.
// CHECK-LABEL: .entry stored(
// CHECK: mov.u32 [[BYTES:%r[0-9]+]], %dynamic_smem_size;
// CHECK: shr.u32 [[ZERO:%r[0-9]+]], [[BYTES]], 31;
// CHECK: add.s32 [[SEVEN:%r[0-9]+]], [[ZERO]], 7;
// CHECK: st.shared.v4.b32 [{{.*}}], {[[FIRST:%r[0-9]+]], 7, 7, [[LAST:%r[0-9]+]]};
// CHECK: wgmma.mma_async{{.*}}, {[[FIRST]], [[SEVEN]], [[SEVEN]], [[LAST]]},
llvm.func @stored(%at: !llvm.ptr<3>, %first: i32, %last: i32, %b: i64, %out: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>} {
  %f0 = llvm.mlir.constant(0.0 : f32) : f32
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c7 = llvm.mlir.constant(7 : i32) : i32
  %undef = llvm.mlir.poison : vector<4xi32>
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %i2 = llvm.mlir.constant(2 : i32) : i32
  %i3 = llvm.mlir.constant(3 : i32) : i32
  %v0 = llvm.insertelement %first, %undef[%c0 : i32] : vector<4xi32>
  %v1 = llvm.insertelement %c7, %v0[%i1 : i32] : vector<4xi32>
  %v2 = llvm.insertelement %c7, %v1[%i2 : i32] : vector<4xi32>
  %v3 = llvm.insertelement %last, %v2[%i3 : i32] : vector<4xi32>
  llvm.store %v3, %at {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  nvvm.wgmma.fence.aligned
  %d = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, 1, 1, 1, 0;",
    "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l" %f0, %f0, %f0, %f0, %first, %c7, %c7, %last, %b
    : (f32, f32, f32, f32, i32, i32, i32, i32, i64) -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  %d0 = llvm.extractvalue %d[0] : !acc
  llvm.store %d0, %out : f32, !llvm.ptr<1>
  llvm.return
}

// Without a constant nothing is added.
// CHECK-LABEL: .entry variable(
// CHECK-NOT: dynamic_smem_size
llvm.func @variable(%word: i32, %b: i64, %out: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>} {
  %f0 = llvm.mlir.constant(0.0 : f32) : f32
  nvvm.wgmma.fence.aligned
  %d = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, 1, 1, 1, 0;",
    "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l" %f0, %f0, %f0, %f0, %word, %word, %word, %word, %b
    : (f32, f32, f32, f32, i32, i32, i32, i32, i64) -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  %d0 = llvm.extractvalue %d[0] : !acc
  llvm.store %d0, %out : f32, !llvm.ptr<1>
  llvm.return
}
