// Accesses that break a promise, and those whose order the memory model leaves open.
// RUN: not tile-run %s --kernel in_bounds --arg 'x=zeros(5)' --arg lo=2 --arg hi=9 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not tile-run %s --kernel in_bounds --arg 'x=zeros(5)' --arg lo=0 --arg hi=3 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not tile-run %s --kernel in_bounds --arg 'x=zeros(5)' --arg lo=-1 --arg hi=5 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: tile-run %s --kernel in_bounds --arg 'x=zeros(5)' --arg lo=1 --arg hi=5
// RUN: not tile-run %s --kernel race 2>&1 --arg n=3 | FileCheck %s --check-prefix=RACE
// RUN: not tile-run %s --kernel race 2>&1 --arg n=3 --grid-order=1 | FileCheck %s --check-prefix=ORDER
// RUN: tile-run %s --kernel race --arg n=1
// RUN: not tile-run %s --kernel unordered --arg 'x=zeros(1)' 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: not tile-run %s --kernel neighbours --arg 'x=arange(4)' 2>&1 | FileCheck %s --check-prefix=NEIGHBOURS
// RUN: not tile-run %s --kernel successor --arg 'x=arange(4)' 2>&1 | FileCheck %s --check-prefix=SUCCESSOR
// RUN: not tile-run %s --kernel mixed --arg 'x=zeros(1)' --arg n=2 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: not tile-run %s --kernel lanes 2>&1 | FileCheck %s --check-prefix=LANES

// SIZE: memory-invalid.mlir:[[#@LINE+6]]:8: error: access is marked in bounds, but index 5 of dimension 0 of 'x' is not (size 5)
// LIMIT: error: access is marked in bounds, but index 3 of dimension 0 of 'x' is not (size 5, limit 3)
// NEGATIVE: error: access is marked in bounds, but index -1 of dimension 0 of 'x' is not (size 5)
// NEGATIVE: note: in the only program of kernel 'in_bounds'
tile.kernel @in_bounds(%x: !tile.global<[N] x f32>, %lo: index, %hi: index) grid() {
  %r = tile.range %lo to %hi : !tile.range<4>
  %t = tile.load %x[%r] in_bounds [true] : !tile.global<[N] x f32>, !tile.range<4> -> tensor<4xf32>
}

// RACE: error: writes 'y[1]', where program (i = 0) writes another value
// RACE: note: in program (i = 1) of kernel 'race'
// ORDER: error: writes 'y[1]', where program (i = {{[0-9]}}) writes another value
tile.kernel @race(%n: index, %y: !tile.global<[2] x f32, out>) grid(%i in n) {
  %c1 = arith.constant 1 : index
  %a = arith.index_cast %i : index to i32
  %v = arith.sitofp %a : i32 to f32
  tile.store %v to %y[%c1] : f32, !tile.global<[2] x f32, out>, index
}

// UNORDERED: error: reads 'x[0]', which this program wrote before; put tile.barrier between
tile.kernel @unordered(%x: !tile.global<[1] x f32, inout>) grid() {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  tile.store %v to %x[%c0] : f32, !tile.global<[1] x f32, inout>, index
  %w = tile.load %x[%c0] : !tile.global<[1] x f32, inout>, index -> f32
}

// Each program reads what its left neighbour has written.
// NEIGHBOURS: error: reads 'x[1]', which program (i = 0) writes; programs of a grid are not ordered
// NEIGHBOURS: note: in program (i = 1) of kernel 'neighbours'
tile.kernel @neighbours(%x: !tile.global<[N] x f32, inout>) grid(%i in N) {
  %c1 = arith.constant 1 : index
  %a = tile.load %x[%i] : !tile.global<[N] x f32, inout>, index -> f32
  %j = arith.addi %i, %c1 : index
  %b = arith.addf %a, %a : f32
  %c = arith.addf %b, %b : f32
  %one = arith.constant 1.0 : f32
  %d = arith.addf %c, %one : f32
  %e = arith.addf %d, %one : f32
  tile.store %e to %x[%j] : f32, !tile.global<[N] x f32, inout>, index
}

// Each program writes what its left neighbour has read.
// SUCCESSOR: error: writes 'x[1]', which program (i = 0) reads; programs of a grid are not ordered
tile.kernel @successor(%x: !tile.global<[N] x f32, inout>) grid(%i in N) {
  %c1 = arith.constant 1 : index
  %j = arith.addi %i, %c1 : index
  %a = tile.load %x[%j] : !tile.global<[N] x f32, inout>, index -> f32
  tile.store %a to %x[%i] : f32, !tile.global<[N] x f32, inout>, index
}

// MIXED: error: changes 'x[0]', to which program (i = 0) writes too, one of them not atomically
tile.kernel @mixed(%x: !tile.global<[1] x f32, inout>, %n: index) grid(%i in n) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  scf.if %first {
    tile.store %one to %x[%c0] : f32, !tile.global<[1] x f32, inout>, index
  } else {
    tile.atomic add %one to %x[%c0] : f32, !tile.global<[1] x f32, inout>, index
  }
}

// LANES: error: two elements of the tile are written to 'y[0, 1]' with different values
tile.kernel @lanes(%y: !tile.global<[1, 2] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %at = arith.constant dense<[1, 0, 1]> : tensor<3xi32>
  %v = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  tile.store %v to %y[%c0, %at] : tensor<3xf32>, !tile.global<[1, 2] x f32, out>, index, tensor<3xi32>
}
