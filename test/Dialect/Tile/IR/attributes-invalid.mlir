// RUN: tile-opt %s -split-input-file -verify-diagnostics

// The attributes of the dialect that are of no op of it.

// expected-error @below {{'builtin.module' op expected 'tile.phase' to be the name of a phase, got 3 : i64}}
module attributes {tile.phase = 3} {
}

// -----

// expected-error @below {{'tile.kernel' op cannot have 'tile.phase'; the module around the kernels has it}}
tile.kernel @phase_of_kernel() grid() attributes {tile.phase = "tile"} {
}

// -----

tile.kernel @peeled() grid() {
  // expected-error @below {{'arith.constant' op cannot have 'tile.peeled' = unit; it marks loops, and has no value}}
  %c = arith.constant {tile.peeled} 0 : index
}

// -----

tile.kernel @peeled_value() grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' op cannot have 'tile.peeled' = true; it marks loops, and has no value}}
  scf.for %i = %c0 to %c1 step %c1 {
  } {tile.peeled = true}
}

// -----

tile.kernel @trips_of_constant() grid() {
  // expected-error @below {{'arith.constant' op cannot have 'tile.max_trip_count'; loops have iterations}}
  %c = arith.constant {tile.max_trip_count = 1 : i64} 0 : index
}

// -----

tile.kernel @no_trip() grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' op expected 'tile.max_trip_count' to be an i64 of at least 1, got 0 : i64}}
  scf.for %i = %c0 to %c1 step %c1 {
  } {tile.max_trip_count = 0 : i64}
}

// -----

// expected-error @below {{'tile.kernel' op expected 'tile.unsigned_params' to be numbers of parameters that are integers, got array<i64: 1>}}
tile.kernel @no_parameter(%a: i32) grid() attributes {tile.unsigned_params = array<i64: 1>} {
}

// -----

// expected-error @below {{'tile.kernel' op expected 'tile.unsigned_params' to be numbers of parameters that are integers, got array<i64: 0>}}
tile.kernel @float_parameter(%a: f32) grid() attributes {tile.unsigned_params = array<i64: 0>} {
}

// -----

// expected-error @below {{'tile.kernel' op expected 'tile.unsigned_params' to be numbers of parameters that are integers, got [0]}}
tile.kernel @array(%a: i32) grid() attributes {tile.unsigned_params = [0]} {
}

// -----

// expected-error @below {{'builtin.module' op cannot have 'tile.unsigned_params'; kernels have parameters}}
module attributes {tile.unsigned_params = array<i64: 0>} {
}

// -----

tile.kernel @guarded_loop() grid() {
  // expected-error @below {{'arith.constant' op cannot have 'tile.guarded_masks' = unit; it marks branches with results, and has no value}}
  %c = arith.constant {tile.guarded_masks} 0 : index
}

// -----

tile.kernel @guarded_work(%n: index) grid() {
  %c0 = arith.constant 0 : index
  %more = arith.cmpi sge, %n, %c0 : index
  // expected-error @below {{'scf.if' op with 'tile.guarded_masks' must yield values from outside where its condition holds}}
  %r = scf.if %more -> (index) {
    %sum = arith.addi %n, %n : index
    scf.yield %sum : index
  } else {
    scf.yield %c0 : index
  } {tile.guarded_masks}
}
