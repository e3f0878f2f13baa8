// RUN: tile-opt %s --sm-unroll-loops --split-input-file | FileCheck %s

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// The product of an iteration is issued while the one before is in use: each of two takes the place of
// the other one. A last iteration stands alone if their number is odd.

// CHECK-LABEL: sm.kernel @alternates
// CHECK: %[[FIRST:.*]] = sm.mma.await
// CHECK: %[[PAIRS:.*]] = arith.divui %{{.*}}, %[[STEP:.*]] : index
// CHECK: %[[LENGTH:.*]] = arith.muli %[[PAIRS]], %[[STEP]]
// CHECK: %[[MIDDLE:.*]] = arith.addi %[[LENGTH]], %c64
// CHECK: %[[L:.*]]:2 = scf.for {{.*}} = %c64 to %[[MIDDLE]] step %[[STEP]] iter_args(%[[SUM:.*]] = %{{.*}}, %[[BEFORE:.*]] = %[[FIRST]])
// CHECK:   %[[P:.*]] = sm.mma.issue
// CHECK-NEXT: %[[NEXT:.*]] = math.fma %{{.*}}, %[[BEFORE]], %[[SUM]]
// CHECK-NEXT: %[[EVEN:.*]] = sm.mma.await %[[P]]
// CHECK-NEXT: %[[Q:.*]] = sm.mma.issue
// CHECK-NEXT: %[[LAST:.*]] = math.fma %{{.*}}, %[[EVEN]], %[[NEXT]]
// CHECK-NEXT: %[[ODD:.*]] = sm.mma.await %[[Q]]
// CHECK-NEXT: scf.yield %[[LAST]], %[[ODD]]
// CHECK: %[[IS_ODD:.*]] = arith.cmpi slt, %[[MIDDLE]], %n : index
// CHECK: scf.if %[[IS_ODD]]
// CHECK-NEXT: %[[R:.*]] = sm.mma.issue
// CHECK-NEXT: %[[ALONE:.*]] = math.fma %{{.*}}, %[[L]]#1, %[[L]]#0
// CHECK-NEXT: %[[LAST_PRODUCT:.*]] = sm.mma.await %[[R]]
// CHECK-NEXT: scf.yield %[[ALONE]], %[[LAST_PRODUCT]]
// CHECK:   else
// CHECK-NEXT: scf.yield %[[L]]#0, %[[L]]#1
sm.kernel @alternates(%n: index, %factor: f32) grid() warps(4) form(fenced) shared(10240) {
  %c64 = arith.constant 64 : index
  %a = sm.scratch at 0 : !a
  %b = sm.scratch at 8192 : !b
  %zero = arith.constant dense<0.0> : !t
  %scale = tensor.splat %factor : !t
  %issued = sm.mma.issue %a, %b, %zero : !a, !b, !t
  %first = sm.mma.await %issued : !sm.pending<!t>
  %sums:2 = scf.for %i = %c64 to %n step %c64 iter_args(%sum = %zero, %before = %first) -> (!t, !t) {
    %pending = sm.mma.issue %a, %b, %zero : !a, !b, !t
    %added = math.fma %scale, %before, %sum : !t
    %product = sm.mma.await %pending : !sm.pending<!t>
    scf.yield %added, %product : !t, !t
  }
}

// -----

// Where the product before is no longer needed when the next one is issued, both have one place.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x16xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// CHECK-LABEL: sm.kernel @one_place
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK-NOT: scf.if
sm.kernel @one_place(%n: index, %factor: f32) grid() warps(4) form(fenced) shared(10240) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = sm.scratch at 0 : !a
  %b = sm.scratch at 8192 : !b
  %zero = arith.constant dense<0.0> : !t
  %scale = tensor.splat %factor : !t
  %sums:2 = scf.for %i = %c0 to %n step %c64 iter_args(%sum = %zero, %before = %zero) -> (!t, !t) {
    %added = math.fma %scale, %before, %sum : !t
    %pending = sm.mma.issue %a, %b, %zero : !a, !b, !t
    %product = sm.mma.await %pending : !sm.pending<!t>
    scf.yield %added, %product : !t, !t
  }
}

// -----

// A role that fills slots for short products: the loads of two iterations come first, with what they need,
// and the rest of each iteration after the rest of the one before.

#row = #sm.layout<"64 = register[2*(32)] lane[32*(1)]">
#rows = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!r = tensor<64xf32, #row>
!f = !sm.smem<64xf32>
!t = tensor<64x16xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// CHECK-LABEL: sm.kernel @loads
// CHECK: sm.role "math"
// CHECK: scf.for
// CHECK-COUNT-1: sm.mma.issue
// CHECK: sm.role "fetch"
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[STAGE:.*]] = %{{.*}})
// CHECK-NEXT: %[[J:.*]] = arith.addi %[[I]], %c64
// CHECK-NEXT: %[[X:.*]] = sm.load %x[%[[I]]]
// CHECK-NEXT: %[[Y:.*]] = sm.load %x[%[[J]]]
// CHECK: math.exp2 %[[X]]
// CHECK: sm.slot.store
// CHECK: sm.mbarrier.arrive %{{.*}}[%[[STAGE]]]
// CHECK: %[[NEXT:.*]] = arith.xori %[[STAGE]]
// CHECK: math.exp2 %[[Y]]
// CHECK: sm.slot.store
// CHECK: sm.mbarrier.arrive %{{.*}}[%[[NEXT]]]
// CHECK: scf.if
// CHECK: sm.load
// CHECK: sm.slot.store
sm.kernel @loads(%x: !tile.global<[M] x f32>, %n: index) grid() warps(5) form(fenced) shared(20480) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %zero32 = arith.constant 0 : i32
  %one32 = arith.constant 1 : i32
  %stages = sm.slots.alloc at 10240 : !sm.slots<2 x !f>
  %full = sm.mbarrier.alloc arrivals(1) at 12000 : !sm.mbarrier<2>
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch at 0 : !a
    %b = sm.scratch at 8192 : !b
    %zero = arith.constant dense<0.0> : !t
    scf.for %i = %c0 to %n step %c64 {
      %pending = sm.mma.issue %a, %b, %zero : !a, !b, !t
      %slot = sm.slots.at %stages[%zero32] : !sm.slots<2 x !f>
      %v = sm.smem.load %slot : !f -> tensor<64xf32, #rows>
      %product = sm.mma.await %pending : !sm.pending<!t>
    }
  }
  sm.role "fetch" warps(1) registers(32) {
    %end = scf.for %i = %c0 to %n step %c64 iter_args(%stage = %zero32) -> (i32) {
      %row = sm.load %x[%i] dims [0] limits(%M) : !tile.global<[M] x f32>, index -> !r
      %e = math.exp2 %row : !r
      %slot = sm.slots.at %stages[%stage] : !sm.slots<2 x !f>
      sm.slot.store %slot with %e : !f, !r
      sm.mbarrier.arrive %full[%stage] warps : !sm.mbarrier<2>
      %next = arith.xori %stage, %one32 : i32
      scf.yield %next : i32
    }
  }
}

// -----

// Not where the product takes longer than a load, as one of 128 x 128 x 128 does, nor beside several products,
// between which other work is done.

#row = #sm.layout<"64 = register[2*(32)] lane[32*(1)]">
#acc = #sm.layout<"128x128 = register[2*(0,1) 2*(8,0) 16*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#small = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!r = tensor<64xf32, #row>
!f = !sm.smem<64xf32>
!t = tensor<128x128xf32, #acc>
!a = !sm.smem<128x128xbf16, swizzle = 128>
!u = tensor<64x16xf32, #small>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!c = !sm.smem<64x16xbf16, swizzle = 32>

// CHECK-LABEL: sm.kernel @long_product
// CHECK: sm.role "fetch"
// CHECK-COUNT-1: sm.load
// CHECK-NOT: sm.load
sm.kernel @long_product(%x: !tile.global<[M] x f32>, %n: index) grid() warps(9) form(fenced) shared(81920) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %zero32 = arith.constant 0 : i32
  %stages = sm.slots.alloc at 65536 : !sm.slots<2 x !f>
  sm.role "math" warps(8) registers(232) {
    %a = sm.scratch at 0 : !a
    %b = sm.scratch at 32768 : !a
    %zero = arith.constant dense<0.0> : !t
    scf.for %i = %c0 to %n step %c64 {
      %pending = sm.mma.issue %a, %b, %zero : !a, !a, !t
      %slot = sm.slots.at %stages[%zero32] : !sm.slots<2 x !f>
      %product = sm.mma.await %pending : !sm.pending<!t>
    }
  }
  sm.role "fetch" warps(1) registers(32) {
    scf.for %i = %c0 to %n step %c64 {
      %row = sm.load %x[%i] dims [0] limits(%M) : !tile.global<[M] x f32>, index -> !r
      %slot = sm.slots.at %stages[%zero32] : !sm.slots<2 x !f>
      sm.slot.store %slot with %row : !f, !r
    }
  }
}

// CHECK-LABEL: sm.kernel @several_products
// CHECK: sm.role "fetch"
// CHECK-COUNT-1: sm.load
// CHECK-NOT: sm.load
sm.kernel @several_products(%x: !tile.global<[M] x f32>, %n: index) grid() warps(5) form(fenced) shared(20480) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %zero32 = arith.constant 0 : i32
  %stages = sm.slots.alloc at 10240 : !sm.slots<2 x !f>
  sm.role "math" warps(4) registers(128) {
    %b = sm.scratch at 0 : !b
    %c = sm.scratch at 8192 : !c
    %zero = arith.constant dense<0.0> : !u
    scf.for %i = %c0 to %n step %c64 {
      %pending = sm.mma.issue %b, %c, %zero : !b, !c, !u
      %slot = sm.slots.at %stages[%zero32] : !sm.slots<2 x !f>
      %product = sm.mma.await %pending : !sm.pending<!u>
      %again = sm.mma.issue %b, %c, %product : !b, !c, !u
      %sum = sm.mma.await %again : !sm.pending<!u>
    }
  }
  sm.role "fetch" warps(1) registers(32) {
    scf.for %i = %c0 to %n step %c64 {
      %row = sm.load %x[%i] dims [0] limits(%M) : !tile.global<[M] x f32>, index -> !r
      %slot = sm.slots.at %stages[%zero32] : !sm.slots<2 x !f>
      sm.slot.store %slot with %row : !f, !r
    }
  }
}

// -----

// Not without registers for both, nor from a tensor that the kernel writes.

#wide = #sm.layout<"512 = register[16*(32)] lane[32*(1)]">
#row = #sm.layout<"64 = register[2*(32)] lane[32*(1)]">
#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!w = tensor<512xf32, #wide>
!r = tensor<64xf32, #row>
!f = !sm.smem<512xf32>
!g = !sm.smem<64xf32>
!t = tensor<64x16xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// CHECK-LABEL: sm.kernel @refused
// CHECK: sm.role "fetch"
// CHECK: scf.for
// CHECK: sm.load
// CHECK-NEXT: sm.slots.at
// CHECK: scf.for
// CHECK: sm.load
// CHECK-NEXT: sm.slots.at
// CHECK-NOT: sm.load
sm.kernel @refused(%x: !tile.global<[M] x f32>, %y: !tile.global<[M] x f32, inout>, %n: index) grid() warps(5) form(fenced) shared(20480) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %zero32 = arith.constant 0 : i32
  %wide = sm.slots.alloc at 10240 : !sm.slots<2 x !f>
  %narrow = sm.slots.alloc at 16384 : !sm.slots<2 x !g>
  sm.role "math" warps(4) registers(128) {
    %a = sm.scratch at 0 : !a
    %b = sm.scratch at 8192 : !b
    %zero = arith.constant dense<0.0> : !t
    scf.for %i = %c0 to %n step %c64 {
      %pending = sm.mma.issue %a, %b, %zero : !a, !b, !t
      %one = sm.slots.at %wide[%zero32] : !sm.slots<2 x !f>
      %two = sm.slots.at %narrow[%zero32] : !sm.slots<2 x !g>
      %product = sm.mma.await %pending : !sm.pending<!t>
    }
  }
  sm.role "fetch" warps(1) registers(24) {
    scf.for %i = %c0 to %n step %c64 {
      %row = sm.load %x[%i] dims [0] limits(%M) : !tile.global<[M] x f32>, index -> !w
      %slot = sm.slots.at %wide[%zero32] : !sm.slots<2 x !f>
      sm.slot.store %slot with %row : !f, !w
    }
    scf.for %i = %c0 to %n step %c64 {
      %row = sm.load %y[%i] dims [0] limits(%M) : !tile.global<[M] x f32, inout>, index -> !r
      %slot = sm.slots.at %narrow[%zero32] : !sm.slots<2 x !g>
      sm.slot.store %slot with %row : !g, !r
    }
  }
}
