// RUN: tile-opt %s -sm-plan=remarks -sm-tma-stores -verify-diagnostics | FileCheck %s

// CHECK-NOT: sm.tma.store

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#narrow = #sm.layout<"64x8 = register[2*(0,1) 2*(8,0)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">

// expected-remark @+1 {{this kernel stays one role: it fetches nothing by tensor copies}}
sm.kernel @refusals(%f: !tile.global<[M, N] x i32, out>, %both: !tile.global<[M, N] x bf16, inout>,
                    %y: !tile.global<[M, N] x bf16, out>, %t: !tile.global<[M, N, B] x bf16, out>,
                    %odd: !tile.global<[M, 63] x bf16, out>,
                    %deep: !tile.global<[B, B, B, B, M, N] x bf16, out>,
                    %n: index, %mask: i1) grid() warps(4) {
  %M = tile.size M
  %N = tile.size N
  %c63 = arith.constant 63 : index
  %wide = arith.constant dense<1> : tensor<64x64xi32, #acc>
  %v = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
  %narrow = arith.constant dense<1.0> : tensor<64x8xbf16, #narrow>
  %rows = arith.constant dense<1> : tensor<64xi32, #row>
  %line = arith.constant dense<1.0> : tensor<64xbf16, #row>
  // expected-remark @+1 {{this store is no tensor copy: its elements are neither f32 nor of 16 bits}}
  sm.store %wide to %f[%n, %n] dims [0, 1] limits(%M, %N) : tensor<64x64xi32, #acc>, !tile.global<[M, N] x i32, out>, index, index
  // expected-remark @+1 {{this store is no tensor copy: its rows are no multiple of 32 bytes}}
  sm.store %narrow to %y[%n, %n] dims [0, 1] limits(%M, %N) : tensor<64x8xbf16, #narrow>, !tile.global<[M, N] x bf16, out>, index, index
  // expected-remark @+1 {{this store is no tensor copy: the kernel may read the tensor that it writes}}
  sm.store %v to %both[%n, %n] dims [0, 1] limits(%M, %N) : tensor<64x64xbf16, #acc>, !tile.global<[M, N] x bf16, inout>, index, index
  // expected-remark @+1 {{this store is no tensor copy: it is masked by more than the bounds of the tensor}}
  sm.store %v to %y[%n, %n] dims [0, 1] limits(%M, %N) mask(%mask) : tensor<64x64xbf16, #acc>, !tile.global<[M, N] x bf16, out>, index, index
  // expected-remark @+1 {{this store is no tensor copy: the last dimension of the tile is not that of the tensor}}
  sm.store %v to %t[%n, %n, %n] dims [0, 1] limits(%M, %N) : tensor<64x64xbf16, #acc>, !tile.global<[M, N, B] x bf16, out>, index, index, index
  // expected-remark @+1 {{this store is no tensor copy: it scatters}}
  sm.store %v to %y[%rows, %n] dims [0, 1] limits(%M, %N) : tensor<64x64xbf16, #acc>, !tile.global<[M, N] x bf16, out>, tensor<64xi32, #row>, index
  // expected-remark @+1 {{this store is no tensor copy: rows of 63 elements do not start at multiples of 16 bytes}}
  sm.store %v to %odd[%n, %n] dims [0, 1] limits(%M, %c63) : tensor<64x64xbf16, #acc>, !tile.global<[M, 63] x bf16, out>, index, index
  // expected-remark @+1 {{this store is no tensor copy: a tensor copy has at most 5 dimensions, the tensor has 6}}
  sm.store %v to %deep[%n, %n, %n, %n, %n, %n] dims [4, 5] limits(%M, %N) : tensor<64x64xbf16, #acc>, !tile.global<[B, B, B, B, M, N] x bf16, out>, index, index, index, index, index, index
  // No accumulator, and nothing to say.
  sm.store %line to %y[%n, %n] dims [1] limits(%N) : tensor<64xbf16, #row>, !tile.global<[M, N] x bf16, out>, index, index
}

// Who reads a tensor, or stores to it, might not see what copies are about to add.

// expected-remark @+1 {{this kernel stays one role: it fetches nothing by tensor copies}}
sm.kernel @read_and_added(%x: !tile.global<[M, N] x f32, inout>, %n: index) grid() warps(4) {
  %M = tile.size M
  %N = tile.size N
  %t = sm.load %x[%n, %n] dims [0, 1] limits(%M, %N) : !tile.global<[M, N] x f32, inout>, index, index -> tensor<64x64xf32, #acc>
  // expected-remark @+1 {{this store is no tensor copy: the kernel does more with the tensor than to add to it}}
  sm.atomic add %t to %x[%n, %n] dims [0, 1] limits(%M, %N) : tensor<64x64xf32, #acc>, !tile.global<[M, N] x f32, inout>, index, index
}

// A barrier orders what threads store.

// expected-remark @+1 {{this kernel stays one role: it fetches nothing by tensor copies}}
sm.kernel @ordered(%y: !tile.global<[M, N] x f32, out>, %z: !tile.global<[M, N] x f32, out>, %n: index) grid() warps(4) {
  %M = tile.size M
  %N = tile.size N
  %t = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  scf.for %i = %n to %M step %N {
    // expected-remark @+1 {{this store is no tensor copy: a barrier orders it and another store to the tensor}}
    sm.store %t to %y[%n, %n] dims [0, 1] limits(%M, %N) : tensor<64x64xf32, #acc>, !tile.global<[M, N] x f32, out>, index, index
    sm.barrier
  }
  // expected-remark @+1 {{this store is no tensor copy: a barrier orders it and another store to the tensor}}
  sm.store %t to %z[%n, %n] dims [0, 1] limits(%M, %N) : tensor<64x64xf32, #acc>, !tile.global<[M, N] x f32, out>, index, index
  sm.barrier
  // expected-remark @+1 {{this store is no tensor copy: a barrier orders it and another store to the tensor}}
  sm.store %t to %z[%n, %n] dims [0, 1] limits(%M, %N) : tensor<64x64xf32, #acc>, !tile.global<[M, N] x f32, out>, index, index
}

// A release publishes what threads have stored.

// expected-remark @+1 {{this kernel stays one role: it fetches nothing by tensor copies}}
sm.kernel @released(%y: !tile.global<[M, N] x f32, out>, %l: !tile.global<[M] x i32, inout>, %n: index, %one: i32) grid() warps(4) {
  %M = tile.size M
  %N = tile.size N
  %t = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  // expected-remark @+1 {{this store is no tensor copy: the kernel releases it to other programs}}
  sm.store %t to %y[%n, %n] dims [0, 1] limits(%M, %N) : tensor<64x64xf32, #acc>, !tile.global<[M, N] x f32, out>, index, index
  sm.barrier
  sm.atomic add %one to %l[%n] dims [] order release : i32, !tile.global<[M] x i32, inout>, index
}

// 14 stages leave nothing.

sm.kernel @full(%x: !tile.global<[M, K] x bf16>, %w: !tile.global<[K, N] x bf16>, %y: !tile.global<[M, N] x f32, inout>) grid(m in tiles(M, 64)) warps(4) schedule<stages = 14> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %N = tile.size N
  %K = tile.size K
  %z = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %t = scf.for %k = %c0 to %K step %c64 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    %a = sm.fetch %x[%c0, %k] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
    %b = sm.fetch %w[%k, %c0] dims [0, 1] limits(%K, %N) : !tile.global<[K, N] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
    %n = sm.mma %a, %b, %s : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x64xbf16, swizzle = 128>, tensor<64x64xf32, #acc>
    scf.yield %n : tensor<64x64xf32, #acc>
  }
  // expected-remark @+1 {{this store is no tensor copy: its buffers would take shared memory from the slots of rings}}
  sm.atomic add %t to %y[%c0, %c0] dims [0, 1] limits(%M, %N) : tensor<64x64xf32, #acc>, !tile.global<[M, N] x f32, inout>, index, index
}
