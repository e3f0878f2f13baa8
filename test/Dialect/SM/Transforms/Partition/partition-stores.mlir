// A store that the plan gives to a role leaves through a ring; that role runs the loops and positions only.
// RUN: tile-opt %s --split-input-file --sm-partition | FileCheck %s
// Filled, fenced, and handed over by each warp.
// RUN: tile-opt %s --split-input-file --sm-partition --sm-schedule-loops --sm-apply-schedule --sm-expand-rings --sm-allocate-smem --sm-place-fences | FileCheck %s --check-prefix=FENCE

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"128x256 = register[2*(0,1) 2*(8,0) 32*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x64xbf16, swizzle = 128>

// CHECK-LABEL: sm.kernel @sums
// CHECK: %[[SUMS:.+]] = sm.ring.alloc : !sm.ring<2 x [!sm.smem<128x64xf32, swizzle = 128>]>
// CHECK: sm.role "load" warps(3) registers(40) elected
// CHECK: sm.role "store" warps(1) registers(40) elected
// CHECK: scf.for %[[H:.+]] = %c0 to %n step %c1
// CHECK: scf.for %[[I:.+]] = %c0 to %n step %c1
// CHECK-NOT: sm.mma
// CHECK: %[[S:.+]] = sm.ring.wait %[[SUMS]]
// CHECK: %[[T:.+]] = sm.slot.tile %[[S]][0]
// CHECK: sm.copy.store %[[T]] to %y[%[[H]], %[[I]], %c0, %c0] dims [2, 3] {{.*}}add
// CHECK: sm.ring.release %[[S]]
// CHECK: sm.role "math" warps(8) registers(232)
// CHECK: %[[D:.+]] = sm.mma
// CHECK: %[[S:.+]] = sm.ring.acquire %[[SUMS]]
// CHECK: %[[T:.+]] = sm.slot.tile %[[S]][0]
// CHECK: sm.slot.store %[[T]] with %[[D]]
// CHECK: sm.ring.commit %[[S]]
// What the plan does not name stays.
// CHECK: sm.tma.store {{.*}} columns 32 buffers 2

// FENCE-LABEL: sm.kernel @sums
// FENCE: sm.role "store"
// FENCE: sm.mbarrier.wait %[[FULL:[0-9]+]][
// FENCE: sm.copy.store
// FENCE: sm.mbarrier.arrive %[[EMPTY:[0-9]+]][%{{[a-z0-9]+}}] : !sm.mbarrier<2>
// FENCE: sm.role "math"
// FENCE: sm.mbarrier.wait %[[EMPTY]]
// FENCE-NOT: sm.barrier
// FENCE: sm.slot.store
// FENCE-NEXT: sm.fence
// FENCE-NEXT: sm.mbarrier.arrive %[[FULL]][%{{[a-z0-9]+}}] warps : !sm.mbarrier<2>
// FENCE-NOT: sm.barrier
sm.kernel @sums(%x: !tile.global<[M, 64] x bf16>, %y: !tile.global<[H, M, 128, 64] x f32, inout>, %n: index) grid() warps(8)
    plan<roles = [load : warps 3 registers 40 elected, store : warps 1 registers 40 elected, math : warps 8 registers 232],
         rings = [x : slots 2 tma], stores = [sums : slots 2 store], rest = 65536> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.size M
  %b = sm.scratch : !b
  %zero = arith.constant dense<0.0> : !t
  scf.for %h = %c0 to %n step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) {sm.plan_entry = "x"} : !tile.global<[M, 64] x bf16>, index, index -> !a
      %d = sm.mma %a, %b, %zero : !a, !b, !t
      sm.tma.store %d to %y[%h, %i, %c0, %c0] dims [2, 3] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 1 add {sm.plan_entry = "sums"} : !t, !tile.global<[H, M, 128, 64] x f32, inout>, index, index, index, index
    }
  }
  sm.tma.store %zero to %y[%c0, %c0, %c0, %c0] dims [2, 3] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 2 add : !t, !tile.global<[H, M, 128, 64] x f32, inout>, index, index, index, index
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x64xbf16, swizzle = 128>

// Loops apart share a ring, and so does what follows them; tiles of another type have a ring of their own.
// CHECK-LABEL: sm.kernel @apart
// CHECK-DAG: %[[SUMS:.+]] = sm.ring.alloc : !sm.ring<1 x [!sm.smem<128x64xf32, swizzle = 128>]>
// CHECK-DAG: %[[Z:.+]] = sm.ring.alloc : !sm.ring<3 x [!sm.smem<128x64xbf16, swizzle = 128>]>
// CHECK: sm.role "store"
// CHECK: scf.for
// CHECK: sm.ring.wait %[[SUMS]]
// CHECK: sm.copy.store
// CHECK: sm.ring.release
// CHECK: sm.ring.wait %[[Z]]
// CHECK: sm.copy.store
// CHECK: sm.ring.release
// CHECK: scf.for
// CHECK: sm.ring.wait %[[SUMS]]
// CHECK: sm.copy.store
// CHECK: sm.ring.wait %[[SUMS]]
// CHECK: sm.copy.store
// CHECK: sm.role "math"
// CHECK-NOT: sm.tma.store
sm.kernel @apart(%x: !tile.global<[M, 64] x bf16>, %y: !tile.global<[M, 128, 64] x f32, inout>, %z: !tile.global<[M, 128, 64] x bf16, out>, %n: index) grid() warps(8)
    plan<roles = [load : warps 3 registers 40 elected, store : warps 1 registers 40 elected, math : warps 8 registers 232],
         rings = [x : slots 2 tma], stores = [y : slots 1 store, z : slots 3 store], rest = 65536> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %t = arith.constant dense<1.0> : !t
  %h = arith.constant dense<1.0> : !h
  %M = tile.size M
  %b = sm.scratch : !b
  scf.for %i = %c0 to %n step %c1 {
    %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) {sm.plan_entry = "x"} : !tile.global<[M, 64] x bf16>, index, index -> !a
    %d = sm.mma %a, %b, %t : !a, !b, !t
    sm.tma.store %d to %y[%i, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 1 add {sm.plan_entry = "y"} : !t, !tile.global<[M, 128, 64] x f32, inout>, index, index, index
    sm.tma.store %h to %z[%i, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] columns 64 buffers 1 {sm.plan_entry = "z"} : !h, !tile.global<[M, 128, 64] x bf16, out>, index, index, index
  }
  scf.for %i = %c0 to %n step %c1 {
    sm.tma.store %t to %y[%i, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 1 add {sm.plan_entry = "y"} : !t, !tile.global<[M, 128, 64] x f32, inout>, index, index, index
  }
  sm.tma.store %t to %y[%c0, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 1 add {sm.plan_entry = "y"} : !t, !tile.global<[M, 128, 64] x f32, inout>, index, index, index
}
