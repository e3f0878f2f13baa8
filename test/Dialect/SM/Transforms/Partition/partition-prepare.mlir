// A role of its own computes what products take.
// RUN: tile-opt %s --split-input-file --sm-partition | FileCheck %s
// Each warp gives back what it has read, and arrives, fenced, with what it has written.
// RUN: tile-opt %s --split-input-file --sm-partition --sm-schedule-loops --sm-apply-schedule --sm-expand-rings --sm-allocate-smem --sm-place-fences | FileCheck %s --check-prefix=FENCE

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
#other = #sm.layout<"64x64 = register[8*(0,1) 2*(32,0)] lane[8*(0,8) 4*(1,0)] warp[8*(4,0)]">
#rows = #sm.layout<"64 = register[1*(0)] lane[4*(0) 8*(1)] warp[8*(8)]">
#column = #sm.layout<"64x1 = register[1*(0,0)] lane[4*(0,0) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!o = tensor<64x64xbf16, #other>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!s = !sm.smem<64xbf16>

// Rows are repeated in the layout that the tile has there; layouts are not converted, and constants get the one of their use. What arrives is no longer waited for
// where it is multiplied.
// CHECK-DAG: #[[TILE:.+]] = #sm.layout<"64x64 = register[16*(0,1) 2*(32,0)] lane[4*(0,16) 8*(1,0)] warp[4*(8,0)]">
// CHECK-DAG: #[[ROW:.+]] = #sm.layout<"64 = register[2*(32)] lane[4*(0) 8*(1)] warp[4*(8)]">
// CHECK-LABEL: sm.kernel @scaled
// CHECK: %[[PREPARED:.+]] = sm.ring.alloc : !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
// CHECK-NEXT: %[[WEIGHTS:.+]] = sm.ring.alloc warps
// CHECK-NEXT: %[[SCALES:.+]] = sm.ring.alloc warps
// CHECK: sm.role "transform" warps(4) registers(88)
// CHECK: scf.for
// CHECK-NEXT: %[[S0:.+]] = sm.ring.wait %[[WEIGHTS]]
// CHECK-NEXT: %[[T0:.+]] = sm.slot.tile %[[S0]][0]
// CHECK-NEXT: %[[S1:.+]] = sm.ring.wait %[[SCALES]]
// CHECK-NEXT: %[[T1:.+]] = sm.slot.tile %[[S1]][0]
// CHECK-NEXT: %[[W:.+]] = sm.smem.load %[[T0]] : {{.*}} -> tensor<64x64xi8, #[[TILE]]>
// CHECK-NEXT: sm.ring.release %[[S0]]
// CHECK-NEXT: %[[R:.+]] = sm.smem.load %[[T1]] : {{.*}} -> tensor<64xbf16, #[[ROW]]>
// CHECK-NEXT: sm.ring.release %[[S1]]
// CHECK: arith.subi %[[W]]
// CHECK: sm.expand_dims %[[R]]
// CHECK: sm.broadcast
// CHECK-NEXT: %[[P:.+]] = arith.mulf {{.*}} : tensor<64x64xbf16, #[[TILE]]>
// CHECK-NEXT: %[[S:.+]] = sm.ring.acquire %[[PREPARED]]
// CHECK-NEXT: %[[T:.+]] = sm.slot.tile %[[S]][0]
// CHECK-NEXT: sm.slot.store %[[T]] with %[[P]]
// CHECK-NEXT: sm.ring.commit %[[S]]
// CHECK-NEXT: }
// CHECK: sm.role "math"
// CHECK: scf.for
// CHECK-NEXT: %[[U:.+]] = sm.ring.wait %[[PREPARED]]
// CHECK-NEXT: %[[V:.+]] = sm.slot.tile %[[U]][0]
// CHECK-NEXT: sm.mma %{{.+}}, %[[V]], %{{.+}}
// CHECK-NEXT: sm.ring.release %[[U]]

// FENCE-LABEL: sm.kernel @scaled
// FENCE: sm.role "transform"
// FENCE: %[[W:.+]] = sm.smem.load
// FENCE-NEXT: sm.mbarrier.arrive {{.*}} warps after %[[W]]
// FENCE: sm.slot.store
// FENCE-NEXT: sm.fence
// FENCE-NEXT: sm.mbarrier.arrive {{.*}} warps
// FENCE-NOT: sm.barrier
// FENCE: sm.role "math"
// FENCE: scf.for
// FENCE-NOT: sm.barrier
// FENCE: sm.mma.issue
sm.kernel @scaled(%x: !tile.global<[N, 64] x i8>, %z: !tile.global<[N] x bf16>, %n: index) grid() warps(8)
    plan<roles = [load : warps 3 registers 24 elected, fetch : warps 1 registers 24, transform : warps 4 registers 88, math : warps 8 registers 200],
         rings = [r : slots 3 tma, s : slots 3 threads, w : slots 2 transform], rest = 65536> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %a = sm.scratch : !a
  %eight = arith.constant dense<8> : !w
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero) -> (!t) {
    %tile = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "r"} : !tile.global<[N, 64] x i8>, index, index -> !r
    %tile2 = sm.fetch %z[%i] dims [0] limits(%N) {sm.plan_entry = "s"} : !tile.global<[N] x bf16>, index -> !s
    %w = sm.smem.load %tile : !r -> !w
    %row = sm.smem.load %tile2 : !s -> tensor<64xbf16, #rows>
    %d = arith.subi %w, %eight : !w
    %f = arith.sitofp %d : !w to !h
    %column = sm.expand_dims %row axis 1 : tensor<64xbf16, #rows> -> tensor<64x1xbf16, #column>
    %scale = sm.broadcast %column : tensor<64x1xbf16, #column> -> !h
    %g = arith.mulf %f, %scale : !h
    %o = sm.convert %g : !h -> !o
    %b = sm.smem.store %o {sm.plan_entry = "w"} : !o -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p : !t
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>

// What is also used where it is multiplied is waited for by both; two tiles are computed from one read, and loops
// apart share a ring.
// CHECK-LABEL: sm.kernel @both
// CHECK-COUNT-3: sm.ring.alloc
// CHECK-NOT: sm.ring.alloc
// CHECK: sm.role "transform"
// CHECK: scf.for
// CHECK-COUNT-1: sm.smem.load
// CHECK-NOT: sm.smem.load
// CHECK-COUNT-2: sm.slot.store
// CHECK: scf.for
// CHECK-COUNT-1: sm.slot.store
// CHECK: sm.role "math"
// CHECK: scf.for
// CHECK: sm.smem.load
// CHECK: sm.store
// CHECK: scf.for
// CHECK-NOT: sm.smem.load
sm.kernel @both(%x: !tile.global<[N, 64] x i8>, %y: !tile.global<[64, 64] x i8, out>, %n: index) grid() warps(8)
    plan<roles = [load : warps 4 registers 24 elected, transform : warps 4 registers 88, math : warps 8 registers 200],
         rings = [r : slots 3 tma, w : slots 2 transform, v : slots 2 transform], rest = 65536> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %a = sm.scratch : !a
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero) -> (!t) {
    %tile = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "r"} : !tile.global<[N, 64] x i8>, index, index -> !r
    %w = sm.smem.load %tile : !r -> !w
    sm.store %w to %y[%c0, %c0] dims [0, 1] limits(%c64, %c64) in_bounds [true, true] : !w, !tile.global<[64, 64] x i8, out>, index, index
    %f = arith.sitofp %w : !w to !h
    %b = sm.smem.store %f {sm.plan_entry = "w"} : !h -> !b
    %g = arith.mulf %f, %f : !h
    %b2 = sm.smem.store %g {sm.plan_entry = "v"} : !h -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    %p2 = sm.mma %a, %b2, %p transpose_b : !a, !b, !t
    scf.yield %p2 : !t
  }
  %more = scf.for %i = %c0 to %n step %c64 iter_args(%s = %sum) -> (!t) {
    %tile = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "r"} : !tile.global<[N, 64] x i8>, index, index -> !r
    %w = sm.smem.load %tile : !r -> !w
    %f = arith.sitofp %w : !w to !h
    %b = sm.smem.store %f {sm.plan_entry = "w"} : !h -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p : !t
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#parts = #sm.layout<"128x4 = register[2*(0,1) 2*(8,0)] lane[2*(0,2) 2*(0,0) 8*(1,0)] warp[8*(16,0)]">
#rows = #sm.layout<"128 = register[2*(8)] lane[4*(0) 8*(1)] warp[8*(16)]">
!t = tensor<128x64xf32, #acc>
!p = tensor<128x4xf32, #parts>
!v = tensor<128xf32, #rows>
!h = tensor<128x64xbf16, #acc>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!s = !sm.smem<128xf32>

// As many warps keep the layouts, and compute what loops carry of sums over rows, too. The loops that multiply carry
// that no more, and wait for what both need.
// CHECK-LABEL: sm.kernel @statistics
// CHECK: %[[SUMS:.+]] = sm.ring.alloc warps : !sm.ring<1 x [!sm.smem<128xf32>]>
// CHECK: sm.role "transform" warps(8)
// CHECK: %[[ONE:.+]] = scf.for {{.*}} -> (tensor<128x4xf32, #{{.+}}>)
// CHECK: sm.ring.wait
// CHECK: sm.smem.load
// CHECK: sm.reduce sum
// CHECK: sm.ring.release
// CHECK: %[[TWO:.+]] = scf.for {{.*}} iter_args(%{{.+}} = %[[ONE]]) -> (tensor<128x4xf32, #{{.+}}>)
// CHECK: %[[TOTAL:.+]] = sm.reduce sum %[[TWO]]
// CHECK: %[[S:.+]] = sm.ring.acquire %[[SUMS]]
// CHECK: sm.slot.store %{{.+}} with %[[TOTAL]]
// CHECK: sm.ring.commit %[[S]]
// CHECK: sm.role "math" warps(8)
// CHECK: %[[FIRST:.+]] = scf.for {{.*}} -> (tensor<128x64xf32, #{{.+}}>)
// CHECK: sm.ring.wait
// CHECK-NOT: sm.smem.load
// CHECK: sm.mma
// CHECK: sm.ring.release
// CHECK: scf.for {{.*}} iter_args(%{{.+}} = %[[FIRST]]) -> (tensor<128x64xf32, #{{.+}}>)
// CHECK-NOT: sm.reduce
// CHECK: sm.ring.wait %[[SUMS]]
// CHECK: %[[READ:.+]] = sm.smem.load
// CHECK: sm.ring.release
// CHECK: sm.store %[[READ]]
sm.kernel @statistics(%x: !tile.global<[M, 64] x bf16>, %y: !tile.global<[128] x f32, out>, %z: !tile.global<[128, 64] x f32, out>, %n: index) grid() warps(8)
    plan<roles = [load : warps 4 registers 24 elected, transform : warps 8 registers 64, math : warps 8 registers 160],
         rings = [a : slots 3 tma, sums : slots 1 transform], rest = 65536> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : !t
  %none = arith.constant dense<0.0> : !p
  %b = sm.scratch : !b
  %first:2 = scf.for %i = %c0 to %n step %c64 iter_args(%d = %zero, %s = %none) -> (!t, !p) {
    %tile = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) {sm.plan_entry = "a"} : !tile.global<[M, 64] x bf16>, index, index -> !a
    %h = sm.smem.load %tile : !a -> !h
    %f = arith.extf %h : !h to !t
    %part = sm.reduce sum %f axis 1 keep 4 : !t -> !p
    %more = arith.addf %s, %part : !p
    %m = sm.mma %tile, %b, %d : !a, !b, !t
    scf.yield %m, %more : !t, !p
  }
  %sum:2 = scf.for %i = %n to %c128 step %c64 iter_args(%d = %first#0, %s = %first#1) -> (!t, !p) {
    %tile = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) {sm.plan_entry = "a"} : !tile.global<[M, 64] x bf16>, index, index -> !a
    %h = sm.smem.load %tile : !a -> !h
    %f = arith.extf %h : !h to !t
    %part = sm.reduce sum %f axis 1 keep 4 : !t -> !p
    %more = arith.addf %s, %part : !p
    %m = sm.mma %tile, %b, %d : !a, !b, !t
    scf.yield %m, %more : !t, !p
  }
  %total = sm.reduce sum %sum#1 axis 1 : !p -> !v
  %staged = sm.smem.store %total {sm.plan_entry = "sums"} : !v -> !s
  %back = sm.smem.load %staged : !s -> !v
  sm.store %back to %y[%c0] dims [0] limits(%c128) in_bounds [true] : !v, !tile.global<[128] x f32, out>, index
  sm.store %sum#0 to %z[%c0, %c0] dims [0, 1] limits(%c128, %c64) in_bounds [true, true] : !t, !tile.global<[128, 64] x f32, out>, index, index
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!r = !sm.smem<64x64xi8, swizzle = 64>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>

// Only the first loop has something to transform, and only the second one uses what arrives otherwise. Both roles take
// the slots of both, since slots of a ring come one after the other.
// CHECK-LABEL: sm.kernel @two_loops
// CHECK: %[[RING:.+]] = sm.ring.alloc warps : !sm.ring<3 x
// CHECK: sm.role "transform"
// CHECK: scf.for
// CHECK-NEXT: %[[S0:.+]] = sm.ring.wait %[[RING]]
// CHECK: sm.ring.release %[[S0]]
// CHECK: sm.ring.commit
// CHECK: scf.for
// CHECK-NEXT: %[[S1:.+]] = sm.ring.wait %[[RING]]
// CHECK-NEXT: sm.ring.release %[[S1]]
// CHECK-NEXT: }
// CHECK: sm.role "math"
// CHECK: scf.for
// CHECK-NEXT: %[[S2:.+]] = sm.ring.wait %[[RING]]
// CHECK-NEXT: sm.ring.release %[[S2]]
// CHECK: sm.mma
// CHECK: scf.for
// CHECK-NEXT: %[[S3:.+]] = sm.ring.wait %[[RING]]
// CHECK: sm.smem.load
// CHECK-NEXT: sm.ring.release %[[S3]]
sm.kernel @two_loops(%x: !tile.global<[N, 64] x i8>, %y: !tile.global<[N, 64] x i8, out>, %n: index) grid() warps(8)
    plan<roles = [load : warps 4 registers 24 elected, transform : warps 4 registers 88, math : warps 8 registers 200],
         rings = [r : slots 3 tma, w : slots 2 transform], rest = 65536> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %a = sm.scratch : !a
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero) -> (!t) {
    %tile = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "r"} : !tile.global<[N, 64] x i8>, index, index -> !r
    %w = sm.smem.load %tile : !r -> !w
    %f = arith.sitofp %w : !w to !h
    %b = sm.smem.store %f {sm.plan_entry = "w"} : !h -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p : !t
  }
  scf.for %i = %c0 to %n step %c64 {
    %tile = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "r"} : !tile.global<[N, 64] x i8>, index, index -> !r
    %w = sm.smem.load %tile : !r -> !w
    sm.store %w to %y[%i, %c0] dims [0, 1] limits(%N, %c64) : !w, !tile.global<[N, 64] x i8, out>, index, index
  }
}

// -----

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#wide = #sm.layout<"64x64 = register[16*(0,1) 2*(32,0)] lane[4*(0,16) 8*(1,0)] warp[4*(8,0)]">
!t = tensor<64x64xf32, #acc>
!w = tensor<64x64xi8, #wide>
!h = tensor<64x64xbf16, #wide>
!b = !sm.smem<64x64xbf16, swizzle = 128>

// Roles in turn take the ring of what is transformed in turn, too. The role that transforms does so for both.
// CHECK-LABEL: sm.kernel @turns
// CHECK: %[[P:.+]] = sm.ring.alloc
// CHECK: %[[X:.+]] = sm.ring.alloc
// CHECK: %[[W:.+]] = sm.ring.alloc warps
// CHECK: sm.role "transform" warps(4)
// CHECK: scf.for %{{.+}} = %[[FIRST:.+]] to %{{.+}} step %[[CTAS:.+]] {
// CHECK: sm.ring.wait %[[W]]
// CHECK: sm.ring.acquire %[[P]]
// CHECK: sm.role "math0" warps(4)
// CHECK: sm.ring.take %[[X]], %[[P]]
// CHECK: sm.ring.pass %[[X]], %[[P]]
// CHECK: sm.role "math1" warps(4)
// CHECK: %[[SECOND:.+]] = arith.addi %[[FIRST]], %[[CTAS]]
// CHECK: scf.for %{{.+}} = %[[SECOND]]
// CHECK: sm.ring.take %[[X]], %[[P]]
sm.kernel @turns(%x: !tile.global<[M, K] x bf16>, %w: !tile.global<[N, K] x i8>, %y: !tile.global<[M, 64] x f32, out>) grid(m in tiles(M, 64)) warps(4) persistent
    plan<roles = [load : warps 4 registers 24 elected, transform : warps 4 registers 88, math : warps 4 registers 200 turns 2],
         rings = [x : slots 2 tma, w : slots 2 tma, p : slots 2 transform], rest = 65536> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %N = tile.size N
  %K = tile.size K
  %all = tile.size M ceildiv 64
  %first = sm.program_id
  %ctas = sm.cta_count
  scf.for %p = %first to %all step %ctas {
    %m = arith.muli %p, %c64 : index
    %zero = arith.constant dense<0.0> : !t
    %r = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (!t) {
      %a = sm.fetch %x[%m, %k] dims [0, 1] limits(%M, %K) {sm.plan_entry = "x"} : !tile.global<[M, K] x bf16>, index, index -> !b
      %q = sm.load %w[%c0, %k] dims [0, 1] limits(%N, %K) {sm.plan_entry = "w"} : !tile.global<[N, K] x i8>, index, index -> !w
      %f = arith.sitofp %q : !w to !h
      %b = sm.smem.store %f {sm.plan_entry = "p"} : !h -> !b
      %d = sm.mma %a, %b, %sum transpose_b : !b, !b, !t
      scf.yield %d : !t
    }
    sm.store %r to %y[%m, %c0] dims [0, 1] limits(%M, %c64) : !t, !tile.global<[M, 64] x f32, out>, index, index
  }
}
