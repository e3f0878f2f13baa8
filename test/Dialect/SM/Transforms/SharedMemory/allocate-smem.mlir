// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem))' | FileCheck %s

// Tiles that are not alive together share memory: %a and %b live to the product, %s takes their
// place after it.

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">

// CHECK-LABEL: sm.kernel @reuse
// CHECK-SAME: form(expanded) shared(16384)
sm.kernel @reuse(%x: !tile.global<[M, K] x bf16>, %y: !tile.global<[M, K] x f32, out>, %i: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %z = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  // CHECK: sm.fetch {{.*}} at 0 :
  %a = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
  // CHECK: sm.fetch {{.*}} at 8192 :
  %b = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
  %p = sm.mma %a, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x64xbf16, swizzle = 128>, tensor<64x64xf32, #acc>
  // CHECK: sm.smem.store {{.*}} at 0 :
  %s = sm.smem.store %p : tensor<64x64xf32, #acc> -> !sm.smem<64x64xf32, swizzle = 128>
  sm.copy.store %s to %y[%i, %i] dims [0, 1] limits(%M, %K) : !sm.smem<64x64xf32, swizzle = 128>, !tile.global<[M, K] x f32, out>, index, index
}

// A tile from before the loop is alive throughout it; those of the body are not alive after it.

// CHECK-LABEL: sm.kernel @loop
// CHECK-SAME: shared(16384)
sm.kernel @loop(%x: !tile.global<[M, K] x bf16>, %i: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %c64 = arith.constant 64 : index
  %z = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  // CHECK: sm.fetch {{.*}} at 0 :
  %a = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
  %r = scf.for %k = %i to %K step %c64 iter_args(%acc = %z) -> (tensor<64x64xf32, #acc>) {
    // CHECK: scf.for
    // CHECK: sm.fetch {{.*}} at 8192 :
    %b = sm.fetch %x[%k, %i] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
    %p = sm.mma %a, %b, %acc : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x64xbf16, swizzle = 128>, tensor<64x64xf32, #acc>
    // CHECK: sm.fetch {{.*}} at 8192 :
    %c = sm.fetch %x[%i, %k] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
    %q = sm.mma %a, %c, %p : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x64xbf16, swizzle = 128>, tensor<64x64xf32, #acc>
    scf.yield %q : tensor<64x64xf32, #acc>
  }
  // CHECK: sm.smem.store {{.*}} at 0 :
  %s = sm.smem.store %r : tensor<64x64xf32, #acc> -> !sm.smem<64x64xf32, swizzle = 128>
}

// What a loop carries lives as long as the loop and what it yields; a branch that chooses keeps
// both alternatives.

// CHECK-LABEL: sm.kernel @carried
// CHECK-SAME: shared(16384)
sm.kernel @carried(%x: !tile.global<[M, K] x bf16>, %i: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %c64 = arith.constant 64 : index
  // CHECK: sm.fetch {{.*}} at 0 :
  %a = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
  %r = scf.for %k = %i to %K step %c64 iter_args(%t = %a) -> (!sm.smem<64x64xbf16, swizzle = 128>) {
    %v = sm.smem.load %t : !sm.smem<64x64xbf16, swizzle = 128> -> tensor<64x64xbf16, #acc>
    // CHECK: sm.fetch {{.*}} at 8192 :
    %n = sm.fetch %x[%k, %i] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
    scf.yield %n : !sm.smem<64x64xbf16, swizzle = 128>
  }
  %v = sm.smem.load %r : !sm.smem<64x64xbf16, swizzle = 128> -> tensor<64x64xbf16, #acc>
  // CHECK: sm.smem.store {{.*}} at 0 :
  %s = sm.smem.store %v : tensor<64x64xbf16, #acc> -> !sm.smem<64x64xbf16, swizzle = 128>
}

// Of two tiles that a loop carries, one is written before the other one was read: each has its own place.

// CHECK-LABEL: sm.kernel @carried_beside
// CHECK-SAME: shared(32768)
sm.kernel @carried_beside(%x: !tile.global<[M, K] x bf16>, %i: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %c64 = arith.constant 64 : index
  // CHECK: sm.fetch {{.*}} at 0 :
  %a = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
  // CHECK: sm.fetch {{.*}} at 8192 :
  %b = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
  %r:2 = scf.for %k = %i to %K step %c64 iter_args(%s = %a, %t = %b) -> (!sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x64xbf16, swizzle = 128>) {
    %v = sm.smem.load %s : !sm.smem<64x64xbf16, swizzle = 128> -> tensor<64x64xbf16, #acc>
    // CHECK: sm.smem.store {{.*}} at 16384 :
    %m = sm.smem.store %v : tensor<64x64xbf16, #acc> -> !sm.smem<64x64xbf16, swizzle = 128>
    %w = sm.smem.load %t : !sm.smem<64x64xbf16, swizzle = 128> -> tensor<64x64xbf16, #acc>
    // CHECK: sm.smem.store {{.*}} at 24576 :
    %n = sm.smem.store %w : tensor<64x64xbf16, #acc> -> !sm.smem<64x64xbf16, swizzle = 128>
    scf.yield %m, %n : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x64xbf16, swizzle = 128>
  }
}

// Roles share nothing; a product in flight keeps its operands; barriers come last.

// CHECK-LABEL: sm.kernel @roles
// CHECK-SAME: shared(57376)
sm.kernel @roles(%x: !tile.global<[M, K] x bf16>, %i: index, %n: i32) grid() warps(12) {
  // CHECK: sm.slots.alloc at 0 :
  %st = sm.slots.alloc : !sm.slots<4 x !sm.smem<64x64xbf16, swizzle = 128>>
  // CHECK: sm.mbarrier.alloc arrivals(1) at 57344 :
  %full = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<4>
  sm.role "load" warps(4) elected {
    %t = sm.slots.at %st[%n] : !sm.slots<4 x !sm.smem<64x64xbf16, swizzle = 128>>
  }
  sm.role "one" warps(4) {
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %h = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
    // CHECK: sm.smem.store {{.*}} at 32768 :
    %s = sm.smem.store %h : tensor<64x64xbf16, #acc> -> !sm.smem<64x64xbf16, swizzle = 128>
    %p = sm.mma.issue %s, %s, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x64xbf16, swizzle = 128>, tensor<64x64xf32, #acc>
    // CHECK: sm.smem.store {{.*}} at 40960 :
    %u = sm.smem.store %h : tensor<64x64xbf16, #acc> -> !sm.smem<64x64xbf16, swizzle = 128>
    %q = sm.mma.await %p : !sm.pending<tensor<64x64xf32, #acc>>
  }
  sm.role "two" warps(4) {
    // CHECK: sm.scratch at 49152 :
    %s = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  }
}

// The copies of a store still read its buffers when the op is done, and in the next iteration.

// CHECK-LABEL: sm.kernel @stores
// CHECK-SAME: shared(16896)
// CHECK: sm.convert {{.*}} {sm.scratch_address = 16384 : i64}
// CHECK: sm.tma.store {{.*}} {sm.scratch_address = 0 : i64}
// CHECK: sm.tma.store {{.*}} {sm.scratch_address = 8192 : i64}
sm.kernel @stores(%y: !tile.global<[M, 64] x bf16, out>, %n: index) grid() warps(4) {
  sm.role "math" warps(4) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %M = tile.size M
    %l = arith.constant dense<0.0> : tensor<128xf32, #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">>
    %h = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
    scf.for %i = %c0 to %n step %c1 {
      %c = sm.convert %l : tensor<128xf32, #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">> -> tensor<128xf32, #sm.layout<"128 = lane[32*(4)] warp[4*(1)]">>
      sm.tma.store %h to %y[%i, %c0] dims [0, 1] limits(%M, %c64) columns 64 buffers 1 : tensor<64x64xbf16, #acc>, !tile.global<[M, 64] x bf16, out>, index, index
      sm.tma.store %h to %y[%i, %c0] dims [0, 1] limits(%M, %c64) columns 64 buffers 1 : tensor<64x64xbf16, #acc>, !tile.global<[M, 64] x bf16, out>, index, index
    }
  }
}

// Stages of a kernel without roles are alive from their op to the await that leaves nothing in flight, and
// operands of a product that is awaited in its block to there.

// CHECK-LABEL: sm.kernel @stages
// CHECK-SAME: shared(16384)
sm.kernel @stages(%x: !tile.global<[M, K] x bf16>, %y: !tile.global<[M, K] x f32, out>, %i: index, %j: i32) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %z = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  // CHECK: sm.slots.alloc at 0 :
  %stages = sm.slots.alloc : !sm.slots<2 x !sm.smem<64x64xbf16, swizzle = 128>>
  %a = sm.slots.at %stages[%j] : !sm.slots<2 x !sm.smem<64x64xbf16, swizzle = 128>>
  sm.fetch.start %x[%i, %i] dims [0, 1] limits(%M, %K) into %a : !tile.global<[M, K] x bf16>, index, index, !sm.smem<64x64xbf16, swizzle = 128>
  sm.fetch.await leave 0
  %q = sm.mma.issue %a, %a, %z transpose_b : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x64xbf16, swizzle = 128>, tensor<64x64xf32, #acc>
  %p = sm.mma.await %q : !sm.pending<tensor<64x64xf32, #acc>>
  // CHECK: sm.smem.store {{.*}} at 0 :
  %s = sm.smem.store %p : tensor<64x64xf32, #acc> -> !sm.smem<64x64xf32, swizzle = 128>
  sm.copy.store %s to %y[%i, %i] dims [0, 1] limits(%M, %K) : !sm.smem<64x64xf32, swizzle = 128>, !tile.global<[M, K] x f32, out>, index, index
}

// Copies of one op in a role have one buffer, which lives as long as both. Another role has a buffer of its own.

// CHECK-LABEL: sm.kernel @copies
// CHECK-SAME: shared(49152)
sm.kernel @copies(%y: !tile.global<[M, K] x f32, out>, %i: index) grid() warps(8) {
  %M = tile.size M
  %K = tile.size K
  sm.role "math" warps(4) {
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    // CHECK: sm.smem.store %{{.*}} at [[FIRST:[0-9]+]] :
    %a = sm.smem.store %z {sm.buffer_number = 3 : i64} : tensor<64x64xf32, #acc> -> !sm.smem<64x64xf32, swizzle = 128>
    // CHECK: sm.smem.store %{{.*}} at [[OTHER:[0-9]+]] :
    %b = sm.smem.store %z {sm.buffer_number = 4 : i64} : tensor<64x64xf32, #acc> -> !sm.smem<64x64xf32, swizzle = 128>
    sm.copy.store %a to %y[%i, %i] dims [0, 1] limits(%M, %K) : !sm.smem<64x64xf32, swizzle = 128>, !tile.global<[M, K] x f32, out>, index, index
    // CHECK: sm.smem.store %{{.*}} at [[FIRST]] :
    %c = sm.smem.store %z {sm.buffer_number = 3 : i64} : tensor<64x64xf32, #acc> -> !sm.smem<64x64xf32, swizzle = 128>
    sm.copy.store %c to %y[%i, %i] dims [0, 1] limits(%M, %K) : !sm.smem<64x64xf32, swizzle = 128>, !tile.global<[M, K] x f32, out>, index, index
    sm.copy.store %b to %y[%i, %i] dims [0, 1] limits(%M, %K) : !sm.smem<64x64xf32, swizzle = 128>, !tile.global<[M, K] x f32, out>, index, index
  }
  sm.role "other" warps(4) {
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    // CHECK-NOT: buffer_number
    %a = sm.smem.store %z {sm.buffer_number = 3 : i64} : tensor<64x64xf32, #acc> -> !sm.smem<64x64xf32, swizzle = 128>
    sm.copy.store %a to %y[%i, %i] dims [0, 1] limits(%M, %K) : !sm.smem<64x64xf32, swizzle = 128>, !tile.global<[M, K] x f32, out>, index, index
  }
}
