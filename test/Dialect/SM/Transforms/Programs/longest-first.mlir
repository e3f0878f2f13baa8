// RUN: tile-opt %s -sm-longest-first | FileCheck %s

// A triangle of blocks: rows far down have long loops.

// Bands of heads: four, or more if these are few programs, if that divides all heads.
// CHECK-LABEL: sm.kernel @lower
// CHECK: %[[P:.*]] = sm.program_id
// CHECK: %[[I:.*]] = arith.remui %[[P]], %[[ROWS:.*]] : index
// CHECK: %[[H:.*]] = arith.divui %[[P]], %[[ROWS]]
// CHECK: %[[COUNT:.*]] = tile.size M ceildiv 64
// CHECK: %[[HEADS:.*]] = tile.size H
// CHECK: %[[FEW:.*]] = arith.cmpi slt, %[[COUNT]], %c32
// CHECK: %[[EIGHT:.*]] = arith.select %[[FEW]], %c3{{[_0-9]*}}, %c2
// CHECK: %[[FEWER:.*]] = arith.cmpi slt, %[[COUNT]], %c16
// CHECK: %[[WANTED:.*]] = arith.select %[[FEWER]], %c4{{[_0-9]*}}, %[[EIGHT]]
// CHECK: arith.andi %[[HEADS]], %c1
// CHECK: %[[REST:.*]] = arith.andi %[[HEADS]], %c15
// CHECK: %[[NONE:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: %[[EVEN:.*]] = arith.select %[[NONE]], %c4
// CHECK: %[[SHIFT:.*]] = arith.minsi %[[WANTED]], %[[EVEN]]
// CHECK: %[[WIDTH:.*]] = arith.shli %c1{{[_0-9]*}}, %[[SHIFT]]
// CHECK: %[[MASK:.*]] = arith.subi %[[WIDTH]], %c1
// CHECK: %[[AMONG:.*]] = arith.andi %[[H]], %[[MASK]]
// CHECK: %[[BEFORE:.*]] = arith.muli %[[AMONG]], %[[COUNT]]
// CHECK: %[[NUMBER:.*]] = arith.addi %[[BEFORE]], %[[I]]
// CHECK: %[[START:.*]] = arith.subi %[[H]], %[[AMONG]]
// CHECK: %[[NEXT:.*]] = arith.andi %[[NUMBER]], %[[MASK]]
// CHECK: %[[HEAD:.*]] = arith.addi %[[START]], %[[NEXT]]
// CHECK: %[[M:.*]] = arith.shrui %[[NUMBER]], %[[SHIFT]]
// Counted from the end.
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK: %[[BACK:.*]] = arith.subi %[[LAST]], %[[M]] : index
// CHECK-NOT: arith.subi
// CHECK: arith.muli %[[BACK]]
// CHECK: sm.store %{{.*}} to %{{.*}}[%[[HEAD]],
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

// What computes a coordinate moves before all that uses the other one.
// CHECK-LABEL: sm.kernel @used_between
// CHECK: %[[H:.*]] = arith.divui
// CHECK-NEXT: %[[I:.*]] = arith.remui
// CHECK: %[[NUMBER:.*]] = arith.addi %{{.*}}, %[[I]]
// CHECK: %[[HEAD:.*]] = arith.addi
// CHECK: sm.load %{{.*}}[%[[HEAD]]]
sm.kernel @used_between(%y: !tile.global<[H, M] x f32, out>, %x: !tile.global<[H] x f32>) grid(m in tiles(M, 64), h in H) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %rows = tile.size M ceildiv 64
  %M = tile.size M
  %p = sm.program_id
  %h = arith.divui %p, %rows : index
  %e = sm.load %x[%h] dims [] : !tile.global<[H] x f32>, index -> f32
  %i = arith.remui %p, %rows : index
  %m = arith.muli %i, %c64 : index
  %next = arith.addi %m, %c64 : index
  %end = arith.minsi %next, %M : index
  scf.for %n = %c0 to %end step %c64 {
    sm.store %e to %y[%h, %n] dims [] : f32, !tile.global<[H, M] x f32, out>, index, index
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

// Short far down, so not turned; of three axes the third one stays.

// CHECK-LABEL: sm.kernel @three
// CHECK: %[[P:.*]] = sm.program_id
// CHECK: %[[Q:.*]] = arith.divui %[[P]], %[[ROWS:.*]] : index
// CHECK: %[[H:.*]] = arith.remui %[[Q]]
// CHECK: %[[SHIFT:.*]] = arith.minsi
// CHECK: %[[AMONG:.*]] = arith.andi %[[H]]
// CHECK: %[[I:.*]] = arith.shrui %{{.*}}, %[[SHIFT]]
// CHECK: %[[B:.*]] = arith.divui %[[Q]], %[[ALL:.*]] : index
// CHECK: arith.muli %[[I]], %c64
// CHECK: sm.store %{{.*}} to %{{.*}}[%[[B]],
sm.kernel @three(%y: !tile.global<[B, H, M] x f32, out>, %x: f32) grid(m in tiles(M, 64), h in H, b in B) warps(4) {
  %c64 = arith.constant 64 : index
  %rows = tile.size M ceildiv 64
  %heads = tile.size H
  %M = tile.size M
  %p = sm.program_id
  %i = arith.remui %p, %rows : index
  %q = arith.divui %p, %rows : index
  %h = arith.remui %q, %heads : index
  %b = arith.divui %q, %heads : index
  %m = arith.muli %i, %c64 : index
  scf.for %n = %m to %M step %c64 {
    sm.store %x to %y[%b, %h, %n] dims [] : f32, !tile.global<[B, H, M] x f32, out>, index, index, index
  }
}

// The loops of all programs are equally long; or clusters of neighbours belong together.

// CHECK-LABEL: sm.kernel @even
// CHECK-NOT: arith.subi
// CHECK: sm.store
sm.kernel @even(%y: !tile.global<[H, M] x f32, out>, %x: f32) grid(m in tiles(M, 64), h in H) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %rows = tile.size M ceildiv 64
  %M = tile.size M
  %p = sm.program_id
  %h = arith.divui %p, %rows : index
  scf.for %n = %c0 to %M step %c64 {
    sm.store %x to %y[%h, %n] dims [] : f32, !tile.global<[H, M] x f32, out>, index, index
  }
}

// CHECK-LABEL: sm.kernel @clusters
// CHECK-NOT: arith.minsi
// CHECK: arith.subi
// CHECK-NOT: arith.minsi
// CHECK: sm.store
sm.kernel @clusters(%y: !tile.global<[H, M] x f32, out>, %x: f32) grid(m in tiles(M, 64), h in H) warps(4) cluster(2) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c2 = arith.constant 2 : index
  %pairs = tile.size M ceildiv 64 ceildiv 2
  %p = sm.program_id
  %i = arith.remui %p, %pairs : index
  %h = arith.divui %p, %pairs : index
  %first = arith.muli %i, %c2 : index
  %rank = sm.cta_rank
  %at = arith.addi %first, %rank : index
  %m = arith.muli %at, %c64 : index
  scf.for %n = %c0 to %m step %c64 {
    sm.store %x to %y[%h, %n] dims [] : f32, !tile.global<[H, M] x f32, out>, index, index
  }
}

// A coordinate that is computed twice stays, as both would have to change.

// CHECK-LABEL: sm.kernel @twice
// CHECK-NOT: arith.minsi
// CHECK: sm.store
sm.kernel @twice(%y: !tile.global<[H, M] x f32, out>, %x: f32) grid(m in tiles(M, 64), h in H) warps(4) {
  %c64 = arith.constant 64 : index
  %rows = tile.size M ceildiv 64
  %M = tile.size M
  %p = sm.program_id
  %i = arith.remui %p, %rows : index
  %j = arith.remui %p, %rows : index
  %h = arith.divui %p, %rows : index
  %m = arith.muli %i, %c64 : index
  %n = arith.muli %j, %c64 : index
  scf.for %k = %m to %M step %c64 {
    sm.store %x to %y[%h, %n] dims [] : f32, !tile.global<[H, M] x f32, out>, index, index
  }
}
