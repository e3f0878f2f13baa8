// RUN: tilec %s --emit=package --ptx-only --verify-diagnostics -o -

// Nothing is assembled before all metadata is read; each kernel with a mistake is reported.

// expected-error @below {{kernel 'unknown' has no 'sm.metadata': nothing could launch it; let convert-sm-to-nvvm make it}}
llvm.func @unknown() attributes {nvvm.kernel} {
  llvm.return
}

// expected-error @below {{the metadata of kernel 'garbage' is wrong: }}
llvm.func @garbage() attributes {nvvm.kernel, sm.metadata = "{"} {
  llvm.return
}

// expected-error @below {{the metadata of kernel 'deep' is wrong: the JSON has more than 100 levels of nesting at byte 100}}
llvm.func @deep() attributes {nvvm.kernel, sm.metadata = "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["} {
  llvm.return
}

// expected-error @below {{the metadata of kernel 'incomplete' is wrong: missing value at kernel.name}}
llvm.func @incomplete() attributes {nvvm.kernel, sm.metadata = "{}"} {
  llvm.return
}

// expected-error @below {{the metadata of kernel 'arguments' has 0 arguments, but the function takes 1}}
llvm.func @arguments(%x: i32) attributes {nvvm.kernel, sm.metadata = "{\"name\": \"f\", \"entry\": \"f\", \"sizes\": [], \"arguments\": [], \"grid\": [\"1\", \"1\", \"1\"], \"cluster\": [1, 1, 1], \"threads\": 32, \"sharedMemory\": 0}"} {
  llvm.return
}

// A function that is no kernel needs none.
llvm.func @helper() {
  llvm.return
}
