// RUN: tile-opt %s -split-input-file -verify-diagnostics

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @indices_c1(%i: index) grid() warps(4) {
  // expected-error @below {{'sm.indices' op expected the result to be a tile of rank 1 of i32, got 'tensor<128xi64}}
  %t = sm.indices %i : tensor<128xi64, #line>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#one = #sm.layout<"1 = lane[32*(0)] warp[4*(0)]">
sm.kernel @reduce_axis_c1() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.reduce' op expected an axis from 0 to 0, got 1}}
  %m = sm.reduce max %z axis 1 : tensor<128xf32, #line> -> tensor<1xf32, #one>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#one = #sm.layout<"1 = lane[32*(0)] warp[4*(0)]">
sm.kernel @reduce_element_c1() grid() warps(4) {
  %z = arith.constant dense<true> : tensor<128xi1, #line>
  // expected-error @below {{'sm.reduce' op cannot reduce elements of i1}}
  %m = sm.reduce max %z axis 0 keep 1 : tensor<128xi1, #line> -> tensor<1xi1, #one>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#one = #sm.layout<"1 = lane[32*(0)] warp[4*(0)]">
sm.kernel @reduce_keep_c1() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.reduce' op expected 'keep' to divide the extent 128, got 3}}
  %m = sm.reduce max %z axis 0 keep 3 : tensor<128xf32, #line> -> tensor<1xf32, #one>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#one = #sm.layout<"1 = lane[32*(0)] warp[4*(0)]">
sm.kernel @reduce_shape_c1() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.reduce' op expected the result to be 'tensor<2xf32>' with a layout, got 'tensor<1xf32}}
  %m = sm.reduce max %z axis 0 keep 2 : tensor<128xf32, #line> -> tensor<1xf32, #one>
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = lane[32*(1)] warp[2*(32) 2*(0)]">
sm.kernel @reduce_layout_c2() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  // expected-error @below {{'sm.reduce' op expected a result of layout '64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]', got '64 = lane[32*(1)] warp[2*(32) 2*(0)]'}}
  %m = sm.reduce max %z axis 1 : tensor<64x16xf32, #acc> -> tensor<64xf32, #row>
}

// -----

#line = #sm.layout<"96 = register[3*(1)] lane[32*(3)] warp[4*(0)]">
#two = #sm.layout<"2 = register[2*(1)] lane[32*(0)] warp[4*(0)]">
sm.kernel @reduce_keep_layout_c2() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<96xf32, #line>
  // expected-error @below {{'sm.reduce' op has no layout for its result: a thread's elements along the axis do not repeat every 2}}
  %m = sm.reduce max %z axis 0 keep 2 : tensor<96xf32, #line> -> tensor<2xf32, #two>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @scan_axis_c1() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.scan' op expected an axis from 0 to 0, got -1}}
  %m = sm.scan sum %z axis -1 : tensor<128xf32, #line>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @scan_element() grid() warps(4) {
  %z = arith.constant dense<true> : tensor<128xi1, #line>
  // expected-error @below {{'sm.scan' op cannot scan elements of i1}}
  %m = sm.scan sum %z axis 0 : tensor<128xi1, #line>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#column = #sm.layout<"128x1 = lane[32*(1,0)] warp[4*(32,0)]">
sm.kernel @expand_shape_c1() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.expand_dims' op expected the result to be 'tensor<1x128xf32>' with a layout, got 'tensor<128x1xf32}}
  %e = sm.expand_dims %z axis 0 : tensor<128xf32, #line> -> tensor<128x1xf32, #column>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#other = #sm.layout<"128x1 = register[4*(1,0)] lane[32*(4,0)] warp[4*(0,0)]">
sm.kernel @expand_layout_c2() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.expand_dims' op expected a result of layout '128x1 = lane[32*(1,0)] warp[4*(32,0)]', got '128x1 = register[4*(1,0)] lane[32*(4,0)] warp[4*(0,0)]'}}
  %e = sm.expand_dims %z axis 1 : tensor<128xf32, #line> -> tensor<128x1xf32, #other>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#half = #sm.layout<"64 = lane[32*(1)] warp[2*(32) 2*(0)]">
sm.kernel @broadcast_shape_c1() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<64xf32, #half>
  // expected-error @below {{'sm.broadcast' op cannot repeat 'tensor<64xf32, #sm.layout<"64 = lane[32*(1)] warp[2*(32) 2*(0)]">>' to 'tensor<128xf32}}
  %b = sm.broadcast %z : tensor<64xf32, #half> -> tensor<128xf32, #line>
}

// -----

#column = #sm.layout<"128x1 = lane[32*(1,0)] warp[4*(32,0)]">
#wide = #sm.layout<"128x4 = register[4*(1,0)] lane[32*(4,0)] warp[4*(0,1)]">
sm.kernel @broadcast_layout_c2() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128x1xf32, #column>
  // expected-error @below {{'sm.broadcast' op expected each thread to hold the source of its elements; convert the operand first}}
  %b = sm.broadcast %z : tensor<128x1xf32, #column> -> tensor<128x4xf32, #wide>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @transpose_rank_c1() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.transpose' op expected a tile of rank 2, got 'tensor<128xf32}}
  %b = sm.transpose %z : tensor<128xf32, #line> -> tensor<128xf32, #line>
}

// -----

#a = #sm.layout<"32x8 = lane[32*(1,0)] warp[4*(0,2)] register[2*(0,1)]">
#t = #sm.layout<"8x32 = lane[32*(0,1)] warp[4*(1,0)] register[2*(4,0)]">
sm.kernel @transpose_layout_c1() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<32x8xf32, #a>
  // expected-error @below {{'sm.transpose' op expected a result of layout}}
  %b = sm.transpose %z : tensor<32x8xf32, #a> -> tensor<8x32xf32, #t>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @rearrange_c1() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.rearrange' op expected numbers of elements from 0 to 127, got 0 to 254}}
  %b = sm.rearrange %z by [2] : (tensor<128xf32, #line>) -> tensor<128xf32, #line>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#half = #sm.layout<"64 = lane[32*(1)] warp[2*(32) 2*(0)]">
sm.kernel @convert_c1() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.convert' op expected operand and result to differ in their layout only, got}}
  %b = sm.convert %z : tensor<128xf32, #line> -> tensor<64xf32, #half>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @any_c1(%i: index) grid() warps(4) {
  %z = sm.indices %i : tensor<128xi32, #line>
  // expected-error @below {{'sm.any' op expected elements of i1, got 'tensor<128xi32}}
  %a = sm.any %z : tensor<128xi32, #line>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @any_c2() grid() warps(4) {
  %z = arith.constant dense<true> : tensor<128xi1, #line>
  // expected-note @below {{the vote of each warp}}
  %a = sm.any %z : tensor<128xi1, #line>
  scf.if %a {
    // expected-error @below {{'sm.barrier' op meets other warps, which may have voted otherwise}}
    sm.barrier
  }
}

// -----

// What is computed from a vote is one as well.

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @any_c2_computed(%c: i1) grid() warps(4) {
  %z = arith.constant dense<true> : tensor<128xi1, #line>
  // expected-note @below {{the vote of each warp}}
  %a = sm.any %z : tensor<128xi1, #line>
  %b = arith.xori %a, %c : i1
  scf.if %b {
    // expected-error @below {{'sm.barrier' op meets other warps, which may have voted otherwise}}
    sm.barrier
  }
}
