// RUN: tile-ptx %s | FileCheck %s

// Which instructions the elementwise operations of a kernel become.

// CHECK-LABEL: .entry math(
llvm.func @math(%a: f32, %b: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  // CHECK-DAG: ex2.approx.ftz.f32
  %e = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%a) : (f32) -> f32
  // CHECK-DAG: lg2.approx.ftz.f32
  %l = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%e) : (f32) -> f32
  // CHECK-DAG: tanh.approx.f32
  %t = llvm.intr.tanh(%l) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
  // CHECK-DAG: max.f32
  %m = llvm.intr.maxnum(%t, %b) : (f32, f32) -> f32
  // CHECK-DAG: cvt.rn.bf16x2.f32
  %p = nvvm.convert.f32x2.to.bf16x2 %m, %b {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
  llvm.store %p, %out : vector<2xbf16>, !llvm.ptr<1>
  llvm.return
}

// A product and a sum are fused only where the program says so.
// CHECK-LABEL: .entry separate(
// CHECK: mul.rn.f32
// CHECK: add.rn.f32
// CHECK-LABEL: .entry contracted(
// CHECK: fma.rn.f32
llvm.func @separate(%a: f32, %b: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %p = llvm.fmul %a, %b : f32
  %s = llvm.fadd %p, %b : f32
  llvm.store %s, %out : f32, !llvm.ptr<1>
  llvm.return
}
llvm.func @contracted(%a: f32, %b: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %p = llvm.fmul %a, %b {fastmathFlags = #llvm.fastmath<contract>} : f32
  %s = llvm.fadd %p, %b {fastmathFlags = #llvm.fastmath<contract>} : f32
  llvm.store %s, %out : f32, !llvm.ptr<1>
  llvm.return
}
