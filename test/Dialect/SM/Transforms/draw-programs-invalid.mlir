// RUN: tile-opt %s -sm-draw-programs=remarks -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-NOT: sm.next_program

// expected-remark @below {{CTAs of this kernel do not draw their programs: they do not walk over programs}}
sm.kernel @once(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(4) schedule<persistent = true, dynamic = true> {
}

// -----

// expected-remark @below {{CTAs of this kernel do not draw their programs: its rings are expanded already}}
sm.kernel @late(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(4) persistent form(expanded) schedule<persistent = true, dynamic = true> {
}

// -----

// expected-remark @below {{CTAs of this kernel do not draw their programs: those of a cluster would have to draw together}}
sm.kernel @cluster(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(4) cluster(2) persistent form(scheduled) schedule<cluster = [2], persistent = true, dynamic = true> {
}

// -----

// expected-remark @below {{CTAs of this kernel do not draw their programs: no role of one thread loads for others}}
sm.kernel @alone(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(4) persistent schedule<persistent = true, dynamic = true> {
}

// -----

!r = !sm.ring<2 x [!sm.smem<64x64xbf16, swizzle = 128>]>
// expected-remark @below {{CTAs of this kernel do not draw their programs: roles that compute in turn would have to draw in turn}}
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

// expected-remark @below {{CTAs of this kernel do not draw their programs: a role has no loop that walks over them by itself}}
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
