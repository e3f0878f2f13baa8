// RUN: tile-opt %s -sm-dynamic-scheduler -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-NOT: sm.next_program

// It does not walk over programs, of which sm-persist has said why.
sm.kernel @once(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(4) schedule<persistent = true, dynamic = true> {
}

// -----

// expected-warning @below {{`dynamic` is not done, CTAs walk over a fixed share of the programs: the rings of the kernel are expanded already [not-dynamic]}}
// expected-note @below {{draw before sm-expand-rings}}
sm.kernel @late(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(4) persistent form(expanded) schedule<persistent = true, dynamic = true> {
}

// -----

// expected-warning @below {{`dynamic` is not done, CTAs walk over a fixed share of the programs: CTAs of a cluster would have to draw together [not-dynamic]}}
// expected-note @below {{leave `cluster` or `dynamic` away}}
sm.kernel @cluster(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(4) cluster(2) persistent form(scheduled) schedule<cluster = [2], persistent = true, dynamic = true> {
}

// -----

// expected-warning @below {{`dynamic` is not done, CTAs walk over a fixed share of the programs: the CTA has no single role of one thread that could draw for the others [not-dynamic]}}
// expected-note @below {{`--remarks` says which roles the kernel has, and why}}
sm.kernel @alone(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(4) persistent schedule<persistent = true, dynamic = true> {
}

// -----

!r = !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
// expected-warning @below {{`dynamic` is not done, CTAs walk over a fixed share of the programs: roles that compute in turn would have to draw in turn [not-dynamic]}}
// expected-note @below {{leave `pingpong` or `dynamic` away}}
sm.kernel @in_turn(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(12) persistent form(scheduled) schedule<pingpong = true, persistent = true, dynamic = true> {
  %r = sm.ring.alloc : !r
  sm.role "load" warps(4) elected {
  }
  sm.role "math0" warps(4) {
    sm.ring.take %r : !r
    sm.ring.pass %r : !r
  }
  sm.role "math1" warps(4) {
    sm.ring.take %r : !r
    sm.ring.pass %r : !r
  }
}

// -----

// expected-warning @below {{`dynamic` is not done, CTAs walk over a fixed share of the programs: a role has no loop that walks over them by itself [not-dynamic]}}
// expected-note @below {{let the loop over programs carry nothing}}
sm.kernel @other(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(8) persistent form(scheduled) schedule<persistent = true, dynamic = true> {
  %all = tile.size M ceildiv 64
  %c2 = arith.constant 2 : index
  %first = sm.program_id
  %ctas = sm.cta_count
  %two = arith.muli %ctas, %c2 : index
  sm.role "load" warps(4) elected {
    scf.for %p = %first to %all step %ctas {
    }
  }
  sm.role "math" warps(4) {
    scf.for %p = %first to %all step %two {
    }
  }
}
