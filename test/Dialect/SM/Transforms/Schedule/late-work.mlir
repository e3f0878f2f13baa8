// RUN: tile-opt %s --sm-schedule-loops --split-input-file | FileCheck %s
// RUN: tile-opt %s --sm-schedule-loops --sm-apply-schedule --split-input-file | FileCheck %s --check-prefix=PLACED

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
#column = #sm.layout<"64x1 = register[2*(8,0)] lane[4*(0,0) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x64xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!f = !sm.smem<64xf32>

// Threads scale and add the product of an iteration beside that of the next one. The row of scales is read in
// its own iteration, and products are complete at the end of theirs.

// CHECK-LABEL: sm.kernel @scaled
// CHECK: %[[ROW:.*]] = sm.smem.load {{.*}} {sm.schedule = #sm.schedule<0, {{[0-9]+}}>}
// CHECK: sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 3>}
// CHECK: %[[PRODUCT:.*]] = sm.mma.await {{.*}} {sm.schedule = #sm.schedule<0, 11>}
// CHECK: sm.expand_dims %[[ROW]] axis 1 {sm.schedule = #sm.schedule<1, {{[0-9]+}}>}
// CHECK: math.fma %{{.*}}, %[[PRODUCT]], %{{.*}} {sm.schedule = #sm.schedule<1, 10>}

// PLACED-LABEL: sm.kernel @scaled
// PLACED: scf.if
// PLACED: %[[P:.*]] = sm.mma.issue
// PLACED: %[[FIRST:.*]] = sm.mma.await %[[P]]
// PLACED: scf.for {{.*}}%[[BEFORE:[a-z0-9]+]] = %[[FIRST]]
// PLACED:   %[[Q:.*]] = sm.mma.issue
// PLACED:   %[[NEXT:.*]] = sm.smem.load
// PLACED:   math.fma %{{.*}}, %[[BEFORE]], %{{.*}}
// PLACED:   %[[DONE:.*]] = sm.mma.await %[[Q]]
// PLACED:   scf.yield {{.*}}%[[DONE]]
// PLACED: math.fma
sm.kernel @scaled(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!a, !a]>
  %rows = sm.ring.alloc warps : !sm.ring<2 x [!f]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role "math" warps(4) registers(168) {
    %zero = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c64 iter_args(%sum = %zero) -> (!t) {
      %scales = sm.ring.wait %rows : !sm.ring<2 x [!f]>
      %tile = sm.slot.tile %scales[0] : !sm.slot<[!f]>
      %row = sm.smem.load %tile : !f -> tensor<64xf32, #row>
      sm.ring.release %scales : !sm.slot<[!f]>
      %slot = sm.ring.wait %r : !sm.ring<2 x [!a, !a]>
      %a = sm.slot.tile %slot[0] : !sm.slot<[!a, !a]>
      %b = sm.slot.tile %slot[1] : !sm.slot<[!a, !a]>
      %p = sm.mma %a, %b, %zero transpose_b : !a, !a, !t
      sm.ring.release %slot : !sm.slot<[!a, !a]>
      %column = sm.expand_dims %row axis 1 : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
      %scale = sm.broadcast %column : tensor<64x1xf32, #column> -> !t
      %next = math.fma %scale, %p, %sum : !t
      scf.yield %next : !t
    }
  }
}

// -----

// Two products and a sum are more than there are registers for: all stays in its iteration.

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x64xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
#column = #sm.layout<"64x1 = register[2*(8,0)] lane[4*(0,0) 8*(1,0)] warp[4*(16,0)]">
!f = !sm.smem<64xf32>

// CHECK-LABEL: sm.kernel @few_registers
// CHECK-NOT: #sm.schedule<1
// CHECK: sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, 3>}
// CHECK-NOT: #sm.schedule<1
sm.kernel @few_registers(%n: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!a, !a]>
  %rows = sm.ring.alloc warps : !sm.ring<2 x [!f]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role "math" warps(4) registers(104) {
    %zero = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c64 iter_args(%sum = %zero) -> (!t) {
      %scales = sm.ring.wait %rows : !sm.ring<2 x [!f]>
      %tile = sm.slot.tile %scales[0] : !sm.slot<[!f]>
      %row = sm.smem.load %tile : !f -> tensor<64xf32, #row>
      sm.ring.release %scales : !sm.slot<[!f]>
      %slot = sm.ring.wait %r : !sm.ring<2 x [!a, !a]>
      %a = sm.slot.tile %slot[0] : !sm.slot<[!a, !a]>
      %b = sm.slot.tile %slot[1] : !sm.slot<[!a, !a]>
      %p = sm.mma %a, %b, %zero transpose_b : !a, !a, !t
      sm.ring.release %slot : !sm.slot<[!a, !a]>
      %column = sm.expand_dims %row axis 1 : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
      %scale = sm.broadcast %column : tensor<64x1xf32, #column> -> !t
      %next = math.fma %scale, %p, %sum : !t
      scf.yield %next : !t
    }
  }
}

// -----

// The next product adds to what threads make of this one, so that nothing of it can be late.

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x64xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>

// CHECK-LABEL: sm.kernel @needed_by_the_next
// CHECK-NOT: #sm.schedule<1
sm.kernel @needed_by_the_next(%n: index, %factor: f32) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!a, !a]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  sm.role "math" warps(4) registers(168) {
    %zero = arith.constant dense<0.0> : !t
    %scale = tensor.splat %factor : !t
    %l = scf.for %i = %c0 to %n step %c64 iter_args(%sum = %zero) -> (!t) {
      %slot = sm.ring.wait %r : !sm.ring<2 x [!a, !a]>
      %a = sm.slot.tile %slot[0] : !sm.slot<[!a, !a]>
      %b = sm.slot.tile %slot[1] : !sm.slot<[!a, !a]>
      %p = sm.mma %a, %b, %sum transpose_b : !a, !a, !t
      sm.ring.release %slot : !sm.slot<[!a, !a]>
      %next = arith.mulf %scale, %p : !t
      scf.yield %next : !t
    }
  }
}

// -----

// Work that is a loop stays in its iteration.

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!t = tensor<64x64xf32, #acc>
!a = !sm.smem<64x64xbf16, swizzle = 128>

// CHECK-LABEL: sm.kernel @loop
// CHECK-NOT: #sm.schedule<1
// CHECK: sm.mma
// CHECK-NOT: #sm.schedule<1
// PLACED-LABEL: sm.kernel @loop
// PLACED: sm.mma
// PLACED: arith.addf
// PLACED: scf.for
sm.kernel @loop(%n: index, %times: index) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!a, !a]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  sm.role "math" warps(4) registers(232) {
    %zero = arith.constant dense<0.0> : !t
    %l = scf.for %i = %c0 to %n step %c64 iter_args(%sum = %zero) -> (!t) {
      %slot = sm.ring.wait %r : !sm.ring<2 x [!a, !a]>
      %a = sm.slot.tile %slot[0] : !sm.slot<[!a, !a]>
      %b = sm.slot.tile %slot[1] : !sm.slot<[!a, !a]>
      %p = sm.mma %a, %b, %zero transpose_b : !a, !a, !t
      sm.ring.release %slot : !sm.slot<[!a, !a]>
      %first = arith.addf %sum, %p : !t
      %next = scf.for %j = %c0 to %times step %c1 iter_args(%more = %first) -> (!t) {
        %doubled = arith.addf %more, %more : !t
        scf.yield %doubled : !t
      }
      scf.yield %next : !t
    }
  }
}
