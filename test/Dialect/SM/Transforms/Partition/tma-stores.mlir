// RUN: tile-opt %s -sm-plan -sm-tma-stores | FileCheck %s

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">

// Rows of N elements: a launch must find them to be multiples of 16 bytes. A mask that only keeps
// a selected head in the tensor is the copy's own business.

// CHECK-LABEL: sm.kernel @heads
// CHECK-SAME: requires(N mod 8)
// CHECK: sm.tma.store %{{.*}} to %y[%{{.*}}, %{{.*}}, %{{.*}}] dims [1, 2] limits(%M, %N) columns 64 buffers 1 :
sm.kernel @heads(%y: !tile.global<[H, M, N] x bf16, out>, %h: index) grid(m in tiles(M, 64)) warps(4) {
  %c0 = arith.constant 0 : index
  %H = tile.size H
  %M = tile.size M
  %N = tile.size N
  %inside = arith.cmpi ult, %h, %H : index
  %t = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
  sm.store %t to %y[%h, %c0, %c0] dims [1, 2] limits(%M, %N) mask(%inside) : tensor<64x64xbf16, #acc>, !tile.global<[H, M, N] x bf16, out>, index, index, index
}

// Constant rows need no condition; what is known to be valid needs no limit.

// CHECK-LABEL: sm.kernel @constant
// CHECK-NOT: requires
// CHECK: sm.tma.store
sm.kernel @constant(%y: !tile.global<[M, 64] x bf16, out>, %end: index) grid(m in tiles(M, 64)) warps(4) {
  %c0 = arith.constant 0 : index
  %M = tile.size M
  %t = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
  sm.store %t to %y[%c0, %c0] dims [0, 1] limits(%M, %end) in_bounds [false, true] : tensor<64x64xbf16, #acc>, !tile.global<[M, 64] x bf16, out>, index, index
}

// Columns of 128 bytes are 32 of f32, whose rows are of 16 bytes if there are 4.

// CHECK-LABEL: sm.kernel @wide
// CHECK-SAME: requires(N mod 4)
// CHECK: sm.tma.store %{{.*}} dims [0, 1] limits(%M, %N) columns 32 buffers 2 : tensor<64x64xf32,
sm.kernel @wide(%y: !tile.global<[M, N] x f32, out>) grid(m in tiles(M, 64)) warps(4) {
  %c0 = arith.constant 0 : index
  %M = tile.size M
  %N = tile.size N
  %t = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  sm.store %t to %y[%c0, %c0] dims [0, 1] limits(%M, %N) : tensor<64x64xf32, #acc>, !tile.global<[M, N] x f32, out>, index, index
}

// Atomic additions are copies that add, all of those to a tensor.

// CHECK-LABEL: sm.kernel @adds
// CHECK-SAME: requires(N mod 4, N mod 8)
// CHECK: sm.tma.store %{{.*}} to %y[{{.*}}] dims [0, 1] limits(%M, %N) columns 32 buffers 2 add :
// CHECK: sm.tma.store %{{.*}} to %y[{{.*}}] dims [0, 1] limits(%M, %N) columns 32 buffers 2 add :
// CHECK: sm.tma.store %{{.*}} to %z[{{.*}}] dims [0, 1] limits(%M, %N) columns 64 buffers 1 add :
sm.kernel @adds(%y: !tile.global<[M, N] x f32, inout>, %z: !tile.global<[M, N] x bf16, inout>) grid(m in tiles(M, 64)) warps(4) {
  %c0 = arith.constant 0 : index
  %M = tile.size M
  %N = tile.size N
  %t = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  %h = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
  sm.atomic add %t to %y[%c0, %c0] dims [0, 1] limits(%M, %N) : tensor<64x64xf32, #acc>, !tile.global<[M, N] x f32, inout>, index, index
  sm.atomic add %t to %y[%c0, %c0] dims [0, 1] limits(%M, %N) : tensor<64x64xf32, #acc>, !tile.global<[M, N] x f32, inout>, index, index
  sm.atomic add %h to %z[%c0, %c0] dims [0, 1] limits(%M, %N) : tensor<64x64xbf16, #acc>, !tile.global<[M, N] x bf16, inout>, index, index
}

// Barriers between stores to other tensors, before all stores and after them, between the branches of a
// condition, and between programs order nothing.

// CHECK-LABEL: sm.kernel @beside_barriers
// CHECK-NOT: sm.store
// CHECK-COUNT-4: sm.tma.store
// CHECK-NOT: sm.store
sm.kernel @beside_barriers(%y: !tile.global<[M, 64] x f32, out>, %z: !tile.global<[M, 64] x f32, out>,
                           %f: !tile.global<[M, 64] x f32, out>, %c: i1) grid(m in tiles(M, 64)) warps(4) persistent {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %t = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  %p = sm.program_id
  %n = sm.cta_count
  scf.for %i = %p to %M step %n {
    sm.barrier
    sm.store %t to %y[%i, %c0] dims [0, 1] limits(%M, %c64) : tensor<64x64xf32, #acc>, !tile.global<[M, 64] x f32, out>, index, index
    sm.barrier
    sm.store %t to %z[%i, %c0] dims [0, 1] limits(%M, %c64) : tensor<64x64xf32, #acc>, !tile.global<[M, 64] x f32, out>, index, index
    sm.barrier
    scf.if %c {
      sm.store %t to %f[%i, %c0] dims [0, 1] limits(%M, %c64) : tensor<64x64xf32, #acc>, !tile.global<[M, 64] x f32, out>, index, index
      sm.barrier
    } else {
      sm.store %t to %f[%i, %c0] dims [0, 1] limits(%M, %c64) : tensor<64x64xf32, #acc>, !tile.global<[M, 64] x f32, out>, index, index
    }
  }
}

// Nine stages leave shared memory for one buffer, and none is given up for another one.

#tall = #sm.layout<"64x128 = register[2*(0,1) 2*(8,0) 16*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">

// CHECK-LABEL: sm.kernel @one_buffer
// CHECK: sm.tma.store {{.*}} columns 32 buffers 1 :
sm.kernel @one_buffer(%x: !tile.global<[M, K] x bf16>, %w: !tile.global<[K, N] x bf16>, %y: !tile.global<[M, N] x f32, out>) grid(m in tiles(M, 64)) warps(4) schedule<stages = 9> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %N = tile.size N
  %K = tile.size K
  %z = arith.constant dense<0.0> : tensor<64x128xf32, #tall>
  %t = scf.for %k = %c0 to %K step %c64 iter_args(%s = %z) -> (tensor<64x128xf32, #tall>) {
    %a = sm.fetch %x[%c0, %k] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
    %b = sm.fetch %w[%k, %c0] dims [0, 1] limits(%K, %N) : !tile.global<[K, N] x bf16>, index, index -> !sm.smem<64x128xbf16, swizzle = 128>
    %n = sm.mma %a, %b, %s : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x128xbf16, swizzle = 128>, tensor<64x128xf32, #tall>
    scf.yield %n : tensor<64x128xf32, #tall>
  }
  sm.store %t to %y[%c0, %c0] dims [0, 1] limits(%M, %N) : tensor<64x128xf32, #tall>, !tile.global<[M, N] x f32, out>, index, index
}

// A tile that may end before the tensor does is a copy where it does not.

// CHECK-LABEL: sm.kernel @clipped
// CHECK: %[[END:.*]] = arith.addi %first, %c64{{.*}} : index
// CHECK: %[[START:.*]] = arith.cmpi sle, %c0{{.*}}, %first : index
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[END]], %end : index
// CHECK: %[[WHOLE:.*]] = arith.andi %[[START]], %[[FITS]] : i1
// CHECK: scf.if %[[WHOLE]] {
// CHECK-NEXT: sm.tma.store %{{.*}} to %y[%first, %{{.*}}] dims [0, 1] limits(%end, %N) in_bounds [true, false] columns 64 buffers 1 :
// CHECK-NEXT: } else {
// CHECK-NEXT: sm.store %{{.*}} to %y[%first, %{{.*}}] dims [0, 1] limits(%end, %N) :
sm.kernel @clipped(%y: !tile.global<[M, N] x bf16, out>, %first: index, %end: index) grid(m in tiles(M, 64)) warps(4) {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  %t = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
  sm.store %t to %y[%first, %c0] dims [0, 1] limits(%end, %N) : tensor<64x64xbf16, #acc>, !tile.global<[M, N] x bf16, out>, index, index
}
