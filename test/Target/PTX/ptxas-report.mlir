// REQUIRES: ptxas
// RUN: tile-ptx %s --emit=cubin --report -o %t.cubin 2>&1 | FileCheck %s
// RUN: head -c 4 %t.cubin | grep ELF
// RUN: tile-ptx %s --emit=cubin --line-tables -o %t.lines.cubin

// CHECK-DAG: small: {{[1-9][0-9]*}} registers, 0 bytes stack, 0 + 0 bytes spilled (stores + loads), 0 bytes static shared memory, {{[0-9]+}} bytes constants, 1 barriers
// CHECK-DAG: shared: {{[0-9]+}} registers, {{.*}}, 512 bytes static shared memory,
llvm.func @small(%x: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  llvm.inline_asm has_side_effects asm_dialect = att "bar.sync 0;", "~{memory}" : () -> ()
  %p = llvm.fmul %x, %x : f32
  llvm.store %p, %out : f32, !llvm.ptr<1>
  llvm.return
}

llvm.mlir.global internal @tile() {addr_space = 3 : i32} : !llvm.array<128 x i32>
llvm.func @shared(%x: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %slot = llvm.getelementptr %tile[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  llvm.store volatile %x, %slot : i32, !llvm.ptr<3>
  %v = llvm.load volatile %tile : !llvm.ptr<3> -> i32
  llvm.store %v, %out : i32, !llvm.ptr<1>
  llvm.return
}
