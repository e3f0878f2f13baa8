// RUN: tile-opt %S/../Inputs/gemm.mlir -sm-persist -sm-plan -sm-tma-stores -sm-partition -sm-schedule-loops -sm-apply-schedule | FileCheck %s --check-prefix=GEMM
// RUN: tile-opt %S/../Inputs/attention.mlir -sm-plan -sm-tma-stores -sm-partition -sm-schedule-loops -sm-apply-schedule | FileCheck %s --check-prefix=ATT
// RUN: tile-opt %s -sm-schedule-loops -sm-apply-schedule | FileCheck %s

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

// The scores of an iteration are issued before the product that the last one left; P is packed
// after the await of that product, which still reads the old one. The tail is a loop of its own.

// ATT: sm.role "load"
// ATT-NOT: sm.pingpong
// ATT: sm.role "math"
// ATT-NEXT: sm.pingpong.start
// ATT:   %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : tensor<128x128xf32
// ATT:   %[[INIT:.*]] = arith.constant dense<0.0{{.*}}> : tensor<128x64xf32
// ATT:   %[[Q:.*]] = sm.slot.tile
// ATT:   %[[R:.*]]:3 = scf.if
// ATT:     %[[K0:.*]] = sm.ring.wait %[[KS:.*]] :
// ATT:     %[[P0:.*]] = sm.mma.issue %[[Q]], %{{.*}}, %[[ZERO]] transpose_b
// ATT-NEXT: %[[S0:.*]] = sm.mma.await %[[P0]] :
// ATT-NEXT: sm.ring.release %[[K0]]
// ATT:     math.exp2
// ATT-NOT: sm.ring.wait
// ATT:     %[[A0:.*]] = arith.truncf
// ATT:     %[[O0:.*]] = arith.mulf %[[INIT]]
// ATT:     %[[L:.*]]:5 = scf.for {{.*}} iter_args(%[[M:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[O:.*]] = %[[O0]], %[[A:.*]] = %[[A0]])
// ATT:       %[[K:.*]] = sm.ring.wait %[[KS]] :
// ATT:       %[[KT:.*]] = sm.slot.tile %[[K]][0]
// ATT:       %[[V:.*]] = sm.ring.wait %[[VS:.*]] :
// ATT:       %[[VT:.*]] = sm.slot.tile %[[V]][0]
// ATT-NEXT:  sm.pingpong.wait
// ATT-NEXT:  %[[SP:.*]] = sm.mma.issue %[[Q]], %[[KT]], %[[ZERO]] transpose_b
// ATT-NEXT:  %[[OP:.*]] = sm.mma.issue %[[A]], %[[VT]], %[[O]] :
// ATT-NEXT:  sm.pingpong.pass
// ATT-NEXT:  %[[S:.*]] = sm.mma.await %[[SP]] leave 1
// ATT-NEXT:  sm.ring.release %[[K]]
// ATT-NEXT:  sm.reduce max %[[S]]
// ATT:       %[[E:.*]] = math.exp2 {{.*}} tensor<128x128xf32
// ATT-NOT:   arith.truncf
// ATT:       %[[OT:.*]] = sm.mma.await %[[OP]] :
// ATT-NEXT:  sm.ring.release %[[V]]
// ATT-NEXT:  %[[NEXTA:.*]] = arith.truncf %[[E]]
// ATT-NEXT:  %[[NEXTO:.*]] = arith.mulf %[[OT]]
// ATT-NEXT:  scf.yield %{{.*}}, %{{.*}}, %[[OT]], %[[NEXTO]], %[[NEXTA]]
// ATT:     %[[V:.*]] = sm.ring.wait %[[VS]]
// ATT:     %[[OP:.*]] = sm.mma.issue %[[L]]#4, %{{.*}}, %[[L]]#3
// ATT-NEXT: %[[OT:.*]] = sm.mma.await %[[OP]]
// ATT-NEXT: sm.ring.release %[[V]]
// ATT-NEXT: scf.yield %[[L]]#0, %[[L]]#1, %[[OT]]
// ATT:   scf.if
// ATT:     scf.for {{.*}} -> (tensor<{{.*}}>, tensor<{{.*}}>, tensor<{{.*}}>, tensor<128x128xbf16
// ATT:     sm.mma.await
// ATT-NOT: sm.mma %

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

// A packed tile that is also summed waits for the second product, too. No turns without a wish for them.

!k = !sm.smem<16x64xbf16, swizzle = 128>
!v = !sm.smem<16x16xbf16, swizzle = 32>
// CHECK-LABEL: sm.kernel @summed
// CHECK-NOT: sm.pingpong
// CHECK: scf.for {{.*}} iter_args({{.*}}, %[[P:[a-z0-9]*]] = %{{[a-z0-9]*}})
// CHECK:   sm.ring.wait
// CHECK:   sm.ring.wait
// CHECK:   sm.mma.issue
// CHECK:   sm.mma.issue %[[P]]
// CHECK:   sm.mma.await {{.*}} leave 1
// CHECK:   sm.mma.await
// CHECK:   %[[LATE:.*]] = arith.truncf
// CHECK-NEXT: %[[NEXT:.*]] = sm.convert %[[LATE]]
// CHECK-NEXT: arith.extf %[[NEXT]]
// CHECK:   scf.yield {{.*}}, %[[NEXT]]
sm.kernel @summed(%n: index) grid() warps(8) form(scheduled) {
  %keys = sm.ring.alloc : !sm.ring<2 x [!k]>
  %values = sm.ring.alloc : !sm.ring<2 x [!v]>
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  sm.role "load" warps(4) elected {
  }
  sm.role "math" warps(4) {
    %q = sm.scratch : !a
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
    %l:2 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero, %t = %zero) -> (tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc>) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %s = sm.mma %q, %k, %zero transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %p0 = arith.truncf %s : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      %p = sm.convert %p0 : tensor<64x16xbf16, #acc> -> tensor<64x16xbf16, #acc>
      %e = arith.extf %p : tensor<64x16xbf16, #acc> to tensor<64x16xf32, #acc>
      %sum = arith.addf %t, %e : tensor<64x16xf32, #acc>
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      %d = sm.mma %p, %v, %o : tensor<64x16xbf16, #acc>, !v, tensor<64x16xf32, #acc>
      sm.ring.release %vs : !sm.slot<[!v]>
      scf.yield %d, %sum : tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc>
    }
  }
}

// What is left after the last full block is a block at most, wherever the range starts, and nothing
// after that. One element more may be two blocks.

// CHECK-LABEL: sm.kernel @rest
// CHECK: sm.role "load"
// CHECK:   %[[LEFT:.*]] = arith.cmpi slt, %[[START:.*]], %n : index
// CHECK:   scf.if %[[LEFT]] {
// CHECK:     sm.ring.acquire
// CHECK: sm.role "math"
// CHECK:   %[[LEFT:.*]] = arith.cmpi slt, %[[SHIFTED:.*]], %{{.*}} : index
// CHECK:   %[[SUM:.*]] = scf.if %[[LEFT]] -> (index) {
// CHECK:     sm.ring.wait
// CHECK:     %[[ONE:.*]] = arith.addi %c0, %[[SHIFTED]]
// CHECK:     scf.yield %[[ONE]]
// CHECK:   } else {
// CHECK:     scf.yield %c0
// CHECK:   sm.load %x[%[[SUM]]]
// CHECK:   sm.store %{{.*}} to %y[%c0]
// CHECK-NEXT: scf.for
sm.kernel @rest(%x: !tile.global<[M] x f32>, %y: !tile.global<[M] x f32, out>, %first: index, %n: index) grid() warps(8) form(scheduled) {
  %keys = sm.ring.alloc : !sm.ring<2 x [!k]>
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %m15 = arith.constant -15 : index
  %m16 = arith.constant -16 : index
  %m17 = arith.constant -17 : index
  %full = arith.addi %n, %m15 : index
  %some = arith.maxsi %full, %c0 : index
  %blocks = arith.ceildivsi %some, %c16 : index
  %start = arith.muli %blocks, %c16 : index
  %shifted = arith.addi %start, %first : index
  %end = arith.addi %n, %first : index
  %fewer = arith.addi %n, %m16 : index
  %fewest = arith.addi %n, %m17 : index
  %few = arith.ceildivsi %fewest, %c16 : index
  %early = arith.muli %few, %c16 : index
  sm.role "load" warps(4) elected {
    scf.for %i = %start to %n step %c16 {
      %s = sm.ring.acquire %keys : !sm.ring<2 x [!k]>
      sm.ring.commit %s : !sm.slot<[!k]>
    }
  }
  sm.role "math" warps(4) {
    %sum = scf.for %i = %shifted to %end step %c16 iter_args(%t = %c0) -> (index) {
      %s = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      sm.ring.release %s : !sm.slot<[!k]>
      %next = arith.addi %t, %i : index
      scf.yield %next : index
    }
    %v = sm.load %x[%sum] dims [] : !tile.global<[M] x f32>, index -> f32
    sm.store %v to %y[%c0] dims [] : f32, !tile.global<[M] x f32, out>, index
    scf.for %i = %start to %fewer step %c16 {
      sm.store %v to %y[%i] dims [] : f32, !tile.global<[M] x f32, out>, index
    }
    scf.for %i = %early to %n step %c16 {
      sm.store %v to %y[%i] dims [] : f32, !tile.global<[M] x f32, out>, index
    }
  }
}

// Ends that are minima, as of loops whose positions have 32 bits (which cast to 64) and of the parts of
// one: what is left of n is less than a block. A start that may be 16 below n leaves two steps.

// CHECK-LABEL: sm.kernel @minima
// CHECK: sm.role
// CHECK: scf.if
// CHECK-NEXT: sm.store
// CHECK-NOT: scf.for
// CHECK: scf.if
// CHECK-NEXT: sm.store
// CHECK: scf.for
// CHECK-NEXT: sm.store
// CHECK-NOT: scf.for
sm.kernel @minima(%y: !tile.global<[M] x f32, out>, %n: index, %s: index, %parts: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %m15 = arith.constant -15 : index
  %m16 = arith.constant -16 : index
  %zero = arith.constant 0.0 : f32
  %zero64 = arith.constant 0 : i64
  %m15wide = arith.constant -15 : i64
  %last = arith.constant 2147483632 : index
  // Of 64 bits.
  %wide = arith.index_cast %n : index to i64
  %end = arith.minsi %n, %last : index
  %endwide = arith.index_cast %end : index to i64
  %full = arith.addi %wide, %m15wide : i64
  %fulls = arith.minsi %full, %endwide : i64
  %some = arith.maxsi %fulls, %zero64 : i64
  %narrow = arith.index_cast %some : i64 to index
  %blocks = arith.ceildivsi %narrow, %c16 : index
  %start = arith.muli %blocks, %c16 : index
  // Of part s.
  %tiles = arith.ceildivsi %n, %c16 : index
  %before = arith.muli %tiles, %s : index
  %first = arith.floordivsi %before, %parts : index
  %low = arith.muli %first, %c16 : index
  %next = arith.addi %s, %c1 : index
  %upto = arith.muli %tiles, %next : index
  %beyond = arith.floordivsi %upto, %parts : index
  %far = arith.muli %beyond, %c16 : index
  %high = arith.minsi %far, %n : index
  %whole = arith.addi %n, %m15 : index
  %wholes = arith.minsi %whole, %high : index
  %length = arith.subi %wholes, %low : index
  %lengths = arith.maxsi %length, %c0 : index
  %steps = arith.ceildivsi %lengths, %c16 : index
  %distance = arith.muli %steps, %c16 : index
  %left = arith.addi %low, %distance : index
  %earlier = arith.addi %n, %m16 : index
  %earliest = arith.addi %earlier, %m15 : index
  %early = arith.minsi %earliest, %high : index
  sm.role "math" warps(4) {
    scf.for %i = %start to %end step %c16 {
      sm.store %zero to %y[%i] dims [] : f32, !tile.global<[M] x f32, out>, index
    }
    scf.for %i = %left to %high step %c16 {
      sm.store %zero to %y[%i] dims [] : f32, !tile.global<[M] x f32, out>, index
    }
    scf.for %i = %early to %high step %c16 {
      sm.store %zero to %y[%i] dims [] : f32, !tile.global<[M] x f32, out>, index
    }
  }
}
