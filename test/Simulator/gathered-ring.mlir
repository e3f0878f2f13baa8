// A ring of two stages that the threads of two warps fill with gathered rows, which products read: right in
// every order, with rows that are wanted twice, out of order, past the end and before the start.
//
// RUN: %python %S/Inputs/gathered_rows.py %t
// DEFINE: %{sim} = tile-run --device=sim --arg x=@%t.x.npy --arg at=@%t.at.npy --arg w=@%t.w.npy --expect y=@%t.y.npy --rtol=0 --atol=0
// RUN: tile-opt %s -sm-expand-rings -sm-allocate-smem -sm-place-fences -o %t.fenced.mlir
//
// RUN: %{sim} %s --order=program
// RUN: %{sim} %s --seeds=5
// RUN: %{sim} %t.fenced.mlir --order=program
// RUN: %{sim} %t.fenced.mlir --order=late
// RUN: %{sim} %t.fenced.mlir --order=early
// RUN: %{sim} %t.fenced.mlir --seeds=20
// RUN: tile-run --device=ptx --order=program,late,early,random --arg x=@%t.x.npy --arg at=@%t.at.npy --arg w=@%t.w.npy --expect y=@%t.y.npy --rtol=0 --atol=0 %s

// Who waits for the ring fences what threads have written.
// RUN: FileCheck %s --check-prefix=FENCED --input-file=%t.fenced.mlir
// FENCED: sm.role "math"
// FENCED: scf.for
// FENCED: sm.mbarrier.wait
// FENCED-NEXT: sm.fence
// FENCED-NOT: sm.fence
// FENCED: sm.mma
//
// Without the fence, without a wait on either side, and where slots are said to be filled before they are:
// RUN: sed "s/^ *sm.fence$//" %t.fenced.mlir > %t.bare.mlir
// RUN: not %{sim} %t.bare.mlir 2>&1 | FileCheck %s --check-prefix=BARE
// BARE: error: missing fence: the tensor cores read byte {{[0-9]+}} of shared memory after a write by threads
// RUN: sed "/sm.role \"math\"/,/sm.role \"fetch\"/s/sm.mbarrier.wait.*/sm.fence/" %t.fenced.mlir > %t.early.mlir
// RUN: not %{sim} %t.early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: {{race|the tensor cores read}}
// RUN: sed "/sm.role \"fetch\"/,$ s/sm.mbarrier.wait.*/sm.fence/" %t.fenced.mlir > %t.over.mlir
// RUN: not %{sim} %t.over.mlir 2>&1 | FileCheck %s --check-prefix=OVER
// OVER: error: race
// RUN: sed "s/ fetches : / : /" %t.fenced.mlir > %t.soon.mlir
// RUN: not %{sim} %t.soon.mlir 2>&1 | FileCheck %s --check-prefix=SOON
// SOON: error:

!acc = tensor<64x16xf32, #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">>
!at = tensor<64xi32, #sm.layout<"64 = register[8*(8)] lane[8*(0) 4*(1)] warp[2*(4)]">>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[X, 64] x bf16>
!i = !tile.global<[M] x i32>
!w = !tile.global<[64, 16] x bf16>
!y = !tile.global<[M, 16] x f32, out>

sm.kernel @rows(%x: !x, %at: !i, %w: !w, %y: !y) grid() warps(6) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %X = tile.size X
  %r = sm.ring.alloc : !sm.ring<2 x [!a]>
  sm.role "math" warps(4) {
    %zero = arith.constant dense<0.0> : !acc
    %b = sm.fetch %w[%c0, %c0] dims [0, 1] limits(%c64, %c16) : !w, index, index -> !b
    scf.for %m = %c0 to %M step %c64 {
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %a = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %d = sm.mma %a, %b, %zero : !a, !b, !acc
      sm.ring.release %s : !sm.slot<[!a]>
      sm.store %d to %y[%m, %c0] dims [0, 1] limits(%M, %c16) : !acc, !y, index, index
    }
  }
  sm.role "fetch" warps(2) {
    scf.for %m = %c0 to %M step %c64 {
      %p = sm.load %at[%m] dims [0] limits(%M) fill(-1 : i32) : !i, index -> !at
      %s = sm.ring.acquire %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      sm.fetch.start %x[%p, %c0] dims [0, 1] limits(%X, %c64) into %t : !x, !at, index, !a
      sm.ring.commit %s : !sm.slot<[!a]>
    }
  }
}
