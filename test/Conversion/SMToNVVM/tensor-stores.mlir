// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | FileCheck %s
// RUN: %if ptxas %{ tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx --emit=cubin --report -o /dev/null - 2>&1 | FileCheck %s --check-prefix=REPORT %}

// Accumulators leave warpgroup by warpgroup: wait for a buffer, write it, copy it.

// REPORT-DAG: plain: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled
// REPORT-DAG: roles: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled
// REPORT-DAG: wide: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled
// REPORT-DAG: adds: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled

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

#half = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">

// Two chunks of 32 columns, 128 bytes. Pairs of f32 by 8 bytes: lanes of odd rows (bit 2) write
// columns 16 to 31 where the others write 0 to 15, so that no two rows meet in a bank.
// CHECK-LABEL: llvm.func @wide
// CHECK-DAG: %[[ODD:.*]] = llvm.icmp "ne" %[[BIT:.*]], %{{.*}} : i32
// CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK-COUNT-16: llvm.select %[[ODD]], %{{.*}}, %{{.*}} : i1, f32
// CHECK-COUNT-8: llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: nvvm.fence.proxy
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$0, {$2, $3}], [$1];
// CHECK-COUNT-16: llvm.select %[[ODD]]
// CHECK-COUNT-8: llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK: cp.async.bulk.tensor.2d.global
// CHECK: llvm.return
sm.kernel @wide(%x: !tile.global<[M, N] x f32, out>, %v: f32, %i: index) grid() warps(4) {
  %M = tile.size M
  %N = tile.size N
  %s = tensor.splat %v : tensor<64x64xf32, #half>
  sm.tma.store %s to %x[%i, %i] dims [0, 1] limits(%M, %N) columns 32 buffers 2 : tensor<64x64xf32, #half>, !tile.global<[M, N] x f32, out>, index, index
}

// Copies that add. Rows of 32 bytes fill all banks by themselves.
// CHECK-LABEL: llvm.func @adds
// CHECK-NOT: llvm.select
// CHECK: llvm.store {{.*}} : vector<2xf32>, !llvm.ptr<3>
// CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [$0, {$2, $3}], [$1];
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.stmatrix
// CHECK: cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.bulk_group [$0, {$2, $3, $4}], [$1];
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: llvm.return
sm.kernel @adds(%x: !tile.global<[M, N] x f32, inout>, %y: !tile.global<[B, M, N] x bf16, inout>, %v: f32, %h: bf16, %i: index) grid() warps(4) {
  %M = tile.size M
  %N = tile.size N
  %s = tensor.splat %v : tensor<64x64xf32, #half>
  sm.tma.store %s to %x[%i, %i] dims [0, 1] limits(%M, %N) columns 8 buffers 2 add : tensor<64x64xf32, #half>, !tile.global<[M, N] x f32, inout>, index, index
  %t = tensor.splat %h : tensor<64x64xbf16, #half>
  sm.tma.store %t to %y[%i, %i, %i] dims [1, 2] limits(%M, %N) columns 64 buffers 1 add : tensor<64x64xbf16, #half>, !tile.global<[B, M, N] x bf16, inout>, index, index, index
}
