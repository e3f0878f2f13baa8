// RUN: tile-opt %s --convert-sm-to-nvvm --split-input-file --verify-diagnostics -o /dev/null

// expected-error @+1 {{is in the scheduled form, expected the fenced one, of sm-place-fences}}
sm.kernel @scheduled() grid() warps(4) form(scheduled) {
}

// -----

// expected-error @+1 {{cannot be launched: metadata of kernel 'large': shared memory of 1000000000 bytes is none}}
sm.kernel @large() grid() warps(4) form(fenced) shared(1000000000) {
}

// -----

// expected-error @+1 {{has a wrong 'tile.reports': }}
sm.kernel @reports(%r: !tile.global<[64] x i64, inout>) grid() warps(4) form(fenced) attributes {tile.reports = "{"} {
}

// -----

// expected-error @+1 {{cannot be launched: metadata of kernel 'reports': the text of a check has control characters}}
sm.kernel @reports(%r: !tile.global<[64] x i64, inout>) grid() warps(4) form(fenced) attributes {tile.reports = "{\22axes\22:[],\22checks\22:[{\22text\22:\22\\t\22}],\22prints\22:[]}"} {
}

// -----

sm.kernel @endless(%n: index) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %most = arith.constant 9223372036854775807 : i64
  // expected-error @+1 {{this loop has no exit that the GPU could take, and would run 2^63 times; expected a condition that an iteration changes}}
  %r = scf.for %i = %c0 to %most step %c1 iter_args(%k = %c0) -> (i64) : i64 {
    %next = arith.addi %k, %c1 : i64
    scf.yield %next : i64
  }
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#other = #sm.layout<"128 = lane[32*(4)] warp[4*(1)]">
sm.kernel @scratch(%y: !tile.global<[128] x f32, out>) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant dense<1.0> : tensor<128xf32, #line>
  // expected-error @+2 {{goes through shared memory but has no 'sm.scratch_address'; run sm-allocate-smem before}}
  // expected-error @+1 {{failed to legalize}}
  %s = sm.convert %one : tensor<128xf32, #line> -> tensor<128xf32, #other>
  sm.store %s to %y[%c0] dims [0] limits(%c128) : tensor<128xf32, #other>, !tile.global<[128] x f32, out>, index
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @function(%x: !tile.global<[128] x f32>, %y: !tile.global<[128] x f32, out>) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %one = sm.load %x[%c0] dims [0] limits(%c128) : !tile.global<[128] x f32>, index -> tensor<128xf32, #line>
  // expected-error @+2 {{on 'f32' has no instruction on this target; write it with exp2, log2 and arithmetic}}
  // expected-error @+1 {{failed to legalize}}
  %s = math.asinh %one : tensor<128xf32, #line>
  sm.store %s to %y[%c0] dims [0] limits(%c128) : tensor<128xf32, #line>, !tile.global<[128] x f32, out>, index
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @wide_function(%x: !tile.global<[128] x f64>, %y: !tile.global<[128] x f64, out>) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %one = sm.load %x[%c0] dims [0] limits(%c128) : !tile.global<[128] x f64>, index -> tensor<128xf64, #line>
  // expected-error @+2 {{on 'f64' has no instruction on this target; convert its operands to f32}}
  // expected-error @+1 {{failed to legalize}}
  %s = math.exp %one : tensor<128xf64, #line>
  sm.store %s to %y[%c0] dims [0] limits(%c128) : tensor<128xf64, #line>, !tile.global<[128] x f64, out>, index
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @extract(%x: !tile.global<[128] x f32>, %y: !tile.global<[128] x f32, out>) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %one = sm.load %x[%c0] dims [0] limits(%c128) : !tile.global<[128] x f32>, index -> tensor<128xf32, #line>
  // expected-error @+2 {{takes one element out of a tile that threads share; reduce it instead}}
  // expected-error @+1 {{failed to legalize}}
  %s = tensor.extract %one[%c0] : tensor<128xf32, #line>
  sm.store %s to %y[%c0] dims [] : f32, !tile.global<[128] x f32, out>, index
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#other = #sm.layout<"128 = lane[32*(4)] warp[4*(1)]">
sm.kernel @gather(%x: !tile.global<[M] x f32>, %y: !tile.global<[M] x f32, out>, %n: index) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : index
  %m = tile.size M
  %i = sm.indices %n : tensor<128xi32, #other>
  // expected-error @+2 {{gathers by a tile whose layout is not that of the result's rows}}
  // expected-error @+1 {{failed to legalize}}
  %s = sm.load %x[%i] dims [0] limits(%m) : !tile.global<[M] x f32>, tensor<128xi32, #other> -> tensor<128xf32, #line>
  sm.store %s to %y[%c0] dims [0] limits(%m) : tensor<128xf32, #line>, !tile.global<[M] x f32, out>, index
}

// -----

// Thread 0 finds the source of register 1 in its register 1, thread 1 in its register 0.

#from = #sm.layout<"2x1 = register[2*(1,0)] lane[2*(1,0) 16*(0,0)] warp[4*(0,0)]">
#to = #sm.layout<"2x8 = register[2*(1,0) 8*(0,1)] lane[32*(0,0)] warp[4*(0,0)]">
sm.kernel @toggled(%x: !tile.global<[2, 1] x f32>, %y: !tile.global<[2, 8] x f32, out>) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %s = sm.load %x[%c0, %c0] dims [0, 1] limits(%c2, %c1) : !tile.global<[2, 1] x f32>, index, index -> tensor<2x1xf32, #from>
  // expected-error @+2 {{has a thread ask for an element that it does not hold}}
  // expected-error @+1 {{failed to legalize}}
  %b = sm.broadcast %s : tensor<2x1xf32, #from> -> tensor<2x8xf32, #to>
  sm.store %b to %y[%c0, %c0] dims [0, 1] limits(%c2, %c8) : tensor<2x8xf32, #to>, !tile.global<[2, 8] x f32, out>, index, index
}

// -----

#wide = #sm.layout<"257 = register[257*(1)] lane[32*(0)] warp[4*(0)]">
sm.kernel @table(%y: !tile.global<[257] x i32, out>) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : index
  %c257 = arith.constant 257 : index
  // expected-error @+2 {{has 257 different elements, at most 256 can be written into the code; load them from a parameter}}
  // expected-error @+1 {{failed to legalize}}
  %t = arith.constant dense<"0x0100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<257xi32, #wide>
  sm.store %t to %y[%c0] dims [0] limits(%c257) : tensor<257xi32, #wide>, !tile.global<[257] x i32, out>, index
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @region(%x: !tile.global<[128] x f32>, %y: !tile.global<[128] x f32, out>) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %r = scf.execute_region -> tensor<128xf32, #line> {
    // expected-error @+1 {{cannot be lowered: a value of type 'f32' is used as 'tensor<128xf32, #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">>'}}
    %t = sm.load %x[%c0] dims [0] limits(%c128) : !tile.global<[128] x f32>, index -> tensor<128xf32, #line>
    scf.yield %t : tensor<128xf32, #line>
  }
  sm.store %r to %y[%c0] dims [0] limits(%c128) : tensor<128xf32, #line>, !tile.global<[128] x f32, out>, index
}

// -----

#skewed = #sm.layout<"128x512 = register[2*(1,0) 16*(0,32) 16*(8,0)] lane[2*(1,1) 16*(0,2)] warp[4*(2,0)]">
sm.kernel @scan(%x: !tile.global<[128, 512] x f32>, %y: !tile.global<[128, 512] x f32, out>) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%c128, %c512) : !tile.global<[128, 512] x f32>, index, index -> tensor<128x512xf32, #skewed>
  // expected-warning @+5 {{likely to be slow: it needs about 1343 registers of each thread here, of 255}}
  // expected-note @+4 {{512 for 128x512 f32}}
  // expected-note @+3 {{tiles of 1/8 of that fit better}}
  // expected-error @+2 {{takes 41472 accesses of each thread to memory, expected at most 16384 where the layout does not number positions by digits of registers, lanes and warps; use a smaller tile}}
  // expected-error @+1 {{failed to legalize}}
  %s = sm.scan sum %t axis 1 {sm.scratch_address = 0 : i64} : tensor<128x512xf32, #skewed>
  sm.store %s to %y[%c0, %c0] dims [0, 1] limits(%c128, %c512) : tensor<128x512xf32, #skewed>, !tile.global<[128, 512] x f32, out>, index, index
}
