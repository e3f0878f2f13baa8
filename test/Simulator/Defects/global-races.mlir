// Accesses of one CTA, or cluster, to global memory that nothing orders, and harmless neighbours of
// each.
// DEFINE: %{order} = program
// DEFINE: %{sim} = tile-run %s --device sim --order=%{order}
// DEFINE: %{race} = not %{sim}
// RUN: %{race} --kernel values --arg 'x=zeros(128)' 2>&1 | FileCheck %s --check-prefix=VALUES
// RUN: %{sim} --kernel equal --arg 'x=zeros(128)' --expect 'x=ones(128)'
// RUN: %{race} --kernel read --arg 'x=zeros(128)' 2>&1 | FileCheck %s --check-prefix=READ
// RUN: %{race} --kernel not_all --arg 'x=zeros(128)' 2>&1 | FileCheck %s --check-prefix=NOT-ALL
// RUN: %{sim} --kernel all --arg 'x=zeros(128)'
// RUN: %{sim} --kernel own --arg 'x=zeros(128)'
// RUN: %{sim} --kernel adds --arg 'x=zeros(128)' --expect 'x=full(3, 128)'
// RUN: %{race} --kernel mixed --arg 'x=zeros(128)' 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: %{sim} --kernel sum --arg 'x=zeros(128)' --expect 'y=full(3, 128)'
// RUN: %{race} --kernel early_sum --arg 'x=zeros(128)' 2>&1 | FileCheck %s --check-prefix=EARLY-SUM
// RUN: %{race} --kernel stored --arg 'x=ones(64, 64)' 2>&1 | FileCheck %s --check-prefix=STORED
// RUN: %{race} --kernel twice --arg 'x=ones(64, 64)' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: %{sim} --kernel beside --arg 'x=ones(64, 64)'
// RUN: %{sim} --kernel copies_add --arg 'x=ones(64, 64)' --expect 'x=full(5, 64, 64)'
// RUN: %{race} --kernel unfenced --arg 'x=ones(64, 64)' 2>&1 | FileCheck %s --check-prefix=UNFENCED
// RUN: %{sim} --kernel copied --arg 'x=ones(64, 64)'
// RUN: %{race} --kernel overtaken --arg 'x=ones(64, 64)' 2>&1 | FileCheck %s --check-prefix=OVERTAKEN
// RUN: %{race} --kernel cluster --arg 'x=zeros(256)' 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: %{sim} --kernel clusters_meet --arg 'x=zeros(256)'
// RUN: %{race} --kernel clusters_meet --arg 'x=zeros(1024)' 2>&1 | FileCheck %s --check-prefix=CLUSTERS
// RUN: %{race} --kernel clusters_add --arg 'x=zeros(1024)' 2>&1 | FileCheck %s --check-prefix=CLUSTERS-ADD
//
// A race is found in every order.
//
// REDEFINE: %{order} = early
// RUN: %{race} --kernel values --arg 'x=zeros(128)' 2>&1 | FileCheck %s --check-prefix=VALUES
// RUN: %{race} --kernel read --arg 'x=zeros(128)' 2>&1 | FileCheck %s --check-prefix=READ
// RUN: %{race} --kernel early_sum --arg 'x=zeros(128)' 2>&1 | FileCheck %s --check-prefix=EARLY-SUM
// RUN: %{race} --kernel cluster --arg 'x=zeros(256)' 2>&1 | FileCheck %s --check-prefix=CLUSTER
// REDEFINE: %{order} = late
// RUN: %{race} --kernel overtaken --arg 'x=ones(64, 64)' 2>&1 | FileCheck %s --check-prefix=OVERTAKEN

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
// Each warp holds all.
#whole = #sm.layout<"128 = register[4*(1)] lane[32*(4)] warp[4*(0)]">
!x = !tile.global<[N] x f32, inout>
!y = !tile.global<[N] x f32, out>
!line = tensor<128xf32, #line>
!whole = tensor<128xf32, #whole>

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

// VALUES: error: race: warp {{[0-9]+}} (role '{{one|two}}') writes 'x[{{[0-9]+}}]', and nothing orders this and what warp {{[0-9]+}}{{.*}} writes there
// VALUES: note: the other side is here
sm.kernel @values(%x: !x) grid() warps(8) {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  sm.role "one" warps(4) {
    %a = arith.constant dense<1.0> : !line
    sm.store %a to %x[%c0] dims [0] limits(%N) : !line, !x, index
  }
  sm.role "two" warps(4) {
    %b = arith.constant dense<2.0> : !line
    sm.store %b to %x[%c0] dims [0] limits(%N) : !line, !x, index
  }
}

// Equal values do no harm.
sm.kernel @equal(%x: !x) grid() warps(8) {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  sm.role "one" warps(4) {
    %a = arith.constant dense<1.0> : !line
    sm.store %a to %x[%c0] dims [0] limits(%N) : !line, !x, index
  }
  sm.role "two" warps(4) {
    %b = arith.constant dense<1.0> : !line
    sm.store %b to %x[%c0] dims [0] limits(%N) : !line, !x, index
  }
}

// READ: error: race: warp {{[0-9]+}} (role '{{one|two}}') {{reads|writes}} 'x[{{[0-9]+}}]', and nothing orders this and what warp {{[0-9]+}}{{.*}} {{reads|writes}} there
sm.kernel @read(%x: !x) grid() warps(8) {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  sm.role "one" warps(4) {
    %a = arith.constant dense<1.0> : !line
    sm.store %a to %x[%c0] dims [0] limits(%N) : !line, !x, index
    sm.barrier
  }
  sm.role "two" warps(4) {
    sm.barrier
    %b = sm.load %x[%c0] dims [0] limits(%N) : !x, index -> !line
  }
}

// One warp of a role arrives for all, and the others may not have stored.
// NOT-ALL: error: race: warp {{[4-7]}} (role 'two') reads 'x[{{[0-9]+}}]', and nothing orders this and what warp {{[1-3]}}{{.*}} writes there
sm.kernel @not_all(%x: !x) grid() warps(8) form(fenced) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %N = tile.size N
  %there = sm.mbarrier.alloc arrivals(1) at 0 : !sm.mbarrier<1>
  sm.role "one" warps(4) {
    %a = arith.constant dense<1.0> : !line
    sm.store %a to %x[%c0] dims [0] limits(%N) : !line, !x, index
    sm.mbarrier.arrive %there[%zero] : !sm.mbarrier<1>
  }
  sm.role "two" warps(4) {
    sm.mbarrier.wait %there[%zero] parity %zero : !sm.mbarrier<1>
    %b = sm.load %x[%c0] dims [0] limits(%N) : !x, index -> !line
  }
}

// An mbarrier orders them as a barrier does.
sm.kernel @all(%x: !x) grid() warps(8) form(fenced) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %N = tile.size N
  %there = sm.mbarrier.alloc arrivals(1) at 0 : !sm.mbarrier<1>
  sm.role "one" warps(4) {
    %a = arith.constant dense<1.0> : !line
    sm.store %a to %x[%c0] dims [0] limits(%N) : !line, !x, index
    sm.barrier
    sm.mbarrier.arrive %there[%zero] : !sm.mbarrier<1>
  }
  sm.role "two" warps(4) {
    sm.mbarrier.wait %there[%zero] parity %zero : !sm.mbarrier<1>
    %b = sm.load %x[%c0] dims [0] limits(%N) : !x, index -> !line
  }
}

// What a warp has written itself.
sm.kernel @own(%x: !x) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  %a = arith.constant dense<1.0> : !line
  sm.store %a to %x[%c0] dims [0] limits(%N) : !line, !x, index
  %b = sm.load %x[%c0] dims [0] limits(%N) : !x, index -> !line
}

//===----------------------------------------------------------------------===//
// Atomic additions
//===----------------------------------------------------------------------===//

sm.kernel @adds(%x: !x) grid() warps(8) {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  sm.role "one" warps(4) {
    %a = arith.constant dense<1.0> : !line
    sm.atomic add %a to %x[%c0] dims [0] limits(%N) : !line, !x, index
  }
  sm.role "two" warps(4) {
    %b = arith.constant dense<2.0> : !line
    sm.atomic add %b to %x[%c0] dims [0] limits(%N) : !line, !x, index
  }
}

// MIXED: error: race: warp {{[0-9]+}} (role '{{one|two}}') writes 'x[{{[0-9]+}}]', and nothing orders this and what warp {{[0-9]+}}{{.*}} writes there
sm.kernel @mixed(%x: !x) grid() warps(8) {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  sm.role "one" warps(4) {
    %a = arith.constant dense<1.0> : !line
    sm.atomic add %a to %x[%c0] dims [0] limits(%N) : !line, !x, index
  }
  sm.role "two" warps(4) {
    %b = arith.constant dense<2.0> : !line
    sm.store %b to %x[%c0] dims [0] limits(%N) : !line, !x, index
  }
}

// All have added before anyone reads.
sm.kernel @sum(%x: !x, %y: !y) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  %a = arith.constant dense<3.0> : !line
  sm.atomic add %a to %x[%c0] dims [0] limits(%N) : !line, !x, index
  sm.barrier
  %b = sm.load %x[%c0] dims [0] limits(%N) : !x, index -> !whole
  sm.store %b to %y[%c0] dims [0] limits(%N) : !whole, !y, index
}

// EARLY-SUM: error: race: warp {{[0-3]}} {{reads|writes}} 'x[{{[0-9]+}}]', and nothing orders this and what warp {{[0-3]}} {{reads|writes}} there
sm.kernel @early_sum(%x: !x) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  %a = arith.constant dense<3.0> : !line
  sm.atomic add %a to %x[%c0] dims [0] limits(%N) : !line, !x, index
  %b = sm.load %x[%c0] dims [0] limits(%N) : !x, index -> !whole
}

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

#t = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#b = #sm.layout<"64x64 = register[2*(0,1) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(8,0)]">
!T = !sm.smem<64x64xbf16, swizzle = 128>
!tile = tensor<64x64xbf16, #t>
!m = !tile.global<[M, 64] x bf16, inout>
!bar = !sm.mbarrier<1>

// A copy to global memory is complete at the end of the kernel: who waits for it knows that it has
// read its tile.
// STORED: error: race: warp {{[0-3]}} reads 'x[0, 0]', and nothing orders this and what a tensor copy writes there
sm.kernel @stored(%x: !m) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %v = arith.constant dense<2.0> : !tile
  %s = sm.smem.store %v : !tile -> !T
  sm.copy.store %s to %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !T, !m, index, index
  sm.barrier
  %w = sm.load %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !m, index, index -> !tile
}

// TWICE: error: race: a tensor copy writes 'x[0, 0]', and nothing orders this and what a tensor copy writes there
sm.kernel @twice(%x: !m) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %v = arith.constant dense<2.0> : !tile
  %s = sm.smem.store %v : !tile -> !T
  sm.copy.store %s to %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !T, !m, index, index
  sm.copy.store %s to %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !T, !m, index, index
}

// What is read before, with a barrier between.
sm.kernel @beside(%x: !m) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %v = sm.load %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !m, index, index -> !tile
  %s = sm.smem.store %v : !tile -> !T
  sm.copy.store %s to %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !T, !m, index, index
}

// Tensor copies that add, and threads that do.
sm.kernel @copies_add(%x: !tile.global<[M, 64] x f32, inout>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %v = arith.constant dense<2.0> : tensor<64x64xf32, #t>
  sm.tma.store %v to %x[%c0, %c0] dims [0, 1] limits(%M, %c64) columns 32 buffers 2 add : tensor<64x64xf32, #t>, !tile.global<[M, 64] x f32, inout>, index, index
  sm.atomic add %v to %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : tensor<64x64xf32, #t>, !tile.global<[M, 64] x f32, inout>, index, index
}

// UNFENCED: error: missing fence: a tensor copy reads 'x[0, 0]' after a write by threads; sm.fence is for shared memory, and there is no other one
// UNFENCED: note: the write is here
sm.kernel @unfenced(%x: !m) grid() warps(8) form(fenced) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %M = tile.size M
  %full = sm.mbarrier.alloc arrivals(1) at 0 : !bar
  %s = sm.scratch at 1024 : !T
  %v = arith.constant dense<2.0> : tensor<64x64xbf16, #b>
  sm.store %v to %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : tensor<64x64xbf16, #b>, !m, index, index
  sm.fence
  sm.barrier
  sm.role "load" warps(4) elected {
    sm.mbarrier.expect %full[%zero] bytes 8192 : !bar
    sm.tma.load %x[%c0, %c0] dims [0, 1] limits(%M, %c64) into %s signal %full[%zero] : !m, index, index, !T, !bar
  }
  sm.role "math" warps(4) {
    sm.mbarrier.wait %full[%zero] parity %zero : !bar
    %w = sm.smem.load %s : !T -> !tile
  }
}

// Who has waited for a copy may write what it has read.
sm.kernel @copied(%x: !m) grid() warps(8) form(fenced) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %M = tile.size M
  %full = sm.mbarrier.alloc arrivals(1) at 0 : !bar
  %s = sm.scratch at 1024 : !T
  sm.role "load" warps(4) elected {
    sm.mbarrier.expect %full[%zero] bytes 8192 : !bar
    sm.tma.load %x[%c0, %c0] dims [0, 1] limits(%M, %c64) into %s signal %full[%zero] : !m, index, index, !T, !bar
  }
  sm.role "math" warps(4) {
    sm.mbarrier.wait %full[%zero] parity %zero : !bar
    %w = sm.smem.load %s : !T -> !tile
    %v = arith.addf %w, %w : !tile
    sm.store %v to %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !tile, !m, index, index
  }
}

// OVERTAKEN: error: race: warp 4 (role 'math') writes 'x[0, 0]', and nothing orders this and what a tensor copy reads there
sm.kernel @overtaken(%x: !m) grid() warps(8) form(fenced) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %M = tile.size M
  %full = sm.mbarrier.alloc arrivals(1) at 0 : !bar
  %s = sm.scratch at 1024 : !T
  sm.role "load" warps(4) elected {
    sm.mbarrier.expect %full[%zero] bytes 8192 : !bar
    sm.tma.load %x[%c0, %c0] dims [0, 1] limits(%M, %c64) into %s signal %full[%zero] : !m, index, index, !T, !bar
  }
  sm.role "math" warps(4) {
    %v = arith.constant dense<2.0> : !tile
    sm.store %v to %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !tile, !m, index, index
    sm.mbarrier.wait %full[%zero] parity %zero : !bar
  }
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

// Each CTA writes its line, and reads that of the other one.
// CLUSTER: error: race: warp {{[0-3]}} of CTA {{[01]}} {{reads|writes}} 'x[{{[0-9]+}}]', and nothing orders this and what warp {{[0-3]}} of CTA {{[01]}} {{reads|writes}} there
sm.kernel @cluster(%x: !x) grid(m in tiles(N, 256)) warps(4) cluster(2) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %r = sm.cta_rank
  %i = arith.muli %r, %c128 : index
  %s = arith.xori %r, %c1 : index
  %j = arith.muli %s, %c128 : index
  %a = arith.constant dense<1.0> : !line
  sm.store %a to %x[%i] dims [0] limits(%N) : !line, !x, index
  sm.barrier
  %b = sm.load %x[%j] dims [0] limits(%N) : !x, index -> !line
}

// Other clusters are programs of their own.
// CLUSTERS: error: reads 'x[{{[0-9]+}}]', which another cluster writes; programs of a grid are not ordered
sm.kernel @clusters_meet(%x: !x) grid(m in tiles(N, 256)) warps(4) cluster(2) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %r = sm.cta_rank
  %i = arith.muli %r, %c128 : index
  %s = arith.xori %r, %c1 : index
  %j = arith.muli %s, %c128 : index
  %a = arith.constant dense<1.0> : !line
  sm.store %a to %x[%i] dims [0] limits(%N) : !line, !x, index
  sm.cluster.barrier
  %b = sm.load %x[%j] dims [0] limits(%N) : !x, index -> !line
}

// CLUSTERS-ADD: error: writes 'x[{{[0-9]+}}]', which cluster 0 reads; programs of a grid are not ordered
sm.kernel @clusters_add(%x: !x) grid(m in tiles(N, 256)) warps(4) cluster(2) {
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %r = sm.cta_rank
  %i = arith.muli %r, %c128 : index
  %a = arith.constant dense<1.0> : !line
  sm.atomic add %a to %x[%i] dims [0] limits(%N) : !line, !x, index
  %b = sm.load %x[%i] dims [0] limits(%N) : !x, index -> !line
}
