// Orders that are searched: a defect that needs one warp to be late, which no fixed order makes it.
//
// DEFINE: %{sim} = tile-run --device=sim %s --kernel=gate
// RUN: %{sim} --order=program
// RUN: %{sim} --order=late
// RUN: %{sim} --order=early
// RUN: %{sim} --order=exhaustive --max-deviations=0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: note: 1 run, which are all schedules with up to 0 deviations
//
// One deviation is enough: the warp is passed over until the phase that it waits for is over.
//
// RUN: not %{sim} --order=exhaustive 2>&1 | FileCheck %s --check-prefixes=GATE,FOUND
// RUN: not %{sim} --order=exhaustive --max-deviations=1 2>&1 | FileCheck %s --check-prefixes=GATE,FOUND
// GATE: error: deadlock: no agent of CTA 0 can go on
// GATE: note: warp 1 (role 'math') waits for a phase of parity
// FOUND: note: this is one of [[#]] runs; repeat it with --replay {{[0-9]+:[0-9]+$}}
//
// The option that was printed repeats that run.
//
// RUN: not %{sim} --order=exhaustive 2> %t.found
// RUN: sed -n 's/.*repeat it with//p' %t.found | not xargs %{sim} 2> %t.again
// RUN: FileCheck %s --check-prefix=GATE < %t.again
// RUN: not grep replay %t.again
//
// What the first run of a search finds is found by a search of one run.
//
// RUN: sed '/sm.mbarrier.arrive .full/d' %s > %t.mlir
// RUN: not tile-run --device=sim %t.mlir --kernel=gate --order=exhaustive 2>&1 | FileCheck %s --check-prefix=FIRST
// FIRST: error: deadlock
// FIRST: note: this is one of 1 run; repeat it with --order exhaustive --max-runs 1
//
// With a barrier before the arrival, all schedules are right.
//
// RUN: sed 's/^ *sm.mbarrier.arrive .empty/sm.barrier\n&/' %s > %t.mlir
// RUN: tile-run --device=sim %t.mlir --kernel=gate --order=exhaustive 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: note: [[#]] runs, which are all schedules with up to 2 deviations
//
// The limit is told.
//
// RUN: tile-run --device=sim %t.mlir --kernel=gate --order=exhaustive --max-runs=20 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: note: 20 runs, which is what --max-runs allows of the schedules with up to 2 deviations
//
// Deviations of another run.
//
// RUN: not %{sim} --replay 2:1,1000:1 2>&1 | FileCheck %s --check-prefix=CHOICES
// CHOICES: error: '2:1,1000:1' is no schedule of this run: its last choice is number [[#]]
// RUN: not %{sim} --replay 1:9 2>&1 | FileCheck %s --check-prefix=AGENTS
// AGENTS: error: '1:9' is no schedule of this run: at choice 1 only {{[2-8]}} agents can go on

!bar = !sm.mbarrier<1>

// A ring of one stage without contents. The first warp gives the stage back when it has waited, and
// the others may not have.
sm.kernel @gate() grid() warps(8) form(fenced) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %full = sm.mbarrier.alloc arrivals(1) at 0 : !bar
  %empty = sm.mbarrier.alloc arrivals(1) at 8 : !bar
  sm.role "math" warps(4) {
    scf.for %i = %c0 to %c3 step %c1 iter_args(%parity = %zero) -> (i32) {
      sm.mbarrier.wait %full[%zero] parity %parity : !bar
      sm.mbarrier.arrive %empty[%zero] : !bar
      %flip = arith.xori %parity, %one : i32
      scf.yield %flip : i32
    }
  }
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %c3 step %c1 iter_args(%parity = %one) -> (i32) {
      sm.mbarrier.wait %empty[%zero] parity %parity : !bar
      sm.mbarrier.arrive %full[%zero] : !bar
      %flip = arith.xori %parity, %one : i32
      scf.yield %flip : i32
    }
  }
}
