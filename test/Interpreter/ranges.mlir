// Sizes, ranges and what is asked of them.
// RUN: tile-run %s --kernel queries --arg 'x=zeros(10)' --print start --print end --print limit --print indices --print valid | FileCheck %s --check-prefix=QUERIES
// RUN: tile-run %s --kernel shifted --arg 'x=arange(10)' --arg by=4 --print y --print v | FileCheck %s --check-prefix=SHIFTED
// RUN: tile-run %s --kernel shifted --arg 'x=arange(10)' --arg by=8 --print y --print v | FileCheck %s --check-prefix=END
// RUN: tile-run %s --kernel shifted --arg 'x=arange(10)' --arg by=-2 --print y --print v | FileCheck %s --check-prefix=BEFORE
// RUN: tile-run %s --kernel sizes --arg 'x=zeros(5, 12)' --arg 'cu=zeros(4)' --arg d=3 --print y | FileCheck %s --check-prefix=SIZES

// QUERIES: start = [0, 4, 8]
// QUERIES: end = [4, 8, 10]
// QUERIES: limit = [10, 10, 10]
// QUERIES: indices = {{\[}}[0, 1, 2, 3],
// QUERIES-NEXT: [4, 5, 6, 7],
// QUERIES-NEXT: [8, 9, 10, 11]]
// QUERIES: valid = {{\[}}[1, 1, 1, 1],
// QUERIES-NEXT: [1, 1, 1, 1],
// QUERIES-NEXT: [1, 1, 0, 0]]
tile.kernel @queries(%x: !tile.global<[N] x f32>, %start: !tile.global<[N ceildiv 4] x i64, out>,
                     %end: !tile.global<[N ceildiv 4] x i64, out>,
                     %limit: !tile.global<[N ceildiv 4] x i64, out>,
                     %indices: !tile.global<[N ceildiv 4, 4] x i32, out>,
                     %valid: !tile.global<[N ceildiv 4, 4] x i1, out>)
    grid(%n in tiles(N, 4)) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %all = tile.range %c0 to %c4 full : !tile.range<4>
  %s = tile.start %n : !tile.range<4 of N>
  %i = arith.divui %s, %c4 : index
  %0 = arith.index_cast %s : index to i64
  tile.store %0 to %start[%i] : i64, !tile.global<[N ceildiv 4] x i64, out>, index
  %e = tile.end %n : !tile.range<4 of N>
  %1 = arith.index_cast %e : index to i64
  tile.store %1 to %end[%i] : i64, !tile.global<[N ceildiv 4] x i64, out>, index
  %l = tile.limit %n : !tile.range<4 of N>
  %2 = arith.index_cast %l : index to i64
  tile.store %2 to %limit[%i] : i64, !tile.global<[N ceildiv 4] x i64, out>, index
  %3 = tile.indices %n : !tile.range<4 of N> -> tensor<4xi32>
  tile.store %3 to %indices[%i, %all] : tensor<4xi32>, !tile.global<[N ceildiv 4, 4] x i32, out>, index, !tile.range<4>
  %4 = tile.valid %n : !tile.range<4 of N> -> tensor<4xi1>
  tile.store %4 to %valid[%i, %all] : tensor<4xi1>, !tile.global<[N ceildiv 4, 4] x i1, out>, index, !tile.range<4>
}

// Valid is below the limit, which moves along; inside is within the tensor.
// SHIFTED: y = [4, 5, 6, -7]
// SHIFTED: v = [1, 1, 1, 0]
// END: y = [8, 9, -7, -7]
// END: v = [1, 1, 1, 0]
// BEFORE: y = [-7, -7, 0, -7]
// BEFORE: v = [1, 1, 1, 0]
tile.kernel @shifted(%x: !tile.global<[N] x i32>, %by: index, %y: !tile.global<[4] x i32, out>,
                     %v: !tile.global<[4] x i1, out>) grid() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %all = tile.range %c0 to %c4 : !tile.range<4>
  %r = tile.range %c0 to %c3 : !tile.range<4>
  %s = tile.shift %r by %by : !tile.range<4>
  %t = tile.load %x[%s] fill(-7 : i32) : !tile.global<[N] x i32>, !tile.range<4> -> tensor<4xi32>
  tile.store %t to %y[%all] : tensor<4xi32>, !tile.global<[4] x i32, out>, !tile.range<4>
  %m = tile.valid %s : !tile.range<4> -> tensor<4xi1>
  tile.store %m to %v[%all] : tensor<4xi1>, !tile.global<[4] x i1, out>, !tile.range<4>
}

// N is 5, B is 4 - 1 and d is given; the second dimension of x is checked to be 4 d.
// SIZES: y = [5, 3, 3, 12]
tile.kernel @sizes(%x: !tile.global<[N, 4 * d] x f32>, %cu: !tile.global<[B + 1] x i32>, %d: index,
                   %y: !tile.global<[4] x i64, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tile.size N
  %b = tile.size B
  %e = tile.size (N + B) ceildiv d
  %f = tile.size d * 4
  %0 = arith.index_cast %n : index to i64
  %1 = arith.index_cast %b : index to i64
  %2 = arith.index_cast %e : index to i64
  %3 = arith.index_cast %f : index to i64
  tile.store %0 to %y[%c0] : i64, !tile.global<[4] x i64, out>, index
  tile.store %1 to %y[%c1] : i64, !tile.global<[4] x i64, out>, index
  tile.store %2 to %y[%c2] : i64, !tile.global<[4] x i64, out>, index
  tile.store %3 to %y[%c3] : i64, !tile.global<[4] x i64, out>, index
}
