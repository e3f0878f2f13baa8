// What tensor copies demand of tensors and of shared memory. Kernels that the compiler makes ask for
// it of their launch (`requires`); these do not.
// DEFINE: %{run} = not tile-run %s --device sim
// RUN: %{run} --kernel strides --arg 'x=ones(64, 60)' 2>&1 | FileCheck %s --check-prefix=STRIDES
// RUN: tile-run %s --device sim --kernel strides --arg 'x=ones(64, 72)'
// RUN: %{run} --kernel planes --arg 'x=ones(2, 3, 4)' 2>&1 | FileCheck %s --check-prefix=PLANES
// RUN: tile-run %s --device sim --kernel planes --arg 'x=ones(2, 3, 8)'
// RUN: %{run} --kernel stored_strides --arg 'x=ones(64, 60)' 2>&1 | FileCheck %s --check-prefix=STRIDES
// RUN: %{run} --kernel narrow --arg 'x=ones(64, 8)' 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: %{run} --kernel stored_narrow --arg 'x=ones(64, 8)' 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: %{run} --kernel column --arg 'x=ones(64, 72)' --arg at=4 2>&1 | FileCheck %s --check-prefix=COLUMN
// RUN: tile-run %s --device sim --kernel column --arg 'x=ones(64, 72)' --arg at=-16
// RUN: %{run} --kernel stored_column --arg 'x=ones(64, 72)' --arg at=2 2>&1 | FileCheck %s --check-prefix=STORED
// RUN: tile-run %s --device sim --kernel stored_column --arg 'x=ones(64, 72)' --arg at=8
// RUN: %{run} --kernel misplaced --arg 'x=ones(64, 64)' 2>&1 | FileCheck %s --check-prefix=MISPLACED
// RUN: sed 's/scratch_address = 512/scratch_address = 1024/' %s > %t.mlir
// RUN: tile-run %t.mlir --device sim --kernel misplaced --arg 'x=ones(64, 64)' --expect 'x=zeros(64, 64)'

#t = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!T = !sm.smem<64x64xbf16, swizzle = 128>
!narrow = !sm.smem<64x4xbf16>
!bar = !sm.mbarrier<1>
!x = !tile.global<[M, N] x bf16>
!out = !tile.global<[M, N] x bf16, inout>

// STRIDES: error: a tensor copy needs strides of multiples of 16 bytes; that of dimension 0 of 'x' is 120
// STRIDES: note: in warp 0{{.*}} of CTA 0 of kernel
sm.kernel @strides(%x: !x) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %M = tile.size M
  %N = tile.size N
  %full = sm.mbarrier.alloc arrivals(1) at 0 : !bar
  %s = sm.scratch at 1024 : !T
  sm.role "load" warps(4) elected {
    sm.mbarrier.expect %full[%zero] bytes 8192 : !bar
    sm.tma.load %x[%c0, %c0] dims [0, 1] limits(%M, %N) into %s signal %full[%zero] : !x, index, index, !T, !bar
    sm.mbarrier.wait %full[%zero] parity %zero : !bar
  }
}

// PLANES: error: a tensor copy needs strides of multiples of 16 bytes; that of dimension 0 of 'x' is 24
sm.kernel @planes(%x: !tile.global<[A, B, C] x bf16>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %B = tile.size B
  %C = tile.size C
  %full = sm.mbarrier.alloc arrivals(1) at 0 : !bar
  %s = sm.scratch at 1024 : !T
  sm.role "load" warps(4) elected {
    sm.mbarrier.expect %full[%zero] bytes 8192 : !bar
    sm.tma.load %x[%c0, %c0, %c0] dims [1, 2] limits(%B, %C) into %s signal %full[%zero] : !tile.global<[A, B, C] x bf16>, index, index, index, !T, !bar
    sm.mbarrier.wait %full[%zero] parity %zero : !bar
  }
}

sm.kernel @stored_strides(%x: !out) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %M = tile.size M
  %N = tile.size N
  %v = arith.constant dense<0.0> : tensor<64x64xbf16, #t>
  %s = sm.smem.store %v : tensor<64x64xbf16, #t> -> !T
  sm.copy.store %s to %x[%c0, %c0] dims [0, 1] limits(%M, %N) : !T, !out, index, index
}

// Rows of 8 bytes.
// NARROW: error: cannot be copied by TMA: no box of at most 256 along each dimension, with rows of a multiple of 16 bytes, lies in shared memory as TMA writes it
sm.kernel @narrow(%x: !x) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %M = tile.size M
  %N = tile.size N
  %full = sm.mbarrier.alloc arrivals(1) at 0 : !bar
  %s = sm.scratch at 1024 : !narrow
  sm.role "load" warps(4) elected {
    sm.mbarrier.expect %full[%zero] bytes 512 : !bar
    sm.tma.load %x[%c0, %c0] dims [0, 1] limits(%M, %N) into %s signal %full[%zero] : !x, index, index, !narrow, !bar
    sm.mbarrier.wait %full[%zero] parity %zero : !bar
  }
}

#n = #sm.layout<"64x4 = register[2*(32,0)] lane[4*(0,1) 8*(1,0)] warp[4*(8,0)]">
sm.kernel @stored_narrow(%x: !out) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %M = tile.size M
  %N = tile.size N
  %v = arith.constant dense<0.0> : tensor<64x4xbf16, #n>
  %s = sm.smem.store %v : tensor<64x4xbf16, #n> -> !narrow
  sm.copy.store %s to %x[%c0, %c0] dims [0, 1] limits(%M, %N) : !narrow, !out, index, index
}

// COLUMN: error: a tensor copy begins at a multiple of 16 bytes of a row; index 4 of the last dimension of 'x' is byte 8
sm.kernel @column(%x: !x, %at: i32) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %M = tile.size M
  %N = tile.size N
  %full = sm.mbarrier.alloc arrivals(1) at 0 : !bar
  %s = sm.scratch at 1024 : !T
  sm.role "load" warps(4) elected {
    %column = arith.index_cast %at : i32 to index
    sm.mbarrier.expect %full[%zero] bytes 8192 : !bar
    sm.tma.load %x[%c0, %column] dims [0, 1] limits(%M, %N) into %s signal %full[%zero] : !x, index, index, !T, !bar
    sm.mbarrier.wait %full[%zero] parity %zero : !bar
  }
}

// STORED: error: a tensor copy begins at a multiple of 16 bytes of a row; index 2 of the last dimension of 'x' is byte 4
sm.kernel @stored_column(%x: !out, %at: i32) grid() warps(4) {
  %M = tile.size M
  %N = tile.size N
  %c0 = arith.constant 0 : index
  %column = arith.index_cast %at : i32 to index
  %v = arith.constant dense<0.0> : tensor<64x64xbf16, #t>
  %s = sm.smem.store %v : tensor<64x64xbf16, #t> -> !T
  sm.copy.store %s to %x[%c0, %column] dims [0, 1] limits(%M, %N) : !T, !out, index, index
}

// Scratch memory begins where an attribute says, which no verifier looks at.
// MISPLACED: error: a tensor copy with a swizzle of 128B begins at byte 512 of shared memory; expected a multiple of 1024
sm.kernel @misplaced(%x: !out) grid() warps(4) form(expanded) {
  %c0 = arith.constant 0 : index
  %M = tile.size M
  %N = tile.size N
  %v = arith.constant dense<0.0> : tensor<64x64xbf16, #t>
  sm.tma.store %v to %x[%c0, %c0] dims [0, 1] limits(%M, %N) columns 64 buffers 1 {sm.scratch_address = 512} : tensor<64x64xbf16, #t>, !out, index, index
}
