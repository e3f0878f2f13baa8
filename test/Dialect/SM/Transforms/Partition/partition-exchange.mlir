// Warpgroups exchange a tile through a ring that their role fills and uses itself.
// RUN: tile-opt %s --split-input-file --sm-partition | FileCheck %s
// Without the exchange, warpgroups meet, and stay in phase.
// RUN: sed -e 's/, exchange : slots . math//' -e 's/ {sm.plan_entry = "exchange"}//' %s | tile-opt --split-input-file --sm-partition --sm-schedule-loops="remarks" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PHASE
// The product that is only stored runs an iteration late, issued in the turn of the first one.
// RUN: tile-opt %s --split-input-file --sm-partition --sm-schedule-loops | FileCheck %s --check-prefix=PLAN
// Without turns, the late product is stored before work on the first one begins.
// RUN: sed -e 's/pingpong = true/late_stores = true/' %s | tile-opt --split-input-file --sm-partition --sm-schedule-loops | FileCheck %s --check-prefix=LATE --implicit-check-not=sm.pingpong
// RUN: sed -e 's/pingpong = true/late_stores = true/' -e 's/, exchange : slots . math//' -e 's/ {sm.plan_entry = "exchange"}//' %s | tile-opt --split-input-file --sm-partition --sm-schedule-loops="remarks" -o /dev/null 2>&1 | FileCheck %s --check-prefix=KEPT
// Nobody meets: each warp arrives for what it has written, fenced, and a product waits for the stage.
// RUN: tile-opt %s --split-input-file --sm-partition --sm-schedule-loops --sm-apply-schedule --sm-expand-rings --sm-allocate-smem --sm-place-fences | FileCheck %s --check-prefix=FENCE

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>

// CHECK-LABEL: sm.kernel @gradient
// CHECK: %[[RING:.+]] = sm.ring.alloc : !sm.ring<2 x [!sm.smem<128x64xbf16, swizzle = 128>]>
// CHECK: %[[P:.+]] = arith.truncf
// CHECK-NEXT: %[[S:.+]] = sm.ring.acquire %[[RING]]
// CHECK-NEXT: %[[T:.+]] = sm.slot.tile %[[S]][0]
// CHECK-NEXT: sm.slot.store %[[T]] with %[[P]]
// CHECK-NEXT: sm.ring.commit %[[S]]
// CHECK-NEXT: %[[U:.+]] = sm.ring.wait %[[RING]]
// CHECK-NEXT: %[[V:.+]] = sm.slot.tile %[[U]][0]
// CHECK: sm.mma %{{.+}}, %[[V]], %{{.+}} transpose_a
// CHECK-NEXT: sm.ring.release %[[U]]

// PLAN-LABEL: sm.kernel @gradient
// PLAN: sm.pingpong.wait {sm.schedule = #sm.schedule<0, [[#TAKE:]]>}
// PLAN: sm.pingpong.pass {sm.schedule = #sm.schedule<0, {{[0-9]+}}>}
// PLAN: sm.ring.wait %1 {sm.schedule = #sm.schedule<1,
// PLAN: sm.mma.issue {{.*}} transpose_a {sm.schedule = #sm.schedule<1, [[#TAKE + 2]]>}
// PLAN: sm.ring.acquire %0 {sm.schedule = #sm.schedule<1,
// PLAN: sm.slot.store {{.*}} {sm.schedule = #sm.schedule<1,

// LATE-LABEL: sm.kernel @gradient
// LATE: %[[S:.+]] = sm.mma.issue {{.*}} {sm.schedule = #sm.schedule<0, [[#ISSUE:]]>}
// LATE: sm.mma.await %[[S]] {sm.schedule = #sm.schedule<0, [[#ISSUE + 2]]>}
// LATE: math.exp2 {{.*}} {sm.schedule = #sm.schedule<0, [[#ISSUE + 9]]>}
// LATE: sm.ring.wait %1 {sm.schedule = #sm.schedule<1,
// LATE: sm.mma.issue {{.*}} transpose_a {sm.schedule = #sm.schedule<1, [[#ISSUE + 1]]>}
// LATE: sm.mma.await {{.*}} {sm.schedule = #sm.schedule<1, [[#ISSUE + 3]]>}
// LATE: sm.ring.commit %{{.*}} {sm.schedule = #sm.schedule<1, [[#ISSUE + 8]]>}

// FENCE-LABEL: sm.kernel @gradient
// FENCE: sm.role "math"
// FENCE: scf.for
// FENCE: sm.mbarrier.wait %[[FULL:[0-9]+]][
// FENCE: sm.pingpong.wait
// FENCE-NEXT: sm.mma.issue
// FENCE-NEXT: sm.mma.issue
// FENCE-NOT: sm.barrier
// FENCE: sm.pingpong.pass
// FENCE-NOT: sm.barrier
// FENCE: sm.slot.store {{.*}}128x64xf32
// FENCE-NEXT: sm.fence
// FENCE-NEXT: sm.mbarrier.arrive
// FENCE-NOT: sm.barrier
// FENCE: sm.slot.store {{.*}}128x64xbf16
// FENCE-NEXT: sm.fence
// FENCE-NEXT: sm.mbarrier.arrive %[[FULL]][{{.+}}] warps
sm.kernel @gradient(%in: !tile.global<[M, 64] x bf16>, %y: !tile.global<[M, 64, 64] x f32, inout>, %n: index) grid() warps(8) schedule<warpgroups = 2, pingpong = true>
    plan<roles = [load : warps 3 registers 40 elected, store : warps 1 registers 40 elected, math : warps 8 registers 232],
         rings = [x : slots 2 tma, exchange : slots 2 math], stores = [y : slots 1 store], rest = 65536> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %k = sm.scratch : !sm.smem<128x128xbf16, swizzle = 128>
  %M = tile.size M
  %q = sm.fetch %in[%c0, %c0] dims [0, 1] limits(%M, %c64) {sm.plan_entry = "x"} : !tile.global<[M, 64] x bf16>, index, index -> !q
  %a = sm.scratch : !k
  %zero = arith.constant dense<0.0> : !t
  // KEPT: [[@LINE+4]]:8: remark: no product runs late in this loop: late stores: no product of tiles that warpgroups exchange is only stored [stores-in-iteration]
  // KEPT: warning: `late_stores` is not done, products for stores run in their iteration: of the first loop of products, late stores: no product of tiles that warpgroups exchange is only stored [no-late-stores]
  // KEPT: note: remove it, or take smaller tiles if registers are missing
  // PHASE: [[@LINE+1]]:8: remark: warpgroups take no turns in this loop: dependent product: there are not two products where the second depends on the first; late stores: no product of tiles that warpgroups exchange is only stored
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (!t) {
    %s = sm.mma %a, %q, %zero : !k, !q, !t
    %e = math.exp2 %s : !t
    %p = arith.truncf %e : !t to !h
    %t = sm.smem.store %p {sm.plan_entry = "exchange"} : !h -> !k
    %d = sm.mma %p, %q, %x : !h, !q, !t
    %g = sm.mma %k, %t, %zero transpose_a : !sm.smem<128x128xbf16, swizzle = 128>, !k, !t
    sm.tma.store %g to %y[%i, %c0, %c0] dims [1, 2] limits(%c64, %c64) in_bounds [true, true] columns 32 buffers 1 add {sm.plan_entry = "y"} : !t, !tile.global<[M, 64, 64] x f32, inout>, index, index, index
    scf.yield %d : !t
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>

// Loops apart share a ring if they name one; what names none stays.
// CHECK-LABEL: sm.kernel @apart
// CHECK: %[[RING:.+]] = sm.ring.alloc : !sm.ring<1 x [!sm.smem<128x64xbf16, swizzle = 128>]>
// CHECK-NEXT: sm.ring.alloc : !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
// CHECK-NOT: sm.ring.alloc
// CHECK: scf.for
// CHECK: sm.ring.acquire %[[RING]]
// CHECK: sm.ring.wait %[[RING]]
// CHECK: scf.for
// CHECK: sm.ring.acquire %[[RING]]
// CHECK: sm.ring.wait %[[RING]]
// CHECK: scf.for
// CHECK: sm.smem.store %{{.+}} : tensor
sm.kernel @apart(%in: !tile.global<[M, 64] x bf16>, %n: index) grid() warps(8) schedule<warpgroups = 2, pingpong = true>
    plan<roles = [load : warps 4 registers 40 elected, math : warps 8 registers 232],
         rings = [x : slots 2 tma, exchange : slots 1 math], rest = 65536> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %q = sm.fetch %in[%c0, %c0] dims [0, 1] limits(%M, %c64) {sm.plan_entry = "x"} : !tile.global<[M, 64] x bf16>, index, index -> !q
  %zero = arith.constant dense<0.0> : !t
  %p = arith.constant dense<0.0> : !h
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (!t) {
    %t = sm.smem.store %p {sm.plan_entry = "exchange"} : !h -> !k
    %d = sm.mma %t, %q, %x : !k, !q, !t
    scf.yield %d : !t
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%x = %r) -> (!t) {
    %t = sm.smem.store %p {sm.plan_entry = "exchange"} : !h -> !k
    %d = sm.mma %t, %q, %x : !k, !q, !t
    scf.yield %d : !t
  }
  %u = scf.for %i = %c0 to %n step %c1 iter_args(%x = %s) -> (!t) {
    %t = sm.smem.store %p : !h -> !k
    %d = sm.mma %t, %q, %x : !k, !q, !t
    scf.yield %d : !t
  }
}
