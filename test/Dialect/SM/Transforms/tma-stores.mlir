// RUN: tile-opt %s -sm-tma-stores | FileCheck %s

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
