// RUN: tile-opt %s -sm-order-programs=remarks -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: arith.subi
sm.kernel @left(%y: !tile.global<[M] x f32, out>, %x: f32) grid(m in tiles(M, 64)) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // expected-remark @below {{programs far along this axis take longer, and begin first}}
  %p = sm.program_id
  %m = arith.muli %p, %c64 : index
  scf.for %n = %c0 to %m step %c64 {
    sm.store %x to %y[%n] dims [] : f32, !tile.global<[M] x f32, out>, index
  }
}

// -----

// Programs that a CTA walks over by itself have their order.

// CHECK-LABEL: sm.kernel @persistent
// CHECK-NOT: arith.subi
sm.kernel @persistent(%y: !tile.global<[M] x f32, out>, %x: f32) grid(m in tiles(M, 64)) warps(4) persistent {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %p = sm.program_id
  %m = arith.muli %p, %c64 : index
  scf.for %n = %c0 to %m step %c64 {
    sm.store %x to %y[%n] dims [] : f32, !tile.global<[M] x f32, out>, index
  }
}
