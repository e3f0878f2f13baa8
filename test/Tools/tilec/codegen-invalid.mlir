// RUN: tilec %s --emit=package --ptxas=%S/../../Target/PTX/Inputs/fake_ptxas --verify-diagnostics -o %t.tpk

// Kernels are compiled side by side, and each that LLVM's code generator gives up on is an error of its
// own: the process goes on, and the others are reported as well.

// expected-error @below {{code generation failed: Cannot select: bf16 = fcanonicalize}}
llvm.func @first(%x: bf16) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 32>,
    sm.metadata = "{\"name\": \"first\", \"entry\": \"first\", \"sizes\": [], \"parameters\": [{\"kind\": \"scalar\", \"name\": \"x\", \"dtype\": \"bf16\"}], \"arguments\": [{\"kind\": \"scalar\", \"index\": 0}], \"grid\": [\"1\", \"1\", \"1\"], \"cluster\": [1, 1, 1], \"threads\": 32, \"sharedMemory\": 0}"} {
  %y = llvm.call_intrinsic "llvm.canonicalize.bf16"(%x) : (bf16) -> bf16
  %z = llvm.bitcast %y : bf16 to i16
  llvm.inline_asm has_side_effects "// $0", "h" %z : (i16) -> ()
  llvm.return
}
llvm.func @second(%x: bf16) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 32>,
    sm.metadata = "{\"name\": \"second\", \"entry\": \"second\", \"sizes\": [], \"parameters\": [{\"kind\": \"scalar\", \"name\": \"x\", \"dtype\": \"bf16\"}], \"arguments\": [{\"kind\": \"scalar\", \"index\": 0}], \"grid\": [\"1\", \"1\", \"1\"], \"cluster\": [1, 1, 1], \"threads\": 32, \"sharedMemory\": 0}"} {
  llvm.return
}
// expected-error @below {{code generation failed: Cannot select: bf16 = fcanonicalize}}
llvm.func @third(%x: bf16) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 32>,
    sm.metadata = "{\"name\": \"third\", \"entry\": \"third\", \"sizes\": [], \"parameters\": [{\"kind\": \"scalar\", \"name\": \"x\", \"dtype\": \"bf16\"}], \"arguments\": [{\"kind\": \"scalar\", \"index\": 0}], \"grid\": [\"1\", \"1\", \"1\"], \"cluster\": [1, 1, 1], \"threads\": 32, \"sharedMemory\": 0}"} {
  %y = llvm.call_intrinsic "llvm.canonicalize.bf16"(%x) : (bf16) -> bf16
  %z = llvm.bitcast %y : bf16 to i16
  llvm.inline_asm has_side_effects "// $0", "h" %z : (i16) -> ()
  llvm.return
}
