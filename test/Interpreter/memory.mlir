// Loads and stores with their masks, gathers, atomic additions, barriers.
// RUN: tile-run %s --kernel transpose --arg 'x=arange(6)' --print y 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: tile-run %s --kernel masked --arg 'x=full(3, 3, 5)' --print y --print f | FileCheck %s --check-prefix=MASKED
// RUN: tile-run %s --kernel masked --arg 'x=full(3, 3, 5)' --expect 'y=full(3, 3, 5)' --grid-order=1
// RUN: tile-run %s --kernel gather --arg 'x=arange(4)' --print y --print z | FileCheck %s --check-prefix=GATHER
// RUN: tile-run %s --kernel scalars --arg 'x=arange(4)' --arg i=2 --print y | FileCheck %s --check-prefix=INSIDE
// RUN: tile-run %s --kernel scalars --arg 'x=arange(4)' --arg i=4 --print y | FileCheck %s --check-prefix=OUTSIDE
// RUN: tile-run %s --kernel scalars --arg 'x=arange(4)' --arg i=-1 --print y | FileCheck %s --check-prefix=OUTSIDE
// RUN: tile-run %s --kernel histogram --arg 'x=randint(0, 4, 1000)' --arg 'y=zeros(4)' --arg 'n=zeros(1)' --print n | FileCheck %s --check-prefix=HISTOGRAM
// RUN: tile-run %s --kernel readback --arg 'x=ones(4)' --print x | FileCheck %s --check-prefix=READBACK
// RUN: tile-run %s --kernel same --arg 'x=zeros(9)' --print y | FileCheck %s --check-prefix=SAME

// A kernel without statements writes nothing, which is a warning.
// NONE-DAG: warning: 'y': no program wrote 6 of its 6 elements; the first is at [0]
// NONE-DAG: y = [nan, nan, nan, nan, nan, nan]
tile.kernel @transpose(%x: !tile.global<[N] x f32>, %y: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 4)) {
}

// Partial tiles in both dimensions.
// MASKED: y = {{\[}}[3, 3, 3, 3, 3],
// MASKED-NEXT: [3, 3, 3, 3, 3],
// MASKED-NEXT: [3, 3, 3, 3, 3]]
// MASKED: f = {{\[}}[3, 3, 3, 3, 3, -1, -1, -1],
// MASKED-NEXT: [3, 3, 3, 3, 3, -1, -1, -1],
// MASKED-NEXT: [3, 3, 3, 3, 3, -1, -1, -1],
// MASKED-NEXT: [-1, -1, -1, -1, -1, -1, -1, -1]]
tile.kernel @masked(%x: !tile.global<[M, N] x bf16>, %y: !tile.global<[M, N] x bf16, out>,
                    %f: !tile.global<[4, 8] x bf16, out>)
    grid(%m in tiles(M, 2), %n in tiles(N, 4)) {
  %t = tile.load %x[%m, %n] fill(-1.0 : bf16) : !tile.global<[M, N] x bf16>, !tile.range<2 of M>, !tile.range<4 of N> -> tensor<2x4xbf16>
  tile.store %t to %y[%m, %n] : tensor<2x4xbf16>, !tile.global<[M, N] x bf16, out>, !tile.range<2 of M>, !tile.range<4 of N>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %i = tile.start %m : !tile.range<2 of M>
  %j = tile.start %n : !tile.range<4 of N>
  %r = tile.range %c0 to %c2 : !tile.range<2>
  %s = tile.range %c0 to %c4 : !tile.range<4>
  %p = tile.shift %r by %i : !tile.range<2>
  %q = tile.shift %s by %j : !tile.range<4>
  tile.store %t to %f[%p, %q] in_bounds [true, true] : tensor<2x4xbf16>, !tile.global<[4, 8] x bf16, out>, !tile.range<2>, !tile.range<4>
}

// Positions outside are filled when read and skipped when written.
// GATHER: y = [3, 0, 9, 9]
// GATHER: z = [11, nan, nan, 10]
tile.kernel @gather(%x: !tile.global<[N] x f32>, %y: !tile.global<[4] x f32, out>,
                    %z: !tile.global<[4] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %r = tile.range %c0 to %c4 : !tile.range<4>
  %at = arith.constant dense<[3, 0, -1, 4]> : tensor<4xi32>
  %t = tile.load %x[%at] fill(9.0 : f32) : !tile.global<[N] x f32>, tensor<4xi32> -> tensor<4xf32>
  tile.store %t to %y[%r] : tensor<4xf32>, !tile.global<[4] x f32, out>, !tile.range<4>
  %v = arith.constant dense<[10.0, 11.0, 12.0, 13.0]> : tensor<4xf32>
  tile.store %v to %z[%at] : tensor<4xf32>, !tile.global<[4] x f32, out>, tensor<4xi32>
}

// INSIDE: y = [2]
// OUTSIDE: y = [0]
tile.kernel @scalars(%x: !tile.global<[N] x f32>, %i: index, %y: !tile.global<[1] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %s = tile.load %x[%i] : !tile.global<[N] x f32>, index -> f32
  tile.store %s to %y[%c0] : f32, !tile.global<[1] x f32, out>, index
}

// Lanes of one addition may meet in one place, and so may programs. Lanes outside add nothing.
// HISTOGRAM: n = [1000]
tile.kernel @histogram(%x: !tile.global<[N] x i32>, %y: !tile.global<[4] x i32, inout>,
                       %n: !tile.global<[1] x i32, inout>) grid(%m in tiles(N, 64)) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%m] fill(-1 : i32) : !tile.global<[N] x i32>, !tile.range<64 of N> -> tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  tile.atomic add %one to %y[%t] : tensor<64xi32>, !tile.global<[4] x i32, inout>, tensor<64xi32>
  %v = tile.valid %m : !tile.range<64 of N> -> tensor<64xi1>
  %w = arith.extui %v : tensor<64xi1> to tensor<64xi32>
  %s = tile.reduce sum %w axis 0 : tensor<64xi32> -> tensor<i32>
  %e = tensor.extract %s[] : tensor<i32>
  tile.atomic add %e to %n[%c0] : i32, !tile.global<[1] x i32, inout>, index
}

// READBACK: x = [1, 2, 2, 4]
tile.kernel @readback(%x: !tile.global<[4] x f32, inout>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %a = tile.load %x[%c0] : !tile.global<[4] x f32, inout>, index -> f32
  %b = arith.addf %a, %a : f32
  tile.store %b to %x[%c1] : f32, !tile.global<[4] x f32, inout>, index
  tile.barrier
  %c2 = arith.constant 2 : index
  %c = tile.load %x[%c1] : !tile.global<[4] x f32, inout>, index -> f32
  tile.store %c to %x[%c2] : f32, !tile.global<[4] x f32, inout>, index
  %d = arith.addf %c, %c : f32
  tile.store %d to %x[%c3] : f32, !tile.global<[4] x f32, inout>, index
}

// Programs that write one value to one place do not disturb each other.
// SAME: y = [7]
tile.kernel @same(%x: !tile.global<[N] x f32>, %y: !tile.global<[1] x f32, out>) grid(%i in N) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 7.0 : f32
  tile.store %v to %y[%c0] : f32, !tile.global<[1] x f32, out>, index
}
