// Tiles that pass through shared memory from one warpgroup to another, and by a tensor copy to
// global memory; and roles that meet. Each kernel is right; defects.test takes lines away.
//
// DEFINE: %{sim} = tile-run --device=sim %s --seeds=10
// RUN: %{sim} --kernel=put --arg 'x=randint(-9, 9, 64, 64)' --save x=%t.npy
// RUN: %{sim} --kernel=put --arg x=@%t.npy --expect y=@%t.npy
// RUN: %{sim} --kernel=meet --arg x=@%t.npy --expect y=@%t.npy
// RUN: %{sim} --kernel=reuse --arg x=@%t.npy --expect y=@%t.npy
// RUN: %{sim} --kernel=vote --arg x=@%t.npy --expect y=@%t.npy
// RUN: %{sim} --kernel=turns --arg x=@%t.npy --expect y=@%t.npy

#t = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#u = #sm.layout<"64x64 = register[2*(0,1) 8*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(0,16)]">
#b = #sm.layout<"64x64 = register[2*(0,1) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(8,0)]">
!T = !sm.smem<64x64xbf16, swizzle = 128>
!tile = tensor<64x64xbf16, #t>
!turned = tensor<64x64xbf16, #u>
!both = tensor<64x64xbf16, #b>
!flags = tensor<64x64xi1, #t>
!x = !tile.global<[M, 64] x bf16>
!y = !tile.global<[M, 64] x bf16, out>

// Registers -> shared memory -> tensor copy.
sm.kernel @put(%x: !x, %y: !y) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %v = sm.load %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !tile
  %s = sm.smem.store %v at 1024 : !tile -> !T
  sm.fence
  sm.barrier
  sm.copy.store %s to %y[%c0, %c0] dims [0, 1] limits(%M, %c64) : !T, !y, index, index
}

// Each of two roles arrives, and waits for the other.
sm.kernel @meet(%x: !x, %y: !y) grid() warps(8) form(fenced) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %M = tile.size M
  %there = sm.mbarrier.alloc arrivals(1) at 0 : !sm.mbarrier<1>
  %back = sm.mbarrier.alloc arrivals(1) at 8 : !sm.mbarrier<1>
  %s = sm.scratch at 1024 : !T
  sm.role "first" warps(4) {
    %v = sm.load %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !tile
    sm.mbarrier.arrive %there[%zero] : !sm.mbarrier<1>
    sm.mbarrier.wait %back[%zero] parity %zero : !sm.mbarrier<1>
    sm.store %v to %y[%c0, %c0] dims [0, 1] limits(%M, %c64) : !tile, !y, index, index
  }
  sm.role "second" warps(4) {
    sm.mbarrier.wait %there[%zero] parity %zero : !sm.mbarrier<1>
    sm.mbarrier.arrive %back[%zero] : !sm.mbarrier<1>
  }
}

// One place in shared memory for two tiles, one after the other; each goes from warps that hold
// rows to warps that hold columns.
sm.kernel @reuse(%x: !x, %y: !y) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %v = sm.load %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !tile
  %s = sm.smem.store %v at 1024 : !tile -> !T
  sm.barrier
  %w = sm.smem.load %s : !T -> !turned
  sm.barrier
  %t = sm.smem.store %v at 1024 : !tile -> !T
  sm.barrier
  %u = sm.smem.load %t : !T -> !turned
  %both = arith.maximumf %u, %w : !turned
  sm.store %both to %y[%c0, %c0] dims [0, 1] limits(%M, %c64) : !turned, !y, index, index
}

// Only the warps whose rows hold a positive element execute the body of the loop.
sm.kernel @vote(%x: !x, %y: !y) grid() warps(4) form(fenced) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %zeros = arith.constant dense<0.0> : !tile
  %v = sm.load %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !tile
  %isPositive = arith.cmpf ogt, %v, %zeros : !tile
  %any = sm.any %isPositive : !flags
  %count = arith.select %any, %c64, %c0 : index
  scf.for %i = %c0 to %count step %c64 {
    %w = sm.load %x[%i, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !tile
  }
  sm.store %v to %y[%c0, %c0] dims [0, 1] limits(%M, %c64) : !tile, !y, index, index
}

// Two warpgroups take turns.
sm.kernel @turns(%x: !x, %y: !y) grid() warps(8) form(fenced) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  sm.role "math" warps(8) {
    %v = sm.load %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !both
    sm.pingpong.start
    scf.for %i = %c0 to %c64 step %c1 {
      sm.pingpong.wait
      sm.pingpong.pass
    }
    sm.store %v to %y[%c0, %c0] dims [0, 1] limits(%M, %c64) : !both, !y, index, index
  }
}
