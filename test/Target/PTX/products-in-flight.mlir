// REQUIRES: ptxas
// RUN: tile-ptx %s --emit=cubin -verify-diagnostics

// Registers of products in flight, as attention uses them: the fragments of A are packed from one product
// and read by another one, which is in flight over the packing of the next ones. ptxas would make every
// product wait for the one before it, and says so; here that is an error. What differs between the first
// two kernels is the place of one wait.

!acc = !llvm.struct<(f32, f32, f32, f32)>

// expected-note @+3 {{due to non wgmma instructions defining input registers of a wgmma between start and end of the pipeline stage}}
// expected-error @+2 {{[products-serialised]}}
// expected-note @+1 {{define the registers of an A fragment only after the wait that retires the product that reads their old value}}
llvm.func @redefined(%first: i32, %a: i64, %b: i64, %n: i32, %out: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>} {
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^loop(%c0, %first, %first, %first, %first, %zero, %zero, %zero, %zero : i32, i32, i32, i32, i32, f32, f32, f32, f32)
^loop(%i: i32, %p0: i32, %p1: i32, %p2: i32, %p3: i32, %d0: f32, %d1: f32, %d2: f32, %d3: f32):
  nvvm.wgmma.fence.aligned
  %s = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $8, $9, 1, 1, 1, 0, 0;",
    "=f,=f,=f,=f,0,1,2,3,l,l" %zero, %zero, %zero, %zero, %a, %b : (f32, f32, f32, f32, i64, i64) -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  %o = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, 1, 1, 1, 0;",
    "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l" %d0, %d1, %d2, %d3, %p0, %p1, %p2, %p3, %b
    : (f32, f32, f32, f32, i32, i32, i32, i32, i64) -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  %s0 = llvm.extractvalue %s[0] : !acc
  %s1 = llvm.extractvalue %s[1] : !acc
  %s2 = llvm.extractvalue %s[2] : !acc
  %s3 = llvm.extractvalue %s[3] : !acc
  %o0 = llvm.extractvalue %o[0] : !acc
  %o1 = llvm.extractvalue %o[1] : !acc
  %o2 = llvm.extractvalue %o[2] : !acc
  %o3 = llvm.extractvalue %o[3] : !acc
  %t = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.wait_group.sync.aligned 1; // $0 $1 $2 $3", "=f,=f,=f,=f,0,1,2,3" %s0, %s1, %s2, %s3
    : (f32, f32, f32, f32) -> !acc
  %t0 = llvm.extractvalue %t[0] : !acc
  %t1 = llvm.extractvalue %t[1] : !acc
  %t2 = llvm.extractvalue %t[2] : !acc
  %t3 = llvm.extractvalue %t[3] : !acc
  %next_p0 = llvm.inline_asm asm_dialect = att "cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f" %t0, %t1 : (f32, f32) -> i32
  %next_p1 = llvm.inline_asm asm_dialect = att "cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f" %t1, %t2 : (f32, f32) -> i32
  %next_p2 = llvm.inline_asm asm_dialect = att "cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f" %t2, %t3 : (f32, f32) -> i32
  %next_p3 = llvm.inline_asm asm_dialect = att "cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f" %t3, %t0 : (f32, f32) -> i32
  %w = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.wait_group.sync.aligned 0; // $0 $1 $2 $3", "=f,=f,=f,=f,0,1,2,3" %o0, %o1, %o2, %o3
    : (f32, f32, f32, f32) -> !acc
  %w0 = llvm.extractvalue %w[0] : !acc
  %w1 = llvm.extractvalue %w[1] : !acc
  %w2 = llvm.extractvalue %w[2] : !acc
  %w3 = llvm.extractvalue %w[3] : !acc
  %next = llvm.add %i, %c1 : i32
  %more = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %more, ^loop(%next, %next_p0, %next_p1, %next_p2, %next_p3, %w0, %w1, %w2, %w3 : i32, i32, i32, i32, i32, f32, f32, f32, f32), ^done
^done:
  llvm.store %w0, %out : f32, !llvm.ptr<1>
  llvm.return
}

llvm.func @retired(%first: i32, %a: i64, %b: i64, %n: i32, %out: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>} {
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^loop(%c0, %first, %first, %first, %first, %zero, %zero, %zero, %zero : i32, i32, i32, i32, i32, f32, f32, f32, f32)
^loop(%i: i32, %p0: i32, %p1: i32, %p2: i32, %p3: i32, %d0: f32, %d1: f32, %d2: f32, %d3: f32):
  nvvm.wgmma.fence.aligned
  %s = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $8, $9, 1, 1, 1, 0, 0;",
    "=f,=f,=f,=f,0,1,2,3,l,l" %zero, %zero, %zero, %zero, %a, %b : (f32, f32, f32, f32, i64, i64) -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  %o = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, 1, 1, 1, 0;",
    "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l" %d0, %d1, %d2, %d3, %p0, %p1, %p2, %p3, %b
    : (f32, f32, f32, f32, i32, i32, i32, i32, i64) -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  %s0 = llvm.extractvalue %s[0] : !acc
  %s1 = llvm.extractvalue %s[1] : !acc
  %s2 = llvm.extractvalue %s[2] : !acc
  %s3 = llvm.extractvalue %s[3] : !acc
  %o0 = llvm.extractvalue %o[0] : !acc
  %o1 = llvm.extractvalue %o[1] : !acc
  %o2 = llvm.extractvalue %o[2] : !acc
  %o3 = llvm.extractvalue %o[3] : !acc
  %t = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.wait_group.sync.aligned 1; // $0 $1 $2 $3", "=f,=f,=f,=f,0,1,2,3" %s0, %s1, %s2, %s3
    : (f32, f32, f32, f32) -> !acc
  %t0 = llvm.extractvalue %t[0] : !acc
  %t1 = llvm.extractvalue %t[1] : !acc
  %t2 = llvm.extractvalue %t[2] : !acc
  %t3 = llvm.extractvalue %t[3] : !acc
  %w = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.wait_group.sync.aligned 0; // $0 $1 $2 $3", "=f,=f,=f,=f,0,1,2,3" %o0, %o1, %o2, %o3
    : (f32, f32, f32, f32) -> !acc
  %w0 = llvm.extractvalue %w[0] : !acc
  %w1 = llvm.extractvalue %w[1] : !acc
  %w2 = llvm.extractvalue %w[2] : !acc
  %w3 = llvm.extractvalue %w[3] : !acc
  %next_p0 = llvm.inline_asm asm_dialect = att "cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f" %t0, %t1 : (f32, f32) -> i32
  %next_p1 = llvm.inline_asm asm_dialect = att "cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f" %t1, %t2 : (f32, f32) -> i32
  %next_p2 = llvm.inline_asm asm_dialect = att "cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f" %t2, %t3 : (f32, f32) -> i32
  %next_p3 = llvm.inline_asm asm_dialect = att "cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f" %t3, %t0 : (f32, f32) -> i32
  %next = llvm.add %i, %c1 : i32
  %more = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %more, ^loop(%next, %next_p0, %next_p1, %next_p2, %next_p3, %w0, %w1, %w2, %w3 : i32, i32, i32, i32, i32, f32, f32, f32, f32), ^done
^done:
  llvm.store %w0, %out : f32, !llvm.ptr<1>
  llvm.return
}

// The accumulator of a product that is in flight over the back edge of a loop is read in it.
// expected-note @+3 {{due to non wgmma instructions reading accumulator registers}}
// expected-error @+2 {{[products-serialised]}}
// expected-note @+1 {{wait for a product before its accumulators are read, and do not carry a product in flight over the back edge of a loop that reads them}}
llvm.func @carried(%a: i64, %b: i64, %n: i32, %out: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>} {
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  nvvm.wgmma.fence.aligned
  %f = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $8, $9, 1, 1, 1, 0, 0;",
    "=f,=f,=f,=f,0,1,2,3,l,l" %zero, %zero, %zero, %zero, %a, %b : (f32, f32, f32, f32, i64, i64) -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  llvm.br ^loop(%c0, %f, %zero : i32, !acc, f32)
^loop(%i: i32, %d: !acc, %sum: f32):
  %d0 = llvm.extractvalue %d[0] : !acc
  %d1 = llvm.extractvalue %d[1] : !acc
  %d2 = llvm.extractvalue %d[2] : !acc
  %d3 = llvm.extractvalue %d[3] : !acc
  nvvm.wgmma.fence.aligned
  %s = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $8, $9, 1, 1, 1, 0, 0;",
    "=f,=f,=f,=f,0,1,2,3,l,l" %zero, %zero, %zero, %zero, %a, %b : (f32, f32, f32, f32, i64, i64) -> !acc
  nvvm.wgmma.commit.group.sync.aligned
  %w = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.wait_group.sync.aligned 1; // $0 $1 $2 $3", "=f,=f,=f,=f,0,1,2,3" %d0, %d1, %d2, %d3 : (f32, f32, f32, f32) -> !acc
  %w0 = llvm.extractvalue %w[0] : !acc
  %more_sum = llvm.fadd %sum, %w0 : f32
  %next = llvm.add %i, %c1 : i32
  %more = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %more, ^loop(%next, %s, %more_sum : i32, !acc, f32), ^done
^done:
  nvvm.wgmma.wait.group.sync.aligned 0
  llvm.store %more_sum, %out : f32, !llvm.ptr<1>
  llvm.return
}
