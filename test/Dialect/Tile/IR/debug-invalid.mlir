// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @check_c1() grid() {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.check' op expected a condition of i1, got 'tensor<4xf32>'}}
  tile.check %t, "message" : tensor<4xf32>
}

// -----

tile.kernel @print_c1() grid() {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.print' op expected one entry of 'unsigned' for each of 1 values, got 2}}
  tile.print "text" %t unsigned [false, true] : tensor<4xf32>
}

// -----

// expected-error @below {{'tile.kernel' op expected 'tile.reports' to be a text, and the last parameter to be a vector of i64 that is read and written}}
tile.kernel @reports(%x: !tile.global<[N] x f32, inout>) grid() attributes {tile.reports = "{}"} {
}

// -----

tile.kernel @reports() grid() {
  // expected-error @below {{'tile.barrier' op cannot have 'tile.reports'; kernels have parameters}}
  tile.barrier {tile.reports = "{}"}
}
