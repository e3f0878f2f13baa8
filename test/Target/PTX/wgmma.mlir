// RUN: tile-ptx %s | FileCheck %s
// RUN: %if ptxas %{ tile-ptx %s --emit=cubin --report -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT %}

// Matrix products by warpgroups: as an op, whose accumulators are a struct, and as inline assembly
// with tied operands, which takes A from registers. A loop carries either without a move, and the
// wait is tied to the accumulators that it completes.

// REPORT-DAG: by_op: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled
// REPORT-DAG: by_asm: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled

!acc = !llvm.struct<(f32, f32, f32, f32)>

// CHECK-LABEL: .entry by_op(
// CHECK: wgmma.fence.sync.aligned
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 0
llvm.func @by_op(%da: i64, %db: i64, %n: i32, %out: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>, nvvm.minctasm = 1 : i32} {
  %zero = llvm.mlir.zero : !acc
  nvvm.wgmma.fence.aligned
  %acc = nvvm.wgmma.mma_async %da, %db, %zero,
    #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, <zero>],
    A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !acc -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  %d0 = llvm.extractvalue %acc[0] : !acc
  llvm.store %d0, %out : f32, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: .entry by_asm(
// CHECK: [[LOOP:\$L__BB[0-9_]+]]:
// CHECK-NOT: mov.b32
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {[[D:%r[0-9]+]],
// CHECK-NOT: mov.b32
// CHECK: wgmma.wait_group.sync.aligned 0; // [[D]]
// CHECK: bra{{.*}} [[LOOP]]
llvm.func @by_asm(%a: i32, %db: i64, %n: i32, %out: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>, nvvm.minctasm = 1 : i32} {
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^loop(%c0, %zero, %zero, %zero, %zero : i32, f32, f32, f32, f32)
^loop(%i: i32, %d0: f32, %d1: f32, %d2: f32, %d3: f32):
  nvvm.wgmma.fence.aligned
  %s = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, 1, 1, 1, 0;",
    "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l" %d0, %d1, %d2, %d3, %a, %a, %a, %a, %db
    : (f32, f32, f32, f32, i32, i32, i32, i32, i64) -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  %s0 = llvm.extractvalue %s[0] : !acc
  %s1 = llvm.extractvalue %s[1] : !acc
  %s2 = llvm.extractvalue %s[2] : !acc
  %s3 = llvm.extractvalue %s[3] : !acc
  %w = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.wait_group.sync.aligned 0; // $0 $1 $2 $3", "=f,=f,=f,=f,0,1,2,3" %s0, %s1, %s2, %s3
    : (f32, f32, f32, f32) -> !acc
  %w0 = llvm.extractvalue %w[0] : !acc
  %w1 = llvm.extractvalue %w[1] : !acc
  %w2 = llvm.extractvalue %w[2] : !acc
  %w3 = llvm.extractvalue %w[3] : !acc
  %next = llvm.add %i, %c1 : i32
  %more = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %more, ^loop(%next, %w0, %w1, %w2, %w3 : i32, f32, f32, f32, f32), ^done
^done:
  llvm.store %w0, %out : f32, !llvm.ptr<1>
  llvm.return
}
