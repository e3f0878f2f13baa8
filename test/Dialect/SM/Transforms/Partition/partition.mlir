// RUN: tile-opt %S/../Inputs/gemm.mlir -sm-persist -sm-plan -sm-tma-stores -sm-partition | FileCheck %s --check-prefix=GEMM
// RUN: tile-opt %S/../Inputs/attention.mlir -sm-plan -sm-tma-stores -sm-partition | FileCheck %s --check-prefix=ATT
// RUN: tile-opt %s -sm-plan -sm-tma-stores -sm-partition | FileCheck %s

// a and b of a product arrive in one slot; 40 + 232 + 232 registers are what a launch of three
// warpgroups allocates.

// GEMM: sm.kernel @matmul
// GEMM-SAME: warps(12) persistent form(scheduled) requires(K mod 8, N mod 8)
// GEMM: %[[RING:.*]] = sm.ring.alloc : !sm.ring<3 x [!sm.smem<128x64xbf16, swizzle = 128>, !sm.smem<64x256xbf16, swizzle = 128>]>
// GEMM: %[[M:.*]] = tile.size M
// GEMM: %[[K:.*]] = tile.size K
// GEMM: sm.role "load" warps(4) registers(40) elected {
// GEMM:   scf.for %[[P:.*]] = %[[FIRST:.*]] to %[[ALL:.*]] step %[[STEP:.*]] {
// GEMM:     scf.for %[[KI:.*]] = {{.*}} to %[[K]] step %{{[a-z0-9]*}} {
// GEMM:       %[[SLOT:.*]] = sm.ring.acquire %[[RING]]
// GEMM:       %[[A:.*]] = sm.slot.tile %[[SLOT]][0]
// GEMM:       sm.copy.start %a[%{{.*}}, %[[KI]]] dims [0, 1] limits(%[[M]], %[[K]]) into %[[A]]
// GEMM:       %[[B:.*]] = sm.slot.tile %[[SLOT]][1]
// GEMM:       sm.copy.start %b[%[[KI]], %{{.*}}] {{.*}} into %[[B]]
// GEMM:       sm.ring.commit %[[SLOT]]
// GEMM-NOT:   tensor<
// GEMM: sm.role "math" warps(8) registers(232) {
// GEMM:   scf.for %{{.*}} = %[[FIRST]] to %[[ALL]] step %[[STEP]] {
// GEMM:     scf.for
// GEMM:       %[[SLOT:.*]] = sm.ring.wait %[[RING]]
// GEMM:       %[[A:.*]] = sm.slot.tile %[[SLOT]][0]
// GEMM:       %[[B:.*]] = sm.slot.tile %[[SLOT]][1]
// GEMM-NEXT:  sm.mma %[[A]], %[[B]]
// GEMM-NEXT:  sm.ring.release %[[SLOT]]
// GEMM:     sm.copy.store

// Keys and values have rings of their own, which the loop and its masked tail share; the queries
// stay for the whole program.

// ATT: sm.kernel @attention
// ATT-SAME: warps(12) form(scheduled) schedule
// ATT: %[[Q:.*]] = sm.ring.alloc : !sm.ring<1 x
// ATT: %[[K:.*]] = sm.ring.alloc : !sm.ring<2 x
// ATT: %[[V:.*]] = sm.ring.alloc : !sm.ring<2 x
// ATT-NOT: sm.ring.alloc
// ATT: sm.role "load" warps(4) registers(24) elected {
// ATT:   sm.ring.acquire %[[Q]]
// ATT:   scf.for
// ATT:     sm.ring.acquire %[[K]]
// ATT:     sm.copy.start %k{{.*}} in_bounds [true, true]
// ATT:     sm.ring.acquire %[[V]]
// ATT:     sm.copy.start %v
// ATT:   scf.for
// ATT:     sm.ring.acquire %[[K]]
// ATT:     sm.ring.acquire %[[V]]
// ATT: sm.role "math" warps(8) registers(240) {
// ATT:   %[[QS:.*]] = sm.ring.wait %[[Q]]
// ATT:   scf.for
// ATT:     %[[KS:.*]] = sm.ring.wait %[[K]]
// ATT:     sm.mma {{.*}} transpose_b
// ATT-NEXT: sm.ring.release %[[KS]]
// ATT:     sm.ring.wait %[[V]]
// ATT:   scf.for
// ATT:     sm.ring.wait %[[K]]
// ATT:     sm.ring.wait %[[V]]
// ATT:     scf.yield
// ATT:   sm.ring.release %[[QS]]

// The bounds of packed sequences: the load role loads the scalars that it needs. The range ends
// inside of the tensor, and so does the copy. A stride of 64 elements is no condition. Without a schedule, four stages. Each warp gives back what it reads by itself.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64x64 = register[4*(0,1) 8*(8,0)] lane[16*(0,4) 2*(1,0)] warp[4*(2,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
// Where the threads of a role that gathers need positions (@gathered).
// CHECK: #[[AT:layout[0-9]*]] = #sm.layout<"64 = register[8*(8)] lane[8*(0) 4*(1)] warp[2*(4)]">
// CHECK-LABEL: sm.kernel @packed
// CHECK-SAME: warps(8) form(scheduled) attributes {sm.planned_bytes = 36864 : i64} {
// CHECK: %[[W:.*]] = sm.ring.alloc : !sm.ring<1 x [!sm.smem<64x16xbf16, swizzle = 32>]>
// CHECK: %[[X:.*]] = sm.ring.alloc warps : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
// CHECK: sm.role "load" warps(4) registers(24) elected {
// CHECK:   sm.ring.acquire %[[W]]
// CHECK:   %[[MORE:.*]] = scf.for {{.*}} iter_args(%[[START:.*]] = %{{.*}}) -> (index) {
// CHECK-NEXT: %[[END:.*]] = sm.load %ends
// CHECK-NEXT: %[[ENDX:.*]] = arith.index_cast %[[END]]
// CHECK-NEXT: %[[ANY:.*]] = arith.cmpi
// CHECK-NEXT: scf.if %[[ANY]] {
// CHECK:      %[[SLOT:.*]] = sm.ring.acquire %[[X]]
// CHECK:      sm.copy.start %x[%[[START]], %{{.*}}] dims [0, 1] limits(%[[ENDX]], %{{.*}})
// CHECK:      sm.ring.commit %[[SLOT]]
// CHECK:    }
// CHECK-NEXT: scf.yield %[[ENDX]] : index
// CHECK: sm.role "math" warps(4) registers(104) {
// CHECK:      scf.if
// CHECK:      %[[SLOT:.*]] = sm.ring.wait %[[X]]
// CHECK:      %[[T:.*]] = sm.slot.tile %[[SLOT]][0]
// CHECK-NEXT: sm.mma %[[T]]
// CHECK-NEXT: sm.smem.load %[[T]]
// CHECK-NEXT: sm.ring.release %[[SLOT]]
sm.kernel @packed(%x: !tile.global<[N, 64] x bf16>, %w: !tile.global<[64, 16] x bf16>,
                  %ends: !tile.global<[B] x i32>, %y: !tile.global<[64, 64] x bf16, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %B = tile.size B
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %wt = sm.fetch %w[%c0, %c0] dims [0, 1] limits(%c64, %c16) : !tile.global<[64, 16] x bf16>, index, index -> !b
  %r:2 = scf.for %b = %c0 to %B step %c1 iter_args(%acc = %zero, %start = %c0) -> (tensor<64x16xf32, #acc>, index) {
    %e = sm.load %ends[%b] dims [] : !tile.global<[B] x i32>, index -> i32
    %end = arith.index_cast %e : i32 to index
    %any = arith.cmpi slt, %start, %end : index
    %next = scf.if %any -> tensor<64x16xf32, #acc> {
      %t = sm.fetch %x[%start, %c0] dims [0, 1] limits(%end, %c64) : !tile.global<[N, 64] x bf16>, index, index -> !a
      %d = sm.mma %t, %wt, %acc : !a, !b, tensor<64x16xf32, #acc>
      %read = sm.smem.load %t : !a -> tensor<64x64xbf16, #row>
      sm.store %read to %y[%c0, %c0] dims [0, 1] limits(%c64, %c64) : tensor<64x64xbf16, #row>, !tile.global<[64, 64] x bf16, out>, index, index
      scf.yield %d : tensor<64x16xf32, #acc>
    } else {
      scf.yield %acc : tensor<64x16xf32, #acc>
    }
    scf.yield %next, %end : tensor<64x16xf32, #acc>, index
  }
}

// A loop of unknown length: the load role runs its scalar part.

// CHECK-LABEL: sm.kernel @chain
// CHECK: sm.role "load"
// CHECK:   scf.while (%[[I:.*]] = %{{.*}}) : (index) -> index {
// CHECK:     scf.condition(%{{.*}}) %[[I]] : index
// CHECK:   } do {
// CHECK:     sm.ring.acquire
// CHECK:     scf.yield %{{.*}} : index
// CHECK: sm.role "math"
// CHECK:   scf.while ({{.*}}) : (index, tensor<{{.*}}>) -> (index, tensor<{{.*}}>) {
// CHECK:     sm.ring.wait
sm.kernel @chain(%x: !tile.global<[N, 64] x bf16>, %next: !tile.global<[N] x i32>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  %r:2 = scf.while (%i = %c0, %acc = %zero) : (index, tensor<64x16xf32, #acc>) -> (index, tensor<64x16xf32, #acc>) {
    %more = arith.cmpi slt, %i, %N : index
    scf.condition(%more) %i, %acc : index, tensor<64x16xf32, #acc>
  } do {
  ^bb0(%i: index, %acc: tensor<64x16xf32, #acc>):
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, index, index -> !a
    %d = sm.mma %t, %b, %acc : !a, !b, tensor<64x16xf32, #acc>
    %n = sm.load %next[%i] dims [] : !tile.global<[N] x i32>, index -> i32
    %j = arith.index_cast %n : i32 to index
    scf.yield %j, %d : index, tensor<64x16xf32, #acc>
  }
}

// A mask that only keeps a selected position inside of the tensor: a tensor copy zeroes the rest.

// CHECK-LABEL: sm.kernel @heads
// CHECK: sm.role "load"
// CHECK: sm.copy.start %x[%h, %g, %{{.*}}, %{{.*}}] dims [2, 3] limits(%{{.*}}, %{{.*}}) into
sm.kernel @heads(%x: !tile.global<[B, H, N, 64] x bf16>, %h: index, %g: index) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %B = tile.size B
  %H = tile.size H
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  %inB = arith.cmpi ult, %h, %B : index
  %inH = arith.cmpi ult, %g, %H : index
  %in = arith.andi %inB, %inH : i1
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%h, %g, %i, %c0] dims [2, 3] limits(%N, %c64) mask(%in) : !tile.global<[B, H, N, 64] x bf16>, index, index, index, index -> !a
    %d = sm.mma %t, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
  }
}

// A stage that is filled again is given back by one warp for all. Products keep the warps of a
// warpgroup together; where none has run, they meet.

// CHECK-LABEL: sm.kernel @skipped
// CHECK: sm.role "math"
// CHECK: %[[SLOT:.*]] = sm.ring.wait
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: sm.barrier
// CHECK: %[[LESS:.*]] = arith.cmpi sge, %n, %m : index
// CHECK: %[[NONE:.*]] = arith.cmpi sge, %c0, %n : index
// CHECK: %[[BOTH:.*]] = arith.andi %[[LESS]], %[[NONE]] : i1
// CHECK: scf.if %[[BOTH]] {
// CHECK-NEXT: sm.barrier
// CHECK-NEXT: }
// CHECK-NEXT: sm.ring.release %[[SLOT]]
sm.kernel @skipped(%x: !tile.global<[M, 64] x bf16>, %n: index, %m: index) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %M step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) : !tile.global<[M, 64] x bf16>, index, index -> !a
    %s = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x16xf32, #acc>) {
      %d = sm.mma %t, %b, %acc : !a, !b, tensor<64x16xf32, #acc>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    scf.for %j = %n to %m step %c64 {
      %d = sm.mma %t, %b, %s : !a, !b, tensor<64x16xf32, #acc>
    }
  }
}

// Under a condition they always do; what comes once is not filled again.

// CHECK-LABEL: sm.kernel @conditional
// CHECK: sm.role "math"
// CHECK: %[[ONCE:.*]] = sm.ring.wait
// CHECK: scf.if
// CHECK-NOT: sm.barrier
// CHECK: sm.ring.release %[[ONCE]]
// CHECK: %[[SLOT:.*]] = sm.ring.wait
// CHECK: scf.if
// CHECK: sm.barrier
// CHECK-NEXT: sm.ring.release %[[SLOT]]
sm.kernel @conditional(%x: !tile.global<[M, 64] x bf16>, %c: i1) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  %u = sm.fetch %x[%c0, %c0] dims [0, 1] limits(%M, %c64) : !tile.global<[M, 64] x bf16>, index, index -> !a
  scf.if %c {
    %d = sm.mma %u, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
  }
  scf.for %i = %c0 to %M step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) : !tile.global<[M, 64] x bf16>, index, index -> !a
    scf.if %c {
      %d = sm.mma %t, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
    }
  }
}

// What threads read for themselves before the next fetch they read after it, so that both operands of a
// product arrive in one slot. What is needed earlier has a ring of its own.

#wide = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
// CHECK-LABEL: sm.kernel @read_first
// CHECK: %[[BOTH:.*]] = sm.ring.alloc warps : !sm.ring<{{.}} x [!sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>]>
// CHECK: %[[X:.*]] = sm.ring.alloc warps : !sm.ring<{{.}} x [!sm.smem<64x64xbf16, swizzle = 128>]>
// CHECK: %[[W:.*]] = sm.ring.alloc : !sm.ring<{{.}} x [!sm.smem<64x16xbf16, swizzle = 32>]>
// CHECK: sm.role "math"
// CHECK: %[[SLOT:.*]] = sm.ring.wait %[[BOTH]]
// CHECK-NEXT: %[[A:.*]] = sm.slot.tile %[[SLOT]][0]
// CHECK-NEXT: %[[B:.*]] = sm.slot.tile %[[SLOT]][1]
// CHECK-NEXT: sm.smem.load %[[A]]
// CHECK-NEXT: sm.mma %[[A]], %[[B]]
// CHECK-NEXT: sm.ring.release %[[SLOT]]
// CHECK: sm.ring.wait %[[X]]
// CHECK: sm.smem.load
// CHECK: sm.ring.wait %[[W]]
sm.kernel @read_first(%x: !tile.global<[M, 64] x bf16>, %w: !tile.global<[M, 16] x bf16>, %y: !tile.global<[M, 64] x bf16, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  scf.for %i = %c0 to %M step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) : !tile.global<[M, 64] x bf16>, index, index -> !a
    %r = sm.smem.load %t : !a -> tensor<64x64xbf16, #wide>
    %u = sm.fetch %w[%i, %c0] dims [0, 1] limits(%M, %c16) : !tile.global<[M, 16] x bf16>, index, index -> !b
    %d = sm.mma %t, %u, %zero : !a, !b, tensor<64x16xf32, #acc>
    sm.store %r to %y[%i, %c0] dims [0, 1] limits(%M, %c64) : tensor<64x64xbf16, #wide>, !tile.global<[M, 64] x bf16, out>, index, index
    %t1 = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) : !tile.global<[M, 64] x bf16>, index, index -> !a
    %r1 = sm.smem.load %t1 : !a -> tensor<64x64xbf16, #wide>
    sm.store %r1 to %y[%i, %c0] dims [0, 1] limits(%M, %c64) : tensor<64x64xbf16, #wide>, !tile.global<[M, 64] x bf16, out>, index, index
    %u1 = sm.fetch %w[%i, %c0] dims [0, 1] limits(%M, %c16) : !tile.global<[M, 16] x bf16>, index, index -> !b
    %e = sm.mma %t1, %u1, %zero : !a, !b, tensor<64x16xf32, #acc>
  }
}

// What the loop loads for its arithmetic arrives ahead as well: rows together, by the threads of a
// warp, and the tile that is converted before it is multiplied by a tensor copy. Each warp gives
// back what it has read. A row is fetched with the limits and the mask that it was loaded with.

#opa = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!col = tensor<32xf32, #sm.layout<"32 = register[2*(1) 4*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">>
// CHECK-LABEL: sm.kernel @staged
// CHECK: %[[ROWS:.*]] = sm.ring.alloc warps : !sm.ring<4 x [!sm.smem<32xf32>, !sm.smem<32xf32>]>
// CHECK: %[[X:.*]] = sm.ring.alloc warps : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
// CHECK: %[[W:.*]] = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x16xbf16, swizzle = 32>]>
// CHECK: sm.role "load" warps(3) registers(40) elected {
// CHECK:   scf.for
// CHECK-NOT: %[[ROWS]]
// CHECK:     sm.ring.acquire %[[X]]
// CHECK:     sm.copy.start %x
// CHECK:     sm.ring.acquire %[[W]]
// CHECK: sm.role "fetch" warps(1) registers(40) {
// CHECK:   scf.for %[[I:.*]] =
// CHECK:     %[[INSIDE:.*]] = arith.cmpi ult, %[[I]]
// CHECK:     %[[SLOT:.*]] = sm.ring.acquire %[[ROWS]]
// CHECK:     %[[T:.*]] = sm.slot.tile %[[SLOT]][0]
// CHECK:     sm.fetch.start %s[%[[I]], %{{.*}}] dims [1] limits(%{{.*}}) mask(%[[INSIDE]]) into %[[T]]
// CHECK:     sm.fetch.start %g[
// CHECK:     sm.ring.commit %[[SLOT]]
// CHECK: sm.role "math" warps(4) registers(248) {
// CHECK:   scf.for
// CHECK:     sm.ring.wait %[[X]]
// CHECK:     %[[SLOT:.*]] = sm.ring.wait %[[ROWS]]
// CHECK:     sm.smem.load
// CHECK-NOT: sm.load
// CHECK-NOT: sm.barrier
// CHECK:     sm.ring.release %[[SLOT]]
sm.kernel @staged(%x: !tile.global<[M, 64] x bf16>, %w: !tile.global<[M, 16] x bf16>,
                  %s: !tile.global<[B, 32] x f32>, %g: !tile.global<[B, 32] x f32>,
                  %y: !tile.global<[B, 32] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %B = tile.size B
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %r = scf.for %i = %c0 to %M step %c64 iter_args(%sum = %zero) -> (tensor<64x16xf32, #acc>) {
    %inside = arith.cmpi ult, %i, %B : index
    %s0 = sm.load %s[%i, %c0] dims [1] limits(%c32) mask(%inside) : !tile.global<[B, 32] x f32>, index, index -> !col
    %t = sm.load %x[%i, %c0] dims [0, 1] limits(%M, %c64) : !tile.global<[M, 64] x bf16>, index, index -> tensor<64x64xbf16, #opa>
    %twice = arith.addf %t, %t : tensor<64x64xbf16, #opa>
    %u = sm.fetch %w[%i, %c0] dims [0, 1] limits(%M, %c16) : !tile.global<[M, 16] x bf16>, index, index -> !b
    %d = sm.mma %twice, %u, %sum : tensor<64x64xbf16, #opa>, !b, tensor<64x16xf32, #acc>
    %g0 = sm.load %g[%i, %c0] dims [1] limits(%c32) mask(%inside) : !tile.global<[B, 32] x f32>, index, index -> !col
    %both = arith.addf %s0, %g0 : !col
    sm.store %both to %y[%i, %c0] dims [1] limits(%c32) mask(%inside) : !col, !tile.global<[B, 32] x f32, out>, index, index
    scf.yield %d : tensor<64x16xf32, #acc>
  }
}

// What the loop computes from a row alone is computed where it is fetched, in the layout of a warp; another row that
// is used as it is shares the slot. %n is used by itself, too, and arrives as it is.

!long = tensor<64xf32, #sm.layout<"64 = register[2*(1) 8*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">>
// CHECK-LABEL: sm.kernel @computed
// CHECK: %[[ROWS:.*]] = sm.ring.alloc warps : !sm.ring<4 x [!sm.smem<64xf32>, !sm.smem<64xf32>, !sm.smem<64xf32>]>
// CHECK: sm.role "fetch" warps(1)
// CHECK:   scf.for
// CHECK:     %[[S:.*]] = sm.load %s[{{.*}} -> tensor<64xf32, #[[ROW:.*]]>
// CHECK:     %[[TWICE:.*]] = arith.mulf %[[S]], %{{.*}} : tensor<64xf32, #[[ROW]]>
// CHECK:     %[[NEGATED:.*]] = arith.negf %[[TWICE]]
// CHECK:     %[[SLOT:.*]] = sm.ring.acquire %[[ROWS]]
// CHECK:     %[[T:.*]] = sm.slot.tile %[[SLOT]][0]
// CHECK:     sm.slot.store %[[T]] with %[[NEGATED]]
// CHECK:     sm.fetch.start %g[
// CHECK:     sm.fetch.start %n[
// CHECK:     sm.ring.commit %[[SLOT]]
// CHECK: sm.role "math" warps(4)
// CHECK:   scf.for
// CHECK-NOT: sm.load
// CHECK-NOT: arith.mulf
// CHECK-COUNT-1: arith.negf
// CHECK:     sm.store
sm.kernel @computed(%x: !tile.global<[M, 64] x bf16>, %s: !tile.global<[M] x f32>, %g: !tile.global<[M] x f32>,
                    %n: !tile.global<[M] x f32>, %y: !tile.global<[M] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %two = arith.constant dense<2.0> : !long
  %w = sm.scratch : !b
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %r = scf.for %i = %c0 to %M step %c64 iter_args(%sum = %zero) -> (tensor<64x16xf32, #acc>) {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) : !tile.global<[M, 64] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
    %d = sm.mma %t, %w, %sum : !sm.smem<64x64xbf16, swizzle = 128>, !b, tensor<64x16xf32, #acc>
    %s0 = sm.load %s[%i] dims [0] limits(%M) : !tile.global<[M] x f32>, index -> !long
    %twice = arith.mulf %s0, %two : !long
    %negated = arith.negf %twice : !long
    %g0 = sm.load %g[%i] dims [0] limits(%M) : !tile.global<[M] x f32>, index -> !long
    %n0 = sm.load %n[%i] dims [0] limits(%M) : !tile.global<[M] x f32>, index -> !long
    %n1 = arith.negf %n0 : !long
    %n2 = arith.addf %n0, %g0 : !long
    %all = arith.addf %negated, %n2 : !long
    %more = arith.addf %all, %n1 : !long
    sm.store %more to %y[%i] dims [0] limits(%M) : !long, !tile.global<[M] x f32, out>, index
    scf.yield %d : tensor<64x16xf32, #acc>
  }
}

// Gathered rows of a product arrive by two warps of threads, in a ring beside that of the other operand. Their
// positions are loaded once, where the threads that copy need them; the product reads what was copied.

!at = tensor<64xi32, #sm.layout<"64 = register[4*(16)] lane[8*(0) 4*(1)] warp[4*(4)]">>
!half = tensor<64x64xbf16, #sm.layout<"64x64 = register[8*(0,1) 4*(16,0)] lane[8*(0,8) 4*(1,0)] warp[4*(4,0)]">>
// CHECK-LABEL: sm.kernel @gathered
// CHECK-SAME: requires(K mod 8)
// CHECK: %[[A:.*]] = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
// CHECK: sm.role "load" warps(2) registers(40) elected {
// CHECK-NOT: %[[A]]
// CHECK: sm.role "fetch" warps(2) registers(40) {
// CHECK:   %[[ROWS:.*]] = sm.load %rows{{.*}} -> tensor<64xi32, #[[AT]]>
// CHECK:   %[[NEXT:.*]] = arith.addi %[[ROWS]], %{{.*}} : tensor<64xi32, #[[AT]]>
// CHECK:   scf.for %[[K:.*]] =
// CHECK:     %[[SLOT:.*]] = sm.ring.acquire %[[A]]
// CHECK:     %[[T:.*]] = sm.slot.tile %[[SLOT]][0]
// CHECK:     sm.fetch.start %x[%[[NEXT]], %[[K]]] dims [0, 1] limits(%{{.*}}) into %[[T]]
// CHECK:     sm.ring.commit %[[SLOT]]
// CHECK: sm.role "math" warps(4)
// CHECK:   scf.for
// CHECK:     sm.ring.wait %[[A]]
// CHECK-NOT: sm.load
// CHECK-NOT: sm.smem.store
// CHECK:     sm.mma
sm.kernel @gathered(%x: !tile.global<[X, K] x bf16>, %w: !tile.global<[K, 16] x bf16>, %rows: !tile.global<[M] x i32>,
                    %y: !tile.global<[M, 16] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %K = tile.size K
  %X = tile.size X
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %r = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x16xf32, #acc>) {
    %one = arith.constant dense<1> : !at
    %at = sm.load %rows[%c0] dims [0] limits(%M) fill(-1 : i32) : !tile.global<[M] x i32>, index -> !at
    %next = arith.addi %at, %one : !at
    %t = sm.load %x[%next, %k] dims [0, 1] limits(%X, %K) : !tile.global<[X, K] x bf16>, !at, index -> !half
    %a = sm.smem.store %t : !half -> !sm.smem<64x64xbf16, swizzle = 128>
    %b = sm.fetch %w[%k, %c0] dims [0, 1] limits(%K, %c16) : !tile.global<[K, 16] x bf16>, index, index -> !b
    %d = sm.mma %a, %b, %sum : !sm.smem<64x64xbf16, swizzle = 128>, !b, tensor<64x16xf32, #acc>
    scf.yield %d : tensor<64x16xf32, #acc>
  }
  sm.store %r to %y[%c0, %c0] dims [0, 1] limits(%M, %c16) : tensor<64x16xf32, #acc>, !tile.global<[M, 16] x f32, out>, index, index
}
