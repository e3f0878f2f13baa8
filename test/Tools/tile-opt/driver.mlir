// tile-opt is mlir-opt over our dialects: IR between passes, pipelines by name, reproducers.

// RUN: tile-opt %s --canonicalize --cse --mlir-print-ir-after-all -o /dev/null 2>&1 | FileCheck %s --check-prefix=AFTER
// AFTER: IR Dump After Canonicalizer
// AFTER: IR Dump After CSE

// RUN: tile-opt %s --tile-pipeline | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: tile.kernel @copy

// RUN: tile-opt %s --canonicalize --mlir-generate-reproducer=%t.mlir -o %t.direct
// RUN: FileCheck %s --check-prefix=REPRODUCER < %t.mlir
// RUN: tile-opt %t.mlir --run-reproducer -o %t.again && cmp %t.direct %t.again
// REPRODUCER: mlir_reproducer
// REPRODUCER: pipeline: "builtin.module(canonicalize{{.*}})"

// What the last phase leaves is read again.
// RUN: tile-opt %s --tile-to-sm --sm-place-fences --convert-sm-to-nvvm | tile-opt | FileCheck %s --check-prefix=LOWERED
// LOWERED: llvm.func @copy

// RUN: tile-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// DIALECTS: tile

tile.kernel @copy(%x: !tile.global<[N] x f32>, %y: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 64)) {
  %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
  tile.store %t to %y[%n] : tensor<64xf32>, !tile.global<[N] x f32, out>, !tile.range<64 of N>
}
