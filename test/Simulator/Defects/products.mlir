// Products whose tiles are used at the wrong time.
// DEFINE: %{run} = not tile-run %s --device sim --arg 'x=randn(64, 64)'
// RUN: %{run} --kernel twice 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: %{run} --kernel early 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: %{run} --kernel early --order late 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: %{run} --kernel different 2>&1 | FileCheck %s --check-prefix=DIFFERENT
// RUN: %{run} --kernel forgotten 2>&1 | FileCheck %s --check-prefix=FORGOTTEN

!x = !tile.global<[M, N] x bf16>
!tile = !sm.smem<64x64xbf16, swizzle = 128>
!sum = tensor<64x64xf32, #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">>

// TWICE: products.mlir:[[#@LINE+9]]:{{[0-9]+}}: error: this pending tile was used before
sm.kernel @twice(%x: !x) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %z = arith.constant dense<0.0> : !sum
  %s = sm.fetch %x[%c0, %c0] dims [0, 1] limits(%n, %n) : !x, index, index -> !tile
  %p = sm.mma.issue %s, %s, %z : !tile, !tile, !sum
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = sm.mma.await %p : !sm.pending<!sum>
  }
}

// EARLY: products.mlir:[[#@LINE+7]]:{{[0-9]+}}: error: the product of this tile may still be in flight
sm.kernel @early(%x: !x) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %z = arith.constant dense<0.0> : !sum
  %s = sm.fetch %x[%c0, %c0] dims [0, 1] limits(%n, %n) : !x, index, index -> !tile
  %p = sm.mma.issue %s, %s, %z : !tile, !tile, !sum
  %t = sm.mma.await %p leave 1 : !sm.pending<!sum>
}

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">

// Each warp takes another stage.
// DIFFERENT: error: the warps of a warpgroup issue different products
sm.kernel @different(%x: !x) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %z = arith.constant dense<0.0> : !sum
  %stages = sm.slots.alloc : !sm.slots<2 x !tile>
  %i = sm.indices %c0 : tensor<128xi32, #line>
  %c1 = arith.constant dense<1> : tensor<128xi32, #line>
  %isFirst = arith.cmpi slt, %i, %c1 : tensor<128xi32, #line>
  %any = sm.any %isFirst : tensor<128xi1, #line>
  %index = arith.extui %any : i1 to i32
  %s = sm.slots.at %stages[%index] : !sm.slots<2 x !tile>
  %p = sm.mma.issue %s, %s, %z : !tile, !tile, !sum
  %t = sm.mma.await %p : !sm.pending<!sum>
}

// FORGOTTEN: products.mlir:[[#@LINE+6]]:{{[0-9]+}}: error: the CTA ends before anyone has waited for this product
sm.kernel @forgotten(%x: !x) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %z = arith.constant dense<0.0> : !sum
  %s = sm.fetch %x[%c0, %c0] dims [0, 1] limits(%n, %n) : !x, index, index -> !tile
  %p = sm.mma.issue %s, %s, %z : !tile, !tile, !sum
}
