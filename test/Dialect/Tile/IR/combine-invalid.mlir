// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @sources_c1() grid() {
  // expected-error @below {{'tile.reduce_with' op expected a source}}
  "tile.reduce_with"() <{axis = 0 : i64}> ({
    "tile.yield"() : () -> ()
  }) : () -> ()
}

// -----

tile.kernel @axis_c1() grid() {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.reduce_with' op expected an axis from 0 to 0, got 1}}
  %r = tile.reduce_with %t axis 1 : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
}

// -----

tile.kernel @shapes_c1() grid() {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  %u = arith.constant dense<0.0> : tensor<8xf32>
  // expected-error @below {{'tile.scan_with' op expected sources of one shape, got 'tensor<4xf32>' and 'tensor<8xf32>'}}
  %r:2 = tile.scan_with %t, %u axis 0 : (tensor<4xf32>, tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  ^bb0(%a: f32, %x: f32, %b: f32, %y: f32):
    tile.yield %a, %x : f32, f32
  }
}

// -----

tile.kernel @results_c2() grid() {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.scan_with' op expected 1 results, got 2}}
  %r:2 = tile.scan_with %t axis 0 : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
}

// -----

tile.kernel @result_shape_c2() grid() {
  %t = arith.constant dense<0.0> : tensor<4x8xf32>
  // expected-error @below {{'tile.reduce_with' op expected a result of 'tensor<4xf32>', got 'tensor<8xf32>'}}
  %r = tile.reduce_with %t axis 1 : (tensor<4x8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
}

// -----

tile.kernel @arguments_c3() grid() {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.reduce_with' op expected the combiner to have the arguments ('f32', 'f32'), got ('f32', 'f16')}}
  %r = tile.reduce_with %t axis 0 : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f16):
    tile.yield %a : f32
  }
}

// -----

tile.kernel @values_c3() grid() {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  %r = tile.reduce_with %t axis 0 : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{'tile.yield' op expected values of ('f32'), got ('f32', 'f32')}}
    tile.yield %a, %b : f32, f32
  }
}

// -----

tile.kernel @terminator_c3() grid() {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'tile.reduce_with' op expected the combiner to end with 'tile.yield'}}
  %r = tile.reduce_with %t axis 0 : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
  }
}

// -----

tile.kernel @operations_c4() grid() {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  %r = tile.reduce_with %t axis 0 : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{'tensor.splat' op cannot combine elements; expected elementwise operations of arith and math, and tile.asm, on scalars}}
    %s = tensor.splat %a : tensor<4xf32>
    tile.yield %b : f32
  }
}

// -----

tile.kernel @several_results_c4() grid() {
  %t = arith.constant dense<0> : tensor<4xi32>
  %r = tile.reduce_with %t axis 0 : (tensor<4xi32>) -> tensor<i32> {
  ^bb0(%a: i32, %b: i32):
    // expected-error @below {{'arith.mulsi_extended' op cannot combine elements; expected elementwise operations of arith and math, and tile.asm, on scalars}}
    %low, %high = arith.mulsi_extended %a, %b : i32
    tile.yield %low : i32
  }
}

// -----

tile.kernel @isolated() grid() {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  %c = arith.constant 1.0 : f32
  // expected-note @below {{required by region isolation constraints}}
  %r = tile.reduce_with %t axis 0 : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{using value defined outside the region}}
    %s = arith.addf %a, %c : f32
    tile.yield %s : f32
  }
}
