// RUN: tile-opt %s -sm-order-programs | FileCheck %s

// A triangle of blocks: rows far down have long loops.

// CHECK-LABEL: sm.kernel @lower
// CHECK: %[[P:.*]] = sm.program_id
// CHECK: %[[M:.*]] = arith.remui %[[P]], %[[ROWS:.*]] : index
// CHECK: %[[COUNT:.*]] = tile.size M ceildiv 64
// CHECK: %[[LAST:.*]] = arith.subi %[[COUNT]], %{{.*}} : index
// CHECK: %[[BACK:.*]] = arith.subi %[[LAST]], %[[M]] : index
// CHECK: arith.divui %[[P]], %[[ROWS]]
// CHECK-NOT: arith.subi
// CHECK: arith.muli %[[BACK]]
sm.kernel @lower(%y: !tile.global<[H, M] x f32, out>, %x: f32) grid(m in tiles(M, 64), h in H) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %rows = tile.size M ceildiv 64
  %M = tile.size M
  %p = sm.program_id
  %i = arith.remui %p, %rows : index
  %h = arith.divui %p, %rows : index
  %m = arith.muli %i, %c64 : index
  %next = arith.addi %m, %c64 : index
  %end = arith.minsi %next, %M : index
  scf.for %n = %c0 to %end step %c64 {
    sm.store %x to %y[%h, %n] dims [] : f32, !tile.global<[H, M] x f32, out>, index, index
  }
}

// Short loops far down, and the last axis, which is what is left: here the only one.

// CHECK-LABEL: sm.kernel @upper
// CHECK-NOT: arith.subi
sm.kernel @upper(%y: !tile.global<[M] x f32, out>, %x: f32) grid(m in tiles(M, 64)) warps(4) {
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %p = sm.program_id
  %m = arith.muli %p, %c64 : index
  scf.for %n = %m to %M step %c64 {
    sm.store %x to %y[%n] dims [] : f32, !tile.global<[M] x f32, out>, index
  }
}

// CHECK-LABEL: sm.kernel @left
// CHECK: %[[P:.*]] = sm.program_id
// CHECK: arith.subi %{{.*}}, %[[P]]
sm.kernel @left(%y: !tile.global<[M] x f32, out>, %x: f32) grid(m in tiles(M, 64)) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %p = sm.program_id
  %m = arith.muli %p, %c64 : index
  scf.for %n = %c0 to %m step %c64 {
    sm.store %x to %y[%n] dims [] : f32, !tile.global<[M] x f32, out>, index
  }
}

// What is loaded with the coordinate says nothing of lengths, and neither do loops that grow and
// loops that shrink.

// CHECK-LABEL: sm.kernel @unknown
// CHECK-NOT: arith.subi
sm.kernel @unknown(%y: !tile.global<[M] x f32, out>, %starts: !tile.global<[H] x i32>, %x: f32) grid(h in H) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %p = sm.program_id
  %end = sm.load %starts[%p] dims [] : !tile.global<[H] x i32>, index -> i32
  %n1 = arith.index_cast %end : i32 to index
  scf.for %n = %c0 to %n1 step %c64 {
    sm.store %x to %y[%n] dims [] : f32, !tile.global<[M] x f32, out>, index
  }
}

// CHECK-LABEL: sm.kernel @both
// CHECK-NOT: arith.subi
sm.kernel @both(%y: !tile.global<[M] x f32, out>, %x: f32) grid(m in tiles(M, 64)) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %p = sm.program_id
  %m = arith.muli %p, %c64 : index
  scf.for %n = %c0 to %m step %c64 {
    sm.store %x to %y[%n] dims [] : f32, !tile.global<[M] x f32, out>, index
  }
  scf.for %n = %m to %M step %c64 {
    sm.store %x to %y[%n] dims [] : f32, !tile.global<[M] x f32, out>, index
  }
}
