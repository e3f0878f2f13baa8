// REQUIRES: ptxas
// RUN: split-file %s %t
// RUN: tile-ptx %t/errors.mlir --emit=cubin -verify-diagnostics
// RUN: tile-ptx %t/places.mlir --emit=cubin --line-tables -verify-diagnostics
// RUN: tile-ptx %t/registers.mlir --emit=cubin -verify-diagnostics
// RUN: tile-ptx %t/registers.mlir --emit=cubin --allow-hazards -o %t/out.cubin
// RUN: tile-ptx %t/wait.mlir --emit=cubin -verify-diagnostics

// Errors and hazards of ptxas are reported at the kernel, hazards with a way out.

//--- errors.mlir
llvm.func @other() attributes {nvvm.kernel} {
  llvm.return
}
// expected-error @+3 {{ptxas: Not a name of any known instruction: 'foo'}}
// expected-error @+2 {{ptxas: Unknown modifier '.bar'}}
// expected-note @+1 {{of the PTX text: foo.bar}}
llvm.func @wrong() attributes {nvvm.kernel} {
  llvm.inline_asm has_side_effects asm_dialect = att "foo.bar 1;", "" : () -> ()
  llvm.return
}

//--- places.mlir
// With line tables, errors are reported where the instruction comes from.
llvm.func @wrong() attributes {nvvm.kernel} {
  // expected-error @+2 {{ptxas: Not a name of any known instruction: 'foo'}}
  // expected-note @+1 {{of the PTX text: foo 1;}}
  llvm.inline_asm has_side_effects asm_dialect = att "foo 1;", "" : () -> ()
  llvm.return
}

//--- registers.mlir
// expected-note @+3 {{'setmaxnreg' ignored; unable to determine register count at entry. (C7508)}}
// expected-error @+2 {{[budgets-ignored]}}
// expected-note @+1 {{state the threads of a block (.maxntid or .reqntid)}}
llvm.func @unbounded() attributes {nvvm.kernel} {
  nvvm.setmaxregister decrease 40
  llvm.return
}

//--- wait.mlir
// Accumulators are read without a wait. The line is that of the PTX text.
// expected-note @+4 {{wgmma.wait_group is injected in around line}}
// expected-error @+3 {{[waits-inserted]}}
// expected-note @+2 {{of the PTX text: st.global.b32}}
// expected-note @+1 {{wait for the group of a product before its accumulators are read}}
llvm.func @impatient(%da: i64, %db: i64, %out: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>} {
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  nvvm.wgmma.fence.aligned
  %d = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $8, $9, 1, 1, 1, 0, 0;",
    "=f,=f,=f,=f,0,1,2,3,l,l" %zero, %zero, %zero, %zero, %da, %db
    : (f32, f32, f32, f32, i64, i64) -> !llvm.struct<(f32, f32, f32, f32)>
  nvvm.wgmma.commit.group.sync.aligned
  %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
  llvm.store %d0, %out : f32, !llvm.ptr<1>
  nvvm.wgmma.wait.group.sync.aligned 0
  llvm.return
}
