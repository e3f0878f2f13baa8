// Where warps write a tile for each other, a slot of rows is given back after the product of what was read of it, and
// nobody looks at a register for that.
// RUN: tile-opt %s --split-input-file --sm-partition --sm-schedule-loops --sm-apply-schedule --sm-hoist-loads --sm-expand-rings | FileCheck %s

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#row = #sm.layout<"64 = register[2*(1) 8*(8)] lane[4*(2) 8*(0)] warp[8*(0)]">
#line = #sm.layout<"1x64 = register[2*(0,1) 8*(0,8)] lane[4*(0,2) 8*(0,0)] warp[8*(0,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>

// CHECK-LABEL: sm.kernel @staged
// CHECK: sm.role "math"
// CHECK: scf.for
// CHECK: sm.smem.load
// CHECK-NOT: warps after
// CHECK: sm.smem.store
// CHECK: %[[P:.+]] = sm.mma.issue %{{.+}}, %{{.+}}, %{{.+}} : tensor<128x64xbf16
// CHECK: sm.mma.await %[[P]]
// CHECK: sm.mbarrier.arrive %{{.+}}[%{{.+}}] warps : !sm.mbarrier<2>
sm.kernel @staged(%x: !tile.global<[M, 64] x bf16>, %z: !tile.global<[M] x f32>, %y: !tile.global<[128, 64] x f32, out>, %n: index) grid() warps(8)
    plan<roles = [load : warps 3 registers 24 elected, fetch : warps 1 registers 24, math : warps 8 registers 240],
         rings = [x : slots 2 tma, z : slots 2 threads], rest = 65536> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.size M
  %k = sm.scratch : !k
  %w = sm.scratch : !sm.smem<128x128xbf16, swizzle = 128>
  %zero = arith.constant dense<0.0> : !t
  %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%u = %zero, %v = %zero) -> (!t, !t) {
    %q = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) {sm.plan_entry = "x"} : !tile.global<[M, 64] x bf16>, index, index -> !q
    %s = sm.mma %k, %q, %zero : !k, !q, !t
    %r = sm.load %z[%i] dims [0] limits(%M) {sm.plan_entry = "z"} : !tile.global<[M] x f32>, index -> tensor<64xf32, #row>
    %l = sm.expand_dims %r axis 0 : tensor<64xf32, #row> -> tensor<1x64xf32, #line>
    %b = sm.broadcast %l : tensor<1x64xf32, #line> -> !t
    %d = arith.subf %s, %b : !t
    %p = arith.truncf %d : !t to !h
    %t = sm.smem.store %p : !h -> !k
    %g = sm.mma %w, %t, %u transpose_a : !sm.smem<128x128xbf16, swizzle = 128>, !k, !t
    %h = sm.mma %p, %q, %v : !h, !q, !t
    scf.yield %g, %h : !t, !t
  }
  %both = arith.addf %sum#0, %sum#1 : !t
  sm.store %both to %y[%c0, %c0] dims [0, 1] limits(%c128, %c64) in_bounds [true, true] : !t, !tile.global<[128, 64] x f32, out>, index, index
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#row = #sm.layout<"64 = register[2*(1) 8*(8)] lane[4*(2) 8*(0)] warp[8*(0)]">
#line = #sm.layout<"1x64 = register[2*(0,1) 8*(0,8)] lane[4*(0,2) 8*(0,0)] warp[8*(0,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>

// A product that some iterations leave out multiplies nothing in others: the arrival looks.
// CHECK-LABEL: sm.kernel @sometimes
// CHECK: sm.role "math"
// CHECK: scf.for
// CHECK: %[[R:.+]] = sm.smem.load
// CHECK: sm.mbarrier.arrive %{{.+}}[%{{.+}}] warps after %[[R]]
sm.kernel @sometimes(%x: !tile.global<[M, 64] x bf16>, %z: !tile.global<[M] x f32>, %y: !tile.global<[128, 64] x f32, out>, %n: index) grid() warps(8)
    plan<roles = [load : warps 3 registers 24 elected, fetch : warps 1 registers 24, math : warps 8 registers 240],
         rings = [x : slots 2 tma, z : slots 2 threads], rest = 65536> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.size M
  %k = sm.scratch : !k
  %w = sm.scratch : !sm.smem<128x128xbf16, swizzle = 128>
  %zero = arith.constant dense<0.0> : !t
  %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%u = %zero, %v = %zero) -> (!t, !t) {
    %q = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) {sm.plan_entry = "x"} : !tile.global<[M, 64] x bf16>, index, index -> !q
    %s = sm.mma %k, %q, %zero : !k, !q, !t
    %r = sm.load %z[%i] dims [0] limits(%M) {sm.plan_entry = "z"} : !tile.global<[M] x f32>, index -> tensor<64xf32, #row>
    %l = sm.expand_dims %r axis 0 : tensor<64xf32, #row> -> tensor<1x64xf32, #line>
    %b = sm.broadcast %l : tensor<1x64xf32, #line> -> !t
    %any = arith.cmpi sgt, %i, %c64 : index
    %d = scf.if %any -> (!t) {
      %e = arith.subf %s, %b : !t
      scf.yield %e : !t
    } else {
      scf.yield %s : !t
    }
    %p = arith.truncf %d : !t to !h
    %t = sm.smem.store %p : !h -> !k
    %g = sm.mma %w, %t, %u transpose_a : !sm.smem<128x128xbf16, swizzle = 128>, !k, !t
    %h = sm.mma %p, %q, %v : !h, !q, !t
    scf.yield %g, %h : !t, !t
  }
  %both = arith.addf %sum#0, %sum#1 : !t
  sm.store %both to %y[%c0, %c0] dims [0, 1] limits(%c128, %c64) in_bounds [true, true] : !t, !tile.global<[128, 64] x f32, out>, index, index
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#row = #sm.layout<"64 = register[2*(1) 8*(8)] lane[4*(2) 8*(0)] warp[8*(0)]">
#line = #sm.layout<"1x64 = register[2*(0,1) 8*(0,8)] lane[4*(0,2) 8*(0,0)] warp[8*(0,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>

// Where no warp waits for another one, the slot is given back earlier.
// CHECK-LABEL: sm.kernel @alone
// CHECK: sm.role "math"
// CHECK: scf.for
// CHECK: %[[R:.+]] = sm.smem.load
// CHECK: sm.mbarrier.arrive %{{.+}}[%{{.+}}] warps after %[[R]]
sm.kernel @alone(%x: !tile.global<[M, 64] x bf16>, %z: !tile.global<[M] x f32>, %y: !tile.global<[128, 64] x f32, out>, %n: index) grid() warps(8)
    plan<roles = [load : warps 3 registers 24 elected, fetch : warps 1 registers 24, math : warps 8 registers 240],
         rings = [x : slots 2 tma, z : slots 2 threads], rest = 65536> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.size M
  %k = sm.scratch : !k
  %zero = arith.constant dense<0.0> : !t
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%v = %zero) -> (!t) {
    %q = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) {sm.plan_entry = "x"} : !tile.global<[M, 64] x bf16>, index, index -> !q
    %s = sm.mma %k, %q, %zero : !k, !q, !t
    %r = sm.load %z[%i] dims [0] limits(%M) {sm.plan_entry = "z"} : !tile.global<[M] x f32>, index -> tensor<64xf32, #row>
    %l = sm.expand_dims %r axis 0 : tensor<64xf32, #row> -> tensor<1x64xf32, #line>
    %b = sm.broadcast %l : tensor<1x64xf32, #line> -> !t
    %d = arith.subf %s, %b : !t
    %p = arith.truncf %d : !t to !h
    %h = sm.mma %p, %q, %v : !h, !q, !t
    scf.yield %h : !t
  }
  sm.store %sum to %y[%c0, %c0] dims [0, 1] limits(%c128, %c64) in_bounds [true, true] : !t, !tile.global<[128, 64] x f32, out>, index, index
}
