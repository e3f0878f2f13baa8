// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | FileCheck %s
// RUN: %if ptxas %{ tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx --emit=cubin --report -o /dev/null - 2>&1 | FileCheck %s --check-prefix=REPORT %}

// Accumulators leave warpgroup by warpgroup: wait for a buffer, write it, copy it.

// REPORT-DAG: plain: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled
// REPORT-DAG: roles: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled

#one = #sm.layout<"64x128 = register[2*(0,1) 2*(8,0) 16*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">

// Two chunks of 64 columns in two buffers: each first waits until at most one copy still reads,
// which is the one of the other buffer. Without roles, the op itself waits for the last one.
// CHECK-LABEL: llvm.func @plain
// CHECK-SAME: %[[MAP:[a-z0-9]+]]: !llvm.ptr {{.*}}llvm.byval
// CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK: nvvm.barrier id = %[[ID:.*]] number_of_threads = %{{.*}}
// CHECK-COUNT-4: nvvm.stmatrix {{.*}} : !llvm.ptr<3>, i32, i32, i32, i32
// CHECK-NOT: nvvm.stmatrix
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.barrier id = %[[ID]] number_of_threads
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$0, {$2, $3}], [$1];{{.*}} %[[MAP]],
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK: cp.async.bulk.tensor.2d.global
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
sm.kernel @plain(%x: !tile.global<[M, N] x bf16, out>, %v: f32, %i: index) grid() warps(4) {
  %M = tile.size M
  %N = tile.size N
  %s = tensor.splat %v : tensor<64x128xf32, #one>
  %t = arith.truncf %s : tensor<64x128xf32, #one> to tensor<64x128xbf16, #one>
  sm.tma.store %t to %x[%i, %i] dims [0, 1] limits(%M, %N) columns 64 buffers 2 : tensor<64x128xbf16, #one>, !tile.global<[M, N] x bf16, out>, index, index
}

#two = #sm.layout<"256x48 = register[2*(0,1) 2*(8,0) 6*(0,8) 2*(64,0)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0) 2*(128,0)]">

// Two warpgroups of two blocks of rows, three chunks each, in a tensor of three dimensions. Six
// chunks in four buffers do not go round, so the first ones wait for all copies of the execution
// before. The role waits at its end.
// CHECK-LABEL: llvm.func @roles
// CHECK-COUNT-4: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-COUNT-2: nvvm.cp.async.bulk.wait_group 3 {read}
// CHECK: cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [$0, {$2, $3, $4}], [$1];
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NOT: wait_group
sm.kernel @roles(%x: !tile.global<[B, M, N] x f16, out>, %v: f16, %i: index) grid() warps(12) {
  %M = tile.size M
  %N = tile.size N
  sm.role "load" warps(4) registers(40) elected {
  }
  sm.role "math" warps(8) registers(232) {
    %t = tensor.splat %v : tensor<256x48xf16, #two>
    sm.tma.store %t to %x[%i, %i, %i] dims [1, 2] limits(%M, %N) columns 16 buffers 4 : tensor<256x48xf16, #two>, !tile.global<[B, M, N] x f16, out>, index, index, index
  }
}
