// RUN: tile-ptx %s -verify-diagnostics

// What the code generator would end the process for is refused at the op, and what it can do
// with a flag or at another type is not.

llvm.func @transcendental(%x: f32, %d: f64, %h: f16, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  // expected-error @+1 {{'llvm.log' has no instruction on this target; use 'llvm.nvvm.lg2.approx.f' and a product by the constant}}
  %log = llvm.intr.log(%x) : (f32) -> f32
  // expected-error @+1 {{'llvm.log2' has no instruction on this target; use 'llvm.nvvm.lg2.approx.f'}}
  %log2 = llvm.intr.log2(%x) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
  // expected-error @+1 {{'llvm.exp' has no instruction on this target; use exp2 of the argument times log2 of the base}}
  %exp = llvm.intr.exp(%h) : (f16) -> f16
  // expected-error @+1 {{'llvm.pow' has no instruction on this target; use exp2 of the exponent times log2 of the base}}
  %pow = llvm.intr.pow(%x, %x) : (f32, f32) -> f32
  // expected-error @+1 {{'llvm.exp2' has no instruction on this target; use it at f32}}
  %exp2 = llvm.intr.exp2(%d) : (f64) -> f64
  // expected-error @+1 {{'llvm.sin' has no instruction on this target; use it with 'afn' at f32}}
  %sin = llvm.intr.sin(%x) : (f32) -> f32
  // expected-error @+1 {{'llvm.cos' has no instruction on this target; use it with 'afn' at f32}}
  %cos = llvm.intr.cos(%d) {fastmathFlags = #llvm.fastmath<afn>} : (f64) -> f64
  // expected-error @+1 {{'llvm.tan' has no instruction on this target; use the quotient of sin and cos with 'afn'}}
  %tan = llvm.intr.tan(%x) : (f32) -> f32
  // expected-error @+1 {{'llvm.acos' has no instruction on this target; use an approximation of your own}}
  %acos = llvm.intr.acos(%x) : (f32) -> f32
  %fine = llvm.intr.sin(%x) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
  %fine2 = llvm.intr.exp2(%x) : (f32) -> f32
  llvm.return
}

llvm.func @intrinsics(%v: vector<2xf16>, %x: f32) attributes {nvvm.kernel} {
  // expected-error @+1 {{'llvm.nvvm.ex2.approx.ftz.v2f16' has no instruction on this target; use 'llvm.nvvm.ex2.approx.v2f16'}}
  %e = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.v2f16"(%v) : (vector<2xf16>) -> vector<2xf16>
  // expected-error @+1 {{'llvm.nvvm.tanh.approx.f32' has no instruction on this target; use 'llvm.intr.tanh' with 'afn'}}
  %t = llvm.call_intrinsic "llvm.nvvm.tanh.approx.f32"(%x) : (f32) -> f32
  // expected-error @+1 {{'llvm.log2.f32' has no instruction on this target}}
  %l = llvm.call_intrinsic "llvm.log2.f32"(%x) : (f32) -> f32
  llvm.return
}
