// What is wrong with accesses of global memory.
// DEFINE: %{run} = not tile-run %s --device sim
// RUN: %{run} --kernel outside --arg 'x=randn(8, 128)' 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: %{run} --kernel limit --arg 'x=randn(2, 128)' 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: %{run} --kernel bounds --arg 'x=randn(2, 128)' 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: %{run} --kernel gather --arg 'x=randn(128)' 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: %{run} --kernel order --arg 'x=randn(128)' 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: tile-run %s --device sim --kernel ordered --arg 'x=randn(128)' | FileCheck %s --check-prefix=ORDERED
// RUN: %{run} --kernel blocks --arg 'x=randn(5, 128)' 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: %{run} --kernel mixed --arg S=2 --arg 'y=ones(64, 64)' 2>&1 | FileCheck %s --check-prefix=MIXED

!x = !tile.global<[M, N] x f32>
#row = #sm.layout<"4x128 = register[4*(0,1)] lane[32*(0,4)] warp[4*(1,0)]">
#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">

// OUTSIDE: error: index 8 of dimension 0 of 'x' is outside of the tensor, whose size is 8
sm.kernel @outside(%x: !x) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %N = tile.size N
  %t = sm.load %x[%c8, %c0] dims [1] limits(%N) : !x, index, index -> tensor<128xf32, #line>
}

// LIMIT: error: position 2 of dimension 0 of 'x' is below the limit 4, but the size is 2
sm.kernel @limit(%x: !x) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %N = tile.size N
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%c4, %N) : !x, index, index -> tensor<4x128xf32, #row>
}

// BOUNDS: error: access is marked in bounds, but index 2 of dimension 0 of 'x' is not (size 2, limit 2)
sm.kernel @bounds(%x: !x) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %M = tile.size M
  %N = tile.size N
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%M, %N) in_bounds [true, true] : !x, index, index -> tensor<4x128xf32, #row>
}

#other = #sm.layout<"128 = register[4*(1)] lane[32*(4)] warp[4*(0)]">

// The positions are in other warps.
// GATHER: error: the warp does not hold all elements of its operands that it needs
sm.kernel @gather(%x: !tile.global<[N] x f32>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  %i = sm.indices %c0 : tensor<128xi32, #line>
  %t = sm.load %x[%i] dims [0] limits(%N) : !tile.global<[N] x f32>, tensor<128xi32, #line> -> tensor<128xf32, #other>
}

// ORDER: error: race: warp {{[0-3]}} {{reads|writes}} 'x[{{[0-9]+}}]', and nothing orders this and what warp {{[0-3]}} {{reads|writes}} there
// ORDER: note: the other side is here
sm.kernel @order(%x: !tile.global<[N] x f32, inout>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  %z = arith.constant dense<1.0> : tensor<128xf32, #line>
  sm.store %z to %x[%c0] dims [0] limits(%N) : tensor<128xf32, #line>, !tile.global<[N] x f32, inout>, index
  %t = sm.load %x[%c0] dims [0] limits(%N) : !tile.global<[N] x f32, inout>, index -> tensor<128xf32, #other>
}

// ORDERED: x {{.*}} f32
sm.kernel @ordered(%x: !tile.global<[N] x f32, inout>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  %z = arith.constant dense<1.0> : tensor<128xf32, #line>
  sm.store %z to %x[%c0] dims [0] limits(%N) : tensor<128xf32, #line>, !tile.global<[N] x f32, inout>, index
  sm.barrier
  %t = sm.load %x[%c0] dims [0] limits(%N) : !tile.global<[N] x f32, inout>, index -> tensor<128xf32, #other>
}

// BLOCKS: error: writes 'y[0]', where CTA 0 writes another value
// BLOCKS: note: in warp 0 of CTA 1 of kernel 'blocks'
sm.kernel @blocks(%x: !x, %y: !tile.global<[N] x f32, out>) grid(m in M) warps(4) {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  %p = sm.program_id
  %t = sm.load %x[%p, %c0] dims [1] limits(%N) : !x, index, index -> tensor<128xf32, #line>
  sm.store %t to %y[%c0] dims [0] limits(%N) : tensor<128xf32, #line>, !tile.global<[N] x f32, out>, index
}

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">

// One program stores where another one adds, by a tensor copy.
// MIXED: error: changes 'y[0, 0]', to which CTA 0 writes too, one of them not atomically
sm.kernel @mixed(%S: index, %y: !tile.global<[64, 64] x f32, inout>) grid(s in S) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %t = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  %p = sm.program_id
  %isFirst = arith.cmpi eq, %p, %c0 : index
  scf.if %isFirst {
    sm.tma.store %t to %y[%c0, %c0] dims [0, 1] limits(%c64, %c64) columns 32 buffers 2 add : tensor<64x64xf32, #acc>, !tile.global<[64, 64] x f32, inout>, index, index
  } else {
    sm.store %t to %y[%c0, %c0] dims [0, 1] limits(%c64, %c64) : tensor<64x64xf32, #acc>, !tile.global<[64, 64] x f32, inout>, index, index
  }
}
