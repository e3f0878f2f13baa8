// RUN: tile-opt %s --tile-to-host -split-input-file -verify-diagnostics -o /dev/null
// RUN: not tile-opt %s --tile-to-host='lanes=6' -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=LANES
// LANES: error: expected the option 'lanes' of tile-to-host to be a power of two up to 64, got 6

// A kernel with an operation that has no lowering remains.
tile.kernel @insert(%x: f32) grid() {
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : tensor<4xf32>
  // expected-remark @+1 {{'tensor.insert' is not compiled for the processor; the kernel 'insert' runs in the interpreter}}
  %t = tensor.insert %x into %z[%c0] : tensor<4xf32>
}

// -----

tile.kernel @partial(%x: f32) grid() {
  %t = tensor.splat %x : tensor<16xf32>
  // expected-remark @+1 {{'tile.reduce' is not compiled for the processor}}
  %r = tile.reduce sum %t axis 0 keep 4 : tensor<16xf32> -> tensor<4xf32>
}

// -----

// In a loop, as well.
tile.kernel @nested(%n: index) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> tensor<16xf32> {
    // expected-remark @+1 {{'math.round' is not compiled for the processor}}
    %u = math.round %t : tensor<16xf32>
    scf.yield %u : tensor<16xf32>
  }
}
