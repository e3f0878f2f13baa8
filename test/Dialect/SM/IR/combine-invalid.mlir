// RUN: tile-opt %s -split-input-file -verify-diagnostics

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#other = #sm.layout<"128 = register[4*(1)] lane[32*(4)] warp[4*(0)]">
sm.kernel @layouts_c1() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  %w = arith.constant dense<0.0> : tensor<128xf32, #other>
  // expected-error @below {{'sm.scan_with' op expected sources of one layout, got}}
  %r:2 = sm.scan_with %z, %w axis 0 : (tensor<128xf32, #line>, tensor<128xf32, #other>) -> (tensor<128xf32, #line>, tensor<128xf32, #other>) {
  ^bb0(%a: f32, %x: f32, %b: f32, %y: f32):
    tile.yield %a, %x : f32, f32
  }
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @axis_c1() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.scan_with' op expected an axis from 0 to 0, got 1}}
  %r = sm.scan_with %z axis 1 : (tensor<128xf32, #line>) -> tensor<128xf32, #line> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#one = #sm.layout<"1 = lane[32*(0)] warp[4*(0)]">
sm.kernel @result_c2() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.reduce_with' op expected the result to be 'tensor<f32>' with a layout, got 'tensor<1xf32, }}
  %r = sm.reduce_with %z axis 0 : (tensor<128xf32, #line>) -> tensor<1xf32, #one> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#other = #sm.layout<"128 = register[4*(1)] lane[32*(4)] warp[4*(0)]">
sm.kernel @scan_result_c2() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.scan_with' op expected a result of}}
  %r = sm.scan_with %z axis 0 : (tensor<128xf32, #line>) -> tensor<128xf32, #other> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @region_c3() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.scan_with' op expected the combiner to have the arguments ('f32', 'f32'), got ('f32')}}
  %r = sm.scan_with %z axis 0 : (tensor<128xf32, #line>) -> tensor<128xf32, #line> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
}

// -----

#skewed = #sm.layout<"2x32 = register[2*(1,0)] lane[2*(1,1) 16*(0,2)] warp[4*(0,0)]">
sm.kernel @digits_c1() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<2x32xf32, #skewed>
  // expected-error @below {{'sm.scan_with' op expected a layout that numbers the positions on the axis by digits, got '}}
  %r = sm.scan_with %z axis 1 : (tensor<2x32xf32, #skewed>) -> tensor<2x32xf32, #skewed> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
}
