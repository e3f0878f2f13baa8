// RUN: tile-opt %s --verify-passes --canonicalize -o /dev/null --split-input-file --verify-diagnostics 2>&1 | count 0
// RUN: tilec %root/examples/03-matmul/kernel.tile --kernel matmul_nn -D BM=64 -D BN=16 -D BK=16 --verify-passes --emit=fence -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: tilec %root/examples/01-vector-add/kernel.tile --verify-passes --verify-arg 'x=randn(300)' --verify-arg 'y=randn(300)' --verify-arg 'z=(300)' --emit=fence -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// ALL: verify-passes: {{[1-9][0-9]*}} executions gave the same results

// A warp reads what another one has written, with nothing between; no pass has done it.

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#turned = #sm.layout<"128 = lane[32*(4)] warp[4*(1)]">
// expected-error @below {{kernel 'race' cannot be executed as it is before any pass, in the order 'program'}}
sm.kernel @race(%y: !tile.global<[128] x f32, out>) grid() warps(4) form(fenced) shared(1024) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant dense<1.0> : tensor<128xf32, #line>
  // expected-note @below 0+ {{}}
  %s = sm.stage %one at 0 : tensor<128xf32, #line> -> !sm.smem<128xf32>
  // expected-error @below 1+ {{}}
  %t = sm.read %s : !sm.smem<128xf32> -> tensor<128xf32, #turned>
  sm.store %t to %y[%c0] dims [0] limits(%c128) : tensor<128xf32, #turned>, !tile.global<[128] x f32, out>, index
}
