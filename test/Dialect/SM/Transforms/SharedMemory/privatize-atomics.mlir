// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-privatize-atomics),canonicalize,cse)' | FileCheck %s
// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-privatize-atomics{remarks}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS
// REMARKS-COUNT-5: remark: each CTA combines these atomic operations in shared memory [atomic-in-shared-memory]
// REMARKS-NOT: remark:

#line = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
#wide = #sm.layout<"256 = lane[32*(1)] warp[8*(32)]">
!counts = !tile.global<[100] x i32, inout>
!tile = tensor<256xi32, #line>

// The copy has 128 elements, all of which start at the identity. The first 100 are combined with the tensor.

// CHECK-LABEL: sm.kernel @straight
// CHECK-DAG: %[[START:.*]] = arith.constant dense<-2147483648> : tensor<128xi32, #[[COPY:.*]]>
// CHECK-DAG: %[[HUNDRED:.*]] = arith.constant 100 : index
// CHECK: %[[T:.*]] = sm.smem.store %[[START]] : tensor<128xi32, #[[COPY]]> -> !sm.smem<128xi32>
// CHECK-NEXT: sm.barrier
// CHECK-NOT: sm.atomic
// CHECK: sm.smem.atomic max %{{.*}} to %[[T]][%{{.*}}] : tensor<256xi32
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: %[[R:.*]] = sm.smem.load %[[T]]
// CHECK-NEXT: sm.atomic max %[[R]] to %y[%{{.*}}] dims [0] limits(%[[HUNDRED]]) : tensor<128xi32, #[[COPY]]>
sm.kernel @straight(%x: !tile.global<[N] x i32>, %y: !counts, %i: index) grid() warps(4) {
  %N = tile.size N
  %c100 = arith.constant 100 : index
  %v = sm.load %x[%i] dims [0] limits(%N) : !tile.global<[N] x i32>, index -> !tile
  sm.atomic max %v to %y[%v] dims [0] limits(%c100) : !tile, !counts, !tile
}

// A limit that is not the extent becomes a condition; a mask becomes a branch. The copy is outside of the loop.

// CHECK-LABEL: sm.kernel @loop
// CHECK: %[[T:.*]] = sm.smem.store
// CHECK-NEXT: sm.barrier
// CHECK: scf.for
// CHECK: scf.if %m
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[P:.*]], %{{.*}} : tensor<256xi32
// CHECK: %[[PLACE:.*]] = arith.select %[[INSIDE]], %[[P]]
// CHECK: sm.smem.atomic add %{{.*}} to %[[T]][%[[PLACE]]]
// CHECK: sm.barrier
// CHECK-NEXT: sm.smem.load
// CHECK-NEXT: sm.atomic add
sm.kernel @loop(%x: !tile.global<[N] x i32>, %y: !tile.global<[4096] x i32, inout>, %n: index, %limit: index, %m: i1) grid() warps(4) {
  %N = tile.size N
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %one = arith.constant dense<1> : !tile
  scf.for %i = %c0 to %n step %c256 {
    %v = sm.load %x[%i] dims [0] limits(%N) : !tile.global<[N] x i32>, index -> !tile
    sm.atomic add %one to %y[%v] dims [0] limits(%limit) mask(%m) : !tile, !tile.global<[4096] x i32, inout>, !tile
  }
}

// Positions of two dimensions: a scalar and pairs, in rows of 40.

// CHECK-LABEL: sm.kernel @planes
// CHECK-DAG: %[[FORTY:.*]] = arith.constant dense<40> : tensor<256xi32
// CHECK: arith.muli %{{.*}}, %[[FORTY]]
// CHECK: %[[P:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<256xi1, #{{.*}}>, tensor<256xi32
// CHECK: sm.smem.atomic add %{{.*}}[%[[P]]]
// CHECK: sm.smem.atomic add
// CHECK: %[[R:.*]] = sm.smem.load %{{.*}} -> tensor<128xi32
// CHECK: sm.atomic add %[[R]] to %y[%{{.*}}, %{{.*}}] dims [0, 1] axes [0, 0] limits(
sm.kernel @planes(%x: !tile.global<[N] x i32>, %y: !tile.global<[3, 40] x i32, inout>, %i: index, %m: i1) grid() warps(4) {
  %N = tile.size N
  %c3 = arith.constant 3 : index
  %c40 = arith.constant 40 : index
  %v = sm.load %x[%i] dims [0] limits(%N) : !tile.global<[N] x i32>, index -> !tile
  sm.atomic add %v to %y[%v, %v] dims [0, 1] axes [0, 0] limits(%c3, %c40) : !tile, !tile.global<[3, 40] x i32, inout>, !tile, !tile
  sm.atomic add %v to %y[%i, %v] dims [1] limits(%c40) mask(%m) : !tile, !tile.global<[3, 40] x i32, inout>, index, !tile
}

// The role that executes the operations has the copy.

// CHECK-LABEL: sm.kernel @roles
// CHECK: sm.role "load"
// CHECK-NOT: sm.smem
// CHECK: sm.role "math"
// CHECK: sm.smem.store
// CHECK: sm.smem.atomic xor %{{.*}} : tensor<256xi64, #{{.*}}>, !sm.smem<64xi64>
// CHECK: sm.barrier
// CHECK-NEXT: sm.smem.load
// CHECK-NEXT: sm.atomic xor
// CHECK-NEXT: }
sm.kernel @roles(%y: !tile.global<[64] x i64, inout>) grid() warps(12) {
  %c64 = arith.constant 64 : index
  sm.role "load" warps(4) {
  }
  sm.role "math" warps(8) {
    %p = arith.constant dense<5> : tensor<256xi32, #wide>
    %v = arith.constant dense<7> : tensor<256xi64, #wide>
    sm.atomic xor %v to %y[%p] dims [0] limits(%c64) : tensor<256xi64, #wide>, !tile.global<[64] x i64, inout>, tensor<256xi32, #wide>
  }
}

// A copy in 64 bits of the least element.

// CHECK-LABEL: sm.kernel @least
// CHECK: arith.constant dense<9223372036854775807>
// CHECK: sm.smem.atomic min
sm.kernel @least(%y: !tile.global<[64] x i64, inout>) grid() warps(4) {
  %c64 = arith.constant 64 : index
  %p = arith.constant dense<5> : tensor<256xi32, #line>
  %v = arith.constant dense<7> : tensor<256xi64, #line>
  sm.atomic min %v to %y[%p] dims [0] limits(%c64) : tensor<256xi64, #line>, !tile.global<[64] x i64, inout>, tensor<256xi32, #line>
}
