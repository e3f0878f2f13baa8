// Programs that do not come to the same barriers of the grid. The front end refuses such kernels.
// RUN: not tile-run %s --kernel branch --arg n=3 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: not tile-run %s --kernel branch --arg n=3 --device cpu 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: not tile-run %s --kernel bound --arg n=2 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: not tile-run %s --kernel bound --arg n=2 --device cpu 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: not tile-run %s --kernel bound --arg n=2 --device sim 2>&1 | FileCheck %s --check-prefix=SIM
// RUN: not tile-run %s --kernel bound --arg n=2 --device ptx 2>&1 | FileCheck %s --check-prefix=PTX
// RUN: not tile-run %s --kernel condition --arg n=4 2>&1 | FileCheck %s --check-prefix=CONDITION
// RUN: not tile-run %s --kernel region --arg n=2 2>&1 | FileCheck %s --check-prefix=REGION
// RUN: tile-run %s --kernel branch --arg n=1
// RUN: tile-run %s --kernel branch --arg n=0

// BRANCH: grid-barriers-invalid.mlir:[[#@LINE+5]]:3: error: this program and program (i = 0) do not come to the same barriers of the grid
// BRANCH: note: in program (i = 1) of kernel 'branch'
tile.kernel @branch(%n: index) grid(%i in n) {
  %c0 = arith.constant 0 : index
  %first = arith.cmpi eq, %i, %c0 : index
  scf.if %first {
    tile.barrier grid
  }
}

// BOUND: error: this program and program (i = 0) do not come to the same barriers of the grid
// SIM: error: deadlock: no agent of CTA {{[01]}} can go on
// SIM: note: warps 0 to 3 wait for the other programs at a barrier(grid)
// PTX: error: deadlock: the loop waits for another program, and all programs wait or have ended, in warp 0
tile.kernel @bound(%n: index) grid(%i in n) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %i step %c1 {
    tile.barrier grid
  }
}

// CONDITION: error: this program and program (i = 0) do not come to the same barriers of the grid
tile.kernel @condition(%n: index) grid(%i in n) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.while (%k = %c0) : (index) -> index {
    %goes_on = arith.cmpi ult, %k, %i : index
    scf.condition(%goes_on) %k : index
  } do {
  ^bb0(%k: index):
    tile.barrier grid
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
}

// REGION: error: the interpreter knows no barrier of the grid inside of this operation
tile.kernel @region(%n: index) grid(%i in n) {
  scf.execute_region {
    tile.barrier grid
    scf.yield
  }
}
