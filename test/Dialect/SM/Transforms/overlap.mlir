// RUN: tile-opt %S/Inputs/gemm.mlir -sm-persist -sm-warp-specialize -sm-overlap | FileCheck %s --check-prefix=GEMM
// RUN: tile-opt %s -sm-overlap | FileCheck %s

// The first product overwrites; each slot is given back one iteration late.

// GEMM: sm.role "math"
// GEMM: scf.for
// GEMM:   %[[ZERO:.*]] = arith.constant dense<0.0
// GEMM:   %[[ANY:.*]] = arith.cmpi slt, %[[LB:.*]], %[[K:.*]] : index
// GEMM:   %[[R:.*]] = scf.if %[[ANY]]
// GEMM:     %[[S0:.*]] = sm.ring.wait
// GEMM:     %[[P0:.*]] = sm.mma.issue {{.*}}, %[[ZERO]]
// GEMM-NOT: sm.ring.release
// GEMM:     %[[SECOND:.*]] = arith.addi %[[LB]], %[[STEP:.*]] : index
// GEMM:     %[[L:.*]]:2 = scf.for {{.*}} = %[[SECOND]] to %[[K]] step %[[STEP]] iter_args(%[[P:.*]] = %[[P0]], %[[LAST:.*]] = %[[S0]])
// GEMM:       %[[S:.*]] = sm.ring.wait
// GEMM:       %[[NEXT:.*]] = sm.mma.issue {{.*}}, %[[P]]
// GEMM-NEXT:  sm.mma.retire leave 1
// GEMM-NEXT:  sm.ring.release %[[LAST]]
// GEMM-NEXT:  scf.yield %[[NEXT]], %[[S]]
// GEMM:     %[[T:.*]] = sm.mma.await %[[L]]#0
// GEMM-NEXT: sm.ring.release %[[L]]#1
// GEMM-NEXT: scf.yield %[[T]]
// GEMM:   else
// GEMM-NEXT: scf.yield %[[ZERO]]
// GEMM:   arith.truncf %[[R]]

// Two accumulators, one of them twice in an iteration, and a loop that runs for sure: no test, and
// all three products of an iteration stay in flight.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
// CHECK-LABEL: sm.kernel @two
// CHECK: sm.role "math"
// CHECK-NOT: scf.if
// CHECK: %[[S0:.*]] = sm.ring.wait
// CHECK: %[[P0:.*]] = sm.mma.issue {{.*}} tensor<
// CHECK: %[[P1:.*]] = sm.mma.issue {{.*}}, %[[P0]] : {{.*}} !sm.pending<
// CHECK: %[[P2:.*]] = sm.mma.issue {{.*}} tensor<
// CHECK-NOT: sm.mma.retire
// CHECK: %[[L:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}} = %[[P1]], %{{.*}} = %{{.*}}, %{{.*}} = %[[P2]], %[[LAST:.*]] = %[[S0]])
// CHECK: sm.mma.issue
// CHECK: sm.mma.issue
// CHECK: sm.mma.issue
// CHECK-NEXT: sm.mma.retire leave 3
// CHECK-NEXT: sm.ring.release %[[LAST]]
// CHECK: sm.mma.await %[[L]]#0
// CHECK: sm.mma.await %[[L]]#2
// CHECK: sm.ring.release %[[L]]#3
sm.kernel @two(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!a]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  sm.role "math" warps(4) {
    %b = sm.scratch : !b
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
    %l:3 = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %zero, %k = %c0, %y = %zero) -> (tensor<64x16xf32, #acc>, index, tensor<64x16xf32, #acc>) {
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %x1 = sm.mma %t, %b, %x : !a, !b, tensor<64x16xf32, #acc>
      %x2 = sm.mma %t, %b, %x1 : !a, !b, tensor<64x16xf32, #acc>
      %y1 = sm.mma %t, %b, %y : !a, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      %k1 = arith.addi %k, %i : index
      scf.yield %x2, %k1, %y1 : tensor<64x16xf32, #acc>, index, tensor<64x16xf32, #acc>
    }
  }
}
