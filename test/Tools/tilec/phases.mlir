// Every saved phase is an input again, and compiling on from it gives what compiling through gives.
// RUN: rm -rf %t && tilec %s --save-phases=%t -o %t.all.mlir
// RUN: tilec %t/00-tile.mlir -o %t.continued.mlir && cmp %t.all.mlir %t.continued.mlir
// RUN: FileCheck %s < %t/00-tile.mlir

// From the level of sm on a module names its target, which is what is continued for.
// RUN: tilec %s --emit=sm --target=sm_90a -o %t.sm.mlir && FileCheck %s --check-prefix=SM < %t.sm.mlir
// RUN: tilec %t.sm.mlir --emit=nvvm | FileCheck %s --check-prefix=NVVM
// SM: module attributes {sm.target = #sm.target<"sm_90a">, tile.phase = "sm"}
// NVVM: module attributes {sm.target_name = "sm_90a", tile.phase = "nvvm"}

// CHECK: module attributes {tile.phase = "tile"}
// CHECK-LABEL: tile.kernel @double
tile.kernel @double(%x: !tile.global<[N] x f32>, %y: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 64)) {
  %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
  %s = arith.addf %t, %t : tensor<64xf32>
  tile.store %s to %y[%n] : tensor<64xf32>, !tile.global<[N] x f32, out>, !tile.range<64 of N>
}
