// RUN: tile-opt %s -sm-tma-stores -split-input-file -verify-diagnostics -o /dev/null

// What a plan says and cannot be.

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @read(%y: !tile.global<[M, 64] x f32, inout>) grid() warps(4)
    plan<stores = [y : buffers 1]> {
  %c0 = arith.constant 0 : index
  %M = tile.size M
  %c64 = arith.constant 64 : index
  %t = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  // expected-error @below {{'sm.store' op cannot leave by tensor copies, as store 'y' of the plan says: the kernel may read the tensor that it writes}}
  sm.store %t to %y[%c0, %c0] dims [0, 1] limits(%M, %c64) {sm.plan_entry = "y"} : tensor<64x64xf32, #acc>, !tile.global<[M, 64] x f32, inout>, index, index
}

// -----

#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
sm.kernel @row(%y: !tile.global<[M] x f32, out>) grid() warps(4)
    plan<stores = [y : buffers 1]> {
  %c0 = arith.constant 0 : index
  %M = tile.size M
  %t = arith.constant dense<1.0> : tensor<64xf32, #row>
  // expected-error @below {{'sm.store' op cannot leave by tensor copies, as store 'y' of the plan says: it writes no accumulator}}
  sm.store %t to %y[%c0] dims [0] limits(%M) {sm.plan_entry = "y"} : tensor<64xf32, #row>, !tile.global<[M] x f32, out>, index
}

// -----

// Threads hold what ends early, and the role of the ring has none of it.

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @handed(%x: !tile.global<[M, 64] x bf16>, %y: !tile.global<[M, 64] x f32, inout>, %end: index) grid() warps(4)
    plan<roles = [load : warps 3 registers 24 elected, store : warps 1 registers 24 elected, math : warps 4 registers 240],
         rings = [x : slots 1 tma], stores = [y : slots 1 store], rest = 0> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %s = sm.fetch %x[%c0, %c0] dims [0, 1] limits(%M, %c64) {sm.plan_entry = "x"} : !tile.global<[M, 64] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
  %t = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  // expected-error @below {{'sm.atomic' op cannot leave by tensor copies, as store 'y' of the plan says: it may end before the tensor does, and another role has no registers of the tile}}
  sm.atomic add %t to %y[%c0, %c0] dims [0, 1] limits(%end, %c64) {sm.plan_entry = "y"} : tensor<64x64xf32, #acc>, !tile.global<[M, 64] x f32, inout>, index, index
}
