// RUN: split-file %s %t
// RUN: tile-ptx %t/select.mlir -verify-diagnostics
// RUN: tile-ptx %t/intrinsic.mlir -verify-diagnostics
// RUN: not tile-ptx %t/select.mlir -o %t/none.ptx
// RUN: not ls %t/none.ptx
// RUN: not tile-ptx %t/select.mlir --target=sm_12 2>&1 | FileCheck %s --check-prefix=TARGET

// What no table foresees is a diagnostic as well, and leaves no output.
// TARGET: unknown target 'sm_12'; there is sm_90a

//--- select.mlir
llvm.func @other(%x: f32) attributes {nvvm.kernel} {
  llvm.return
}
// expected-error @+1 {{code generation failed: Cannot select: bf16 = fcanonicalize}}
llvm.func @select(%x: bf16, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %c = llvm.call_intrinsic "llvm.canonicalize.bf16"(%x) : (bf16) -> bf16
  llvm.store %c, %out : bf16, !llvm.ptr<1>
  llvm.return
}

//--- intrinsic.mlir
llvm.func @intrinsic(%x: f32) attributes {nvvm.kernel} {
  // expected-error @+2 {{could not find LLVM intrinsic: "llvm.no.such"}}
  // expected-error @+1 {{LLVM Translation failed for operation: llvm.call_intrinsic}}
  %c = llvm.call_intrinsic "llvm.no.such"(%x) : (f32) -> f32
  llvm.return
}
