// RUN: not tile-opt %s --verify-passes --canonicalize -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: tilec %root/examples/03-matmul/kernel.tile --kernel matmul_nn -D BM=64 -D BN=16 -D BK=16 --verify-passes --emit=nvvm -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// Rows of 140 bytes have no tensor maps.
// RUN: tilec %root/examples/03-matmul/kernel.tile --kernel matmul_nn -D BN=16 -D BK=16 --verify-passes --verify-arg 'a=randn(136, 70)' --emit=nvvm -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: verify-passes: {{[1-9][0-9]*}} executions gave the same results; these arguments do not meet the requirements of the variant 'matmul_nn', which was not executed; --verify-arg NAME=SPEC gives others{{$}}
// A file of a phase is executed before and after the passes that are left.
// RUN: tilec %root/examples/01-vector-add/kernel.tile --emit=fence -o %t.mlir
// RUN: tile-opt %t.mlir --verify-passes --convert-sm-to-nvvm -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: tilec %root/examples/01-vector-add/kernel.tile --verify-passes --verify-arg 'x=randn(300)' --verify-arg 'y=randn(300)' --verify-arg 'z=(300)' --emit=nvvm -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// The heads of the keys divide those of the queries, and all tensors take their sizes from those that are given.
// Weights relative to another reference have other roundings to bf16.
// DEFINE: %{attention} = tilec %root/examples/07-flash-attention/kernel.tile -D D=32 -D BM=64 -D BN=32 --verify-passes --verify-rms 4e-3 --emit=nvvm -o /dev/null
// RUN: %{attention} 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: %{attention} --verify-arg 'q=randn(1, 2, 70, 32)' --verify-arg 'k=randn(1, 1, 40, 32)' --verify-arg 'v=randn(1, 1, 40, 32)' 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: %{attention} --verify-arg 'q=randn(1, 3, 70, 32)' 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: %{attention} --verify-arg 'k=randn(1, 3, 40, 32)' 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: echo 'kernel k(x: f32[N], out y: f32[1]) grid (n in tiles(N, 32)) { y[0] = sum(x[n], axis = 0); }' > %t.race.tile && not tilec %t.race.tile --verify-passes --emit=nvvm -o /dev/null 2>&1 | FileCheck %s --check-prefix=MADE
// RUN: not %{attention} --verify-arg 'k=randn(2, 1, 40, 32)' --verify-arg 'v=randn(1, 1, 40, 32)' 2>&1 | FileCheck %s --check-prefix=CONTRADICT
// RUN: echo 'kernel k(x: f32[N - 100], out y: f32[N]) { }' > %t.tile && not tilec %t.tile --verify-passes -o /dev/null 2>&1 | FileCheck %s --check-prefix=SMALL
// Values that atomic operations return depend on the order of programs; sums do not.
// RUN: echo 'kernel number(x: i32[N], inout count: i32[1], inout sum: i32[1], out old: i32[N]) grid (n in tiles(N, 32)) { old[n] = atomic_add(count[x[n] * 0], 1); atomic_add(sum[0], sum(n.index, axis = 0)); }' > %t.atomic.tile && tilec %t.atomic.tile --verify-passes --emit=nvvm -o /dev/null 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: verify-passes: {{[1-9][0-9]*}} executions gave the same results; not compared: 'old' of 'number', computed from values that atomic operations return, which depend on the order of programs{{$}}
// SMALL: error: cannot be executed by --verify-passes: no small value is known for the size N - 100; give its arguments with --verify-arg NAME=SPEC
// MADE: error: writes 'y[0]', where program (n = 0) writes another value
// MADE: error: kernel 'k' cannot be executed as it is before any pass
// MADE: note: of its arguments these were made: x=randn({{[0-9]+}}), y=(1); give others with --verify-arg NAME=SPEC
// CONTRADICT: error: cannot be executed by --verify-passes: dimension 0 of 'v' is 1, but B is 2 (bound by dimension 0 of 'k'); give its arguments with --verify-arg NAME=SPEC
// ALL: verify-passes: {{[1-9][0-9]*}} executions gave the same results{{$}}

// A warp reads what another one has written, with nothing between; no pass has done it.

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#turned = #sm.layout<"128 = lane[32*(4)] warp[4*(1)]">
// RACE: error: warp 0 reads byte {{[0-9]+}} of shared memory, which nobody has written
// RACE: error: race: warp 1 writes byte {{[0-9]+}} of shared memory, and nothing orders this and what warp 0 reads there
// RACE: error: kernel 'race' cannot be executed as it is before any pass, in the order 'program'
sm.kernel @race(%y: !tile.global<[128] x f32, out>) grid() warps(4) form(fenced) shared(1024) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant dense<1.0> : tensor<128xf32, #line>
  %s = sm.smem.store %one at 0 : tensor<128xf32, #line> -> !sm.smem<128xf32>
  %t = sm.smem.load %s : !sm.smem<128xf32> -> tensor<128xf32, #turned>
  sm.store %t to %y[%c0] dims [0] limits(%c128) : tensor<128xf32, #turned>, !tile.global<[128] x f32, out>, index
}
