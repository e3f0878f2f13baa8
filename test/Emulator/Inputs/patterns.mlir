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
  %s = sm.stage %v at 1024 : !tile -> !smem
  sm.fence
  sm.barrier
  sm.put %s to %y[%c0, %c0] dims [0, 1] limits(%M, %c64) : !smem, !y, index, index
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
      sm.atomic_add %one to %y[%p] dims [] : i32, !sums, index
      %next = sm.next_program of %N
      scf.yield %next : index
    }
  }
}
