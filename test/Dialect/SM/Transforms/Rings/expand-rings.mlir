// RUN: tile-opt %S/../Inputs/gemm.mlir -sm-persist -sm-plan -sm-tma-stores -sm-partition -sm-schedule-loops -sm-apply-schedule -sm-expand-rings | FileCheck %s --check-prefix=GEMM
// RUN: tile-opt %S/../Inputs/attention.mlir -sm-plan -sm-tma-stores -sm-partition -sm-expand-rings | FileCheck %s --check-prefix=ATT
// RUN: tile-opt %s -sm-expand-rings | FileCheck %s

// Both roles carry index and parity through programs and iterations. The slot that is given back
// late is an index of its own.

// GEMM: sm.kernel @matmul
// GEMM-SAME: form(expanded)
// GEMM: %[[A:.*]] = sm.slots.alloc ring(0) : !sm.slots<3 x !sm.smem<128x64xbf16, swizzle = 128>>
// GEMM: %[[B:.*]] = sm.slots.alloc ring(0) : !sm.slots<3 x !sm.smem<64x256xbf16, swizzle = 128>>
// GEMM: %[[FULL:.*]] = sm.mbarrier.alloc arrivals(1) ring(0) full : !sm.mbarrier<3>
// GEMM: %[[EMPTY:.*]] = sm.mbarrier.alloc arrivals(2) ring(0) empty : !sm.mbarrier<3>
// GEMM: sm.role "load"
// GEMM: %[[ZERO:.*]] = arith.constant 0 : i32
// GEMM: scf.for {{.*}} iter_args(%[[I0:.*]] = %[[ZERO]], %[[P0:.*]] = %[[ZERO]]) -> (i32, i32) {
// GEMM:   %[[INNER:.*]]:2 = scf.for {{.*}} iter_args(%[[I:.*]] = %[[I0]], %[[P:.*]] = %[[P0]])
// GEMM:     %[[ONE:.*]] = arith.constant 1 : i32
// GEMM:     %[[NOT:.*]] = arith.xori %[[P]], %[[ONE]]
// GEMM:     sm.mbarrier.wait %[[EMPTY]][%[[I]]] parity %[[NOT]]
// GEMM:     sm.mbarrier.expect %[[FULL]][%[[I]]] bytes 49152
// GEMM:     %[[NEXT:.*]] = arith.addi %[[I]], %[[ONE]]
// GEMM:     %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]], %{{.*}}
// GEMM:     %[[I1:.*]] = arith.select %[[WRAPS]], %{{.*}}, %[[NEXT]]
// GEMM:     %[[P1:.*]] = arith.select %[[WRAPS]], %[[NOT]], %[[P]]
// GEMM:     %[[AT:.*]] = sm.slots.at %[[A]][%[[I]]]
// GEMM:     sm.tma.load %a{{.*}} into %[[AT]] signal %[[FULL]][%[[I]]]
// GEMM:     sm.tma.load %b{{.*}} signal %[[FULL]][%[[I]]]
// GEMM:     scf.yield %[[I1]], %[[P1]]
// GEMM:   scf.yield %[[INNER]]#0, %[[INNER]]#1
// GEMM: sm.role "math"
// GEMM: scf.for {{.*}} iter_args(%[[I0:.*]] = %{{.*}}, %[[P0:.*]] = %{{.*}}) -> (i32, i32) {
// GEMM:   %[[R:.*]]:3 = scf.if {{.*}} -> (tensor<{{.*}}>, i32, i32) {
// GEMM:     sm.mbarrier.wait %[[FULL]][%[[I0]]] parity %[[P0]]
// GEMM:     %[[L:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[LAST:.*]] = %[[I0]], %[[I:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}})
// GEMM:       sm.mbarrier.wait %[[FULL]][%[[I]]] parity %[[P]]
// GEMM:       sm.mma.retire leave 1
// GEMM-NEXT:  sm.mbarrier.arrive %[[EMPTY]][%[[LAST]]]
// GEMM:       scf.yield %{{.*}}, %[[I]], %{{.*}}, %{{.*}}
// GEMM:     sm.mbarrier.arrive %[[EMPTY]][%[[L]]#1]
// GEMM:     scf.yield %{{.*}}, %[[L]]#2, %[[L]]#3
// GEMM:   else
// GEMM-NEXT: scf.yield %{{.*}}, %[[I0]], %[[P0]]
// GEMM:   scf.yield %[[R]]#1, %[[R]]#2
// GEMM-NOT: sm.ring
// GEMM-NOT: sm.slot

// The tail goes on where the loop before it ended, for keys and values together. One stage needs no index.

// ATT: sm.role "load"
// ATT: sm.mbarrier.expect %{{.*}}[%{{.*}}] bytes 16384 : !sm.mbarrier<1>
// ATT: %[[L:.*]]:2 = scf.for
// ATT: scf.for {{.*}} = %[[L]]#0, %{{.*}} = %[[L]]#1)
// ATT: sm.role "math"
// ATT: %[[ZERO:.*]] = arith.constant 0 : i32
// ATT: sm.mbarrier.wait %[[QFULL:.*]][%[[ZERO]]] parity %[[ZERO]] : !sm.mbarrier<1>
// ATT: %[[L:.*]]:5 = scf.for
// ATT: scf.for {{.*}} = %[[L]]#3, %{{.*}} = %[[L]]#4)
// Q comes once: nobody waits for its stage to be free, or gives it back.
// ATT-NOT: arrive {{.*}} : !sm.mbarrier<1>

// Conditions and loops of unknown length; a condition without an else gets one.

!t = !sm.smem<64x64xbf16, swizzle = 128>
// CHECK-LABEL: sm.kernel @control
// CHECK: sm.role "load"
// CHECK:   %[[W:.*]]:3 = scf.while (%{{.*}} = %{{.*}}, %[[I:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) : (index, i32, i32) -> (index, i32, i32) {
// CHECK:     scf.condition(%{{.*}}) %{{.*}}, %[[I]], %[[P]]
// CHECK:   } do {
// CHECK:   ^bb0(%{{.*}}: index, %[[I:.*]]: i32, %[[P:.*]]: i32):
// CHECK:     %[[R:.*]]:2 = scf.if %{{.*}} -> (i32, i32) {
// CHECK:       sm.mbarrier.expect %[[FULL:.*]][%[[I]]] bytes 8192
// CHECK:     } else {
// CHECK-NEXT:  scf.yield %[[I]], %[[P]]
// CHECK:     scf.yield %{{.*}}, %[[R]]#0, %[[R]]#1
// A role that is no whole warpgroup arrives once; the slot is chosen by the condition.
// CHECK: sm.role "math"
// CHECK:   scf.while
// CHECK:     %[[R:.*]]:2 = scf.if
// CHECK:       sm.mbarrier.wait
// CHECK:       sm.mbarrier.arrive
sm.kernel @control(%x: !tile.global<[M, 64] x bf16>, %n: index, %c: i1) grid() warps(5) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "load" warps(4) elected {
    %w = scf.while (%i = %c0) : (index) -> index {
      %more = arith.cmpi slt, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      scf.if %c {
        %s = sm.ring.acquire %r : !sm.ring<2 x [!t]>
        %t = sm.slot.tile %s[0] : !sm.slot<[!t]>
        sm.copy.start %x[%i, %c0] dims [0, 1] limits(%M, %c64) into %t : !tile.global<[M, 64] x bf16>, index, index, !t
        sm.ring.commit %s : !sm.slot<[!t]>
      }
      %j = arith.addi %i, %c1 : index
      scf.yield %j : index
    }
  }
  sm.role "math" warps(1) {
    %w = scf.while (%i = %c0) : (index) -> index {
      %more = arith.cmpi slt, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      scf.if %c {
        %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
        sm.ring.release %s : !sm.slot<[!t]>
      }
      %j = arith.addi %i, %c1 : index
      scf.yield %j : index
    }
  }
}

// A slot that both paths of a condition hand on, and one that a loop carries unused.

// CHECK-LABEL: sm.kernel @handed_on
// CHECK: sm.role "math"
// CHECK: %[[R:.*]]:3 = scf.if %{{.*}} -> (i32, i32, i32) {
// CHECK: %[[L:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %[[R]]#0) -> (i32) {
// CHECK-NEXT: sm.slots.at %{{.*}}[%[[S]]]
// CHECK: scf.yield %[[S]]
sm.kernel @handed_on(%x: !tile.global<[M, 64] x bf16>, %n: index, %c: i1) grid() warps(8) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "load" warps(4) elected {
    %s = sm.ring.acquire %r : !sm.ring<2 x [!t]>
    %t = sm.slot.tile %s[0] : !sm.slot<[!t]>
    sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%M, %c64) into %t : !tile.global<[M, 64] x bf16>, index, index, !t
    sm.ring.commit %s : !sm.slot<[!t]>
  }
  sm.role "math" warps(4) {
    %s = scf.if %c -> !sm.slot<[!t]> {
      %u = sm.ring.wait %r : !sm.ring<2 x [!t]>
      scf.yield %u : !sm.slot<[!t]>
    } else {
      %u = sm.ring.wait %r : !sm.ring<2 x [!t]>
      scf.yield %u : !sm.slot<[!t]>
    }
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%u = %s) -> (!sm.slot<[!t]>) {
      %t = sm.slot.tile %u[0] : !sm.slot<[!t]>
      %read = sm.smem.load %t : !t -> tensor<64x64xbf16, #sm.layout<"64x64 = register[8*(0,1) 4*(16,0)] lane[8*(0,8) 4*(1,0)] warp[4*(4,0)]">>
      scf.yield %u : !sm.slot<[!t]>
    }
    sm.ring.release %l : !sm.slot<[!t]>
  }
}

// Three fillings of two stages: the third one waits for the first release, and nobody for the others.

// CHECK-LABEL: sm.kernel @counted
// CHECK: %[[FULL:.*]] = sm.mbarrier.alloc arrivals(1) ring(0) full
// CHECK: %[[EMPTY:.*]] = sm.mbarrier.alloc arrivals(1) ring(0) empty
// CHECK: sm.role "load"
// CHECK-NOT: wait
// CHECK: sm.mbarrier.expect %[[FULL]]
// CHECK-NOT: wait
// CHECK: sm.mbarrier.expect %[[FULL]]
// CHECK: sm.mbarrier.wait %[[EMPTY]]
// CHECK: sm.mbarrier.expect %[[FULL]]
// CHECK: sm.role "math"
// CHECK: sm.mbarrier.wait
// CHECK: sm.mbarrier.arrive %[[EMPTY]]
// CHECK: sm.mbarrier.wait
// CHECK-NOT: arrive
// CHECK: sm.mbarrier.wait
// CHECK-NOT: arrive
// CHECK: }
sm.kernel @counted(%x: !tile.global<[M, 64] x bf16>, %i: index) grid() warps(8) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "load" warps(4) elected {
    %s0 = sm.ring.acquire %r : !sm.ring<2 x [!t]>
    %t0 = sm.slot.tile %s0[0] : !sm.slot<[!t]>
    sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%M, %c64) into %t0 : !tile.global<[M, 64] x bf16>, index, index, !t
    sm.ring.commit %s0 : !sm.slot<[!t]>
    %s1 = sm.ring.acquire %r : !sm.ring<2 x [!t]>
    %t1 = sm.slot.tile %s1[0] : !sm.slot<[!t]>
    sm.copy.start %x[%c64, %c0] dims [0, 1] limits(%M, %c64) into %t1 : !tile.global<[M, 64] x bf16>, index, index, !t
    sm.ring.commit %s1 : !sm.slot<[!t]>
    %s2 = sm.ring.acquire %r : !sm.ring<2 x [!t]>
    %t2 = sm.slot.tile %s2[0] : !sm.slot<[!t]>
    sm.copy.start %x[%i, %c0] dims [0, 1] limits(%M, %c64) into %t2 : !tile.global<[M, 64] x bf16>, index, index, !t
    sm.ring.commit %s2 : !sm.slot<[!t]>
  }
  sm.role "math" warps(4) {
    %s0 = sm.ring.wait %r : !sm.ring<2 x [!t]>
    sm.ring.release %s0 : !sm.slot<[!t]>
    %s1 = sm.ring.wait %r : !sm.ring<2 x [!t]>
    %s2 = sm.ring.wait %r : !sm.ring<2 x [!t]>
    sm.ring.release %s1 : !sm.slot<[!t]>
    sm.ring.release %s2 : !sm.slot<[!t]>
  }
}

// A slot that a loop hands on is its newest: one may follow, and there are three stages. With another
// taken in between, or two that follow, it is needed.

// CHECK-LABEL: sm.kernel @carried
// CHECK: sm.role "math"
// CHECK: scf.for
// CHECK:   sm.mbarrier.arrive
// CHECK: }
// CHECK-NOT: arrive
// CHECK: scf.if
// CHECK:   sm.mbarrier.wait
// CHECK-NOT: arrive
// CHECK: sm.role "late"
// CHECK: scf.for
// CHECK:   sm.mbarrier.arrive
// CHECK: }
// CHECK: sm.mbarrier.wait
// CHECK: sm.mbarrier.wait
// CHECK: sm.mbarrier.wait
// CHECK: sm.mbarrier.arrive
// CHECK-NOT: arrive
// CHECK: sm.kernel
sm.kernel @carried(%x: !tile.global<[M, 64] x bf16>, %n: index, %c: i1) grid() warps(12) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %r = sm.ring.alloc : !sm.ring<3 x [!t]>
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %n step %c1 {
      %s = sm.ring.acquire %r : !sm.ring<3 x [!t]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!t]>
      sm.copy.start %x[%i, %c0] dims [0, 1] limits(%M, %c64) into %t : !tile.global<[M, 64] x bf16>, index, index, !t
      sm.ring.commit %s : !sm.slot<[!t]>
    }
  }
  sm.role "math" warps(4) {
    %first = sm.ring.wait %r : !sm.ring<3 x [!t]>
    %last = scf.for %i = %c1 to %n step %c1 iter_args(%old = %first) -> (!sm.slot<[!t]>) {
      %s = sm.ring.wait %r : !sm.ring<3 x [!t]>
      sm.ring.release %old : !sm.slot<[!t]>
      scf.yield %s : !sm.slot<[!t]>
    }
    sm.ring.release %last : !sm.slot<[!t]>
    scf.if %c {
      %s = sm.ring.wait %r : !sm.ring<3 x [!t]>
      sm.ring.release %s : !sm.slot<[!t]>
    }
  }
  sm.role "late" warps(4) {
    %first = sm.ring.wait %r : !sm.ring<3 x [!t]>
    %last = scf.for %i = %c1 to %n step %c1 iter_args(%old = %first) -> (!sm.slot<[!t]>) {
      %s = sm.ring.wait %r : !sm.ring<3 x [!t]>
      sm.ring.release %old : !sm.slot<[!t]>
      scf.yield %s : !sm.slot<[!t]>
    }
    %s0 = sm.ring.wait %r : !sm.ring<3 x [!t]>
    %s1 = sm.ring.wait %r : !sm.ring<3 x [!t]>
    %s2 = sm.ring.wait %r : !sm.ring<3 x [!t]>
    sm.ring.release %last : !sm.slot<[!t]>
    sm.ring.release %s0 : !sm.slot<[!t]>
    sm.ring.release %s1 : !sm.slot<[!t]>
    sm.ring.release %s2 : !sm.slot<[!t]>
  }
}

sm.kernel @end() grid() warps(4) {
}

// A queue is a ring of words: the reader of each warp frees the place, once it has the number.

// CHECK-LABEL: sm.kernel @numbers
// CHECK-DAG: %[[WORDS:.*]] = sm.words.alloc : !sm.words<2>
// CHECK-DAG: %[[FULL:.*]] = sm.mbarrier.alloc arrivals(1) ring(0) full : !sm.mbarrier<2>
// CHECK-DAG: %[[EMPTY:.*]] = sm.mbarrier.alloc arrivals(4) ring(0) empty : !sm.mbarrier<2>
// CHECK: sm.role "load"
// CHECK: scf.for %{{.*}} iter_args(%[[I:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}})
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[P]]
// CHECK: sm.mbarrier.wait %[[EMPTY]][%[[I]]] parity %[[FLIPPED]]
// CHECK: sm.words.store %{{.*}} to %[[WORDS]][%[[I]]]
// CHECK-NEXT: sm.mbarrier.arrive %[[FULL]][%[[I]]] :
// CHECK: sm.role "math"
// CHECK: scf.for %{{.*}} iter_args(%[[I:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}})
// CHECK: sm.mbarrier.wait %[[FULL]][%[[I]]] parity %[[P]]
// CHECK-NEXT: %[[N:.*]] = sm.words.load %[[WORDS]][%[[I]]]
// CHECK-NEXT: sm.mbarrier.arrive %[[EMPTY]][%[[I]]] warps after %[[N]] : i32 :
// CHECK-NEXT: %[[INDEX:.*]] = arith.index_cast %[[N]] : i32 to index
// CHECK: sm.store %{{.*}} to %{{.*}}[%[[INDEX]]]
// CHECK-NOT: sm.queue
sm.kernel @numbers(%y: !tile.global<[M] x f32, out>) grid() warps(5) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %M = tile.size M
  %q = sm.queue.alloc : !sm.queue<2>
  sm.role "load" warps(1) elected {
    scf.for %i = %c0 to %M step %c1 {
      sm.queue.push %i to %q : !sm.queue<2>
    }
  }
  sm.role "math" warps(4) {
    scf.for %i = %c0 to %M step %c1 {
      %n = sm.queue.pop %q : !sm.queue<2>
      sm.store %one to %y[%n] dims [] : f32, !tile.global<[M] x f32, out>, index
    }
  }
}

// A ring that threads fill: nobody expects bytes. Each thread arrives when its fetches are complete;
// for elements that may go through registers each warp arrives as well. Warps that use the ring give
// slots back one by one, once they have read them.

#row = #sm.layout<"64 = register[2*(32)] lane[32*(1)] warp[4*(0)]">
!f = !sm.smem<64xf32>
!h = !sm.smem<64xbf16>
// CHECK-LABEL: sm.kernel @by_threads
// CHECK: %[[F:.*]] = sm.mbarrier.alloc arrivals(64) ring(0) full : !sm.mbarrier<2>
// CHECK: %[[E:.*]] = sm.mbarrier.alloc arrivals(4) ring(0) empty : !sm.mbarrier<2>
// CHECK: %[[FH:.*]] = sm.mbarrier.alloc arrivals(66) ring(1) full : !sm.mbarrier<2>
// CHECK: sm.role "math"
// CHECK: %[[ROW:.*]] = sm.smem.load
// CHECK: sm.mbarrier.arrive %[[E]][%{{.*}}] warps after %[[ROW]]
// CHECK: sm.role "fetch"
// CHECK-NOT: sm.mbarrier.expect
// CHECK: sm.mbarrier.wait %[[E]]
// CHECK: sm.fetch.start %x
// CHECK-NEXT: sm.mbarrier.arrive %[[F]][%[[I:.*]]] fetches
// CHECK: sm.fetch.start %y
// CHECK-NEXT: sm.mbarrier.arrive %[[FH]][%[[I:.*]]] fetches
// CHECK-NEXT: sm.mbarrier.arrive %[[FH]][%[[I]]] warps
sm.kernel @by_threads(%x: !tile.global<[M] x f32>, %y: !tile.global<[M] x bf16>) grid() warps(6) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %r = sm.ring.alloc warps : !sm.ring<2 x [!f]>
  %q = sm.ring.alloc warps : !sm.ring<2 x [!h]>
  sm.role "math" warps(4) {
    scf.for %i = %c0 to %M step %c64 {
      %s = sm.ring.wait %r : !sm.ring<2 x [!f]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!f]>
      %v = sm.smem.load %t : !f -> tensor<64xf32, #row>
      sm.ring.release %s : !sm.slot<[!f]>
      %u = sm.ring.wait %q : !sm.ring<2 x [!h]>
      sm.ring.release %u : !sm.slot<[!h]>
    }
  }
  sm.role "fetch" warps(2) {
    scf.for %i = %c0 to %M step %c64 {
      %s = sm.ring.acquire %r : !sm.ring<2 x [!f]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!f]>
      sm.fetch.start %x[%i] dims [0] limits(%M) into %t : !tile.global<[M] x f32>, index, !f
      sm.ring.commit %s : !sm.slot<[!f]>
      %u = sm.ring.acquire %q : !sm.ring<2 x [!h]>
      %v = sm.slot.tile %u[0] : !sm.slot<[!h]>
      sm.fetch.start %y[%i] dims [0] limits(%M) into %v : !tile.global<[M] x bf16>, index, !h
      sm.ring.commit %u : !sm.slot<[!h]>
    }
  }
}

// Threads fill a slot with what they fetch and with what they have computed: they arrive for both.

#computed = #sm.layout<"64 = register[2*(32)] lane[32*(1)]">
// CHECK-LABEL: sm.kernel @computed_and_fetched
// CHECK: %[[F:.*]] = sm.mbarrier.alloc arrivals(33) ring(0) full : !sm.mbarrier<2>
// CHECK: sm.role "fetch"
// CHECK: sm.slot.store
// CHECK: sm.fetch.start %x
// CHECK-NEXT: sm.fence
// CHECK-NEXT: sm.mbarrier.arrive %[[F]][%[[I:.*]]] fetches
// CHECK-NEXT: sm.mbarrier.arrive %[[F]][%[[I]]] warps
sm.kernel @computed_and_fetched(%x: !tile.global<[M] x f32>) grid() warps(5) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %r = sm.ring.alloc warps : !sm.ring<2 x [!f, !f]>
  sm.role "math" warps(4) {
    scf.for %i = %c0 to %M step %c64 {
      %s = sm.ring.wait %r : !sm.ring<2 x [!f, !f]>
      sm.ring.release %s : !sm.slot<[!f, !f]>
    }
  }
  sm.role "fetch" warps(1) {
    %v = arith.constant dense<1.0> : tensor<64xf32, #computed>
    scf.for %i = %c0 to %M step %c64 {
      %s = sm.ring.acquire %r : !sm.ring<2 x [!f, !f]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!f, !f]>
      sm.slot.store %t with %v : !f, tensor<64xf32, #computed>
      %u = sm.slot.tile %s[1] : !sm.slot<[!f, !f]>
      sm.fetch.start %x[%i] dims [0] limits(%M) into %u : !tile.global<[M] x f32>, index, !f
      sm.ring.commit %s : !sm.slot<[!f, !f]>
    }
  }
}

// Sides that go on equally often in each block have one position, whether they fill or use: x and y. A ring of other
// stages (z) and one that a condition goes on with (w) have their own.

// CHECK-LABEL: sm.kernel @together
// CHECK: %[[XF:.*]] = sm.mbarrier.alloc arrivals(1) ring(0) full
// CHECK: %[[XE:.*]] = sm.mbarrier.alloc arrivals(1) ring(0) empty
// CHECK: %[[YF:.*]] = sm.mbarrier.alloc {{.*}} ring(1) full
// CHECK: %[[YE:.*]] = sm.mbarrier.alloc {{.*}} ring(1) empty
// CHECK: %[[ZF:.*]] = sm.mbarrier.alloc {{.*}} ring(2) full
// CHECK: %[[WF:.*]] = sm.mbarrier.alloc {{.*}} ring(3) full
// CHECK: sm.role "math"
// CHECK: %[[O:.*]] = arith.constant 0 : i32
// CHECK: %[[L:.*]]:6 = scf.for {{.*}} iter_args(%[[I:.*]] = %[[O]], %[[P:.*]] = %[[O]], %[[ZI:.*]] = %[[O]], %[[ZP:.*]] = %[[O]], %[[WI:.*]] = %[[O]], %[[WP:.*]] = %[[O]])
// CHECK:   sm.mbarrier.wait %[[XF]][%[[I]]] parity %[[P]]
// CHECK:   %[[WRAPS:.*]] = arith.cmpi eq
// CHECK:   %[[I1:.*]] = arith.select %[[WRAPS]]
// CHECK:   %[[P1:.*]] = arith.select %[[WRAPS]]
// CHECK:   %[[F:.*]] = arith.xori %[[P]],
// CHECK:   sm.mbarrier.wait %[[YE]][%[[I]]] parity %[[F]]
// CHECK:   sm.mbarrier.wait %[[ZF]][%[[ZI]]] parity %[[ZP]]
// CHECK:   %[[W:.*]]:2 = scf.if
// CHECK:     sm.mbarrier.wait %[[WF]][%[[WI]]] parity %[[WP]]
// CHECK:   scf.yield %[[I1]], %[[P1]], %{{.*}}, %{{.*}}, %[[W]]#0, %[[W]]#1
// CHECK: }
// Both go on from there, x once more.
// CHECK: sm.mbarrier.wait %[[XF]][%[[L]]#0] parity %[[L]]#1
// CHECK: sm.role "store"
!x = !sm.smem<64xf32>
#threads = #sm.layout<"64 = register[1*(0)] lane[32*(1)] warp[2*(32) 2*(0)]">
sm.kernel @together(%x: !tile.global<[M] x f32>, %c: i1) grid() warps(12) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %x_ring = sm.ring.alloc : !sm.ring<2 x [!x]>
  %y_ring = sm.ring.alloc : !sm.ring<2 x [!x]>
  %z_ring = sm.ring.alloc : !sm.ring<3 x [!x]>
  %w_ring = sm.ring.alloc : !sm.ring<2 x [!x]>
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %M step %c64 {
      %s = sm.ring.acquire %x_ring : !sm.ring<2 x [!x]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!x]>
      sm.copy.start %x[%i] dims [0] limits(%M) into %t : !tile.global<[M] x f32>, index, !x
      sm.ring.commit %s : !sm.slot<[!x]>
      %u = sm.ring.acquire %z_ring : !sm.ring<3 x [!x]>
      %v = sm.slot.tile %u[0] : !sm.slot<[!x]>
      sm.copy.start %x[%i] dims [0] limits(%M) into %v : !tile.global<[M] x f32>, index, !x
      sm.ring.commit %u : !sm.slot<[!x]>
      scf.if %c {
        %a = sm.ring.acquire %w_ring : !sm.ring<2 x [!x]>
        %b = sm.slot.tile %a[0] : !sm.slot<[!x]>
        sm.copy.start %x[%i] dims [0] limits(%M) into %b : !tile.global<[M] x f32>, index, !x
        sm.ring.commit %a : !sm.slot<[!x]>
      }
    }
    %s = sm.ring.acquire %x_ring : !sm.ring<2 x [!x]>
    %t = sm.slot.tile %s[0] : !sm.slot<[!x]>
    sm.copy.start %x[%c0] dims [0] limits(%M) into %t : !tile.global<[M] x f32>, index, !x
    sm.ring.commit %s : !sm.slot<[!x]>
  }
  sm.role "math" warps(4) {
    %one = arith.constant dense<1.0> : tensor<64xf32, #threads>
    scf.for %i = %c0 to %M step %c64 {
      %s = sm.ring.wait %x_ring : !sm.ring<2 x [!x]>
      sm.ring.release %s : !sm.slot<[!x]>
      %a = sm.ring.acquire %y_ring : !sm.ring<2 x [!x]>
      %b = sm.slot.tile %a[0] : !sm.slot<[!x]>
      sm.slot.store %b with %one : !x, tensor<64xf32, #threads>
      sm.ring.commit %a : !sm.slot<[!x]>
      %u = sm.ring.wait %z_ring : !sm.ring<3 x [!x]>
      sm.ring.release %u : !sm.slot<[!x]>
      scf.if %c {
        %w = sm.ring.wait %w_ring : !sm.ring<2 x [!x]>
        sm.ring.release %w : !sm.slot<[!x]>
      }
    }
    %s = sm.ring.wait %x_ring : !sm.ring<2 x [!x]>
    sm.ring.release %s : !sm.slot<[!x]>
    %a = sm.ring.acquire %y_ring : !sm.ring<2 x [!x]>
    %b = sm.slot.tile %a[0] : !sm.slot<[!x]>
    sm.slot.store %b with %one : !x, tensor<64xf32, #threads>
    sm.ring.commit %a : !sm.slot<[!x]>
  }
  sm.role "store" warps(4) {
    scf.for %i = %c0 to %M step %c64 {
      %s = sm.ring.wait %y_ring : !sm.ring<2 x [!x]>
      sm.ring.release %s : !sm.slot<[!x]>
    }
    %s = sm.ring.wait %y_ring : !sm.ring<2 x [!x]>
    sm.ring.release %s : !sm.slot<[!x]>
  }
}

// One that is a slot ahead where a loop begins has a position of its own, though both take as many in each block.

// CHECK-LABEL: sm.kernel @ahead
// CHECK: %[[XF:.*]] = sm.mbarrier.alloc {{.*}} ring(0) full
// CHECK: %[[YF:.*]] = sm.mbarrier.alloc {{.*}} ring(1) full
// CHECK: sm.role "math"
// CHECK: %[[O:.*]] = arith.constant 0 : i32
// CHECK: sm.mbarrier.wait %[[XF]][%[[O]]] parity %[[O]]
// CHECK: %[[L:.*]]:4 = scf.for {{.*}} iter_args(%[[I:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}, %[[J:.*]] = %[[O]], %[[Q:.*]] = %[[O]])
// CHECK:   sm.mbarrier.wait %[[YF]][%[[J]]] parity %[[Q]]
// CHECK:   sm.mbarrier.wait %[[XF]][%[[I]]] parity %[[P]]
// CHECK: sm.mbarrier.wait %[[YF]][%[[L]]#2] parity %[[L]]#3
sm.kernel @ahead(%x: !tile.global<[M] x f32>) grid() warps(8) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %x_ring = sm.ring.alloc : !sm.ring<2 x [!x]>
  %y_ring = sm.ring.alloc : !sm.ring<2 x [!x]>
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %M step %c64 {
      %s = sm.ring.acquire %x_ring : !sm.ring<2 x [!x]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!x]>
      sm.copy.start %x[%i] dims [0] limits(%M) into %t : !tile.global<[M] x f32>, index, !x
      sm.ring.commit %s : !sm.slot<[!x]>
      %a = sm.ring.acquire %y_ring : !sm.ring<2 x [!x]>
      %b = sm.slot.tile %a[0] : !sm.slot<[!x]>
      sm.copy.start %x[%i] dims [0] limits(%M) into %b : !tile.global<[M] x f32>, index, !x
      sm.ring.commit %a : !sm.slot<[!x]>
    }
  }
  sm.role "math" warps(4) {
    %s = sm.ring.wait %x_ring : !sm.ring<2 x [!x]>
    sm.ring.release %s : !sm.slot<[!x]>
    scf.for %i = %c64 to %M step %c64 {
      %v = sm.ring.wait %y_ring : !sm.ring<2 x [!x]>
      sm.ring.release %v : !sm.slot<[!x]>
      %k = sm.ring.wait %x_ring : !sm.ring<2 x [!x]>
      sm.ring.release %k : !sm.slot<[!x]>
    }
    %u = sm.ring.wait %y_ring : !sm.ring<2 x [!x]>
    sm.ring.release %u : !sm.slot<[!x]>
  }
}

// A copy may end before its tensor does. If it does so, the role waits for it on a barrier of its own, zeroes what follows
// the end, and then says that the slot is full. The parity of that barrier changes only there.

// CHECK-LABEL: sm.kernel @ends
// CHECK: %[[SLOTS:.*]] = sm.slots.alloc ring(0)
// CHECK: %[[FULL:.*]] = sm.mbarrier.alloc arrivals(1) ring(0) full
// CHECK: %[[EMPTY:.*]] = sm.mbarrier.alloc arrivals(1) ring(0) empty
// CHECK: %[[LANDED:.*]] = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<1>
// CHECK: sm.role "load"
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[INDEX:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[PARITY:.*]] = %{{.*}}) -> (i32, i32, i32) {
// CHECK: sm.mbarrier.wait %[[EMPTY]][%[[INDEX]]]
// CHECK-NOT: sm.mbarrier.expect
// CHECK: %[[TILE:.*]] = sm.slots.at %[[SLOTS]][%[[INDEX]]]
// CHECK: %[[ROWS:.*]] = arith.subi %end, %[[I]]
// CHECK: %[[CUT:.*]] = arith.cmpi slt, %[[ROWS]], %c64
// CHECK: %[[NEXT:.*]] = scf.if %[[CUT]] -> (i32) {
// CHECK: sm.mbarrier.expect %[[LANDED]][%[[C0:.*]]] bytes 8192
// CHECK: %[[M:.*]] = tile.size M
// CHECK: sm.tma.load %x[%[[I]], %{{.*}}] dims [0, 1] limits(%[[M]], %{{.*}}) into %[[TILE]] signal %[[LANDED]][%[[C0]]]
// CHECK-NEXT: sm.mbarrier.wait %[[LANDED]][%[[C0]]] parity %[[PARITY]]
// CHECK-NEXT: sm.clip %[[TILE]] axis 0 from %[[ROWS]]
// CHECK-NEXT: sm.mbarrier.arrive %[[FULL]][%[[INDEX]]]
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[PARITY]], %{{.*}}
// CHECK-NEXT: scf.yield %[[FLIPPED]]
// CHECK-NEXT: } else {
// CHECK-NEXT: sm.mbarrier.expect %[[FULL]][%[[INDEX]]] bytes 8192
// CHECK: sm.tma.load {{.*}} into %[[TILE]] signal %[[FULL]][%[[INDEX]]]
// CHECK-NEXT: scf.yield %[[PARITY]]
// CHECK: scf.yield {{.*}}, %[[NEXT]]
sm.kernel @ends(%x: !tile.global<[M, 64] x bf16>, %end: index) grid() warps(8) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %r = sm.ring.alloc : !sm.ring<2 x [!t]>
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %end step %c64 {
      %s = sm.ring.acquire %r : !sm.ring<2 x [!t]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!t]>
      sm.copy.start %x[%i, %c0] dims [0, 1] limits(%end, %c64) into %t : !tile.global<[M, 64] x bf16>, index, index, !t
      sm.ring.commit %s : !sm.slot<[!t]>
    }
  }
  sm.role "math" warps(4) {
    scf.for %i = %c0 to %end step %c64 {
      %s = sm.ring.wait %r : !sm.ring<2 x [!t]>
      sm.ring.release %s : !sm.slot<[!t]>
    }
  }
}
