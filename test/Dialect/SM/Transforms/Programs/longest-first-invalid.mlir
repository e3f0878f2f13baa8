// RUN: tile-opt %s -sm-longest-first=remarks -split-input-file -verify-diagnostics | FileCheck %s

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

// -----

// CHECK-LABEL: sm.kernel @heads
sm.kernel @heads(%y: !tile.global<[H, M] x f32, out>, %x: f32) grid(m in tiles(M, 64), h in H) warps(4) {
  %c64 = arith.constant 64 : index
  %rows = tile.size M ceildiv 64
  %M = tile.size M
  %p = sm.program_id
  // expected-remark @below {{programs along the first axis take unequally long; the long ones of several places along the second one begin together}}
  %i = arith.remui %p, %rows : index
  %h = arith.divui %p, %rows : index
  %m = arith.muli %i, %c64 : index
  scf.for %n = %m to %M step %c64 {
    sm.store %x to %y[%h, %n] dims [] : f32, !tile.global<[H, M] x f32, out>, index, index
  }
}
