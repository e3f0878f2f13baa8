// RUN: tile-ptx %s --emit=llvm | FileCheck %s
// RUN: tile-ptx %s --emit=llvm --no-cleanup | FileCheck %s --check-prefix=RAW

// The cleanup removes what is computed twice and inlines what must be, but moves nothing out of
// a loop: descriptors hoisted out of a loop end up in spills.

// CHECK: target triple = "nvptx64-nvidia-cuda"

llvm.func @square(%x: i32) -> i32 attributes {always_inline, sym_visibility = "private"} {
  %r = llvm.mul %x, %x : i32
  llvm.return %r : i32
}

// CHECK-LABEL: define ptx_kernel void @twice(
// CHECK: mul
// CHECK-NOT: call
// CHECK-NOT: mul
// CHECK: store
// RAW-LABEL: define ptx_kernel void @twice(
// RAW-COUNT-2: call i32 @square
llvm.func @twice(%x: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %a = llvm.call @square(%x) : (i32) -> i32
  %b = llvm.call @square(%x) : (i32) -> i32
  %s = llvm.add %a, %b : i32
  llvm.store %s, %out : i32, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: define ptx_kernel void @invariant(
// CHECK: phi
// CHECK: lshr i32
// CHECK: call void asm sideeffect "use $0;", "r"
llvm.func @invariant(%x: i32, %n: i32) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %four = llvm.mlir.constant(4 : i32) : i32
  llvm.br ^loop(%zero : i32)
^loop(%i: i32):
  %descriptor = llvm.lshr %x, %four : i32
  llvm.inline_asm has_side_effects asm_dialect = att "use $0;", "r" %descriptor : (i32) -> ()
  %next = llvm.add %i, %one : i32
  %more = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %more, ^loop(%next : i32), ^done
^done:
  llvm.return
}
