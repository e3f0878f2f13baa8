// What the ops of the dialect compute, where no example shows it.
// DEFINE: %{order} = program
// DEFINE: %{run} = tile-run %s --device sim --order %{order}
// DEFINE: %{all} = %{run} --kernel exchange --arg 'x=arange(128)' --expect 'sums=full(8128, 128)' --expect 'same=arange(128)' && \
// DEFINE:   %{run} --kernel suffix --arg 'x=ones(128)' --arg n=129 --expect 'y=zeros(128)' && \
// DEFINE:   %{run} --kernel control --arg n=6 --expect 'y=full(21, 32)' && \
// DEFINE:   %{run} --kernel votes --arg 'y=zeros(1)' --expect 'y=full(96, 1)' && \
// DEFINE:   %{run} --kernel gather --arg 'x=arange(128)' --expect 'y=zeros(128)' && \
// DEFINE:   %{run} --kernel constants --expect 'y=arange(4)' && \
// DEFINE:   %{run} --kernel clipped --arg 'x=ones(64, 64)' --expect 'y=full(40, 40, 64)' --expect 'z=ones(40, 64)' && \
// DEFINE:   %{run} --kernel matrix --arg 'x=ones(32, 8)' --expect 'y=full(33, 8, 32)' && \
// DEFINE:   %{run} --kernel copies --arg S=3 --arg 'y=ones(50, 64)' --arg 'z=ones(50, 64)' --expect 'y=full(7, 50, 64)' --expect 'z=full(4, 50, 64)' --expect 'w=full(2, 50, 64)' && \
// DEFINE:   %{run} --kernel counted --expect 'y=full(6, 64)'
// RUN: %{all}
// REDEFINE: %{order} = late
// RUN: %{all}
// REDEFINE: %{order} = early
// RUN: %{all}
// REDEFINE: %{order} = random
// RUN: %{all}

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#other = #sm.layout<"128 = register[4*(1)] lane[32*(4)] warp[4*(0)]">
#one = #sm.layout<"1 = lane[32*(0)] warp[4*(0)]">
!in = !tile.global<[N] x f32>
!out = !tile.global<[N] x f32, out>

// Sums across warps, and a tile that goes from one layout to another.
sm.kernel @exchange(%x: !in, %sums: !out, %same: !out) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  %t = sm.load %x[%c0] dims [0] limits(%N) : !in, index -> tensor<128xf32, #line>
  %e = sm.expand_dims %t axis 1 : tensor<128xf32, #line> -> tensor<128x1xf32, #sm.layout<"128x1 = lane[32*(1,0)] warp[4*(32,0)]">>
  %s = sm.reduce sum %e axis 0 : tensor<128x1xf32, #sm.layout<"128x1 = lane[32*(1,0)] warp[4*(32,0)]">> -> tensor<1xf32, #one>
  %b = sm.broadcast %s : tensor<1xf32, #one> -> tensor<128xf32, #line>
  sm.store %b to %sums[%c0] dims [0] limits(%N) : tensor<128xf32, #line>, !out, index
  %c = sm.convert %t : tensor<128xf32, #line> -> tensor<128xf32, #other>
  sm.store %c to %same[%c0] dims [0] limits(%N) : tensor<128xf32, #other>, !out, index
}

// From the last element on: the sums count down.
sm.kernel @suffix(%x: !in, %n: index, %y: !out) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %N = tile.size N
  %t = sm.load %x[%c0] dims [0] limits(%N) : !in, index -> tensor<128xf32, #line>
  %s = sm.scan sum %t axis 0 reverse : tensor<128xf32, #line>
  %i = sm.indices %c1 : tensor<128xi32, #line>
  %f = arith.sitofp %i : tensor<128xi32, #line> to tensor<128xf32, #line>
  %sum = arith.addf %s, %f : tensor<128xf32, #line>
  %i32 = arith.index_cast %n : index to i32
  %g = arith.sitofp %i32 : i32 to f32
  %all = tensor.splat %g : tensor<128xf32, #line>
  %zero = arith.subf %sum, %all : tensor<128xf32, #line>
  sm.store %zero to %y[%c0] dims [0] limits(%N) : tensor<128xf32, #line>, !out, index
}

// 1 + 2 + … + n by a loop without a bound; n picks the branch.
sm.kernel @control(%n: index, %y: !tile.global<[32] x f32, out>) grid() warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %r:2 = scf.while (%i = %c1, %sum = %c0) : (index, index) -> (index, index) {
    %goesOn = arith.cmpi sle, %i, %n : index
    scf.condition(%goesOn) %i, %sum : index, index
  } do {
  ^bb0(%i: index, %sum: index):
    %next = arith.addi %sum, %i : index
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %next : index, index
  }
  %chosen = scf.index_switch %n -> index
  case 6 {
    scf.yield %r#1 : index
  }
  default {
    scf.yield %c0 : index
  }
  %v = scf.execute_region -> index {
    scf.yield %chosen : index
  }
  %i32 = arith.index_cast %v : index to i32
  %f = arith.sitofp %i32 : i32 to f32
  %t = tensor.splat %f : tensor<32xf32, #sm.layout<"32 = lane[32*(1)]">>
  sm.store %t to %y[%c0] dims [0] limits(%c32) : tensor<32xf32, #sm.layout<"32 = lane[32*(1)]">>, !tile.global<[32] x f32, out>, index
}

// Three of four warps hold an element from 32 on, and count their lanes.
sm.kernel @votes(%y: !tile.global<[1] x f32, inout>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %zeros = arith.constant dense<0> : tensor<128xi32, #line>
  %start = arith.constant dense<32> : tensor<128xi32, #line>
  %ones = arith.constant dense<1.0> : tensor<128xf32, #line>
  %none = arith.constant dense<0.0> : tensor<128xf32, #line>
  %c1 = arith.constant 1 : index
  %i = sm.indices %c0 : tensor<128xi32, #line>
  %late = arith.cmpi sge, %i, %start : tensor<128xi32, #line>
  %any = sm.any %late : tensor<128xi1, #line>
  %t = scf.if %any -> tensor<128xf32, #line> {
    scf.yield %ones : tensor<128xf32, #line>
  } else {
    scf.yield %none : tensor<128xf32, #line>
  }
  sm.atomic add %t to %y[%zeros] dims [0] limits(%c1) : tensor<128xf32, #line>, !tile.global<[1] x f32, inout>, tensor<128xi32, #line>
}

// y[i] = x[127 - i] + i - 127.
sm.kernel @gather(%x: !in, %y: !out) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  %last = arith.constant dense<127> : tensor<128xi32, #line>
  %i = sm.indices %c0 : tensor<128xi32, #line>
  %j = arith.subi %last, %i : tensor<128xi32, #line>
  %t = sm.load %x[%j] dims [0] limits(%N) : !in, tensor<128xi32, #line> -> tensor<128xf32, #line>
  %f = arith.sitofp %j : tensor<128xi32, #line> to tensor<128xf32, #line>
  %d = arith.subf %t, %f : tensor<128xf32, #line>
  sm.store %d to %y[%c0] dims [0] limits(%N) : tensor<128xf32, #line>, !out, index
}

#four = #sm.layout<"4 = register[2*(1)] lane[2*(2) 16*(0)]">

sm.kernel @constants(%y: !tile.global<[4] x f32, out>) grid() warps(1) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %t = arith.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32, #four>
  sm.store %t to %y[%c0] dims [0] limits(%c4) : tensor<4xf32, #four>, !tile.global<[4] x f32, out>, index
}

!tile = !sm.smem<64x64xbf16, swizzle = 128>
#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#rows = #sm.layout<"64x64 = register[8*(0,1) 4*(16,0)] lane[8*(0,8) 4*(1,0)] warp[4*(4,0)]">

// Of the ones, the copy brings 40 rows; their products with themselves have 40 terms.
sm.kernel @clipped(%x: !tile.global<[M, N] x bf16>, %y: !tile.global<[40, N] x f32, out>, %z: !tile.global<[40, N] x bf16, out>) grid() warps(8) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c40 = arith.constant 40 : index
  %N = tile.size N
  %ring = sm.ring.alloc : !sm.ring<1 x [!tile]>
  sm.role "load" warps(4) elected {
    %s = sm.ring.acquire %ring : !sm.ring<1 x [!tile]>
    %t = sm.slot.tile %s[0] : !sm.slot<[!tile]>
    sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%c40, %N) into %t : !tile.global<[M, N] x bf16>, index, index, !tile
    sm.ring.commit %s : !sm.slot<[!tile]>
  }
  sm.role "math" warps(4) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %s = sm.ring.wait %ring : !sm.ring<1 x [!tile]>
    %a = sm.slot.tile %s[0] : !sm.slot<[!tile]>
    %p = sm.mma %a, %a, %zero transpose_a : !tile, !tile, tensor<64x64xf32, #acc>
    %t = sm.smem.load %a : !tile -> tensor<64x64xbf16, #rows>
    sm.barrier
    sm.ring.release %s : !sm.slot<[!tile]>
    sm.store %t to %z[%c0, %c0] dims [0, 1] limits(%c40, %N) : tensor<64x64xbf16, #rows>, !tile.global<[40, N] x bf16, out>, index, index
    sm.store %p to %y[%c0, %c0] dims [0, 1] limits(%c40, %N) : tensor<64x64xf32, #acc>, !tile.global<[40, N] x f32, out>, index, index
  }
}

#a = #sm.layout<"32x8 = lane[32*(1,0)] warp[4*(0,2)] register[2*(0,1)]">
#t = #sm.layout<"8x32 = lane[32*(0,1)] warp[4*(2,0)] register[2*(1,0)]">

// The transposed tile and the sums over 32 terms of each element's column and row of ones.
sm.kernel @matrix(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[N, M] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %M = tile.size M
  %N = tile.size N
  %v = sm.load %x[%c0, %c0] dims [0, 1] limits(%M, %N) : !tile.global<[M, N] x f32>, index, index -> tensor<32x8xf32, #a>
  %w = sm.transpose %v : tensor<32x8xf32, #a> -> tensor<8x32xf32, #t>
  %s = sm.smem.store %v : tensor<32x8xf32, #a> -> !sm.smem<32x8xf32>
  %ones = arith.constant dense<1.0> : tensor<32x32xf32, #sm.layout<"32x32 = lane[32*(0,1)] warp[4*(1,0)] register[8*(4,0)]">>
  %o = sm.smem.store %ones : tensor<32x32xf32, #sm.layout<"32x32 = lane[32*(0,1)] warp[4*(1,0)] register[8*(4,0)]">> -> !sm.smem<32x32xf32>
  %p = sm.dot %s, %o, %w transpose_a : !sm.smem<32x8xf32>, !sm.smem<32x32xf32>, tensor<8x32xf32, #t>
  sm.store %p to %y[%c0, %c0] dims [0, 1] limits(%N, %M) : tensor<8x32xf32, #t>, !tile.global<[N, M] x f32, out>, index, index
}

#fragment = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">

// Three programs add to the same tiles by tensor copies, of which two are one after the other.
sm.kernel @copies(%S: index, %y: !tile.global<[M, 64] x f32, inout>, %z: !tile.global<[M, 64] x bf16, inout>, %w: !tile.global<[M, 64] x f32, out>) grid(s in S) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %t = arith.constant dense<1.0> : tensor<64x64xf32, #fragment>
  %h = arith.constant dense<1.0> : tensor<64x64xbf16, #fragment>
  %two = arith.addf %t, %t : tensor<64x64xf32, #fragment>
  sm.tma.store %t to %y[%c0, %c0] dims [0, 1] limits(%M, %c64) columns 32 buffers 2 add : tensor<64x64xf32, #fragment>, !tile.global<[M, 64] x f32, inout>, index, index
  sm.tma.store %t to %y[%c0, %c0] dims [0, 1] limits(%M, %c64) columns 16 buffers 3 add : tensor<64x64xf32, #fragment>, !tile.global<[M, 64] x f32, inout>, index, index
  sm.tma.store %h to %z[%c0, %c0] dims [0, 1] limits(%M, %c64) columns 64 buffers 1 add : tensor<64x64xbf16, #fragment>, !tile.global<[M, 64] x bf16, inout>, index, index
  sm.tma.store %two to %w[%c0, %c0] dims [0, 1] limits(%M, %c64) columns 8 buffers 1 : tensor<64x64xf32, #fragment>, !tile.global<[M, 64] x f32, out>, index, index
}

#narrow = #sm.layout<"64 = lane[32*(1)] warp[2*(32) 2*(0)]">

// Each of 64 counters takes 1 from two threads, and 4 from one: half of the positions of the second operation do not exist.
sm.kernel @counted(%y: !tile.global<[64] x i32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0> : tensor<64xi32, #narrow>
  %mask = arith.constant dense<63> : tensor<128xi32, #line>
  %ones = arith.constant dense<1> : tensor<128xi32, #line>
  %fours = arith.constant dense<4> : tensor<128xi32, #line>
  %t = sm.smem.store %zeros : tensor<64xi32, #narrow> -> !sm.smem<64xi32>
  sm.barrier
  %i = sm.indices %c0 : tensor<128xi32, #line>
  %p = arith.andi %i, %mask : tensor<128xi32, #line>
  sm.smem.atomic add %ones to %t[%p] : tensor<128xi32, #line>, !sm.smem<64xi32>, tensor<128xi32, #line>
  sm.smem.atomic add %fours to %t[%i] : tensor<128xi32, #line>, !sm.smem<64xi32>, tensor<128xi32, #line>
  sm.barrier
  %r = sm.smem.load %t : !sm.smem<64xi32> -> tensor<64xi32, #narrow>
  sm.store %r to %y[%c0] dims [0] limits(%c64) : tensor<64xi32, #narrow>, !tile.global<[64] x i32, out>, index
}
