// RUN: tile-opt %s | tile-opt | FileCheck %s

// A plan is read as it is printed: in the lines of a kernel, and in one line alone.

// CHECK: module attributes {test.entries = [#sm.planned_role<math : warps 4 registers 240 turns 2>, #sm.planned_ring<lse : slots 3 threads>, #sm.planned_ring<e : slots 2 math>, #sm.planned_store<o : buffers 8>, #sm.planned_store<dq : slots 1 store>], test.none = #sm.plan<>, test.plan = #sm.plan<roles = [load : warps 4 registers 24 elected, math : warps 4 registers 240], rings = [k : slots 2 tma], rest = 1>}

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">

module attributes {
  test.entries = [#sm.planned_role<math : warps 4 registers 240 turns 2>, #sm.planned_ring<lse : slots 3 threads>,
             #sm.planned_ring<e : slots 2 math>, #sm.planned_store<o : buffers 8>, #sm.planned_store<dq : slots 1 store>],
  test.plan = #sm.plan<rest = 1, rings = [k : slots 2 tma], stores = [],
                  roles = [load : warps 4 registers 24 elected turns 1, math : warps 4 registers 240]>,
  test.none = #sm.plan<>} {

// CHECK:       sm.kernel @f({{.*}}) grid() warps(4) persistent schedule<stages = 2>
// CHECK-NEXT:    plan<roles = [load : warps 3 registers 24 elected, fetch : warps 1 registers 24, math : warps 4 registers 240 turns 2],
// CHECK-NEXT:         rings = ["a b" : slots 1 tma, s : slots 2 threads],
// CHECK-NEXT:         stores = [y : buffers 1],
// CHECK-NEXT:         rest = 6144> attributes {other} {
// CHECK:         sm.fetch {{.*}} {sm.plan_entry = "a b"}
// CHECK:         sm.load {{.*}} {sm.plan_entry = "s"}
// CHECK:         sm.store {{.*}} {sm.plan_entry = "y"}

sm.kernel @f(%x: !tile.global<[N, 64] x bf16>, %s: !tile.global<[N] x f32>, %y: !tile.global<[N, 16] x f32, out>)
    grid() warps(4) persistent schedule<stages = 2>
    plan<roles = [load : warps 3 registers 24 elected, fetch : warps 1 registers 24, math : warps 4 registers 240 turns 2],
         rings = ["a b" : slots 1 tma, s : slots 2 threads], stores = [y : buffers 1], rest = 6144> attributes {other} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "a b"} : !tile.global<[N, 64] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
    %r = sm.load %s[%i] dims [0] limits(%N) {sm.plan_entry = "s"} : !tile.global<[N] x f32>, index -> tensor<64xf32, #row>
    %d = sm.mma %t, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) {sm.plan_entry = "y"} : tensor<64x16xf32, #acc>, !tile.global<[N, 16] x f32, out>, index, index
  }
}
// What the role that computes hands over. Without names and plan, the rings that it names on the way.

// CHECK:       sm.kernel @handovers({{.*}}) grid() warps(4)
// CHECK-NEXT:    plan<roles = [load : warps 3 registers 24 elected, store : warps 1 registers 24 elected, math : warps 4 registers 240],
// CHECK-NEXT:         rings = [x : slots 1 tma, exchange : slots 2 math],
// CHECK-NEXT:         stores = [y : slots 1 store],
// CHECK:         sm.smem.store {{.*}} {sm.plan_entry = "exchange"}
// CHECK:         sm.store {{.*}} {sm.plan_entry = "y"}
sm.kernel @handovers(%x: !tile.global<[N, 64] x bf16>, %y: !tile.global<[N, 16] x f32, out>) grid() warps(4)
    plan<roles = [load : warps 3 registers 24 elected, store : warps 1 registers 24 elected, math : warps 4 registers 240],
         rings = [x : slots 1 tma, exchange : slots 2 math], stores = [y : slots 1 store], rest = 2048> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %h = arith.constant dense<0.0> : tensor<64x16xbf16, #acc>
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !tile.global<[N, 64] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
    %b = sm.smem.store %h {sm.plan_entry = "exchange"} : tensor<64x16xbf16, #acc> -> !sm.smem<64x16xbf16, swizzle = 32>
    %d = sm.mma %t, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) {sm.plan_entry = "y"} : tensor<64x16xf32, #acc>, !tile.global<[N, 16] x f32, out>, index, index
  }
}

// What a role is to store names its store, too, when it is a tensor copy already.
// CHECK: sm.kernel @rings
// CHECK: sm.tma.store {{.*}} columns 16 buffers 1 add {sm.plan_entry = "y"} :
sm.kernel @rings(%x: !tile.global<[N, 64] x bf16>, %y: !tile.global<[N, 16] x f32, inout>) grid() warps(4)
    plan<roles = [load : warps 3 registers 40 elected, store : warps 1 registers 40 elected, math : warps 4 registers 232],
         rings = [x : slots 2 tma], stores = [y : slots 1 store]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !tile.global<[N, 64] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
    %d = sm.mma %t, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
    sm.tma.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) columns 16 buffers 1 add {sm.plan_entry = "y"} : tensor<64x16xf32, #acc>, !tile.global<[N, 16] x f32, inout>, index, index
  }
}
}
