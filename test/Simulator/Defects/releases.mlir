// CTAs that are ordered by a lock, and locks whose acquire, release or barriers are missing. Warp 0 takes the lock for the
// other warps.
// DEFINE: %{order} = program
// DEFINE: %{sim} = tile-run %s --device sim --order=%{order} --arg 'x=zeros(128)' --arg 'l=zeros(1)'
// RUN: %{sim} --kernel locked --expect 'x=full(3, 128)'
// RUN: not %{sim} --kernel no_acquire 2>&1 | FileCheck %s
// RUN: not %{sim} --kernel no_release 2>&1 | FileCheck %s
// RUN: not %{sim} --kernel barrier_after_acquire 2>&1 | FileCheck %s
// RUN: not %{sim} --kernel barrier_before_release 2>&1 | FileCheck %s
// REDEFINE: %{order} = late
// RUN: %{sim} --kernel locked --expect 'x=full(3, 128)'
// RUN: not %{sim} --kernel barrier_after_acquire 2>&1 | FileCheck %s
// RUN: not %{sim} --kernel barrier_before_release 2>&1 | FileCheck %s

// CHECK: error: reads 'x[{{[0-9]+}}]', which CTA 0 writes; programs of a grid are not ordered

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#one = #sm.layout<"1 = lane[32*(0)] warp[4*(0)]">
!x = !tile.global<[128] x f32, inout>
!l = !tile.global<[1] x i32, inout>
!line = tensor<128xf32, #line>
!one = tensor<1xi32, #one>

sm.kernel @locked(%x: !x, %l: !l) grid(i in 3) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %taken = arith.constant dense<1> : !one
  %free = arith.constant dense<0> : !one
  %ones = arith.constant dense<1.0> : !line
  %old = sm.atomic exchange %taken to %l[%c0] dims [0] order acquire limits(%c1) : !one, !l, index -> !one
  sm.barrier
  %a = sm.load %x[%c0] dims [0] limits(%c128) : !x, index -> !line
  %b = arith.addf %a, %ones : !line
  sm.store %b to %x[%c0] dims [0] limits(%c128) : !line, !x, index
  sm.barrier
  sm.atomic exchange %free to %l[%c0] dims [0] order release limits(%c1) : !one, !l, index
}

sm.kernel @no_acquire(%x: !x, %l: !l) grid(i in 3) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %taken = arith.constant dense<1> : !one
  %free = arith.constant dense<0> : !one
  %ones = arith.constant dense<1.0> : !line
  %old = sm.atomic exchange %taken to %l[%c0] dims [0] limits(%c1) : !one, !l, index -> !one
  sm.barrier
  %a = sm.load %x[%c0] dims [0] limits(%c128) : !x, index -> !line
  %b = arith.addf %a, %ones : !line
  sm.store %b to %x[%c0] dims [0] limits(%c128) : !line, !x, index
  sm.barrier
  sm.atomic exchange %free to %l[%c0] dims [0] order release limits(%c1) : !one, !l, index
}

sm.kernel @no_release(%x: !x, %l: !l) grid(i in 3) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %taken = arith.constant dense<1> : !one
  %free = arith.constant dense<0> : !one
  %ones = arith.constant dense<1.0> : !line
  %old = sm.atomic exchange %taken to %l[%c0] dims [0] order acquire limits(%c1) : !one, !l, index -> !one
  sm.barrier
  %a = sm.load %x[%c0] dims [0] limits(%c128) : !x, index -> !line
  %b = arith.addf %a, %ones : !line
  sm.store %b to %x[%c0] dims [0] limits(%c128) : !line, !x, index
  sm.barrier
  sm.atomic exchange %free to %l[%c0] dims [0] limits(%c1) : !one, !l, index
}

sm.kernel @barrier_after_acquire(%x: !x, %l: !l) grid(i in 3) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %taken = arith.constant dense<1> : !one
  %free = arith.constant dense<0> : !one
  %ones = arith.constant dense<1.0> : !line
  %old = sm.atomic exchange %taken to %l[%c0] dims [0] order acquire limits(%c1) : !one, !l, index -> !one
  %a = sm.load %x[%c0] dims [0] limits(%c128) : !x, index -> !line
  %b = arith.addf %a, %ones : !line
  sm.store %b to %x[%c0] dims [0] limits(%c128) : !line, !x, index
  sm.barrier
  sm.atomic exchange %free to %l[%c0] dims [0] order release limits(%c1) : !one, !l, index
}

sm.kernel @barrier_before_release(%x: !x, %l: !l) grid(i in 3) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %taken = arith.constant dense<1> : !one
  %free = arith.constant dense<0> : !one
  %ones = arith.constant dense<1.0> : !line
  %old = sm.atomic exchange %taken to %l[%c0] dims [0] order acquire limits(%c1) : !one, !l, index -> !one
  sm.barrier
  %a = sm.load %x[%c0] dims [0] limits(%c128) : !x, index -> !line
  %b = arith.addf %a, %ones : !line
  sm.store %b to %x[%c0] dims [0] limits(%c128) : !line, !x, index
  sm.atomic exchange %free to %l[%c0] dims [0] order release limits(%c1) : !one, !l, index
}
