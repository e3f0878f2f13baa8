// A store in a loop of products leaves through a ring; the role that stores runs the loops and positions only.
// RUN: tile-opt %s --split-input-file --sm-store-role | FileCheck %s
// RUN: tile-opt %s --split-input-file --sm-store-role="remarks" -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// Filled, fenced, and handed over by each warp.
// RUN: tile-opt %s --split-input-file --sm-store-role --sm-schedule-loops --sm-place-events --sm-expand-rings --sm-allocate-smem --sm-place-fences | FileCheck %s --check-prefix=FENCE

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
// CHECK: sm.put %[[T]] to %y[%[[H]], %[[I]], %c0, %c0] dims [2, 3] {{.*}}add
// CHECK: sm.ring.release %[[S]]
// CHECK: sm.role "math" warps(8) registers(232)
// CHECK: %[[D:.+]] = sm.mma
// CHECK: %[[S:.+]] = sm.ring.acquire %[[SUMS]]
// CHECK: %[[T:.+]] = sm.slot.tile %[[S]][0]
// CHECK: sm.fill %[[T]] with %[[D]]
// CHECK: sm.ring.commit %[[S]]
// The last tile is stored once.
// CHECK: sm.tma.store {{.*}} columns 32 buffers 2

// FENCE-LABEL: sm.kernel @sums
// FENCE: sm.role "store"
// FENCE: sm.mbarrier.wait %[[FULL:[0-9]+]][
// FENCE: sm.put
// FENCE: sm.mbarrier.arrive %[[EMPTY:[0-9]+]][%{{[a-z0-9]+}}] : !sm.mbarrier<2>
// FENCE: sm.role "math"
// FENCE: sm.mbarrier.wait %[[EMPTY]]
// FENCE-NOT: sm.barrier
// FENCE: sm.fill
// FENCE-NEXT: sm.fence
// FENCE-NEXT: sm.mbarrier.arrive %[[FULL]][%{{[a-z0-9]+}}] warps : !sm.mbarrier<2>
// FENCE-NOT: sm.barrier
sm.kernel @sums(%y: !tile.global<[H, M, 128, 64] x f32, inout>, %n: index) grid() warps(12) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  sm.role "load" warps(4) registers(40) elected {
  }
  sm.role "math" warps(8) registers(232) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %zero = arith.constant dense<0.0> : !t
    scf.for %h = %c0 to %n step %c1 {
      scf.for %i = %c0 to %n step %c1 {
        %d = sm.mma %a, %b, %zero : !a, !b, !t
        sm.tma.store %d to %y[%h, %i, %c0, %c0] dims [2, 3] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 1 add : !t, !tile.global<[H, M, 128, 64] x f32, inout>, index, index, index, index
      }
    }
    sm.tma.store %zero to %y[%c0, %c0, %c0, %c0] dims [2, 3] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 2 add : !t, !tile.global<[H, M, 128, 64] x f32, inout>, index, index, index, index
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x64xbf16, swizzle = 128>

// The ring has a stage where what is stored once gives up a buffer.
// CHECK-LABEL: sm.kernel @tight
// CHECK: sm.ring.alloc : !sm.ring<1 x [!sm.smem<128x64xf32, swizzle = 128>]>
// CHECK: sm.tma.store {{.*}} columns 32 buffers 1
sm.kernel @tight(%y: !tile.global<[M, 128, 64] x f32, inout>, %n: index) grid() warps(12) form(scheduled) {
  sm.role "load" warps(4) registers(40) elected {
  }
  sm.role "math" warps(8) registers(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %m0 = sm.scratch : !sm.smem<128x128xf32>
    %m1 = sm.scratch : !sm.smem<128x128xf32>
    %m2 = sm.scratch : !sm.smem<128x64xf32>
    %b = sm.scratch : !b
    %zero = arith.constant dense<0.0> : !t
    %l = arith.constant dense<0.0> : tensor<128x64xbf16, #acc>
    scf.for %i = %c0 to %n step %c1 {
      %d = sm.mma %l, %b, %zero : tensor<128x64xbf16, #acc>, !b, !t
      sm.tma.store %d to %y[%i, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 1 add : !t, !tile.global<[M, 128, 64] x f32, inout>, index, index, index
    }
    sm.tma.store %zero to %y[%c0, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 2 add : !t, !tile.global<[M, 128, 64] x f32, inout>, index, index, index
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x64xbf16, swizzle = 128>

// CHECK-LABEL: sm.kernel @full
// CHECK-NOT: sm.role "store"
// CHECK: sm.tma.store
sm.kernel @full(%y: !tile.global<[M, 128, 64] x f32, inout>, %n: index) grid() warps(12) form(scheduled) {
  sm.role "load" warps(4) registers(40) elected {
  }
  sm.role "math" warps(8) registers(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = arith.constant dense<0.0> : tensor<128x64xbf16, #acc>
    %m0 = sm.scratch : !sm.smem<128x128xf32>
    %m1 = sm.scratch : !sm.smem<128x128xf32>
    %m2 = sm.scratch : !sm.smem<128x128xf32>
    %b = sm.scratch : !b
    %zero = arith.constant dense<0.0> : !t
    scf.for %i = %c0 to %n step %c1 {
      %d = sm.mma %a, %b, %zero : tensor<128x64xbf16, #acc>, !b, !t
      // WHY: [[@LINE+1]]:7: remark: this store is no copy of another role: its tile takes 32768 bytes of shared memory, and only 27136 are left
      sm.tma.store %d to %y[%i, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 1 add : !t, !tile.global<[M, 128, 64] x f32, inout>, index, index, index
    }
  }
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(1) 8*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">
!t = tensor<64x64xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>

// No warp to spare; a position that comes from a tile.
// CHECK-LABEL: sm.kernel @kept
// CHECK-NOT: sm.role "store"
sm.kernel @kept(%x: !tile.global<[64] x i32>, %y: !tile.global<[M, 64, 64] x f32, inout>, %n: index) grid() warps(5) form(scheduled) {
  sm.role "load" warps(1) elected {
  }
  sm.role "math" warps(4) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %a = sm.scratch : !a
    %zero = arith.constant dense<0.0> : !t
    scf.for %i = %c0 to %n step %c1 {
      %d = sm.mma %a, %a, %zero : !a, !a, !t
      // WHY: [[@LINE+1]]:7: remark: this store is no copy of another role: the load role has no warp to spare
      sm.tma.store %d to %y[%i, %c0, %c0] dims [1, 2] limits(%c64, %c64) in_bounds [true, true] columns 32 buffers 1 add : !t, !tile.global<[M, 64, 64] x f32, inout>, index, index, index
    }
  }
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x64xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>

// Roles in turn keep their stores, however many there are.
// CHECK-LABEL: sm.kernel @in_turn
// CHECK-NOT: sm.role "store"
// CHECK-COUNT-1: sm.tma.store
// CHECK-NOT: sm.role "store"
sm.kernel @in_turn(%y: !tile.global<[M, 64, 64] x f32, inout>, %n: index) grid() warps(16) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  sm.role "load" warps(4) registers(40) elected {
  }
  sm.role "math0" warps(4) registers(152) {
  }
  sm.role "math1" warps(4) registers(152) {
  }
  sm.role "math2" warps(4) registers(152) {
    %a = sm.scratch : !a
    %zero = arith.constant dense<0.0> : !t
    scf.for %i = %c0 to %n step %c1 {
      %d = sm.mma %a, %a, %zero : !a, !a, !t
      sm.tma.store %d to %y[%i, %c0, %c0] dims [1, 2] limits(%c64, %c64) in_bounds [true, true] columns 32 buffers 1 add : !t, !tile.global<[M, 64, 64] x f32, inout>, index, index, index
    }
  }
}
