// A ring of two stages that the threads of two warps fill with rows, and that four warps read, each
// giving back what it has read without waiting for the others: right in every order, for every number
// of trips, as a ring and as barriers.
//
// RUN: %python -c "import numpy as np; [np.save(f'%t.{n}.npy', np.arange(n, dtype='f4')) for n in (0, 40, 64, 301)]"
// RUN: tile-opt %s -sm-expand-rings -sm-allocate-smem -sm-place-fences -o %t.fenced.mlir
// RUN: FileCheck %s --check-prefix=ALONE --input-file=%t.fenced.mlir
// ALONE-NOT: sm.barrier
// DEFINE: %{rows} = 301
// DEFINE: %{sim} = tile-run --device=sim --arg x=@%t.%{rows}.npy --expect y=@%t.%{rows}.npy
//
// RUN: %{sim} %s --order=program
// RUN: %{sim} %s --order=late
// RUN: %{sim} %s --order=early
// RUN: %{sim} %s --seeds=20
// RUN: %{sim} %t.fenced.mlir --order=program
// RUN: %{sim} %t.fenced.mlir --order=late
// RUN: %{sim} %t.fenced.mlir --order=early
// RUN: %{sim} %t.fenced.mlir --seeds=20
//
// REDEFINE: %{rows} = 64
// RUN: %{sim} %s --seeds=5
// RUN: %{sim} %t.fenced.mlir --seeds=5
// REDEFINE: %{rows} = 40
// RUN: %{sim} %s --seeds=5
// RUN: %{sim} %t.fenced.mlir --seeds=5
// REDEFINE: %{rows} = 0
// RUN: %{sim} %s --seeds=5
// RUN: %{sim} %t.fenced.mlir --seeds=5

// Slots that are not given back, or not said to be filled, are waited for; those that are given back too
// early, or said to be filled before they are, race.
//
// REDEFINE: %{rows} = 301
// RUN: sed "s/sm.mbarrier.arrive .* warps .*/sm.fence/" %t.fenced.mlir > %t.kept.mlir
// RUN: not %{sim} %t.kept.mlir 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: deadlock: no agent of CTA 0 can go on
// KEPT: role 'fetch') wait for {{.*}} nobody arrives there
// RUN: sed "s/sm.mbarrier.arrive .* fetches .*/sm.fence/" %t.fenced.mlir > %t.silent.mlir
// RUN: not %{sim} %t.silent.mlir 2>&1 | FileCheck %s --check-prefix=SILENT
// SILENT: role 'math') wait for {{.*}} nobody arrives there
// RUN: sed "/sm.role \"math\"/,/sm.role \"fetch\"/s/sm.mbarrier.wait.*/sm.fence/" %t.fenced.mlir > %t.early.mlir
// RUN: not %{sim} %t.early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: warp {{.}} (role 'math') reads byte {{.*}} of shared memory, which nobody has written
// RUN: sed "/sm.role \"fetch\"/,$ s/sm.mbarrier.wait.*/sm.fence/" %t.fenced.mlir > %t.over.mlir
// RUN: not %{sim} %t.over.mlir 2>&1 | FileCheck %s --check-prefix=OVER
// OVER: error:

#row = #sm.layout<"64 = register[] lane[32*(1)] warp[2*(32) 2*(0)]">
!row = tensor<64xf32, #row>
!f = !sm.smem<64xf32>
!x = !tile.global<[M] x f32>
!y = !tile.global<[M] x f32, out>

sm.kernel @rows(%x: !x, %y: !y) grid() warps(6) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %r = sm.ring.alloc warps : !sm.ring<2 x [!f]>
  sm.role "math" warps(4) {
    scf.for %i = %c0 to %M step %c64 {
      %s = sm.ring.wait %r : !sm.ring<2 x [!f]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!f]>
      %v = sm.smem.load %t : !f -> !row
      sm.ring.release %s : !sm.slot<[!f]>
      sm.store %v to %y[%i] dims [0] limits(%M) : !row, !y, index
    }
  }
  sm.role "fetch" warps(2) {
    scf.for %i = %c0 to %M step %c64 {
      %s = sm.ring.acquire %r : !sm.ring<2 x [!f]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!f]>
      sm.fetch.start %x[%i] dims [0] limits(%M) into %t : !x, index, !f
      sm.ring.commit %s : !sm.slot<[!f]>
    }
  }
}
