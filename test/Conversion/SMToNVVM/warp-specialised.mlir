// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | FileCheck %s
// RUN: %if ptxas %{ tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx --emit=cubin --report -o /dev/null - 2>&1 | FileCheck %s --check-prefix=REPORT %}

// A matrix product by roles: one thread loads stages by TMA, two warpgroups multiply, releasing a
// stage one step late. No spills, and ptxas finds nothing that would serialise the products.

// REPORT: gemm: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled

#acc = #sm.layout<"128x256 = register[2*(0,1) 2*(8,0) 32*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0) 2*(64,0)]">
!A = !sm.smem<128x64xbf16, swizzle = 128>
!B = !sm.smem<64x256xbf16, swizzle = 128>
!As = !sm.slots<4 x !A>
!Bs = !sm.slots<4 x !B>
!bars = !sm.mbarrier<4>
!P = !sm.pending<tensor<128x256xf32, #acc>>

// CHECK-LABEL: llvm.func @gemm
// CHECK-COUNT-8: nvvm.mbarrier.init
// CHECK-COUNT-2: nvvm.prefetch tensormap
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.barrier0
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: nvvm.elect.sync
// CHECK: mbarrier.try_wait.parity
// CHECK: mbarrier.arrive.expect_tx
// CHECK-COUNT-5: cp.async.bulk.tensor.2d.shared::cluster
// CHECK: nvvm.setmaxregister increase 232
// CHECK: setp.ne.b32 p, 0, 0;{{.*}}m64n256k16.f32.bf16.bf16
// CHECK-COUNT-3: setp.ne.b32 p, 1, 0;{{.*}}m64n256k16.f32.bf16.bf16
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-COUNT-4: setp.ne.b32 p, 1, 0;{{.*}}m64n256k16.f32.bf16.bf16
// CHECK: wgmma.wait_group.sync.aligned 1
// CHECK: @p mbarrier.arrive
// CHECK: wgmma.wait_group.sync.aligned 0
sm.kernel @gemm(%a: !tile.global<[M, K] x bf16>, %b: !tile.global<[K, N] x bf16>, %c: !tile.global<[M, N] x bf16, out>) grid(m in tiles(M, 128), n in tiles(N, 256)) warps(12) form(expanded) {
  %M = tile.size M
  %N = tile.size N
  %K = tile.size K
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %z = arith.constant 0 : i32
  %o = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %pid = sm.program_id
  %mt = arith.ceildivui %M, %c128 : index
  %mi = arith.remui %pid, %mt : index
  %ni = arith.divui %pid, %mt : index
  %m = arith.muli %mi, %c128 : index
  %n = arith.muli %ni, %c256 : index
  %as = sm.slots.alloc : !As
  %bs = sm.slots.alloc : !Bs
  %full = sm.mbarrier.alloc arrivals(1) : !bars
  %empty = sm.mbarrier.alloc arrivals(2) : !bars
  sm.role "load" warps(4) registers(40) elected {
    scf.for %k = %c0 to %K step %c64 iter_args(%s = %z, %ph = %o) -> (i32, i32) {
      sm.mbarrier.wait %empty[%s] parity %ph : !bars
      sm.mbarrier.expect %full[%s] bytes 49152 : !bars
      %at = sm.slots.at %as[%s] : !As
      %bt = sm.slots.at %bs[%s] : !Bs
      sm.tma.load %a[%m, %k] dims [0, 1] limits(%M, %K) into %at signal %full[%s] : !tile.global<[M, K] x bf16>, index, index, !A, !bars
      sm.tma.load %b[%k, %n] dims [0, 1] limits(%K, %N) into %bt signal %full[%s] : !tile.global<[K, N] x bf16>, index, index, !B, !bars
      %s1 = arith.addi %s, %o : i32
      %wrap = arith.cmpi eq, %s1, %four : i32
      %ns = arith.select %wrap, %z, %s1 : i32
      %w = arith.extui %wrap : i1 to i32
      %nph = arith.xori %ph, %w : i32
      scf.yield %ns, %nph : i32, i32
    }
  }
  sm.role "math" warps(8) registers(232) {
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    sm.mbarrier.wait %full[%z] parity %z : !bars
    %a0 = sm.slots.at %as[%z] : !As
    %b0 = sm.slots.at %bs[%z] : !Bs
    %p0 = sm.mma.issue %a0, %b0, %zero : !A, !B, tensor<128x256xf32, #acc>
    %r:4 = scf.for %k = %c64 to %K step %c64 iter_args(%s = %o, %ph = %z, %last = %z, %acc = %p0) -> (i32, i32, i32, !P) {
      sm.mbarrier.wait %full[%s] parity %ph : !bars
      %at = sm.slots.at %as[%s] : !As
      %bt = sm.slots.at %bs[%s] : !Bs
      %p = sm.mma.issue %at, %bt, %acc : !A, !B, !P
      sm.mma.retire leave 1
      sm.mbarrier.arrive %empty[%last] : !bars
      %s1 = arith.addi %s, %o : i32
      %wrap = arith.cmpi eq, %s1, %four : i32
      %ns = arith.select %wrap, %z, %s1 : i32
      %w = arith.extui %wrap : i1 to i32
      %nph = arith.xori %ph, %w : i32
      scf.yield %ns, %nph, %s, %p : i32, i32, i32, !P
    }
    %t = sm.mma.await %r#3 : !P
    %h = arith.truncf %t : tensor<128x256xf32, #acc> to tensor<128x256xbf16, #acc>
    sm.store %h to %c[%m, %n] dims [0, 1] limits(%M, %N) : tensor<128x256xbf16, #acc>, !tile.global<[M, N] x bf16, out>, index, index
  }
}
