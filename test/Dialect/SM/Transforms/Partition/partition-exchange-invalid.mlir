// RUN: tile-opt %s -sm-partition -split-input-file -verify-diagnostics -o /dev/null

// What a plan says of tiles that warpgroups exchange, and cannot be.

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @outside(%x: !tile.global<[M, 64] x bf16>, %n: index) grid() warps(8)
    plan<roles = [load : warps 4 registers 24 elected, math : warps 8 registers 232],
         rings = [x : slots 2 tma, e : slots 2 math]> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = sm.scratch : !q
  %zero = arith.constant dense<0.0> : !t
  %p = arith.constant dense<0.0> : !h
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%d = %zero) -> (!t) {
    %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) {sm.plan_entry = "x"} : !tile.global<[M, 64] x bf16>, index, index -> !k
    %e = sm.mma %a, %q, %d : !k, !q, !t
    scf.yield %e : !t
  }
  // expected-error @below {{'sm.smem.store' op cannot be exchanged by ring 'e' of the plan: no loop writes it}}
  %t = sm.smem.store %p {sm.plan_entry = "e"} : !h -> !k
  %d = sm.mma %t, %q, %zero : !k, !q, !t
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @read(%x: !tile.global<[M, 64] x bf16>, %n: index) grid() warps(8)
    plan<roles = [load : warps 4 registers 24 elected, math : warps 8 registers 232],
         rings = [x : slots 2 tma, e : slots 2 math]> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = sm.scratch : !q
  %zero = arith.constant dense<0.0> : !t
  %p = arith.constant dense<0.0> : !h
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%d = %zero) -> (!t) {
    %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) {sm.plan_entry = "x"} : !tile.global<[M, 64] x bf16>, index, index -> !k
    %e = sm.mma %a, %q, %d : !k, !q, !t
    scf.yield %e : !t
  }
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{cannot be exchanged by ring 'e' of the plan: others than products of its block take it}}
    %t = sm.smem.store %p {sm.plan_entry = "e"} : !h -> !k
    %d = sm.smem.load %t : !k -> !h
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @unused(%x: !tile.global<[M, 64] x bf16>, %n: index) grid() warps(8)
    plan<roles = [load : warps 4 registers 24 elected, math : warps 8 registers 232],
         rings = [x : slots 2 tma, e : slots 2 math]> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = sm.scratch : !q
  %zero = arith.constant dense<0.0> : !t
  %p = arith.constant dense<0.0> : !h
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%d = %zero) -> (!t) {
    %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) {sm.plan_entry = "x"} : !tile.global<[M, 64] x bf16>, index, index -> !k
    %e = sm.mma %a, %q, %d : !k, !q, !t
    scf.yield %e : !t
  }
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{cannot be exchanged by ring 'e' of the plan: nothing takes it}}
    %t = sm.smem.store %p {sm.plan_entry = "e"} : !h -> !k
  }
}

