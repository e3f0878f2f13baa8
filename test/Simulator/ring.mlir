// A ring of two stages between one thread that starts tensor copies and a warpgroup that reads
// them: right in every order, for every number of trips.
//
// RUN: %python -c "import numpy as np; [np.save(f'%t.{n}.npy', np.arange(n * 64, dtype='f4').reshape(n, 64)) for n in (0, 16, 32, 80)]"
// DEFINE: %{rows} = 80
// DEFINE: %{sim} = tile-run --device=sim %s --arg x=@%t.%{rows}.npy --expect y=@%t.%{rows}.npy
//
// RUN: %{sim} --order=program
// RUN: %{sim} --order=late
// RUN: %{sim} --order=early
// RUN: %{sim} --seeds=20
//
// REDEFINE: %{rows} = 32
// RUN: %{sim} --seeds=5
// REDEFINE: %{rows} = 16
// RUN: %{sim} --seeds=5
// REDEFINE: %{rows} = 0
// RUN: %{sim} --seeds=5

#t = #sm.layout<"16x64 = register[2*(0,1) 4*(4,0)] lane[32*(0,2)] warp[4*(1,0)]">
!T = !sm.smem<16x64xf32>
!stages = !sm.slots<2 x !T>
!bars = !sm.mbarrier<2>
!tile = tensor<16x64xf32, #t>
!x = !tile.global<[M, 64] x f32>
!y = !tile.global<[M, 64] x f32, out>

sm.kernel @ring(%x: !x, %y: !y) grid() warps(8) form(fenced) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %M = tile.size M
  %full = sm.mbarrier.alloc arrivals(1) at 0 : !bars
  %empty = sm.mbarrier.alloc arrivals(1) at 16 : !bars
  %stages = sm.slots.alloc at 1024 : !stages
  sm.role "load" warps(4) elected {
    scf.for %m = %c0 to %M step %c16 iter_args(%s = %zero, %parity = %one) -> (i32, i32) {
      sm.mbarrier.wait %empty[%s] parity %parity : !bars
      sm.mbarrier.expect %full[%s] bytes 4096 : !bars
      %t = sm.slots.at %stages[%s] : !stages
      sm.tma.load %x[%m, %c0] dims [0, 1] limits(%M, %c64) into %t signal %full[%s] : !x, index, index, !T, !bars
      %s1 = arith.xori %s, %one : i32
      %flip = arith.xori %parity, %s : i32
      scf.yield %s1, %flip : i32, i32
    }
  }
  sm.role "math" warps(4) {
    scf.for %m = %c0 to %M step %c16 iter_args(%s = %zero, %parity = %zero) -> (i32, i32) {
      sm.mbarrier.wait %full[%s] parity %parity : !bars
      %t = sm.slots.at %stages[%s] : !stages
      %v = sm.smem.load %t : !T -> !tile
      sm.barrier
      sm.mbarrier.arrive %empty[%s] : !bars
      sm.store %v to %y[%m, %c0] dims [0, 1] limits(%M, %c64) : !tile, !y, index, index
      %s1 = arith.xori %s, %one : i32
      %flip = arith.xori %parity, %s : i32
      scf.yield %s1, %flip : i32, i32
    }
  }
}
