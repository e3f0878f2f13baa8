// A ring of three stages that two roles use in turn, two slots each time: right in every order, for
// every number of turns, before and after its expansion. A role that takes or gives its turn
// otherwise is told.
//
// RUN: %python -c "import numpy as np; [np.save(f'%t.{n}.npy', np.arange(n * 64, dtype='f4').reshape(n, 64)) for n in (0, 32, 64, 224)]"
// RUN: tile-opt %s -sm-expand-rings -sm-allocate-smem -sm-place-fences -o %t.fenced.mlir
// DEFINE: %{rows} = 224
// DEFINE: %{file} = %s
// DEFINE: %{sim} = tile-run --device=sim %{file} --arg x=@%t.%{rows}.npy --expect y=@%t.%{rows}.npy
//
// RUN: %{sim} --order=program
// RUN: %{sim} --order=late
// RUN: %{sim} --order=early
// RUN: %{sim} --seeds=20
// REDEFINE: %{file} = %t.fenced.mlir
// RUN: %{sim} --order=program
// RUN: %{sim} --order=late
// RUN: %{sim} --order=early
// RUN: %{sim} --seeds=20
// REDEFINE: %{rows} = 64
// RUN: %{sim} --seeds=5
// REDEFINE: %{rows} = 32
// RUN: %{sim} --seeds=5
// REDEFINE: %{rows} = 0
// RUN: %{sim} --seeds=5
// REDEFINE: %{file} = %s
// RUN: %{sim} --seeds=5
//
// REDEFINE: %{rows} = 224
// REDEFINE: %{file} = %t.defect.mlir
//
// The second role keeps the ring.
// RUN: sed '/"math1"/,$ {/ring.pass/d}' %s > %t.defect.mlir && not %{sim} 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: sed '/"math1"/,$ {/pingpong.pass/d}' %t.fenced.mlir > %t.defect.mlir && not %{sim} 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: error: deadlock: no agent of CTA 0 can go on
// KEPT: wait for the turn of role 'math0': 128 of 256 threads have come
//
// The second role does not wait for its turn, so that it finds the slots of the first one.
// RUN: sed '/"math1"/,$ {/ring.take/d}' %s > %t.defect.mlir && not %{sim} 2>&1 | FileCheck %s --check-prefix=UNTAKEN
// UNTAKEN: error: comes to a barrier twice in a round, and is counted for a warp that has not come
//
// Nobody gives the first turn.
// RUN: sed '/pingpong.start/d' %t.fenced.mlir > %t.defect.mlir && not %{sim} 2>&1 | FileCheck %s --check-prefix=NO-START
// NO-START: error: deadlock: no agent of CTA 0 can go on
// NO-START: wait for the turn of role 'math0': 128 of 256 threads have come
// NO-START: wait for the turn of role 'math1': 128 of 256 threads have come

#t = #sm.layout<"16x64 = register[2*(0,1) 4*(4,0)] lane[32*(0,2)] warp[4*(1,0)]">
!T = !sm.smem<16x64xf32>
!ring = !sm.ring<3 x [!T]>
!slot = !sm.slot<[!T]>
!tile = tensor<16x64xf32, #t>
!x = !tile.global<[M, 64] x f32>
!y = !tile.global<[M, 64] x f32, out>

sm.kernel @turns(%x: !x, %y: !y) grid() warps(12) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %ring = sm.ring.alloc : !ring
  sm.role "load" warps(4) elected {
    scf.for %m = %c0 to %M step %c16 {
      %s = sm.ring.acquire %ring : !ring
      %t = sm.slot.tile %s[0] : !slot
      sm.copy.start %x[%m, %c0] dims [0, 1] limits(%M, %c64) into %t : !x, index, index, !T
      sm.ring.commit %s : !slot
    }
  }
  sm.role "math0" warps(4) {
    scf.for %m = %c0 to %M step %c64 {
      sm.ring.take %ring : !ring
      %s0 = sm.ring.wait %ring : !ring
      %t0 = sm.slot.tile %s0[0] : !slot
      %v0 = sm.smem.load %t0 : !T -> !tile
      sm.store %v0 to %y[%m, %c0] dims [0, 1] limits(%M, %c64) : !tile, !y, index, index
      sm.barrier
      sm.ring.release %s0 : !slot
      %s1 = sm.ring.wait %ring : !ring
      sm.ring.pass %ring : !ring
      %t1 = sm.slot.tile %s1[0] : !slot
      %v1 = sm.smem.load %t1 : !T -> !tile
      %n = arith.addi %m, %c16 : index
      sm.store %v1 to %y[%n, %c0] dims [0, 1] limits(%M, %c64) : !tile, !y, index, index
      sm.barrier
      sm.ring.release %s1 : !slot
    }
  }
  sm.role "math1" warps(4) {
    scf.for %m = %c32 to %M step %c64 {
      sm.ring.take %ring : !ring
      %s0 = sm.ring.wait %ring : !ring
      %t0 = sm.slot.tile %s0[0] : !slot
      %v0 = sm.smem.load %t0 : !T -> !tile
      sm.store %v0 to %y[%m, %c0] dims [0, 1] limits(%M, %c64) : !tile, !y, index, index
      sm.barrier
      sm.ring.release %s0 : !slot
      %s1 = sm.ring.wait %ring : !ring
      sm.ring.pass %ring : !ring
      %t1 = sm.slot.tile %s1[0] : !slot
      %v1 = sm.smem.load %t1 : !T -> !tile
      %n = arith.addi %m, %c16 : index
      sm.store %v1 to %y[%n, %c0] dims [0, 1] limits(%M, %c64) : !tile, !y, index, index
      sm.barrier
      sm.ring.release %s1 : !slot
    }
  }
}
