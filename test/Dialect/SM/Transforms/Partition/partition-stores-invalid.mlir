// RUN: tile-opt %s -sm-partition -split-input-file -verify-diagnostics -o /dev/null

// What a plan says of stores by a role, and cannot be.

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!y = !tile.global<[M, 128, 64] x f32, inout>
sm.kernel @position(%k: !tile.global<[M, 64] x bf16>, %y: !y, %x: !tile.global<[M, 128] x f32, inout>, %n: index) grid() warps(8)
    plan<roles = [load : warps 3 registers 40 elected, store : warps 1 registers 40 elected, math : warps 8 registers 232],
         rings = [k : slots 2 tma], stores = [y : slots 1 store]> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %t = arith.constant dense<1.0> : !t
  %M = tile.size M
  %b = sm.scratch : !b
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%d = %t) -> (!t) {
    %a = sm.fetch %k[%i, %c0] dims [0, 1] limits(%M, %c64) {sm.plan_entry = "k"} : !tile.global<[M, 64] x bf16>, index, index -> !a
    %e = sm.mma %a, %b, %d : !a, !b, !t
    scf.yield %e : !t
  }
  %l = sm.load %x[%c0, %c0] dims [] : !tile.global<[M, 128] x f32, inout>, index, index -> f32
  %f = arith.fptosi %l : f32 to i32
  %j = arith.index_cast %f : i32 to index
  // expected-error @below {{cannot leave by store 'y' of the plan: its position or whether it is done depends on what the kernel writes}}
  sm.tma.store %s to %y[%j, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 1 add {sm.plan_entry = "y"} : !t, !y, index, index, index
}
