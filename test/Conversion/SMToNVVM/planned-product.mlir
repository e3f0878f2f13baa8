// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | FileCheck %s
// RUN: %if ptxas %{ tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx --emit=cubin --report -o /dev/null - 2>&1 | FileCheck %s --check-prefix=REPORT %}

// Products of a planned kernel: fetched by all threads, multiplied, complete when the op is.

// REPORT-DAG: gemm: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled
// REPORT-DAG: from_registers: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled
// REPORT-DAG: wide: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled
// REPORT-DAG: narrow_floats: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0) 2*(64,0)]">

// A of the second warpgroup lies 64 rows of 128 bytes further on; b is read along N.
// CHECK-LABEL: llvm.func @gemm
// CHECK-DAG: %[[C512:.*]] = llvm.mlir.constant(512 : i32)
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.wait_all
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.barrier0
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-COUNT-4: setp.ne.b32 p, 1, 0;{{.*}}m64n64k16.f32.bf16.bf16{{.*}}, p, 1, 1, 0, 1;
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 0
sm.kernel @gemm(%a: !tile.global<[M, K] x bf16>, %b: !tile.global<[K, N] x bf16>, %c: !tile.global<[M, N] x f32, out>, %m: index, %n: index) grid() warps(8) {
  %M = tile.size M
  %N = tile.size N
  %K = tile.size K
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
  %r = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x64xf32, #acc>) {
    %at = sm.fetch %a[%m, %k] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<128x64xbf16, swizzle = 128>
    %bt = sm.fetch %b[%k, %n] dims [0, 1] limits(%K, %N) : !tile.global<[K, N] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
    %p = sm.mma %at, %bt, %acc : !sm.smem<128x64xbf16, swizzle = 128>, !sm.smem<64x64xbf16, swizzle = 128>, tensor<128x64xf32, #acc>
    scf.yield %p : tensor<128x64xf32, #acc>
  }
  %s = sm.smem.store %r : tensor<128x64xf32, #acc> -> !sm.smem<128x64xf32, swizzle = 128>
  sm.copy.store %s to %c[%m, %n] dims [0, 1] limits(%M, %N) : !sm.smem<128x64xf32, swizzle = 128>, !tile.global<[M, N] x f32, out>, index, index
}

#left = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">

// A is read into fragments by ldmatrix, b is K-major, and nothing is zeroed.
// CHECK-LABEL: llvm.func @from_registers
// CHECK: nvvm.ldmatrix {{.*}} num = 4
// CHECK: setp.ne.b32 p, 0, 0;{{.*}}m64n64k16.f32.bf16.bf16 {{.*}}, {$64, $65, $66, $67}, $68, p, 1, 1, 0;
// CHECK-COUNT-3: setp.ne.b32 p, 1, 0;{{.*}}m64n64k16
sm.kernel @from_registers(%a: !tile.global<[M, K] x bf16>, %c: !tile.global<[M, N] x f32, out>, %m: index) grid() warps(4) {
  %M = tile.size M
  %N = tile.size N
  %K = tile.size K
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #left>
  %at = sm.fetch %a[%m, %c0] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
  %f = sm.smem.load %at : !sm.smem<64x64xbf16, swizzle = 128> -> tensor<64x64xbf16, #left>
  %p = sm.mma %f, %at, %zero transpose_b : tensor<64x64xbf16, #left>, !sm.smem<64x64xbf16, swizzle = 128>, tensor<64x64xf32, #left>
  %s = sm.smem.store %p : tensor<64x64xf32, #left> -> !sm.smem<64x64xf32, swizzle = 128>
  sm.copy.store %s to %c[%m, %c0] dims [0, 1] limits(%M, %N) : !sm.smem<64x64xf32, swizzle = 128>, !tile.global<[M, N] x f32, out>, index, index
}

#two = #sm.layout<"128x32 = register[2*(0,1) 2*(8,0) 4*(0,8) 2*(64,0)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">

// Two blocks of rows for one warpgroup, and a transposed.
// CHECK-LABEL: llvm.func @wide
// CHECK-COUNT-2: setp.ne.b32 p, 0, 0;{{.*}}m64n32k16.f32.f16.f16 {{.*}}, p, 1, 1, 1, 1;
// CHECK-COUNT-6: setp.ne.b32 p, 1, 0;{{.*}}m64n32k16.f32.f16.f16 {{.*}}, p, 1, 1, 1, 1;
sm.kernel @wide(%a: !tile.global<[K, M] x f16>, %b: !tile.global<[K, N] x f16>, %c: !tile.global<[M, N] x f32, out>, %m: index) grid() warps(4) {
  %M = tile.size M
  %N = tile.size N
  %K = tile.size K
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x32xf32, #two>
  %at = sm.fetch %a[%c0, %m] dims [0, 1] limits(%K, %M) : !tile.global<[K, M] x f16>, index, index -> !sm.smem<64x128xf16, swizzle = 128>
  %bt = sm.fetch %b[%c0, %c0] dims [0, 1] limits(%K, %N) : !tile.global<[K, N] x f16>, index, index -> !sm.smem<64x32xf16, swizzle = 64>
  %p = sm.mma %at, %bt, %zero transpose_a : !sm.smem<64x128xf16, swizzle = 128>, !sm.smem<64x32xf16, swizzle = 64>, tensor<128x32xf32, #two>
  %s = sm.smem.store %p : tensor<128x32xf32, #two> -> !sm.smem<128x32xf32, swizzle = 128>
  sm.copy.store %s to %c[%m, %c0] dims [0, 1] limits(%M, %N) : !sm.smem<128x32xf32, swizzle = 128>, !tile.global<[M, N] x f32, out>, index, index
}

#f8 = #sm.layout<"64x32 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">

// Elements of 8 bits: 32 to a step, no majors to say.
// CHECK-LABEL: llvm.func @narrow_floats
// CHECK: m64n32k32.f32.e4m3.e5m2 {{.*}}, p, 1, 1;
sm.kernel @narrow_floats(%a: !tile.global<[M, K] x f8E4M3FN>, %b: !tile.global<[N, K] x f8E5M2>, %c: !tile.global<[M, N] x f32, out>, %m: index) grid() warps(4) {
  %M = tile.size M
  %N = tile.size N
  %K = tile.size K
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #f8>
  %at = sm.fetch %a[%m, %c0] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x f8E4M3FN>, index, index -> !sm.smem<64x64xf8E4M3FN, swizzle = 64>
  %bt = sm.fetch %b[%c0, %c0] dims [0, 1] limits(%N, %K) : !tile.global<[N, K] x f8E5M2>, index, index -> !sm.smem<32x64xf8E5M2, swizzle = 64>
  %p = sm.mma %at, %bt, %zero transpose_b : !sm.smem<64x64xf8E4M3FN, swizzle = 64>, !sm.smem<32x64xf8E5M2, swizzle = 64>, tensor<64x32xf32, #f8>
  %s = sm.smem.store %p : tensor<64x32xf32, #f8> -> !sm.smem<64x32xf32, swizzle = 128>
  sm.copy.store %s to %c[%m, %c0] dims [0, 1] limits(%M, %N) : !sm.smem<64x32xf32, swizzle = 128>, !tile.global<[M, N] x f32, out>, index, index
}
