// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#fragment = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 2*(0,8) 4*(0,16)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
#column = #sm.layout<"64x1 = register[2*(8,0)] lane[4*(0,0) 8*(1,0)] warp[4*(16,0)]">
#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#vector = #sm.layout<"128 = register[4*(1)] lane[32*(4)] warp[4*(0)]">
#tile = #sm.layout<"4x128 = register[4*(0,1)] lane[32*(0,4)] warp[4*(1,0)]">
#turned = #sm.layout<"128x4 = register[4*(1,0)] lane[32*(4,0)] warp[4*(0,1)]">

!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// A printed layout has a name, and each of them one.
// CHECK-DAG: #[[ACC:layout[0-9]*]] = #sm.layout<"64x16 = {{.*}}">
// CHECK-DAG: #[[ROW:layout[0-9]*]] = #sm.layout<"64 = {{.*}}">

// Names of parameters and axes are part of the kernel.
// CHECK-LABEL: sm.kernel @everything(%x: !tile.global<[M, N] x bf16>, %by: f32, %out: !tile.global<[M] x f32, out>)
// CHECK-SAME:      grid(m in tiles(M, 64), n in tiles(N, 128), b in 4) warps(12) persistent form(scheduled) shared(2048)
// CHECK-SAME:      schedule<warpgroups = 2, stages = 4> attributes {note = 1 : i64} {
sm.kernel @everything(%x: !tile.global<[M, N] x bf16>, %by: f32, %out: !tile.global<[M] x f32, out>)
    grid(m in tiles(M, 64), n in tiles(N, 128), b in 4) warps(12) persistent form(scheduled)
    shared(2048) schedule<warpgroups = 2, stages = 4> attributes {note = 1 : i64} {
  // CHECK: sm.program_id
  %p = sm.program_id
  // CHECK: sm.cta_count
  %c = sm.cta_count
  // CHECK: sm.barrier
  sm.barrier
  // CHECK: sm.role "load" warps(4) registers(40) elected {
  sm.role "load" warps(4) registers(40) elected {
  }
  // CHECK: sm.role "math" warps(8) registers(232) attributes {note} {
  sm.role "math" warps(8) registers(232) attributes {note} {
  }
}

// Numbered arguments get names from their positions; a planned form is not said.
// CHECK-LABEL: sm.kernel @numbered(%arg0: f32, %arg1: index) grid() warps(1) {
sm.kernel @numbered(%0: f32, %1: index) grid() warps(1) form(planned) {
  // CHECK-NEXT: }
  sm.return
}

// CHECK-LABEL: sm.kernel @memory
sm.kernel @memory(%x: !tile.global<[M, N] x bf16, inout>, %y: !tile.global<[M, N] x f32, inout>,
                  %i: index, %c: i1) grid() warps(4) {
  %M = tile.size M
  %N = tile.size N
  %g = sm.indices %i : tensor<128xi32, #line>
  // CHECK: sm.load %y[%i, %i] dims [0, 1] limits(%M, %N) mask(%c) fill(1.000000e+00 : f32) in_bounds [true, false] : !tile.global<[M, N] x f32, inout>, index, index -> tensor<4x128xf32, #{{.*}}>
  %t = sm.load %y[%i, %i] dims [0, 1] limits(%M, %N) mask(%c) fill(1.0 : f32) in_bounds [true, false] : !tile.global<[M, N] x f32, inout>, index, index -> tensor<4x128xf32, #tile>
  // CHECK: sm.load %y[%i, %{{.*}}] dims [1] limits(%N) : !tile.global<[M, N] x f32, inout>, index, tensor<128xi32, #{{.*}}> -> tensor<128xf32, #{{.*}}>
  %w = sm.load %y[%i, %g] dims [1] limits(%N) : !tile.global<[M, N] x f32, inout>, index, tensor<128xi32, #line> -> tensor<128xf32, #line>
  // CHECK: sm.load %y[%{{.*}}, %{{.*}}] dims [0, 1] axes [0, 0] limits(%M, %N) : !tile.global<[M, N] x f32, inout>, tensor<128xi32, #{{.*}}>, tensor<128xi32, #{{.*}}> -> tensor<128xf32, #{{.*}}>
  %p = sm.load %y[%g, %g] dims [0, 1] axes [0, 0] limits(%M, %N) : !tile.global<[M, N] x f32, inout>, tensor<128xi32, #line>, tensor<128xi32, #line> -> tensor<128xf32, #line>
  // CHECK: sm.store %{{.*}} to %y[%{{.*}}, %{{.*}}] dims [0, 1] axes [0, 0] limits(%M, %N)
  sm.store %p to %y[%g, %g] dims [0, 1] axes [0, 0] limits(%M, %N) : tensor<128xf32, #line>, !tile.global<[M, N] x f32, inout>, tensor<128xi32, #line>, tensor<128xi32, #line>
  // CHECK: sm.load %y[%i, %i] dims [] : !tile.global<[M, N] x f32, inout>, index, index -> f32
  %s = sm.load %y[%i, %i] dims [] : !tile.global<[M, N] x f32, inout>, index, index -> f32
  // CHECK: sm.store %{{.*}} to %y[%i, %i] dims [0, 1] limits(%M, %N) mask(%c) in_bounds [true, true] : tensor<4x128xf32, #{{.*}}>, !tile.global<[M, N] x f32, inout>, index, index
  sm.store %t to %y[%i, %i] dims [0, 1] limits(%M, %N) mask(%c) in_bounds [true, true] : tensor<4x128xf32, #tile>, !tile.global<[M, N] x f32, inout>, index, index
  // CHECK: sm.atomic add %{{.*}} to %y[%i, %i] dims [] : f32, !tile.global<[M, N] x f32, inout>, index, index
  sm.atomic add %s to %y[%i, %i] dims [] : f32, !tile.global<[M, N] x f32, inout>, index, index
  // CHECK: %[[OLD:.*]] = sm.atomic exchange %{{.*}} to %y[%i, %i] dims [0, 1] limits(%M, %N) : tensor<4x128xf32, #{{.*}}>, !tile.global<[M, N] x f32, inout>, index, index -> tensor<4x128xf32, #{{.*}}>
  %old = sm.atomic exchange %t to %y[%i, %i] dims [0, 1] limits(%M, %N) : tensor<4x128xf32, #tile>, !tile.global<[M, N] x f32, inout>, index, index -> tensor<4x128xf32, #tile>
  // CHECK: sm.convert %[[OLD]] share : tensor<4x128xf32, #{{.*}}> -> tensor<4x128xf32, #{{.*}}>
  %shared = sm.convert %old share : tensor<4x128xf32, #tile> -> tensor<4x128xf32, #tile>
  // CHECK: sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %N) at 1024 : !tile.global<[M, N] x bf16, inout>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
  %f = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %N) at 1024 : !tile.global<[M, N] x bf16, inout>, index, index -> !a
  // CHECK: sm.copy.store %{{.*}} to %x[%i, %i] dims [0, 1] limits(%M, %N) : !sm.smem<64x64xbf16, swizzle = 128>, !tile.global<[M, N] x bf16, inout>, index, index
  sm.copy.store %f to %x[%i, %i] dims [0, 1] limits(%M, %N) : !a, !tile.global<[M, N] x bf16, inout>, index, index
  // CHECK: sm.scratch at 256 : !sm.smem<64x16xbf16, swizzle = 32>
  %b = sm.scratch at 256 : !b
  // CHECK: sm.smem.load %{{.*}} : !sm.smem<64x16xbf16, swizzle = 32> -> tensor<64x16xbf16, #[[ACC]]>
  %r = sm.smem.load %b : !b -> tensor<64x16xbf16, #acc>
  %n = arith.constant dense<1> : tensor<128xi64, #line>
  %places = arith.constant dense<1> : tensor<128xi32, #line>
  %table = sm.scratch : !sm.smem<64xi64>
  // CHECK: sm.smem.atomic umax %{{.*}} to %{{.*}}[%{{.*}}] : tensor<128xi64, #{{.*}}>, !sm.smem<64xi64>, tensor<128xi32, #{{.*}}>
  sm.smem.atomic umax %n to %table[%places] : tensor<128xi64, #line>, !sm.smem<64xi64>, tensor<128xi32, #line>
  // CHECK: sm.smem.store %{{.*}} at 0 : tensor<64x16xbf16, #[[ACC]]> -> !sm.smem<64x16xbf16>
  %q = sm.smem.store %r at 0 : tensor<64x16xbf16, #acc> -> !sm.smem<64x16xbf16>
}

// CHECK-LABEL: sm.kernel @clip
sm.kernel @clip(%i: index) grid() warps(8) {
  %s = sm.scratch : !sm.smem<64x16xbf16>
  sm.role "load" warps(4) elected {
    // CHECK: sm.clip %{{.*}} axis 0 from %i : !sm.smem<64x16xbf16>
    sm.clip %s axis 0 from %i : !sm.smem<64x16xbf16>
  }
  sm.role "math" warps(4) {
  }
}

// CHECK-LABEL: sm.kernel @tiles
sm.kernel @tiles(%i: index) grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  // CHECK: sm.indices %i : tensor<128xi32, #{{.*}}>
  %g = sm.indices %i : tensor<128xi32, #line>
  // CHECK: sm.reduce max %{{.*}} axis 1 : tensor<64x16xf32, #[[ACC]]> -> tensor<64xf32, #[[ROW]]>
  %m = sm.reduce max %z axis 1 : tensor<64x16xf32, #acc> -> tensor<64xf32, #row>
  // CHECK: sm.reduce sum %{{.*}} axis 1 keep 16 : tensor<64x16xf32, #[[ACC]]> -> tensor<64x16xf32, #[[ACC]]>
  %k = sm.reduce sum %z axis 1 keep 16 : tensor<64x16xf32, #acc> -> tensor<64x16xf32, #acc>
  // CHECK: sm.scan sum %{{.*}} axis 0 reverse : tensor<128xi32, #{{.*}}>
  %s = sm.scan sum %g axis 0 reverse : tensor<128xi32, #line>
  // CHECK: sm.reduce_with %{{.*}}, %{{.*}} axis 1 : (tensor<64x16xf32, #[[ACC]]>, tensor<64x16xf32, #[[ACC]]>) -> (tensor<64xf32, #[[ROW]]>, tensor<64xf32, #[[ROW]]>) {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[X:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
  // CHECK-NEXT: tile.yield %[[A]], %[[X]] : f32, f32
  %w:2 = sm.reduce_with %z, %k axis 1 : (tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc>) -> (tensor<64xf32, #row>, tensor<64xf32, #row>) {
  ^bb0(%a: f32, %x: f32, %b: f32, %y: f32):
    tile.yield %a, %x : f32, f32
  }
  // CHECK: sm.scan_with %{{.*}} axis 0 reverse : (tensor<128xi32, #{{.*}}>) -> tensor<128xi32, #{{.*}}> {
  %runs = sm.scan_with %g axis 0 reverse : (tensor<128xi32, #line>) -> tensor<128xi32, #line> {
  ^bb0(%a: i32, %b: i32):
    tile.yield %b : i32
  }
  // CHECK: sm.expand_dims %{{.*}} axis 1 : tensor<64xf32, #[[ROW]]> -> tensor<64x1xf32, #{{.*}}>
  %e = sm.expand_dims %m axis 1 : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
  // CHECK: sm.broadcast %{{.*}} : tensor<64x1xf32, #{{.*}}> -> tensor<64x16xf32, #[[ACC]]>
  %b = sm.broadcast %e : tensor<64x1xf32, #column> -> tensor<64x16xf32, #acc>
  %t = arith.constant dense<0.0> : tensor<4x128xf32, #tile>
  // CHECK: sm.transpose %{{.*}} : tensor<4x128xf32, #{{.*}}> -> tensor<128x4xf32, #{{.*}}>
  %u = sm.transpose %t : tensor<4x128xf32, #tile> -> tensor<128x4xf32, #turned>
  // CHECK: sm.convert %{{.*}} : tensor<128xi32, #{{.*}}> -> tensor<128xi32, #{{.*}}>
  %v = sm.convert %s : tensor<128xi32, #line> -> tensor<128xi32, #vector>
  %o = arith.constant dense<true> : tensor<128xi1, #line>
  // CHECK: sm.any %{{.*}} : tensor<128xi1, #{{.*}}>
  %y = sm.any %o : tensor<128xi1, #line>
}

// CHECK-LABEL: sm.kernel @products
sm.kernel @products() grid() warps(4) {
  %a = sm.scratch : !a
  %b = sm.scratch : !b
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %f = arith.constant dense<0.0> : tensor<64x64xbf16, #fragment>
  // CHECK: sm.mma %{{.*}}, %{{.*}}, %{{.*}} transpose_a : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #[[ACC]]>
  %0 = sm.mma %a, %b, %z transpose_a : !a, !b, tensor<64x16xf32, #acc>
  // CHECK: %[[P:.*]] = sm.mma.issue %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x64xbf16, #{{.*}}>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #[[ACC]]>
  %1 = sm.mma.issue %f, %b, %z : tensor<64x64xbf16, #fragment>, !b, tensor<64x16xf32, #acc>
  // CHECK: %[[Q:.*]] = sm.mma.issue %{{.*}}, %{{.*}}, %[[P]] : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, !sm.pending<tensor<64x16xf32, #[[ACC]]>>
  %2 = sm.mma.issue %a, %b, %1 : !a, !b, !sm.pending<tensor<64x16xf32, #acc>>
  // CHECK: sm.mma.retire leave 1
  sm.mma.retire leave 1
  // CHECK: sm.mma.await %[[Q]] : !sm.pending<tensor<64x16xf32, #[[ACC]]>>
  %3 = sm.mma.await %2 : !sm.pending<tensor<64x16xf32, #acc>>
  %4 = sm.mma.issue %a, %b, %3 : !a, !b, tensor<64x16xf32, #acc>
  // CHECK: sm.mma.await %{{.*}} leave 2 : !sm.pending<tensor<64x16xf32, #[[ACC]]>>
  %5 = sm.mma.await %4 leave 2 : !sm.pending<tensor<64x16xf32, #acc>>
  %c = sm.scratch : !sm.smem<16x64xf32>
  // CHECK: sm.dot %{{.*}}, %{{.*}}, %{{.*}} transpose_a transpose_b : !sm.smem<16x64xf32>, !sm.smem<16x16xf32>, tensor<64x16xf32, #[[ACC]]>
  %d = sm.scratch : !sm.smem<16x16xf32>
  %6 = sm.dot %c, %d, %5 transpose_a transpose_b : !sm.smem<16x64xf32>, !sm.smem<16x16xf32>, tensor<64x16xf32, #acc>
}

// A pending tile and a slot are carried by loops as anything else.
// CHECK-LABEL: sm.kernel @rings
sm.kernel @rings(%x: !tile.global<[M, N] x bf16>, %n: index) grid() warps(9) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[R:.*]] = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>]>
  %r = sm.ring.alloc : !sm.ring<4 x [!a, !b]>
  sm.role "math" warps(8) {
    sm.pingpong.start
    // CHECK: %[[S:.*]] = sm.ring.wait %[[R]] : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>]>
    %s = sm.ring.wait %r : !sm.ring<4 x [!a, !b]>
    // CHECK: scf.for {{.*}} iter_args(%[[OLD:.*]] = %[[S]]) -> (!sm.slot<[!sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>]>)
    %l = scf.for %k = %c0 to %n step %c1 iter_args(%old = %s) -> (!sm.slot<[!a, !b]>) {
      %new = sm.ring.wait %r : !sm.ring<4 x [!a, !b]>
      // CHECK: sm.pingpong.wait
      sm.pingpong.wait
      // CHECK: sm.pingpong.pass
      sm.pingpong.pass
      // CHECK: sm.ring.release %[[OLD]] : !sm.slot<[!sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>]>
      sm.ring.release %old : !sm.slot<[!a, !b]>
      scf.yield %new : !sm.slot<[!a, !b]>
    }
    sm.ring.release %l : !sm.slot<[!a, !b]>
  }
  sm.role "load" warps(1) elected {
    %N = tile.size N
    // CHECK: %[[T:.*]] = sm.ring.acquire %[[R]]
    %s = sm.ring.acquire %r : !sm.ring<4 x [!a, !b]>
    // CHECK: %[[TILE:.*]] = sm.slot.tile %[[T]][1] : !sm.slot<[!sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>]>
    %t = sm.slot.tile %s[1] : !sm.slot<[!a, !b]>
    // CHECK: sm.copy.start %x[%n, %n] dims [0, 1] limits(%{{.*}}, %{{.*}}) in_bounds [true, false] into %[[TILE]] : !tile.global<[M, N] x bf16>, index, index, !sm.smem<64x16xbf16, swizzle = 32>
    sm.copy.start %x[%n, %n] dims [0, 1] limits(%N, %N) in_bounds [true, false] into %t : !tile.global<[M, N] x bf16>, index, index, !b
    // CHECK: sm.ring.commit %[[T]]
    sm.ring.commit %s : !sm.slot<[!a, !b]>
  }
}

// CHECK-LABEL: sm.kernel @machine
sm.kernel @machine(%x: !tile.global<[M, N] x bf16>, %n: index, %i: i32) grid() warps(1) form(expanded) shared(40960) {
  // CHECK: %[[STAGES:.*]] = sm.slots.alloc ring(3) at 1024 : !sm.slots<4 x !sm.smem<64x64xbf16, swizzle = 128>>
  %s = sm.slots.alloc ring(3) at 1024 : !sm.slots<4 x !a>
  // CHECK: %[[FULL:.*]] = sm.mbarrier.alloc arrivals(2) ring(3) full at 8 : !sm.mbarrier<4>
  %full = sm.mbarrier.alloc arrivals(2) ring(3) full at 8 : !sm.mbarrier<4>
  // CHECK: %[[AT:.*]] = sm.slots.at %[[STAGES]][%i] : !sm.slots<4 x !sm.smem<64x64xbf16, swizzle = 128>>
  %t = sm.slots.at %s[%i] : !sm.slots<4 x !a>
  // CHECK: sm.mbarrier.alloc arrivals(1) ring(3) empty : !sm.mbarrier<4>
  %empty = sm.mbarrier.alloc arrivals(1) ring(3) empty : !sm.mbarrier<4>
  // CHECK: sm.slot_after %i by 3 of 4
  %after = sm.slot_after %i by 3 of 4
  sm.role "load" warps(1) elected {
    // CHECK: sm.mbarrier.wait %[[FULL]][%i] parity %i : !sm.mbarrier<4>
    sm.mbarrier.wait %full[%i] parity %i : !sm.mbarrier<4>
    // CHECK: sm.mbarrier.expect %[[FULL]][%i] bytes 8192 : !sm.mbarrier<4>
    sm.mbarrier.expect %full[%i] bytes 8192 : !sm.mbarrier<4>
    // CHECK: sm.tma.load %x[%n, %n] dims [0, 1] limits(%n, %n) into %[[AT]] signal %[[FULL]][%i] : !tile.global<[M, N] x bf16>, index, index, !sm.smem<64x64xbf16, swizzle = 128>, !sm.mbarrier<4>
    sm.tma.load %x[%n, %n] dims [0, 1] limits(%n, %n) into %t signal %full[%i] : !tile.global<[M, N] x bf16>, index, index, !a, !sm.mbarrier<4>
    // CHECK: sm.mbarrier.arrive %[[FULL]][%i] : !sm.mbarrier<4>
    sm.mbarrier.arrive %full[%i] : !sm.mbarrier<4>
  }
}

// Partial results lie where lanes repeat every `keep` elements.
// CHECK-LABEL: sm.kernel @kept_by_lanes
// CHECK: sm.reduce sum %{{.*}} axis 1 keep 4 : tensor<4x64xf32, #{{.*}}> -> tensor<4x4xf32, #{{.*}}>
#lanes = #sm.layout<"4x64 = register[2*(0,32)] lane[32*(0,1)] warp[4*(1,0)]">
#four = #sm.layout<"4x4 = lane[4*(0,1) 8*(0,0)] warp[4*(1,0)]">
sm.kernel @kept_by_lanes(%x: !tile.global<[4, 64] x f32>, %y: !tile.global<[4, 4] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%c4, %c64) : !tile.global<[4, 64] x f32>, index, index -> tensor<4x64xf32, #lanes>
  %r = sm.reduce sum %t axis 1 keep 4 : tensor<4x64xf32, #lanes> -> tensor<4x4xf32, #four>
  sm.store %r to %y[%c0, %c0] dims [0, 1] limits(%c4, %c4) : tensor<4x4xf32, #four>, !tile.global<[4, 4] x f32, out>, index, index
}

// CHECK-LABEL: sm.kernel @grid_barrier
sm.kernel @grid_barrier() grid() warps(4) {
  // CHECK: sm.barrier grid
  sm.barrier grid
}
