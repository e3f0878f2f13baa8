// RUN: tile-opt %s -sm-persist=remarks -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-NOT: scf.for

// expected-remark @below {{this kernel does not walk over programs: it does not ask which program it runs}}
sm.kernel @one() grid() warps(4) schedule<persistent = true> {
}

// -----

// expected-remark @below {{this kernel does not walk over programs: it is not planned any more}}
sm.kernel @late() grid(h in H) warps(4) form(scheduled) schedule<persistent = true> {
  %p = sm.program_id
}
