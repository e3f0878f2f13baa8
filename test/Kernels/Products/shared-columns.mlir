// Four warpgroups share two blocks of 64 rows, two of them the columns of each: as a product, and as a store by
// tensor copies. Each has 64 rows and 64 columns.
//
// RUN: %python -c "import numpy as np; a = np.arange(130 * 64).reshape(130, 64) % 7 - 3; b = np.arange(64 * 136).reshape(64, 136) % 5 - 2; [np.save(f'%t.{n}.npy', x.astype('f4')) for n, x in (('a', a), ('b', b), ('c', a @ b))]"
// DEFINE: %{run} = tile-run %s --arg a=@%t.a.npy --arg b=@%t.b.npy --expect c=@%t.c.npy --expect d=@%t.c.npy
// RUN: %{run} --device=sim --seeds=5
// RUN: %{run} --device=ptx
// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | FileCheck %s

// Rows by the lower bit of the warpgroup's number, columns by the upper one.
// CHECK: llvm.urem
// CHECK: llvm.udiv
// CHECK-COUNT-4: m64n64k16
// CHECK-NOT: m64n

#acc = #sm.layout<"128x128 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0) 2*(64,0) 2*(0,64)]">

sm.kernel @product(%a: !tile.global<[M, K] x bf16>, %b: !tile.global<[K, N] x bf16>, %c: !tile.global<[M, N] x f32, out>, %d: !tile.global<[M, N] x f32, out>) grid(m in tiles(M, 128), n in tiles(N, 128)) warps(16) {
  %M = tile.size M
  %N = tile.size N
  %K = tile.size K
  %rows = tile.size M ceildiv 128
  %id = sm.program_id
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %row = arith.remui %id, %rows : index
  %column = arith.divui %id, %rows : index
  %m = arith.muli %row, %c128 : index
  %n = arith.muli %column, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
  %r = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32, #acc>) {
    %at = sm.fetch %a[%m, %k] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<128x64xbf16, swizzle = 128>
    %bt = sm.fetch %b[%k, %n] dims [0, 1] limits(%K, %N) : !tile.global<[K, N] x bf16>, index, index -> !sm.smem<64x128xbf16, swizzle = 128>
    %p = sm.mma %at, %bt, %acc : !sm.smem<128x64xbf16, swizzle = 128>, !sm.smem<64x128xbf16, swizzle = 128>, tensor<128x128xf32, #acc>
    scf.yield %p : tensor<128x128xf32, #acc>
  }
  sm.store %r to %c[%m, %n] dims [0, 1] limits(%M, %N) : tensor<128x128xf32, #acc>, !tile.global<[M, N] x f32, out>, index, index
  sm.tma.store %r to %d[%m, %n] dims [0, 1] limits(%M, %N) columns 32 buffers 2 : tensor<128x128xf32, #acc>, !tile.global<[M, N] x f32, out>, index, index
}
