// Loops and branches, also those that run no iteration.
// RUN: tile-run %s --kernel loop --arg lo=0 --arg hi=10 --arg step=3 --print y | FileCheck %s --check-prefix=FOUR
// RUN: tile-run %s --kernel loop --arg lo=5 --arg hi=5 --arg step=1 --print y | FileCheck %s --check-prefix=NONE
// RUN: tile-run %s --kernel loop --arg lo=5 --arg hi=-5 --arg step=1 --print y | FileCheck %s --check-prefix=NONE
// RUN: tile-run %s --kernel loop --arg lo=-4 --arg hi=-1 --arg step=9223372036854775807 --print y | FileCheck %s --check-prefix=ONE
// RUN: tile-run %s --kernel unsigned_loop --print y | FileCheck %s --check-prefix=UNSIGNED
// RUN: tile-run %s --kernel branch --arg c=true --print y | FileCheck %s --check-prefix=TRUE
// RUN: tile-run %s --kernel branch --arg c=false --print y | FileCheck %s --check-prefix=FALSE
// RUN: tile-run %s --kernel others --arg n=27 --print y | FileCheck %s --check-prefix=OTHERS

// The number of iterations and the sum of the positions.
// FOUR: y = [4, 18]
// NONE: y = [0, 0]
// ONE: y = [1, -4]
tile.kernel @loop(%lo: index, %hi: index, %step: i64, %y: !tile.global<[2] x i64, out>) grid() {
  %by = arith.index_cast %step : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n, %s = scf.for %i = %lo to %hi step %by iter_args(%count = %c0, %sum = %c0) -> (index, index) {
    %next = arith.addi %count, %c1 : index
    %more = arith.addi %sum, %i : index
    scf.yield %next, %more : index, index
  }
  %a = arith.index_cast %n : index to i64
  %b = arith.index_cast %s : index to i64
  tile.store %a to %y[%c0] : i64, !tile.global<[2] x i64, out>, index
  tile.store %b to %y[%c1] : i64, !tile.global<[2] x i64, out>, index
}

// From 0 to 200 as unsigned i8, which is -56 signed.
// UNSIGNED: y = [4]
tile.kernel @unsigned_loop(%y: !tile.global<[1] x i32, out>) grid() {
  %c0 = arith.constant 0 : index
  %lo = arith.constant 0 : i8
  %hi = arith.constant 200 : i8
  %step = arith.constant 50 : i8
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = scf.for unsigned %i = %lo to %hi step %step iter_args(%count = %zero) -> i32 : i8 {
    %next = arith.addi %count, %one : i32
    scf.yield %next : i32
  }
  tile.store %n to %y[%c0] : i32, !tile.global<[1] x i32, out>, index
}

// A branch may yield ranges.
// TRUE: y = [1, 2, nan, nan]
// FALSE: y = [nan, nan, 3, 4]
tile.kernel @branch(%c: i1, %y: !tile.global<[4] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %r, %t = scf.if %c -> (!tile.range<2>, tensor<2xf32>) {
    %a = tile.range %c0 to %c2 : !tile.range<2>
    %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    scf.yield %a, %x : !tile.range<2>, tensor<2xf32>
  } else {
    %b = tile.range %c2 to %c4 : !tile.range<2>
    %x = arith.constant dense<[3.0, 4.0]> : tensor<2xf32>
    scf.yield %b, %x : !tile.range<2>, tensor<2xf32>
  }
  scf.if %c {
    tile.barrier
  }
  tile.store %t to %y[%r] : tensor<2xf32>, !tile.global<[4] x f32, out>, !tile.range<2>
}

// The length of the Collatz sequence of 27, a switch, a region run in place.
// OTHERS: y = [111, 20, 99]
tile.kernel @others(%n: index, %y: !tile.global<[3] x i64, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %end, %steps = scf.while (%i = %n, %count = %c0) : (index, index) -> (index, index) {
    %more = arith.cmpi ne, %i, %c1 : index
    scf.condition(%more) %i, %count : index, index
  } do {
  ^bb0(%i: index, %count: index):
    %bit = arith.remsi %i, %c2 : index
    %odd = arith.cmpi eq, %bit, %c1 : index
    %next = scf.if %odd -> index {
      %a = arith.muli %i, %c3 : index
      %b = arith.addi %a, %c1 : index
      scf.yield %b : index
    } else {
      %a = arith.divsi %i, %c2 : index
      scf.yield %a : index
    }
    %after = arith.addi %count, %c1 : index
    scf.yield %next, %after : index, index
  }
  %0 = arith.index_cast %steps : index to i64
  tile.store %0 to %y[%c0] : i64, !tile.global<[3] x i64, out>, index
  %1 = scf.index_switch %c2 -> i64
  case 1 {
    %v = arith.constant 10 : i64
    scf.yield %v : i64
  }
  case 2 {
    %v = arith.constant 20 : i64
    scf.yield %v : i64
  }
  default {
    %v = arith.constant 30 : i64
    scf.yield %v : i64
  }
  tile.store %1 to %y[%c1] : i64, !tile.global<[3] x i64, out>, index
  %2 = scf.execute_region -> i64 {
    %v = arith.constant 99 : i64
    scf.yield %v : i64
  }
  tile.store %2 to %y[%c2] : i64, !tile.global<[3] x i64, out>, index
}
