// RUN: tile-opt %S/../Inputs/pingpong.mlir -sm-persist -sm-plan -sm-tma-stores -sm-partition | FileCheck %s --check-prefix=ROLES
// RUN: tile-opt %S/../Inputs/pingpong.mlir -sm-persist -sm-plan -sm-tma-stores -sm-partition -sm-schedule-loops -sm-apply-schedule | FileCheck %s --check-prefix=OVERLAP
// RUN: tile-opt %S/../Inputs/pingpong.mlir -sm-persist -sm-plan -sm-tma-stores -sm-partition -sm-expand-rings | FileCheck %s --check-prefix=EXPAND
// RUN: tile-opt %S/../Inputs/pingpong.mlir -pass-pipeline='builtin.module(sm.kernel(sm-persist,sm-plan,sm-tma-stores,sm-partition))' | FileCheck %s --check-prefix=STORES
// RUN: sed 's/stages = 3/stages = 5/' %S/../Inputs/pingpong.mlir | tile-opt -pass-pipeline='builtin.module(sm.kernel(sm-persist,sm-plan,sm-tma-stores,sm-partition))' | FileCheck %s --check-prefix=STAGES
// RUN: tile-opt %s -sm-expand-rings | FileCheck %s

// Two roles compute every other program each: 24 + 240 + 240 registers. The load role loads for
// both. A role takes the ring before the loop that waits for slots, and passes it after.

// ROLES: sm.kernel @matmul
// ROLES-SAME: warps(12) persistent form(scheduled)
// ROLES: %[[RING:.*]] = sm.ring.alloc : !sm.ring<3 x
// ROLES: %[[FIRST:.*]] = sm.program_id
// ROLES: %[[CTAS:.*]] = sm.cta_count
// ROLES: sm.role "load" warps(4) registers(24) elected {
// ROLES:   scf.for %{{.*}} = %[[FIRST]] to %[[ALL:.*]] step %[[CTAS]] {
// ROLES: sm.role "math0" warps(4) registers(240) {
// ROLES:   %[[TWO:.*]] = arith.constant 2 : index
// ROLES:   %[[STEP:.*]] = arith.muli %[[CTAS]], %[[TWO]] : index
// ROLES:   scf.for %{{.*}} = %[[FIRST]] to %[[ALL]] step %[[STEP]] {
// ROLES:     sm.ring.take %[[RING]]
// ROLES-NEXT: scf.for
// ROLES:       sm.ring.wait %[[RING]]
// ROLES:     }
// ROLES-NEXT: sm.ring.pass %[[RING]]
// ROLES:     sm.tma.store
// ROLES: sm.role "math1" warps(4) registers(240) {
// ROLES:   %[[SECOND:.*]] = arith.addi %[[FIRST]], %[[CTAS]] : index
// ROLES:   %[[STEP:.*]] = arith.muli %[[CTAS]], %{{.*}} : index
// ROLES:   scf.for %{{.*}} = %[[SECOND]] to %[[ALL]] step %[[STEP]] {
// ROLES:     sm.ring.take %[[RING]]
// ROLES:     sm.ring.pass %[[RING]]

// The ring is passed while the last product is in flight, and where the loop does not run.

// OVERLAP: sm.role "math0"
// OVERLAP: sm.ring.take
// OVERLAP: scf.if
// OVERLAP:   sm.mma.issue
// OVERLAP:   scf.for
// OVERLAP:     sm.mma.retire leave 1
// OVERLAP:   }
// OVERLAP-NEXT: sm.ring.pass
// OVERLAP-NEXT: sm.mma.await
// OVERLAP-NEXT: sm.ring.release
// OVERLAP:   else
// OVERLAP-NEXT: sm.ring.pass
// OVERLAP-NEXT: scf.yield
// OVERLAP-NOT: sm.ring.pass
// OVERLAP: sm.role "math1"

// A stage is freed by one of the roles. Each finds where to go on in a word of its own; the last
// one starts as if it had passed.

// EXPAND: sm.mbarrier.alloc arrivals(1) ring(0) full : !sm.mbarrier<3>
// EXPAND: sm.mbarrier.alloc arrivals(1) ring(0) empty : !sm.mbarrier<3>
// EXPAND: %[[WORDS:.*]] = sm.words.alloc : !sm.words<2>
// EXPAND: sm.role "math0"
// EXPAND-NOT: sm.pingpong.start
// EXPAND: scf.for
// EXPAND:   sm.pingpong.wait roles
// EXPAND:   %[[OWN:.*]] = arith.constant 0 : i32
// EXPAND:   %[[ONE:.*]] = arith.constant 1 : i32
// EXPAND:   %[[WORD:.*]] = sm.words.load %[[WORDS]][%[[OWN]]]
// EXPAND:   %[[PARITY:.*]] = arith.andi %[[WORD]], %[[ONE]]
// EXPAND:   %[[INDEX:.*]] = arith.shrui %[[WORD]], %[[ONE]]
// EXPAND:   %[[END:.*]]:3 = scf.for {{.*}} = %[[INDEX]], %{{.*}} = %[[PARITY]])
// EXPAND:     sm.mbarrier.wait
// EXPAND:   %[[TWICE:.*]] = arith.shli %[[END]]#1
// EXPAND:   %[[PACKED:.*]] = arith.ori %[[TWICE]], %[[END]]#2
// EXPAND:   %[[NEXT:.*]] = arith.constant 1 : i32
// EXPAND:   sm.words.store %[[PACKED]] to %[[WORDS]][%[[NEXT]]]
// EXPAND-NEXT: sm.pingpong.pass roles
// EXPAND: sm.role "math1"
// EXPAND:   %[[START:.*]] = arith.ori
// EXPAND:   %[[FIRST:.*]] = arith.constant 0 : i32
// EXPAND:   sm.words.store %[[START]] to %[[WORDS]][%[[FIRST]]]
// EXPAND-NEXT: sm.pingpong.start roles
// EXPAND: scf.for
// EXPAND:   sm.pingpong.wait roles
// EXPAND:   %[[OWN:.*]] = arith.constant 1 : i32
// EXPAND:   sm.words.load %[[WORDS]][%[[OWN]]]
// EXPAND:   %[[PACKED:.*]] = arith.ori
// EXPAND:   %[[NEXT:.*]] = arith.constant 0 : i32
// EXPAND:   sm.words.store %[[PACKED]] to %[[WORDS]][%[[NEXT]]]

// Both roles have buffers for their stores; a second one is not worth a stage.

// STORES: sm.role "math0"
// STORES: sm.tma.store {{.*}} buffers 2
// STORES: sm.role "math1"
// STORES: sm.tma.store {{.*}} buffers 2

// STAGES: sm.ring.alloc : !sm.ring<5 x
// STAGES: sm.role "math0"
// STAGES: sm.tma.store {{.*}} buffers 1
// STAGES: sm.role "math1"
// STAGES: sm.tma.store {{.*}} buffers 1

// A slot that a role takes before the ring is passed may be given back after. Releases stay where
// each role alone would not need them: the stages are filled again for the other one. Of a ring of
// one stage the index is known.

!t = !sm.smem<64x64xbf16, swizzle = 128>
// CHECK-LABEL: sm.kernel @rings
// CHECK: sm.role "math0"
// CHECK:   sm.pingpong.wait roles
// CHECK:   sm.words.load
// CHECK:   arith.andi
// CHECK-NOT: arith.shrui
// CHECK:   sm.words.load
// CHECK:   arith.andi
// CHECK:   arith.shrui
// CHECK:   sm.words.store
// CHECK:   sm.words.store
// CHECK:   sm.pingpong.pass roles
// CHECK-NEXT: sm.mbarrier.arrive
// CHECK-NEXT: sm.mbarrier.arrive
// CHECK: sm.role "math1"
sm.kernel @rings(%x: !tile.global<[M, 64] x bf16>) grid() warps(12) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<1 x [!t]>
  %s = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %c2 step %c1 {
      %a = sm.ring.acquire %r : !sm.ring<1 x [!t]>
      %at = sm.slot.tile %a[0] : !sm.slot<[!t]>
      sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%M, %c64) into %at : !tile.global<[M, 64] x bf16>, index, index, !t
      sm.ring.commit %a : !sm.slot<[!t]>
      scf.for %j = %c0 to %c2 step %c1 {
        %b = sm.ring.acquire %s : !sm.ring<2 x [!t]>
        %bt = sm.slot.tile %b[0] : !sm.slot<[!t]>
        sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%M, %c64) into %bt : !tile.global<[M, 64] x bf16>, index, index, !t
        sm.ring.commit %b : !sm.slot<[!t]>
      }
    }
  }
  sm.role "math0" warps(4) {
    sm.ring.take %r, %s : !sm.ring<1 x [!t]>, !sm.ring<2 x [!t]>
    %a = sm.ring.wait %r : !sm.ring<1 x [!t]>
    %b = sm.ring.wait %s : !sm.ring<2 x [!t]>
    sm.ring.release %b : !sm.slot<[!t]>
    %c = sm.ring.wait %s : !sm.ring<2 x [!t]>
    sm.ring.pass %r, %s : !sm.ring<1 x [!t]>, !sm.ring<2 x [!t]>
    sm.ring.release %c : !sm.slot<[!t]>
    sm.ring.release %a : !sm.slot<[!t]>
  }
  sm.role "math1" warps(4) {
    sm.ring.take %r, %s : !sm.ring<1 x [!t]>, !sm.ring<2 x [!t]>
    %a = sm.ring.wait %r : !sm.ring<1 x [!t]>
    %b = sm.ring.wait %s : !sm.ring<2 x [!t]>
    sm.ring.release %b : !sm.slot<[!t]>
    %c = sm.ring.wait %s : !sm.ring<2 x [!t]>
    sm.ring.pass %r, %s : !sm.ring<1 x [!t]>, !sm.ring<2 x [!t]>
    sm.ring.release %c : !sm.slot<[!t]>
    sm.ring.release %a : !sm.slot<[!t]>
  }
}
