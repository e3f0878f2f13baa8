// What the simulator does not know is an error before it begins.
// DEFINE: %{run} = not tile-run %s --device sim
// RUN: %{run} --kernel unknown --arg x=1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %{run} --kernel wide 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: %{run} --kernel blocks 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: %{run} --kernel loop --arg x=0 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: %{run} --kernel much 2>&1 | FileCheck %s --check-prefix=MUCH

// UNKNOWN: error: the simulator does not know the operation 'tensor.from_elements'
sm.kernel @unknown(%x: i32) grid() warps(4) {
  %t = tensor.from_elements %x : tensor<1xi32, #sm.layout<"1 = lane[32*(0)] warp[4*(0)]">>
}

// WIDE: error: the simulator does not know values of type 'f80'
sm.kernel @wide() grid() warps(4) {
  %t = arith.constant 1.0 : f80
}

// BLOCKS: error: the simulator does not know regions of several blocks
sm.kernel @blocks() grid() warps(4) {
  scf.execute_region {
    scf.yield
  ^bb1:
    scf.yield
  }
}

// LOOP: error: the step of the loop is 0; expected a positive step
// LOOP: note: in warp 0 of CTA 0 of kernel 'loop'
sm.kernel @loop(%x: index) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %x {
  }
}

// MUCH: error: takes 2147483647 bytes of shared memory; the simulator has at most 268435456
sm.kernel @much() grid() warps(4) form(fenced) shared(2147483647) {
}
