// A matrix product whose operands come through a ring of two stages: a stage is released when the
// product that reads it is complete.
//
// RUN: %python -c "import numpy as np; a = np.arange(64 * 320).reshape(64, 320) % 7 - 3; b = np.arange(320 * 64).reshape(320, 64) % 5 - 2; [(np.save(f'%t.a{k}.npy', a[:, :k].astype('f4')), np.save(f'%t.b{k}.npy', b[:k].astype('f4')), np.save(f'%t.c{k}.npy', (a[:, :k] @ b[:k]).astype('f4'))) for k in (0, 64, 320)]"
// DEFINE: %{k} = 320
// DEFINE: %{sim} = tile-run --device=sim %s --arg a=@%t.a%{k}.npy --arg b=@%t.b%{k}.npy --expect c=@%t.c%{k}.npy
//
// RUN: %{sim} --order=program
// RUN: %{sim} --order=late
// RUN: %{sim} --order=early
// RUN: %{sim} --seeds=10
// REDEFINE: %{k} = 64
// RUN: %{sim} --seeds=5
// REDEFINE: %{k} = 0
// RUN: %{sim} --seeds=5

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!T = !sm.smem<64x64xbf16, swizzle = 128>
!stages = !sm.slots<2 x !T>
!bars = !sm.mbarrier<2>
!acc = tensor<64x64xf32, #acc>
!a = !tile.global<[M, K] x bf16>
!b = !tile.global<[K, N] x bf16>
!c = !tile.global<[M, N] x f32, out>

sm.kernel @product(%a: !a, %b: !b, %c: !c) grid() warps(8) form(fenced) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %M = tile.size M
  %N = tile.size N
  %K = tile.size K
  %full = sm.mbarrier.alloc arrivals(1) at 0 : !bars
  %empty = sm.mbarrier.alloc arrivals(1) at 16 : !bars
  %as = sm.slots.alloc at 1024 : !stages
  %bs = sm.slots.alloc at 17408 : !stages
  sm.role "load" warps(4) elected {
    scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero, %parity = %one) -> (i32, i32) {
      sm.mbarrier.wait %empty[%s] parity %parity : !bars
      sm.mbarrier.expect %full[%s] bytes 16384 : !bars
      %at = sm.slots.at %as[%s] : !stages
      %bt = sm.slots.at %bs[%s] : !stages
      sm.tma.load %a[%c0, %k] dims [0, 1] limits(%M, %K) into %at signal %full[%s] : !a, index, index, !T, !bars
      sm.tma.load %b[%k, %c0] dims [0, 1] limits(%K, %N) into %bt signal %full[%s] : !b, index, index, !T, !bars
      %s1 = arith.xori %s, %one : i32
      %flip = arith.xori %parity, %s : i32
      scf.yield %s1, %flip : i32, i32
    }
  }
  sm.role "math" warps(4) {
    %none = arith.constant dense<0.0> : !acc
    %r:3 = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero, %parity = %zero, %sum = %none) -> (i32, i32, !acc) {
      sm.mbarrier.wait %full[%s] parity %parity : !bars
      %at = sm.slots.at %as[%s] : !stages
      %bt = sm.slots.at %bs[%s] : !stages
      %p = sm.mma.issue %at, %bt, %sum : !T, !T, !acc
      %next = sm.mma.await %p : !sm.pending<!acc>
      sm.mbarrier.arrive %empty[%s] : !bars
      %s1 = arith.xori %s, %one : i32
      %flip = arith.xori %parity, %s : i32
      scf.yield %s1, %flip, %next : i32, i32, !acc
    }
    sm.store %r#2 to %c[%c0, %c0] dims [0, 1] limits(%M, %N) : !acc, !c, index, index
  }
}
