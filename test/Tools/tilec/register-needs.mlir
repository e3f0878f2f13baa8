// --report says which registers tiles take, at the line where they take most.

// RUN: tilec %s --emit=advance --report -o /dev/null 2>&1 | FileCheck %s

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"16 = register[2*(1) 2*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">
#line = #sm.layout<"1x16 = register[2*(0,1) 2*(0,8)] lane[4*(0,2) 8*(0,0)] warp[4*(0,0)]">
#wide = #sm.layout<"64x16 = register[4*(0,1) 2*(32,0)] lane[4*(0,4) 8*(1,0)] warp[4*(8,0)]">
#high = #sm.layout<"64 = register[2*(32)] lane[4*(0) 8*(1)] warp[4*(8)]">
#tall = #sm.layout<"64x1 = register[2*(32,0)] lane[4*(0,0) 8*(1,0)] warp[4*(8,0)]">
#vectors = #sm.layout<"16x64 = register[4*(0,1) 2*(8,0)] lane[16*(0,4) 2*(1,0)] warp[4*(2,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = !sm.smem<16x16xbf16, swizzle = 32>
!f = !sm.smem<64x16xf32>
!t = tensor<64x16xf32, #acc>
!h = tensor<64x16xbf16, #acc>
!v = tensor<64x16xf32, #wide>
!x = !tile.global<[M, 16] x f32>
!z = !tile.global<[M, 16] x bf16>
!y = !tile.global<[M, 16] x f32, out>
module attributes {tile.phase = "advance"} {

// 64x16 of f32 are 1024 words of 128 threads, 8 of each; of bf16 4. A product in
// flight holds its left operand, and the accumulator is in its place: 12 once
// it is issued. One wgmma of 16 columns needs 8 + 26, and 4 for the left operand: more
// than 12 + 20.
// CHECK-LABEL: kernel 'in_flight'
// CHECK: registers:
// CHECK-NEXT: 'math': about 38 of 128, at {{.*}}:[[#@LINE+7]]:10: 8 for 64x16 f32 of {{.*}}:[[#@LINE+7]]:10, 4 for 64x16 bf16 of {{.*}}:[[#@LINE+6]]:10, 26 for all else
sm.kernel @in_flight(%z: !z, %y: !y, %i: index) grid() warps(4) form(scheduled) {
  %c16 = arith.constant 16 : index
  sm.role "math" warps(4) registers(128) {
    %b = sm.scratch : !c
    %0 = arith.constant dense<0.0> : !t
    %p = sm.load %z[%i, %i] dims [0, 1] limits(%c16, %c16) : !z, index, index -> !h
    %d = sm.mma.issue %p, %b, %0 : !h, !c, !t
    %e = sm.mma.await %d : !sm.pending<!t>
    sm.store %e to %y[%i, %i] dims [0, 1] limits(%c16, %c16) : !t, !y, index, index
  }
}

// Both tiles of an iteration are on their way beside both sums: 4 * 8, and 9 + 12
// of addresses and masks. They have whole rows of 16 bytes, as their size says.
// CHECK-LABEL: kernel 'together'
// CHECK: registers:
// CHECK-NEXT: 'sums': about 53 of 128, at
sm.kernel @together(%x: !tile.global<[M, 16] x f32>, %y: !y, %n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  sm.role "sums" warps(4) registers(128) {
    %0 = arith.constant dense<0.0> : !v
    %l:2 = scf.for %j = %c0 to %n step %c1 iter_args(%s = %0, %t = %0) -> (!v, !v) {
      %a = sm.load %x[%j, %c0] dims [0, 1] limits(%c16, %c16) in_bounds [true, true] {sm.aligned} : !x, index, index -> !v
      %u = arith.addf %s, %a : !v
      %b = sm.load %x[%n, %c0] dims [0, 1] limits(%c16, %c16) in_bounds [true, true] {sm.aligned} : !x, index, index -> !v
      %w = arith.addf %t, %b : !v
      scf.yield %u, %w : !v, !v
    }
    %r = arith.addf %l#0, %l#1 : !v
    sm.store %r to %y[%n, %c0] dims [0, 1] limits(%c16, %c16) : !v, !y, index, index
  }
}

// A row is 4 registers, and to repeat it along the columns takes none. What the
// whole loop reads is held through it, at the load after its last use too: 8, 8
// that the loop carries, and the row. Without products there are 12 and 30 %
// of that beside: 20 + 6 + 12.
// CHECK-LABEL: kernel 'through_a_loop'
// CHECK: registers:
// CHECK-NEXT: 'rows': about 38 of 128, at {{.*}}:[[#@LINE+10]]:12: 8 for 64x16 f32 of {{.*}}:[[#@LINE+6]]:10, 8 for 64x16 f32 of {{.*}}:[[#@LINE+9]]:12, 4 for 16 f32 of {{.*}}:[[#@LINE+10]]:12, 18 for all else
sm.kernel @through_a_loop(%x: !x, %y: !y, %i: index, %n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  sm.role "rows" warps(4) registers(128) {
    %t = sm.load %x[%i, %i] dims [0, 1] limits(%c16, %c16) : !x, index, index -> !t
    %0 = arith.constant dense<0.0> : !t
    %l = scf.for %j = %c0 to %n step %c1 iter_args(%s = %0) -> (!t) {
      %u = arith.addf %s, %t : !t
      %r = sm.load %x[%j, %c0] dims [1] limits(%c16) : !x, index, index -> tensor<16xf32, #row>
      %e = sm.expand_dims %r axis 0 : tensor<16xf32, #row> -> tensor<1x16xf32, #line>
      %w = sm.broadcast %e : tensor<1x16xf32, #line> -> !t
      %v = arith.mulf %u, %w : !t
      scf.yield %v : !t
    }
    sm.store %l to %y[%i, %i] dims [0, 1] limits(%c16, %c16) : !t, !y, index, index
  }
}

// What one branch reads is held in that branch alone, and arithmetic by elements
// is no more than what it reads or what it makes: 8 registers at each load, and
// 2 + 12 beside them.
// CHECK-LABEL: kernel 'in_a_branch'
// CHECK: registers:
// CHECK-NEXT: 'rows': about 22 of 128, at {{.*}}: 8 for 64x16 f32 of {{.*}}, 14 for all else
sm.kernel @in_a_branch(%x: !x, %y: !y, %i: index, %b: i1) grid() warps(4) form(scheduled) {
  %c16 = arith.constant 16 : index
  sm.role "rows" warps(4) registers(128) {
    %t = sm.load %x[%i, %i] dims [0, 1] limits(%c16, %c16) : !x, index, index -> !t
    %l = scf.if %b -> (!t) {
      %u = arith.addf %t, %t : !t
      %v = math.exp2 %u : !t
      scf.yield %v : !t
    } else {
      %u = sm.load %x[%i, %c16] dims [0, 1] limits(%c16, %c16) : !x, index, index -> !t
      scf.yield %u : !t
    }
    sm.store %l to %y[%i, %i] dims [0, 1] limits(%c16, %c16) : !t, !y, index, index
  }
}

// Positions are computed for each slice, and take none at the scan. That writes
// beside what it reads: 8 + 8, and 4 + 12 beside them.
// CHECK-LABEL: kernel 'positions'
// CHECK: registers:
// CHECK-NEXT: about 32 of 255, at {{.*}}: 8 for 64x16 f32 of {{.*}}, 8 for 64x16 f32 of {{.*}}, 16 for all else
sm.kernel @positions(%x: !x, %y: !y, %i: index) grid() warps(4) {
  %c16 = arith.constant 16 : index
  %p = sm.indices %i : tensor<16xi32, #row>
  %q = arith.addi %p, %p : tensor<16xi32, #row>
  %t = sm.load %x[%i, %i] dims [0, 1] limits(%c16, %c16) : !x, index, index -> !t
  %s = sm.scan sum %t axis 0 : !t
  sm.store %s to %y[%i, %i] dims [0, 1] limits(%c16, %c16) : !t, !y, index, index
  %e = sm.expand_dims %q axis 0 : tensor<16xi32, #row> -> tensor<1x16xi32, #line>
  %w = sm.broadcast %e : tensor<1x16xi32, #line> -> tensor<64x16xi32, #acc>
  %f = arith.sitofp %w : tensor<64x16xi32, #acc> to !t
  sm.store %f to %y[%i, %c16] dims [0, 1] limits(%c16, %c16) : !t, !y, index, index
}

// What is read from shared memory is added before the barrier, slice by slice:
// at the load there are 8, and 2 + 12 beside them.
// CHECK-LABEL: kernel 'before_a_barrier'
// CHECK: registers:
// CHECK-NEXT: about 22 of 255, at {{.*}}: 8 for 64x16 f32 of {{.*}}, 14 for all else
sm.kernel @before_a_barrier(%x: !x, %y: !y, %i: index) grid() warps(4) {
  %c16 = arith.constant 16 : index
  %t = sm.load %x[%i, %i] dims [0, 1] limits(%c16, %c16) : !x, index, index -> !t
  %b = sm.smem.store %t : !t -> !f
  sm.barrier
  %r = sm.smem.load %b : !f -> !t
  sm.barrier
  %u = arith.addf %r, %t : !t
  sm.store %u to %y[%i, %i] dims [0, 1] limits(%c16, %c16) : !t, !y, index, index
}

// Two vectors of 4, which start anywhere: of each two chunks, its address and by
// how much to shift, 22, and 12 beside them. The second load has the 8 of the
// first, too.
// CHECK-LABEL: kernel 'by_chunks'
// CHECK: registers:
// CHECK-NEXT: about 42 of 255, at {{.*}}:[[#@LINE+5]]:8: 8 for 16x64 f32 of {{.*}}, 34 for all else
sm.kernel @by_chunks(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M, N] x f32, out>, %i: index) grid() warps(4) {
  %M = tile.size M
  %N = tile.size N
  %s = sm.load %x[%i, %i] dims [0, 1] limits(%M, %N) : !tile.global<[M, N] x f32>, index, index -> tensor<16x64xf32, #vectors>
  %t = sm.load %x[%i, %i] dims [0, 1] limits(%M, %N) : !tile.global<[M, N] x f32>, index, index -> tensor<16x64xf32, #vectors>
  %u = arith.addf %s, %t : tensor<16x64xf32, #vectors>
  sm.store %u to %y[%i, %i] dims [0, 1] limits(%M, %N) : tensor<16x64xf32, #vectors>, !tile.global<[M, N] x f32, out>, index, index
}

// Bytes that are only unpacked stay four to a register, 2 for 8; others take one each: 8 + 8 + 2, and 5 + 12.
// CHECK-LABEL: kernel 'bytes'
// CHECK: registers:
// CHECK-NEXT: about 35 of 255, at {{.*}}: 8 for 64x16 f32 of {{.*}}, 8 for 64x16 i8 of {{.*}}:[[#@LINE+5]]:8, 2 for 64x16 i8 of {{.*}}:[[#@LINE+4]]:8, 17 for all else
sm.kernel @bytes(%x: !x, %y: !y, %i: index) grid() warps(4) {
  %c16 = arith.constant 16 : index
  %b = sm.scratch : !sm.smem<64x16xi8>
  %q = sm.smem.load %b : !sm.smem<64x16xi8> -> tensor<64x16xi8, #acc>
  %e = sm.smem.load %b : !sm.smem<64x16xi8> -> tensor<64x16xi8, #acc>
  %t = sm.load %x[%i, %i] dims [0, 1] limits(%c16, %c16) : !x, index, index -> !t
  %f = arith.sitofp %q : tensor<64x16xi8, #acc> to !t
  %w = arith.extsi %e : tensor<64x16xi8, #acc> to tensor<64x16xi32, #acc>
  %g = arith.sitofp %w : tensor<64x16xi32, #acc> to !t
  %u = arith.addf %f, %g : !t
  %v = arith.addf %u, %t : !t
  sm.store %v to %y[%i, %i] dims [0, 1] limits(%c16, %c16) : !t, !y, index, index
}

// What is widened is held as it was loaded, 4 registers, up to where it is used last, after a row is known.
// Aligned rows need 12 beside that, however large tiles are.
// CHECK-LABEL: kernel 'widened'
// CHECK: registers:
// CHECK-NEXT: about 16 of 255, at {{.*}}: 4 for 64x16 bf16 of {{.*}}, 12 for all else
sm.kernel @widened(%z: !z, %y: !y, %i: index) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %h = sm.load %z[%i, %c0] dims [0, 1] limits(%c16, %c16) {sm.aligned} : !z, index, index -> tensor<64x16xbf16, #wide>
  %t = arith.extf %h : tensor<64x16xbf16, #wide> to !v
  %m = sm.reduce max %t axis 1 : !v -> tensor<64xf32, #high>
  %e = sm.expand_dims %m axis 1 : tensor<64xf32, #high> -> tensor<64x1xf32, #tall>
  %w = sm.broadcast %e : tensor<64x1xf32, #tall> -> !v
  %u = arith.subf %t, %w : !v
  sm.store %u to %y[%i, %c0] dims [0, 1] limits(%c16, %c16) {sm.aligned} : !v, !y, index, index
}

// Both rows of a thread need an address if only the launch knows how far they are apart: 8, 2 * 2, and 12. In a
// loop they need none.
// CHECK-LABEL: kernel 'rows_apart'
// CHECK: registers:
// CHECK-NEXT: about 24 of 255, at {{.*}}: 8 for 16x64 f32 of {{.*}}, 16 for all else
// CHECK-LABEL: kernel 'rows_apart_in_a_loop'
// CHECK: registers:
// CHECK-NEXT: about 20 of 255, at {{.*}}: 8 for 16x64 f32 of {{.*}}, 12 for all else
sm.kernel @rows_apart(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M, N] x f32, out>, %i: index) grid() warps(4) {
  %M = tile.size M
  %N = tile.size N
  %s = sm.load %x[%i, %i] dims [0, 1] limits(%M, %N) {sm.aligned} : !tile.global<[M, N] x f32>, index, index -> tensor<16x64xf32, #vectors>
  sm.store %s to %y[%i, %i] dims [0, 1] limits(%M, %N) {sm.aligned} : tensor<16x64xf32, #vectors>, !tile.global<[M, N] x f32, out>, index, index
}
sm.kernel @rows_apart_in_a_loop(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M, N] x f32, out>, %n: index) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %M = tile.size M
  %N = tile.size N
  scf.for %i = %c0 to %n step %c16 {
    %s = sm.load %x[%i, %c0] dims [0, 1] limits(%M, %N) {sm.aligned} : !tile.global<[M, N] x f32>, index, index -> tensor<16x64xf32, #vectors>
    sm.store %s to %y[%i, %c0] dims [0, 1] limits(%M, %N) {sm.aligned} : tensor<16x64xf32, #vectors>, !tile.global<[M, N] x f32, out>, index, index
  }
}
}
