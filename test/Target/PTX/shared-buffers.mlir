// RUN: tile-ptx %s | FileCheck %s

// The buffers in shared memory become comments at the end of PTX. Each is one line, and other attributes are ignored.

// CHECK: .visible .entry product(
// CHECK: {{^}}// shared memory of product: bytes 0 to 8191: tiles of 'a': 64x64 f16{{$}}
// CHECK-NEXT: {{^}}// shared memory of product: bytes 8192 to 8199: one\0Atwo{{$}}
// CHECK-NOT: {{.}}
llvm.func @product() attributes {nvvm.kernel, sm.shared_buffers = [
    "bytes 0 to 8191: tiles of 'a': 64x64 f16", 1, "bytes 8192 to 8199: one\0Atwo"]} {
  llvm.return
}

llvm.func @total() attributes {nvvm.kernel, sm.shared_buffers = "tile"} {
  llvm.return
}
