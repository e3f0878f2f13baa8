// Promises of a range that do not hold, and sizes without a value.
// RUN: tile-run %s --kernel full --arg from=0 --arg to=4
// RUN: not tile-run %s --kernel full --arg from=0 --arg to=3 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not tile-run %s --kernel full --arg from=-1 --arg to=4 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tile-run %s --kernel named --arg 'x=zeros(8)' --arg to=7 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: not tile-run %s --kernel divide --arg 'x=zeros(0)' 2>&1 | FileCheck %s --check-prefix=DIVIDE
// RUN: not tile-run %s --kernel axis --arg n=-1 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not tile-run %s --kernel axis --arg n=2147483647 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tile-run %s --kernel division --arg n=0 2>&1 | FileCheck %s --check-prefix=DIVISION
// RUN: not tile-run %s --kernel many --arg n=2130706432 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: tile-run %s --kernel many --arg n=0

// FULL: ranges-invalid.mlir:[[#@LINE+4]]:8: error: range is marked full, but covers 0 to 4 with limit 3
// FULL: note: in the only program of kernel 'full'
// NEGATIVE: error: range is marked full, but covers -1 to 3 with limit 4
tile.kernel @full(%from: index, %to: index) grid() {
  %r = tile.range %from to %to full : !tile.range<4>
}

// NAMED: error: the limit of a range of 'N' is 7, but that size is 8
tile.kernel @named(%x: !tile.global<[N] x f32>, %to: index) grid() {
  %c0 = arith.constant 0 : index
  %n = tile.size N
  %m = arith.minsi %n, %to : index
  %r = tile.range %c0 to %m : !tile.range<4 of N>
}

// DIVIDE: error: size '4 floordiv N' has no value in this launch (a division by zero, or a name that nothing binds)
tile.kernel @divide(%x: !tile.global<[N] x f32>) grid() {
  %q = tile.size 4 floordiv N
}

// AXIS: error: grid axis 'i' has the size n, which is -1; sizes are from 0 to 2^31 - 2^24
// LARGE: error: grid axis 'i' has the size n, which is 2147483647; sizes are from 0 to 2^31 - 2^24
tile.kernel @axis(%n: index) grid(%i in n) {
}

// DIVISION: error: grid axis 'i' has the size 4 floordiv n, which has no value in this launch
tile.kernel @division(%n: index) grid(%i in 4 floordiv n) {
}

// MANY: error: the grid has more than 2^32 - 2 programs
tile.kernel @many(%n: index) grid(%i in n, %j in n) {
}
