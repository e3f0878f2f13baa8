// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-place-fences))' | FileCheck %s

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#acc2 = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#other = #sm.layout<"128 = lane[32*(4)] warp[4*(1)]">
!t = !sm.smem<64x64xbf16, swizzle = 128>
!u = !sm.smem<128x64xbf16, swizzle = 128>
!f = tensor<64x64xf32, #acc>
!h = tensor<64x64xbf16, #acc>
!x = !tile.global<[M, 64] x bf16>
!y = !tile.global<[M, 64] x bf16, out>

// Threads read what others have written after a barrier; tensor cores after a fence, too.

// CHECK-LABEL: sm.kernel @straight
// CHECK-SAME: form(fenced)
// CHECK-NOT: sm.barrier
// CHECK: %[[A:.*]] = sm.fetch
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.smem.load %[[A]]
// CHECK: sm.fetch
// CHECK-NEXT: sm.fence
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.mma
// CHECK-NOT: sm.barrier
sm.kernel @straight(%x: !x, %i: index) grid() warps(4) form(expanded) {
  %M = tile.size M
  %c64 = arith.constant 64 : index
  %z = arith.constant dense<0.0> : !f
  %a = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %c64) at 0 : !x, index, index -> !t
  %r = sm.smem.load %a : !t -> !h
  %b = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %c64) at 8192 : !x, index, index -> !t
  %p = sm.mma %a, %b, %z : !t, !t, !f
}

// All reads have met the barrier: it would do for the tensor cores as well, had a fence been
// before it. So that is where it goes.

// CHECK-LABEL: sm.kernel @earlier_fence
// CHECK: sm.fetch
// CHECK-NEXT: sm.fence
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.smem.load
// CHECK-NEXT: sm.mma
// CHECK-NOT: sm.fence
sm.kernel @earlier_fence(%x: !x, %i: index) grid() warps(4) form(expanded) {
  %M = tile.size M
  %c64 = arith.constant 64 : index
  %z = arith.constant dense<0.0> : !f
  %a = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %c64) at 0 : !x, index, index -> !t
  %r = sm.smem.load %a : !t -> !h
  %p = sm.mma %a, %a, %z : !t, !t, !f
}

// In a loop: one pair for both tiles, and one barrier before they are written again.

// CHECK-LABEL: sm.kernel @loop
// CHECK: scf.for
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.fetch
// CHECK-NEXT: sm.fetch
// CHECK-NEXT: sm.fence
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.mma
// CHECK-NEXT: scf.yield
// CHECK-NOT: sm.barrier
sm.kernel @loop(%x: !x, %n: index) grid() warps(4) form(expanded) {
  %M = tile.size M
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant dense<0.0> : !f
  %s = scf.for %i = %c0 to %n step %c64 iter_args(%p = %z) -> (!f) {
    %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) at 0 : !x, index, index -> !t
    %b = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) at 8192 : !x, index, index -> !t
    %q = sm.mma %a, %b, %p : !t, !t, !f
    scf.yield %q : !f
  }
}

// What comes before a loop is waited for before it, unless a barrier inside does that.

// CHECK-LABEL: sm.kernel @before_loops
// CHECK: %[[Q:.*]] = sm.fetch
// CHECK-NEXT: sm.fence
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: sm.mma %[[Q]], %[[Q]]
// CHECK: %[[R:.*]] = sm.fetch
// CHECK-NEXT: scf.while
// CHECK: do
// CHECK: sm.barrier
// CHECK-NEXT: %[[K:.*]] = sm.fetch
// CHECK-NEXT: sm.fence
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.mma %[[R]], %[[K]]
// CHECK-NOT: sm.barrier
sm.kernel @before_loops(%x: !x, %n: index) grid() warps(4) form(expanded) {
  %M = tile.size M
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant dense<0.0> : !f
  %q = sm.fetch %x[%n, %c0] dims [0, 1] limits(%M, %c64) at 0 : !x, index, index -> !t
  scf.for %i = %c0 to %n step %c64 {
    scf.for %j = %c0 to %n step %c64 {
      %p = sm.mma %q, %q, %z : !t, !t, !f
    }
  }
  %r = sm.fetch %x[%n, %c0] dims [0, 1] limits(%M, %c64) at 8192 : !x, index, index -> !t
  %l = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %k = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) at 16384 : !x, index, index -> !t
    %p = sm.mma %r, %k, %z : !t, !t, !f
    %j = arith.addi %i, %c64 : index
    scf.yield %j : index
  }
}

// A branch that reads waits by itself; the other path has not waited after it.

// CHECK-LABEL: sm.kernel @branches
// CHECK: %[[A:.*]] = sm.fetch
// CHECK-NEXT: %[[T:.*]] = scf.if
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.smem.load %[[A]]
// CHECK: sm.barrier
// CHECK-NEXT: sm.smem.load %[[T]]
// CHECK-NOT: sm.barrier
sm.kernel @branches(%x: !x, %c: i1, %i: index) grid() warps(4) form(expanded) {
  %M = tile.size M
  %c64 = arith.constant 64 : index
  %a = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %c64) at 0 : !x, index, index -> !t
  %t = scf.if %c -> !t {
    %r = sm.smem.load %a : !t -> !h
    scf.yield %a : !t
  } else {
    scf.yield %a : !t
  }
  %s = sm.smem.load %t : !t -> !h
}

// Bytes count, not values: the staged tile lies where the operands lay, and the conversion's
// scratch memory, too. Its own barrier stands before its accesses, but none after them. A
// store reads what was staged, and its tile may be written again when all know that it is done.

// CHECK-LABEL: sm.kernel @same_bytes
// CHECK: sm.mma
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: %[[S:.*]] = sm.smem.store
// CHECK-NEXT: sm.fence
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.copy.store %[[S]]
// CHECK-NEXT: sm.convert
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.smem.store
// CHECK-NOT: sm.barrier
sm.kernel @same_bytes(%x: !x, %y: !y, %i: index) grid() warps(4) form(expanded) {
  %M = tile.size M
  %c64 = arith.constant 64 : index
  %z = arith.constant dense<0.0> : !f
  %h = arith.constant dense<0.0> : !h
  %l = arith.constant dense<0.0> : tensor<128xf32, #line>
  %a = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %c64) at 0 : !x, index, index -> !t
  %p = sm.mma %a, %a, %z : !t, !t, !f
  %s = sm.smem.store %h at 0 : !h -> !t
  sm.copy.store %s to %y[%i, %i] dims [0, 1] limits(%M, %c64) : !t, !y, index, index
  %c = sm.convert %l {sm.scratch_address = 0 : i64} : tensor<128xf32, #line> -> tensor<128xf32, #other>
  %r = sm.smem.store %h at 0 : !h -> !t
}

// A barrier orders, but does not fence.

// CHECK-LABEL: sm.kernel @written_barriers
// CHECK: sm.smem.store
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.fence
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.mma
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: %[[B:.*]] = sm.smem.store
// CHECK-NEXT: sm.fence
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.mma %[[B]]
// CHECK-NOT: sm.barrier
sm.kernel @written_barriers() grid() warps(4) form(expanded) {
  %z = arith.constant dense<0.0> : !f
  %h = arith.constant dense<0.0> : !h
  %a = sm.smem.store %h at 0 : !h -> !t
  sm.barrier
  %p = sm.mma %a, %a, %z : !t, !t, !f
  sm.barrier
  sm.barrier
  %b = sm.smem.store %h at 0 : !h -> !t
  sm.fence
  %q = sm.mma %b, %b, %z : !t, !t, !f
}

// What a product reads may be written when it is complete, and then for its warpgroup only. The
// newer one of two is left in flight.

// CHECK-LABEL: sm.kernel @in_flight
// CHECK: sm.mma.await {{.*}} leave 1
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.smem.store {{.*}} at 0
// CHECK-NEXT: sm.mma.retire leave 0
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.smem.store {{.*}} at 8192
sm.kernel @in_flight() grid() warps(4) form(expanded) {
  %z = arith.constant dense<0.0> : !f
  %h = arith.constant dense<0.0> : !h
  %a = sm.scratch at 0 : !t
  %b = sm.scratch at 8192 : !t
  %p = sm.mma.issue %a, %a, %z : !t, !t, !f
  %q = sm.mma.issue %b, %b, %z : !t, !t, !f
  %r = sm.mma.await %p leave 1 : !sm.pending<!f>
  %s = sm.smem.store %h at 0 : !h -> !t
  sm.mma.retire leave 0
  %t = sm.smem.store %h at 8192 : !h -> !t
  %u = sm.mma.await %q : !sm.pending<!f>
}

// A ring. One thread of a warpgroup gives a stage back for all, so that those that read it for
// themselves meet before that.

!us = !sm.slots<4 x !u>
!bars = !sm.mbarrier<4>
// CHECK-LABEL: sm.kernel @ring
// CHECK: sm.role "load"
// CHECK-NOT: sm.barrier
// CHECK-NOT: sm.fence
// CHECK: sm.role "math"
// CHECK: scf.for
// CHECK: sm.mbarrier.wait
// CHECK-NEXT: sm.slots.at
// CHECK-NEXT: sm.mma.issue
// CHECK-NEXT: sm.mma.await
// CHECK-NEXT: sm.mbarrier.arrive
// CHECK: sm.mbarrier.wait
// CHECK-NEXT: sm.slots.at
// CHECK-NEXT: sm.smem.load
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.mbarrier.arrive
sm.kernel @ring(%x: !x, %n: index) grid() warps(12) form(expanded) {
  %M = tile.size M
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %s = sm.slots.alloc ring(0) at 0 : !us
  %full = sm.mbarrier.alloc arrivals(1) ring(0) full at 65536 : !bars
  %empty = sm.mbarrier.alloc arrivals(2) ring(0) empty at 65568 : !bars
  sm.role "load" warps(4) registers(40) elected {
    %zero = arith.constant 0 : i32
    scf.for %i = %c0 to %n step %c64 iter_args(%k = %zero) -> (i32) {
      sm.mbarrier.wait %empty[%k] parity %k : !bars
      sm.mbarrier.expect %full[%k] bytes 16384 : !bars
      %t = sm.slots.at %s[%k] : !us
      sm.tma.load %x[%i, %c0] dims [0, 1] limits(%M, %c64) into %t signal %full[%k] : !x, index, index, !u, !bars
      %one = arith.constant 1 : i32
      %next = arith.addi %k, %one : i32
      scf.yield %next : i32
    }
  }
  sm.role "math" warps(8) registers(232) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<128x64xf32, #acc2>
    %w = sm.scratch at 66560 : !t
    scf.for %i = %c0 to %n step %c64 iter_args(%k = %zero) -> (i32) {
      sm.mbarrier.wait %full[%k] parity %k : !bars
      %t = sm.slots.at %s[%k] : !us
      %p = sm.mma.issue %t, %w, %z : !u, !t, tensor<128x64xf32, #acc2>
      %q = sm.mma.await %p : !sm.pending<tensor<128x64xf32, #acc2>>
      sm.mbarrier.arrive %empty[%k] : !bars
      %next = arith.addi %k, %one : i32
      sm.mbarrier.wait %full[%next] parity %k : !bars
      %u = sm.slots.at %s[%next] : !us
      %r = sm.smem.load %u : !u -> tensor<128x64xbf16, #acc2>
      sm.mbarrier.arrive %empty[%next] : !bars
      %last = arith.addi %next, %one : i32
      scf.yield %last : i32
    }
  }
}

// The stage that an iteration gives back is the one of the iteration before, which all have read
// before the barrier at its end.

// CHECK-LABEL: sm.kernel @late_release
// CHECK: sm.role "math"
// CHECK: scf.for
// CHECK: sm.smem.load
// CHECK-NEXT: sm.mbarrier.arrive
// CHECK-NEXT: sm.barrier
// CHECK-NOT: sm.barrier
// CHECK: scf.yield
// Without that barrier there is another one before the arrival.
// CHECK: scf.for
// CHECK: sm.smem.load
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.mbarrier.arrive
sm.kernel @late_release(%x: !x, %n: index) grid() warps(12) form(expanded) {
  %M = tile.size M
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %s = sm.slots.alloc ring(0) at 0 : !us
  %full = sm.mbarrier.alloc arrivals(1) ring(0) full at 65536 : !bars
  %empty = sm.mbarrier.alloc arrivals(2) ring(0) empty at 65568 : !bars
  sm.role "load" warps(4) registers(40) elected {
    %zero = arith.constant 0 : i32
    scf.for %i = %c0 to %n step %c64 iter_args(%k = %zero) -> (i32) {
      sm.mbarrier.wait %empty[%k] parity %k : !bars
      sm.mbarrier.expect %full[%k] bytes 16384 : !bars
      %t = sm.slots.at %s[%k] : !us
      sm.tma.load %x[%i, %c0] dims [0, 1] limits(%M, %c64) into %t signal %full[%k] : !x, index, index, !u, !bars
      %one = arith.constant 1 : i32
      %next = arith.addi %k, %one : i32
      scf.yield %next : i32
    }
  }
  sm.role "math" warps(8) registers(232) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    sm.mbarrier.wait %full[%zero] parity %zero : !bars
    %l:2 = scf.for %i = %c0 to %n step %c64 iter_args(%old = %zero, %k = %one) -> (i32, i32) {
      sm.mbarrier.wait %full[%k] parity %k : !bars
      %t = sm.slots.at %s[%k] : !us
      %r = sm.smem.load %t : !u -> tensor<128x64xbf16, #acc2>
      sm.mbarrier.arrive %empty[%old] : !bars
      sm.barrier
      %next = arith.addi %k, %one : i32
      scf.yield %k, %next : i32, i32
    }
    sm.mbarrier.arrive %empty[%l#0] : !bars
    sm.mbarrier.wait %full[%l#1] parity %zero : !bars
    %m:2 = scf.for %i = %c0 to %n step %c64 iter_args(%old = %l#1, %k = %one) -> (i32, i32) {
      sm.mbarrier.wait %full[%k] parity %k : !bars
      %t = sm.slots.at %s[%k] : !us
      %r = sm.smem.load %t : !u -> tensor<128x64xbf16, #acc2>
      sm.mbarrier.arrive %empty[%old] : !bars
      %next = arith.addi %k, %one : i32
      scf.yield %k, %next : i32, i32
    }
  }
}

// While a warpgroup has its turn, it does not wait: what its products need is done before.

// CHECK-LABEL: sm.kernel @turns
// CHECK: sm.smem.store
// CHECK-NEXT: sm.fence
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.pingpong.wait
// CHECK-NEXT: sm.mma.issue
// CHECK-NEXT: sm.pingpong.pass
sm.kernel @turns(%n: index) grid() warps(8) form(expanded) {
  sm.role "math" warps(8) {
    %z = arith.constant dense<0.0> : tensor<128x64xf32, #acc2>
    %h = arith.constant dense<0.0> : tensor<128x64xbf16, #acc2>
    %w = sm.scratch at 16384 : !t
    sm.pingpong.start
    %a = sm.smem.store %h at 0 : tensor<128x64xbf16, #acc2> -> !u
    sm.pingpong.wait
    %p = sm.mma.issue %a, %w, %z : !u, !t, tensor<128x64xf32, #acc2>
    sm.pingpong.pass
    %q = sm.mma.await %p : !sm.pending<tensor<128x64xf32, #acc2>>
  }
}

// What stands beside roles is done when they start, and they are when it goes on.

// CHECK-LABEL: sm.kernel @beside_roles
// CHECK: sm.smem.store
// CHECK-NEXT: sm.smem.load
// CHECK-NEXT: sm.fence
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.role "a"
// CHECK-NEXT: sm.smem.load
// CHECK-NOT: sm.barrier
// CHECK: sm.role "b"
// CHECK: sm.barrier
// CHECK-NEXT: sm.smem.load
sm.kernel @beside_roles(%n: index) grid() warps(8) form(expanded) {
  %s = sm.scratch at 0 : !sm.smem<128xf32>
  %h = arith.constant dense<0.0> : tensor<128x64xbf16, #acc2>
  %t = sm.smem.store %h at 1024 : tensor<128x64xbf16, #acc2> -> !u
  %v = sm.smem.load %s : !sm.smem<128xf32> -> tensor<128xf32, #sm.layout<"128 = lane[32*(1)] warp[4*(32) 2*(0)]">>
  sm.role "a" warps(4) {
    %a = sm.smem.load %s : !sm.smem<128xf32> -> tensor<128xf32, #line>
  }
  sm.role "b" warps(4) {
  }
  %w = sm.smem.load %s : !sm.smem<128xf32> -> tensor<128xf32, #sm.layout<"128 = lane[32*(1)] warp[4*(32) 2*(0)]">>
}

// Buffers of a store belong to warpgroups, which do not wait for each other there.

// CHECK-LABEL: sm.kernel @tensor_store
// CHECK: sm.convert
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.tma.store
// CHECK-NEXT: sm.tma.store
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.smem.store
sm.kernel @tensor_store(%y: !y, %i: index) grid() warps(4) form(expanded) {
  %M = tile.size M
  %c64 = arith.constant 64 : index
  %h = arith.constant dense<0.0> : !h
  %l = arith.constant dense<0.0> : tensor<128xf32, #line>
  %c = sm.convert %l {sm.scratch_address = 0 : i64} : tensor<128xf32, #line> -> tensor<128xf32, #other>
  sm.tma.store %h to %y[%i, %i] dims [0, 1] limits(%M, %c64) columns 64 buffers 1 {sm.scratch_address = 0 : i64} : !h, !y, index, index
  sm.tma.store %h to %y[%i, %i] dims [0, 1] limits(%M, %c64) columns 64 buffers 1 {sm.scratch_address = 8192 : i64} : !h, !y, index, index
  %s = sm.smem.store %h at 8192 : !h -> !t
}

// Stages with constant indices are told apart.

// CHECK-LABEL: sm.kernel @stages
// CHECK: sm.slot.store
// CHECK: sm.smem.load
// CHECK-NEXT: sm.slots.at
// CHECK-NEXT: sm.slot.store
// CHECK: sm.slots.at
// CHECK: sm.slots.at
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.slot.store
sm.kernel @stages(%n: index, %i: i32) grid() warps(8) form(expanded) {
  %zero = arith.constant 0 : i32
  %h = arith.constant dense<0.0> : tensor<128x64xbf16, #acc2>
  %one = arith.constant 1 : i32
  %s = sm.slots.alloc at 0 : !us
  %a = sm.slots.at %s[%zero] : !us
  sm.slot.store %a with %h : !u, tensor<128x64xbf16, #acc2>
  %r = sm.smem.load %a : !u -> tensor<128x64xbf16, #acc2>
  %b = sm.slots.at %s[%one] : !us
  sm.slot.store %b with %h : !u, tensor<128x64xbf16, #acc2>
  %c = sm.slots.at %s[%i] : !us
  %t = sm.smem.load %c : !u -> tensor<128x64xbf16, #acc2>
  %d = sm.slots.at %s[%i] : !us
  sm.slot.store %d with %h : !u, tensor<128x64xbf16, #acc2>
}

// All threads of a CTA are threads of the cluster.

// CHECK-LABEL: sm.kernel @cluster
// CHECK: sm.smem.load
// CHECK-NEXT: sm.cluster.barrier
// CHECK-NEXT: sm.role "a"
sm.kernel @cluster(%x: !x) grid(m in tiles(M, 64)) warps(4) cluster(2) form(expanded) {
  %s = sm.scratch at 0 : !sm.smem<128xf32>
  %v = sm.smem.load %s : !sm.smem<128xf32> -> tensor<128xf32, #line>
  sm.cluster.barrier
  sm.role "a" warps(4) {
  }
}

// A barrier right before an op that starts with one goes. Before a load, which it may order, it stays.
// CHECK-LABEL: sm.kernel @doubled
// CHECK-NOT: sm.barrier
// CHECK: sm.convert
// CHECK-NEXT: sm.load
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: sm.load
// CHECK-NEXT: sm.convert
sm.kernel @doubled(%x: !tile.global<[M] x f32>, %y: !tile.global<[M] x f32, out>, %i: index) grid() warps(4) form(expanded) {
  %l = arith.constant dense<0.0> : tensor<128xf32, #line>
  sm.barrier
  %e = arith.addf %l, %l : tensor<128xf32, #line>
  %c = sm.convert %e {sm.scratch_address = 0 : i64} : tensor<128xf32, #line> -> tensor<128xf32, #other>
  %s = sm.load %x[%i] dims [] : !tile.global<[M] x f32>, index -> f32
  sm.barrier
  %t = sm.load %x[%i] dims [] : !tile.global<[M] x f32>, index -> f32
  %d = sm.convert %e {sm.scratch_address = 0 : i64} : tensor<128xf32, #line> -> tensor<128xf32, #other>
  sm.store %s to %y[%i] dims [] : f32, !tile.global<[M] x f32, out>, index
  sm.store %t to %y[%i] dims [] : f32, !tile.global<[M] x f32, out>, index
  sm.store %c to %y[%i] dims [0] limits(%i) : tensor<128xf32, #other>, !tile.global<[M] x f32, out>, index
  sm.store %d to %y[%i] dims [0] limits(%i) : tensor<128xf32, #other>, !tile.global<[M] x f32, out>, index
}

// Atomic operations on one tile need no barrier between each other, but between them and other accesses.

// CHECK-LABEL: sm.kernel @atomics
// CHECK: %[[T:.*]] = sm.smem.store
// CHECK-NEXT: sm.barrier
// CHECK: scf.for
// CHECK-NOT: sm.barrier
// CHECK: sm.smem.atomic
// CHECK-NOT: sm.barrier
// CHECK: sm.smem.atomic
// CHECK-NOT: sm.barrier
// CHECK: }
// CHECK: sm.barrier
// CHECK-NEXT: sm.smem.load %[[T]]
sm.kernel @atomics() grid() warps(4) form(expanded) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant dense<0> : tensor<128xi32, #line>
  %t = sm.smem.store %z at 0 : tensor<128xi32, #line> -> !sm.smem<128xi32>
  scf.for %i = %c0 to %c8 step %c1 {
    sm.smem.atomic add %z to %t[%z] : tensor<128xi32, #line>, !sm.smem<128xi32>, tensor<128xi32, #line>
    sm.smem.atomic add %z to %t[%z] : tensor<128xi32, #line>, !sm.smem<128xi32>, tensor<128xi32, #line>
  }
  %r = sm.smem.load %t : !sm.smem<128xi32> -> tensor<128xi32, #other>
}
