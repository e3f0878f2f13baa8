// RUN: tile-opt %s --split-input-file --verify-diagnostics --sm-plan="remarks" | FileCheck %s

// A loop of products that gathers all operands: role "fetch" loads them, and "load" has no ring. Four CTAs
// share a multiprocessor.
// CHECK-LABEL: sm.kernel @gathered
// CHECK: plan<roles = [load : warps 2 registers 40 elected, fetch : warps 2 registers 40, math : warps 4 registers 88]
// CHECK-NEXT: rings = [x : slots 4 threads]
// CHECK: sm.load %x[{{.*}} {sm.plan_entry = "x"}

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#pieces = #sm.layout<"64x64 = register[8*(0,1) 4*(16,0)] lane[8*(0,8) 4*(1,0)] warp[4*(4,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!tile = tensor<64x64xbf16, #pieces>
!places = tensor<64xi32, #sm.layout<"64 = register[4*(16)] lane[8*(0) 4*(1)] warp[4*(4)]">>
sm.kernel @gathered(%x: !tile.global<[N, 64] x bf16>, %at: !tile.global<[K] x i32>, %y: !tile.global<[64, 16] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %K = tile.size K
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  %r = scf.for %i = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x16xf32, #acc>) {
    %rows = sm.load %at[%i] dims [0] limits(%K) : !tile.global<[K] x i32>, index -> !places
    %t = sm.load %x[%rows, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, !places, index -> !tile
    %a = sm.smem.store %t : !tile -> !a
    %d = sm.mma %a, %b, %sum : !a, !b, tensor<64x16xf32, #acc>
    scf.yield %d : tensor<64x16xf32, #acc>
  }
  sm.store %r to %y[%c0, %c0] dims [0, 1] limits(%c64, %c16) : tensor<64x16xf32, #acc>, !tile.global<[64, 16] x f32, out>, index, index
}

// -----
// A load that no other role can gather: the kernel stays one role, with a warning at the load.
// CHECK-LABEL: sm.kernel @filled
// CHECK-NOT: roles

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#pieces = #sm.layout<"64x64 = register[8*(0,1) 4*(16,0)] lane[8*(0,8) 4*(1,0)] warp[4*(4,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!tile = tensor<64x64xbf16, #pieces>
!places = tensor<64xi32, #sm.layout<"64 = register[4*(16)] lane[8*(0) 4*(1)] warp[4*(4)]">>
// expected-remark @below {{this kernel stays one role: it fetches nothing by tensor copies}}
sm.kernel @filled(%x: !tile.global<[N, 64] x bf16>, %at: !tile.global<[K] x i32>, %y: !tile.global<[64, 16] x f32, inout>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %K = tile.size K
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  %r = scf.for %i = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x16xf32, #acc>) {
    %rows = sm.load %at[%i] dims [0] limits(%K) : !tile.global<[K] x i32>, index -> !places
    // expected-warning @below {{kernel 'filled' is likely to be slow: its products wait for this load in each step of their loop, since what is not valid there is not zero [unstaged-load]}}
    %t = sm.load %x[%rows, %c0] dims [0, 1] limits(%N, %c64) fill(-1.0 : bf16) : !tile.global<[N, 64] x bf16>, !places, index -> !tile
    %a = sm.smem.store %t : !tile -> !a
    %d = sm.mma %a, %b, %sum : !a, !b, tensor<64x16xf32, #acc>
    scf.yield %d : tensor<64x16xf32, #acc>
  }
  // expected-remark @below {{this store is no tensor copy}}
  sm.store %r to %y[%c0, %c0] dims [0, 1] limits(%c64, %c16) : tensor<64x16xf32, #acc>, !tile.global<[64, 16] x f32, inout>, index, index
}

// -----
// The same, for a gather that does not fit its threads; the vector in the loop does not justify roles.
// CHECK-LABEL: sm.kernel @uneven
// CHECK-NOT: roles

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!row = tensor<32xf32, #sm.layout<"32 = register[2*(1) 4*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">>
!at = tensor<32xi32, #sm.layout<"32 = register[2*(1) 4*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">>
// expected-remark @below {{this kernel stays one role: no other role can load the rows that it gathers in a loop}}
sm.kernel @uneven(%s: !tile.global<[N, 32] x f32>, %y: !tile.global<[N, 32] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %at = arith.constant dense<0> : !at
  %a = sm.scratch : !a
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %d = sm.mma %a, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
    %l = sm.load %s[%i, %c0] dims [1] limits(%c32) : !tile.global<[N, 32] x f32>, index, index -> !row
    // expected-warning @below {{in each step of their loop, since 64 threads do not share the 32 pieces of its 32 rows evenly [unstaged-load]}}
    %g = sm.load %s[%i, %at] dims [1] limits(%c32) : !tile.global<[N, 32] x f32>, index, !at -> !row
    %t = arith.addf %l, %g : !row
    sm.store %t to %y[%i, %c0] dims [1] limits(%c32) : !row, !tile.global<[N, 32] x f32, out>, index, index
  }
}
