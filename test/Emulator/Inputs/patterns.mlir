// Patterns of the lowering that no test in test/Conversion/SMToNVVM executes; see patterns.py. Kernels are
// in the fenced form, so that they run as they are written.

#t = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!tile = tensor<64x64xbf16, #t>
!smem = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[M, 64] x bf16>
!y = !tile.global<[M, 64] x bf16, out>
!n = !tile.global<[N] x i32, out>
!sums = !tile.global<[N] x i32, inout>

// What threads have written to shared memory is fenced before a tensor copy reads it.
sm.kernel @fenced(%x: !x, %y: !y) grid() warps(4) form(fenced) shared(9216) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %v = sm.load %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !tile
  %s = sm.smem.store %v at 1024 : !tile -> !smem
  sm.fence
  sm.barrier
  sm.copy.store %s to %y[%c0, %c0] dims [0, 1] limits(%M, %c64) : !smem, !y, index, index
}

// Each CTA of each cluster has a number, and knows how many there are.
// EXECUTE: numbered N=8
sm.kernel @numbered(%y: !n) grid(n in N) warps(4) cluster(2) form(fenced) shared(0) {
  %c2 = arith.constant 2 : index
  %p = sm.program_id
  %r = sm.cta_rank
  %count = sm.cta_count
  %twice = arith.muli %p, %c2 : index
  %at = arith.addi %twice, %r : index
  %scaled = arith.muli %count, %at : index
  %sum = arith.addi %scaled, %r : index
  %value = arith.index_cast %sum : index to i32
  sm.store %value to %y[%at] dims [] : i32, !n, index
}

// CTAs draw their programs until there is none left, and count each of them.
// EXECUTE: drawn N=7
sm.kernel @drawn(%y: !sums) grid(n in N) warps(4) persistent form(fenced) shared(0) {
  %one = arith.constant 1 : i32
  %N = tile.size N
  %first = sm.program_id
  sm.role "math" warps(4) elected {
    scf.while (%n = %first) : (index) -> index {
      %more = arith.cmpi slt, %n, %N : index
      scf.condition(%more) %n : index
    } do {
    ^bb0(%p: index):
      sm.atomic add %one to %y[%p] dims [] : i32, !sums, index
      %next = sm.next_program of %N
      scf.yield %next : index
    }
  }
}

// What brings the left operand of the next product stands before the wait for this one, which reads it from
// registers: other registers take it.
!sum = tensor<64x64xf32, #t>
!r = !tile.global<[M, 64] x f32, out>
sm.kernel @next_operand_before_await(%x: !x, %y: !r) grid() warps(4) form(fenced) shared(9216) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %zero = arith.constant dense<0.0> : !sum
  %v = sm.load %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !tile
  %s = sm.smem.store %v at 1024 : !tile -> !smem
  sm.fence
  sm.barrier
  %l:2 = scf.for %i = %c1 to %c4 step %c1 iter_args(%z = %zero, %a = %v) -> (!sum, !tile) {
    %p = sm.mma.issue %a, %s, %z : !tile, !smem, !sum
    %next = sm.load %x[%i, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !tile
    %d = sm.mma.await %p : !sm.pending<!sum>
    scf.yield %d, %next : !sum, !tile
  }
  sm.store %l#0 to %y[%c0, %c0] dims [0, 1] limits(%M, %c64) : !sum, !r, index, index
}

// The same of a product that is retired.
sm.kernel @next_operand_before_retire(%x: !x, %y: !r) grid() warps(4) form(fenced) shared(9216) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %zero = arith.constant dense<0.0> : !sum
  %v = sm.load %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !tile
  %s = sm.smem.store %v at 1024 : !tile -> !smem
  sm.fence
  sm.barrier
  %first = sm.mma.issue %s, %s, %zero : !smem, !smem, !sum
  %l:2 = scf.for %i = %c1 to %c4 step %c1 iter_args(%z = %first, %a = %v) -> (!sm.pending<!sum>, !tile) {
    %p = sm.mma.issue %a, %s, %z : !tile, !smem, !sm.pending<!sum>
    %next = sm.load %x[%i, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !tile
    sm.mma.retire leave 0
    scf.yield %p, %next : !sm.pending<!sum>, !tile
  }
  %d = sm.mma.await %l#0 : !sm.pending<!sum>
  sm.store %d to %y[%c0, %c0] dims [0, 1] limits(%M, %c64) : !sum, !r, index, index
}
