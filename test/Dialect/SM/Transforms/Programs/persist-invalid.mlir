// RUN: tile-opt %s -sm-persist -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-NOT: scf.for

// expected-warning @below {{`persistent` is not done, each CTA runs one program: the kernel does not ask which program it runs [not-persistent]}}
// expected-note @below {{give the kernel a grid whose axes it uses}}
sm.kernel @one() grid() warps(4) schedule<persistent = true> {
}

// -----

// expected-warning @below {{`persistent` is not done, each CTA runs one program: the kernel is not planned any more [not-persistent]}}
// expected-note @below {{give the kernel a grid}}
sm.kernel @late() grid(h in H) warps(4) form(scheduled) schedule<persistent = true> {
  %p = sm.program_id
}
