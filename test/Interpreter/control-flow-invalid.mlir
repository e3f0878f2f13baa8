// Steps that make no progress, and programs that do not end.
// RUN: not tile-run %s --kernel loop --arg step=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not tile-run %s --kernel loop --arg step=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tile-run %s --kernel endless --step-limit=1000 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: not tile-run %s --kernel empty --step-limit=1000 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tile-run %s --kernel unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tile-run %s --kernel wide --arg x=1 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not tile-run %s --kernel blocks 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not tile-run %s --kernel rounding 2>&1 | FileCheck %s --check-prefix=ROUNDING
// RUN: not tile-run %s --kernel sparse 2>&1 | FileCheck %s --check-prefix=SPARSE

// ZERO: control-flow-invalid.mlir:[[#@LINE+6]]:3: error: the step of the loop is 0; expected a positive step
// NEGATIVE: error: the step of the loop is -1; expected a positive step
// NEGATIVE: note: in the only program of kernel 'loop'
tile.kernel @loop(%step: index) grid() {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %step {
  }
}

// ENDLESS: error: the step limit of 1000 executed operations is reached
tile.kernel @endless() grid() {
  %true = arith.constant true
  scf.while : () -> () {
    scf.condition(%true)
  } do {
    scf.yield
  }
}

// EMPTY: error: the step limit of 1000 executed operations is reached
tile.kernel @empty() grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = arith.constant 1000000000000 : index
  scf.for %i = %c0 to %c step %c1 {
  }
}

// What the interpreter does not know is found before anything runs.
// UNKNOWN: error: the interpreter does not know the operation 'tensor.concat'
tile.kernel @unknown() grid() {
  %a = arith.constant dense<1.0> : tensor<2xf32>
  %b = tensor.concat dim(0) %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
}

// WIDE: error: the interpreter does not know values of type 'i4'
tile.kernel @wide(%x: i8) grid() {
  %b = arith.trunci %x : i8 to i4
}

// BLOCKS: error: the interpreter does not know regions of several blocks
tile.kernel @blocks() grid() {
  scf.execute_region {
    scf.yield
  ^bb1:
    scf.yield
  }
}

// ROUNDING: error: the interpreter rounds to nearest even only
tile.kernel @rounding() grid() {
  %a = arith.constant 1.5 : f32
  %b = arith.truncf %a to_nearest_away : f32 to f16
}

// SPARSE: error: the interpreter does not know constants of this kind
tile.kernel @sparse() grid() {
  %a = arith.constant sparse<0, 1.0> : tensor<4xf32>
}
