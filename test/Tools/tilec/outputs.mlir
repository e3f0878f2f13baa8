// What is made of kernels that are lowered: LLVM IR, PTX, machine code, a package.

// RUN: tilec %s --emit=llvm -o - | FileCheck %s --check-prefix=LLVM
// LLVM: define ptx_kernel void @scale(

// RUN: tilec %s --emit=ptx -o - | FileCheck %s --check-prefix=PTX --implicit-check-not=.loc
// PTX: .target sm_90a
// PTX: .entry scale(

// RUN: tilec %s --emit=ptx --line-tables -o - | FileCheck %s --check-prefix=LINES
// LINES: .loc {{[0-9]+}} [[#]]

// The name of the file says what is wanted; --emit outweighs it.
// RUN: tilec %s -o %t.ptx && FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: tilec %s --emit=llvm -o %t.ptx && FileCheck %s --check-prefix=LLVM < %t.ptx

// RUN: tilec %s --list-phases | FileCheck %s --check-prefix=LIST
// LIST: tile: {{.*}}
// LIST: package: machine code and what a launch must know of it

llvm.func @scale(%x: !llvm.ptr<1>, %by: f32) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 32>,
    sm.metadata = "{\"name\": \"scale\", \"entry\": \"scale\", \"sizes\": [\"N\"], \"parameters\": [{\"kind\": \"tensor\", \"name\": \"x\", \"dtype\": \"f32\", \"access\": \"readwrite\", \"dims\": [\"N\"]}, {\"kind\": \"scalar\", \"name\": \"by\", \"dtype\": \"f32\"}], \"arguments\": [{\"kind\": \"address\", \"index\": 0}, {\"kind\": \"scalar\", \"index\": 1}], \"grid\": [\"N ceildiv 32\", \"1\", \"1\"], \"cluster\": [1, 1, 1], \"threads\": 32, \"sharedMemory\": 0}"} {
  %i = nvvm.read.ptx.sreg.tid.x : i32
  %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %v = llvm.load %p : !llvm.ptr<1> -> f32
  %s = llvm.fmul %v, %by : f32
  llvm.store %s, %p : f32, !llvm.ptr<1>
  llvm.return
}
