// RUN: tile-opt %s -split-input-file -verify-diagnostics

// The attributes of the dialect that are of no op alone.

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @variant_of_op() grid() warps(4) {
  // expected-error @below {{'arith.constant' op cannot have 'sm.variant_of'; kernels have it}}
  %z = arith.constant {sm.variant_of = "k"} dense<0.0> : tensor<128xf32, #line>
}

// -----

// expected-error @below {{'sm.kernel' op expected 'sm.variant_of' to be the name of a kernel, got @k}}
sm.kernel @variant_of_symbol() grid() warps(4) attributes {sm.variant_of = @k} {
}

// -----

// expected-error @below {{'sm.kernel' op expected 'sm.variant_of' to be the name of a kernel, got ""}}
sm.kernel @variant_of_empty() grid() warps(4) attributes {sm.variant_of = ""} {
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @scratch_op() grid() warps(4) {
  // expected-error @below {{'arith.constant' op cannot have 'sm.scratch_address'; conversions, reductions, scans and tensor stores have it}}
  %z = arith.constant {sm.scratch_address = 0 : i64} dense<0.0> : tensor<128xf32, #line>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#other = #sm.layout<"128 = lane[32*(4)] warp[4*(1)]">
sm.kernel @scratch_type() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.convert' op expected 'sm.scratch_address' to be an i64 in multiples of 16 bytes, got 0 : i32}}
  %c = sm.convert %z {sm.scratch_address = 0 : i32} : tensor<128xf32, #line> -> tensor<128xf32, #other>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#other = #sm.layout<"128 = lane[32*(4)] warp[4*(1)]">
sm.kernel @scratch_negative() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.convert' op expected 'sm.scratch_address' to be an i64 in multiples of 16 bytes, got -16}}
  %c = sm.convert %z {sm.scratch_address = -16 : i64} : tensor<128xf32, #line> -> tensor<128xf32, #other>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#other = #sm.layout<"128 = lane[32*(4)] warp[4*(1)]">
sm.kernel @scratch_aligned() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.convert' op expected 'sm.scratch_address' to be an i64 in multiples of 16 bytes, got 8}}
  %c = sm.convert %z {sm.scratch_address = 8 : i64} : tensor<128xf32, #line> -> tensor<128xf32, #other>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#other = #sm.layout<"128 = lane[32*(4)] warp[4*(1)]">
sm.kernel @scratch_room() grid() warps(4) form(expanded) shared(512) {
  %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  // expected-error @below {{'sm.convert' op has its scratch memory at address 512, but the kernel has 512 bytes of shared memory}}
  %c = sm.convert %z {sm.scratch_address = 512 : i64} : tensor<128xf32, #line> -> tensor<128xf32, #other>
}

// -----

// expected-error @below {{'sm.kernel' op cannot have 'sm.target'; the module around the kernels has it}}
sm.kernel @target_of_kernel() grid() warps(4) attributes {sm.target = #sm.target<"sm_90a">} {
}

// -----

// expected-error @below {{'builtin.module' op expected 'sm.target' to be an '#sm.target', got "sm_90a"}}
module attributes {sm.target = "sm_90a"} {
}

// -----

// expected-error @below {{expected the name of a target, got 'sm_80'; there is sm_90a}}
module attributes {sm.target = #sm.target<"sm_80">} {
}
