// RUN: tile-opt %s --canonicalize | FileCheck %s

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">

// A conversion to the layout that the tile has is the tile.
// CHECK-LABEL: sm.kernel @convert_to_itself
sm.kernel @convert_to_itself(%x: !tile.global<[N] x i32, out>, %i: index) grid() warps(4) {
  // CHECK: %[[I:.*]] = sm.indices
  %t = sm.indices %i : tensor<128xi32, #line>
  // CHECK-NOT: sm.convert
  %c = sm.convert %t : tensor<128xi32, #line> -> tensor<128xi32, #line>
  // CHECK: sm.store %[[I]]
  sm.store %c to %x[%i] dims [0] limits(%i) : tensor<128xi32, #line>, !tile.global<[N] x i32, out>, index
}

// What computes only goes where nobody asks for it; what has effects stays.
// CHECK-LABEL: sm.kernel @unused
sm.kernel @unused(%x: !tile.global<[N] x i32>, %i: index) grid() warps(4) {
  // CHECK-NOT: sm.indices
  %t = sm.indices %i : tensor<128xi32, #line>
  // CHECK-NOT: sm.load
  %l = sm.load %x[%i] dims [0] limits(%i) : !tile.global<[N] x i32>, index -> tensor<128xi32, #line>
  // CHECK: sm.fetch
  %f = sm.fetch %x[%i] dims [0] limits(%i) : !tile.global<[N] x i32>, index -> !sm.smem<128xi32>
  // CHECK: sm.barrier
  sm.barrier
}

// A role has its warps also where it does nothing.
// CHECK-LABEL: sm.kernel @empty_role
sm.kernel @empty_role() grid() warps(8) {
  // CHECK: sm.role "idle" warps(4)
  sm.role "idle" warps(4) {
  }
  // CHECK: sm.role "other" warps(4)
  sm.role "other" warps(4) {
  }
}
