// Orders of products: one that an option gives, and the one for which the clock predicts the shortest iteration.
// RUN: tile-opt %s '--sm-schedule-loops=order="0 !0 2 1 !2 3 !3 +"' 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: tile-opt %s --sm-schedule-loops=leeway=32 | FileCheck %s --check-prefix=SEARCHED
// RUN: sed 's/schedule<mma_order = 1>/attributes {sm.order_rank = 0 : i64}/' %s | tile-opt --sm-schedule-loops=leeway=32 | FileCheck %s --check-prefixes=SEARCHED,TRIED
// RUN: sed 's/schedule<mma_order = 1>/attributes {sm.order_rank = 99 : i64}/' %s | tile-opt --sm-schedule-loops=leeway=32 | FileCheck %s --check-prefix=NO-RANK
// RUN: not tile-opt %s '--sm-schedule-loops=order="0 3 1 2"' 2>&1 | FileCheck %s --check-prefix=LATER
// RUN: not tile-opt %s '--sm-schedule-loops=order="0 x"' 2>&1 | FileCheck %s --check-prefix=WORDS
// RUN: not tile-opt %s "--sm-schedule-loops=order=\"0 1 2 3 !2'\"" 2>&1 | FileCheck %s --check-prefix=USED

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>
!y = !tile.global<[M, 64, 64] x f32, inout>

// DP (product 2) is issued when S is complete, before the exponentials: ptxas mixes these with the instructions of DP.
// GIVEN: warning: `mma_order` is not done, loops of products have the order of the rules: no loop has several products that complete in their iteration [no-mma-order]
// GIVEN-LABEL: sm.kernel @gradient
// GIVEN: %[[S:.+]] = sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 0>}
// GIVEN: sm.mma.await %[[S]] {sm.schedule = #sm.schedule<0, 1>}
// GIVEN: math.exp2 {{.*}} {sm.schedule = #sm.schedule<0, 3>}
// GIVEN: %[[DV:.+]] = sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 5>}
// GIVEN: %[[DP:.+]] = sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 2>}
// GIVEN: sm.mma.await %[[DP]] {sm.schedule = #sm.schedule<0, 6>}

// DP is issued when S is complete, and DQ before DV. A trial of tilec asks for the same order by an attribute, which
// remains if a loop has the order.
// SEARCHED-LABEL: sm.kernel @gradient
// TRIED-SAME: sm.order_rank = 0
// SEARCHED: %[[S:.+]] = sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 0>}
// SEARCHED: sm.mma.await %[[S]] {sm.schedule = #sm.schedule<0, 2>}

// NO-RANK-LABEL: sm.kernel @gradient
// NO-RANK-NOT: sm.order_rank

// LATER: error: the order '0 3 1 2' is not possible in this loop: a product needs one that is issued after it
// WORDS: error: the order '0 x' is not possible in this loop: an order consists of n, !n, + and .
// USED: error: the order '0 1 2 3 !2'' is not possible in this loop: the iteration uses a product that is awaited late
sm.kernel @gradient(%n: index, %y: !y) grid() warps(8) form(scheduled) schedule<mma_order = 1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  sm.role "math" warps(8) registers(136) {
    %k = sm.scratch : !k
    %q = sm.scratch : !q
    %w = sm.scratch : !sm.smem<128x128xbf16, swizzle = 128>
    %zero = arith.constant dense<0.0> : !t
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (!t) {
      %s = sm.mma %k, %q, %zero : !k, !q, !t
      %e = math.exp2 %s : !t
      %p = arith.truncf %e : !t to !h
      %dv = sm.mma %p, %q, %x : !h, !q, !t
      %dp = sm.mma %k, %q, %zero : !k, !q, !t
      %m = arith.mulf %e, %dp : !t
      %ds = arith.truncf %m : !t to !h
      %d = sm.smem.store %ds : !h -> !k
      %dq = sm.mma %w, %d, %zero transpose_a : !sm.smem<128x128xbf16, swizzle = 128>, !k, !t
      sm.store %dq to %y[%i, %c0, %c0] dims [1, 2] limits(%c64, %c64) : !t, !y, index, index, index
      scf.yield %dv : !t
    }
  }
}
