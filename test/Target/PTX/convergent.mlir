// RUN: tile-ptx %s --emit=llvm | FileCheck %s
// RUN: tile-ptx %s --emit=llvm --no-cleanup | FileCheck %s --check-prefix=ALL

// The dialect cannot say that inline assembly is convergent, so all of it is marked, that which
// NVVM ops become as well.

// Both sides of the branch wait at the barrier: one barrier each, not one in common.
// CHECK-LABEL: define ptx_kernel void @sides(
// CHECK-COUNT-2: call void asm sideeffect "bar.sync 1;", "~{memory}"() #[[CONVERGENT:[0-9]+]]
// CHECK-NOT: bar.sync
// CHECK: ret void
// CHECK: attributes #[[CONVERGENT]] = {{{.*}}convergent

// ALL: asm sideeffect "bar.sync 1;", "~{memory}"() #[[ASM:[0-9]+]]
// ALL: asm {{.*}}mbarrier.try_wait.parity{{.*}} #[[ASM]]
// ALL: attributes #[[ASM]] = {{{.*}}convergent
llvm.func @sides(%which: i1, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  llvm.cond_br %which, ^left, ^right
^left:
  llvm.inline_asm has_side_effects asm_dialect = att "bar.sync 1;", "~{memory}" : () -> ()
  llvm.store volatile %one, %out : i32, !llvm.ptr<1>
  llvm.br ^done
^right:
  llvm.inline_asm has_side_effects asm_dialect = att "bar.sync 1;", "~{memory}" : () -> ()
  llvm.store volatile %two, %out : i32, !llvm.ptr<1>
  llvm.br ^done
^done:
  llvm.return
}

llvm.func @wait(%bar: !llvm.ptr<3>) attributes {nvvm.kernel} {
  %phase = llvm.mlir.constant(0 : i32) : i32
  %ticks = llvm.mlir.constant(10000000 : i32) : i32
  nvvm.mbarrier.try_wait.parity %bar, %phase, %ticks : !llvm.ptr<3>, i32, i32
  llvm.return
}
