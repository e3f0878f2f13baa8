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

// -----

sm.kernel @event_value() grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-error @below {{'arith.constant' op expected 'sm.schedule' to be a schedule, got 3 : i64}}
    %c = arith.constant {sm.schedule = 3 : i64} 2 : index
  }
}

// -----

sm.kernel @event_outside() grid() warps(4) {
  // expected-error @below {{'arith.constant' op cannot have 'sm.schedule'; ops in the body of an scf.for have it}}
  %c0 = arith.constant {sm.schedule = #sm.schedule<0, 0>} 0 : index
}

// -----

sm.kernel @event_in_condition(%c: i1) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    scf.if %c {
      // expected-error @below {{'arith.constant' op cannot have 'sm.schedule'; ops in the body of an scf.for have it}}
      %c2 = arith.constant {sm.schedule = #sm.schedule<0, 0>} 2 : index
    }
  }
}

// -----

sm.kernel @event_stage() grid() warps(4) {
  // expected-error @below {{expected stage 0 or 1, got 2}}
  %c0 = arith.constant {sm.schedule = #sm.schedule<2, 0>} 0 : index
}

// -----

sm.kernel @event_before_all() grid() warps(4) {
  // expected-error @below {{expected stage 0 or 1, got -1}}
  %c0 = arith.constant {sm.schedule = #sm.schedule<-1, 0>} 0 : index
}

// -----

sm.kernel @event_order() grid() warps(4) {
  // expected-error @below {{expected an order from 0 up, got -1}}
  %c0 = arith.constant {sm.schedule = #sm.schedule<0, -1>} 0 : index
}

// -----

sm.kernel @after_loop() grid() warps(4) {
  // expected-error @below {{'arith.constant' op cannot have 'sm.after_loop'; an sm.mma.await in the body of an scf.for has it}}
  %c0 = arith.constant {sm.after_loop} 0 : index
}

// -----

// expected-error @below {{'sm.kernel' op cannot have 'sm.aligned'; loads and stores have it}}
sm.kernel @aligned_kernel() grid() warps(4) attributes {sm.aligned} {
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @aligned_value(%x: !tile.global<[128] x f32>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'sm.load' op expected 'sm.aligned' to be a unit attribute, got 16 : i64}}
  %t = sm.load %x[%c0] dims [0] limits(%c0) {sm.aligned = 16} : !tile.global<[128] x f32>, index -> tensor<128xf32, #line>
}
