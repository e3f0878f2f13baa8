// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-privatize-atomics{remarks}))' -split-input-file -verify-diagnostics -o %t
// RUN: FileCheck %s --input-file %t --implicit-check-not=sm.smem.atomic
// CHECK: sm.kernel

#line = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
!tile = tensor<256xi32, #line>
sm.kernel @uses_old(%y: !tile.global<[64] x i32, inout>, %n: index) grid() warps(4) {
  %p = arith.constant dense<5> : !tile
  // expected-remark @below {{these atomic operations go to global memory: the kernel uses elements before an operation [atomic-in-global-memory]}}
  %old = sm.atomic add %p to %y[%p] dims [0] limits(%n) : !tile, !tile.global<[64] x i32, inout>, !tile -> !tile
}

// -----

#line = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
!tile = tensor<256xi32, #line>
sm.kernel @exchanges(%y: !tile.global<[64] x i32, inout>, %n: index) grid() warps(4) {
  %p = arith.constant dense<5> : !tile
  // expected-remark @below {{these atomic operations go to global memory: their order matters [atomic-in-global-memory]}}
  sm.atomic exchange %p to %y[%p] dims [0] limits(%n) : !tile, !tile.global<[64] x i32, inout>, !tile
}

// -----

#line = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
!tile = tensor<256xi32, #line>
sm.kernel @releases(%y: !tile.global<[64] x i32, inout>, %n: index) grid() warps(4) {
  %p = arith.constant dense<5> : !tile
  // expected-remark @below {{these atomic operations go to global memory: they order other accesses [atomic-in-global-memory]}}
  sm.atomic add %p to %y[%p] dims [0] order release limits(%n) : !tile, !tile.global<[64] x i32, inout>, !tile
}

// -----

#line = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
!tile = tensor<256xi32, #line>
sm.kernel @floats(%y: !tile.global<[64] x f32, inout>, %n: index) grid() warps(4) {
  %p = arith.constant dense<5> : !tile
  %f = arith.constant dense<1.0> : tensor<256xf32, #line>
  // expected-remark @below {{these atomic operations go to global memory: their order matters [atomic-in-global-memory]}}
  sm.atomic add %f to %y[%p] dims [0] limits(%n) : tensor<256xf32, #line>, !tile.global<[64] x f32, inout>, !tile
}

// -----

#line = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
!tile = tensor<256xi32, #line>
// There is no remark of positions of ranges and scalars.
sm.kernel @range(%y: !tile.global<[64] x i32, inout>, %n: index) grid() warps(4) {
  %p = arith.constant dense<5> : !tile
  sm.atomic add %p to %y[%n] dims [0] limits(%n) : !tile, !tile.global<[64] x i32, inout>, index
}

// -----

#line = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
!tile = tensor<256xi32, #line>
sm.kernel @scalar(%y: !tile.global<[64] x i32, inout>, %n: index) grid() warps(4) {
  %p = arith.constant dense<5> : !tile
  %one = arith.constant 1 : i32
  sm.atomic add %one to %y[%n] dims [] : i32, !tile.global<[64] x i32, inout>, index
}

// -----

#line = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
!tile = tensor<256xi32, #line>
sm.kernel @unknown_extent(%y: !tile.global<[K] x i32, inout>, %n: index) grid() warps(4) {
  %p = arith.constant dense<5> : !tile
  // expected-remark @below {{these atomic operations go to global memory: an extent of the tensor is not known at compile time [atomic-in-global-memory]}}
  sm.atomic add %p to %y[%p] dims [0] limits(%n) : !tile, !tile.global<[K] x i32, inout>, !tile
}

// -----

#line = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
!tile = tensor<256xi32, #line>
sm.kernel @large(%y: !tile.global<[100000] x i32, inout>, %n: index) grid() warps(4) {
  %p = arith.constant dense<5> : !tile
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
  // expected-remark @below {{these atomic operations go to global memory: the tensor is too large for shared memory [atomic-in-global-memory]}}
  sm.atomic add %p to %y[%p] dims [0] limits(%n) : !tile, !tile.global<[100000] x i32, inout>, !tile
  }
}

// -----

#line = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
!tile = tensor<256xi32, #line>
sm.kernel @few_changes(%y: !tile.global<[1000] x i32, inout>, %n: index) grid() warps(4) {
  %p = arith.constant dense<5> : !tile
  // expected-remark @below {{these atomic operations go to global memory: a CTA changes fewer elements than the tensor has [atomic-in-global-memory]}}
  sm.atomic add %p to %y[%p] dims [0] limits(%n) : !tile, !tile.global<[1000] x i32, inout>, !tile
}

// -----

#line = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
!tile = tensor<256xi32, #line>
sm.kernel @no_room(%y: !tile.global<[64] x i32, inout>, %n: index) grid() warps(4) {
  %p = arith.constant dense<5> : !tile
  %s = sm.scratch : !sm.smem<232320xi8>
  // expected-remark @below {{these atomic operations go to global memory: shared memory has no room for another 256 bytes [atomic-in-global-memory]}}
  sm.atomic add %p to %y[%p] dims [0] limits(%n) : !tile, !tile.global<[64] x i32, inout>, !tile
}

// -----

// There is no remark of tensors that are read as well.
#line = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
!tile = tensor<256xi32, #line>
sm.kernel @loads(%y: !tile.global<[64] x i32, inout>, %n: index) grid() warps(4) {
  %p = arith.constant dense<5> : !tile
  sm.atomic add %p to %y[%p] dims [0] limits(%n) : !tile, !tile.global<[64] x i32, inout>, !tile
  sm.barrier
  %t = sm.load %y[%p] dims [0] limits(%n) : !tile.global<[64] x i32, inout>, !tile -> !tile
}

// -----

#line = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
!tile = tensor<256xi32, #line>
sm.kernel @two_roles(%y: !tile.global<[64] x i32, inout>, %n: index) grid() warps(8) {
  sm.role "one" warps(4) {
    %p = arith.constant dense<5> : !tile
    sm.atomic add %p to %y[%p] dims [0] limits(%n) : !tile, !tile.global<[64] x i32, inout>, !tile
  }
  sm.role "two" warps(4) {
    %p = arith.constant dense<5> : !tile
    // expected-remark @below {{these atomic operations go to global memory: several roles execute them [atomic-in-global-memory]}}
    sm.atomic add %p to %y[%p] dims [0] limits(%n) : !tile, !tile.global<[64] x i32, inout>, !tile
  }
}
