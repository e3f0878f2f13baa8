// RUN: tile-opt %s -sm-multicta -verify-diagnostics

// A slot that is given back twice is refused here as by the later passes.

!a = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @twice(%b: !tile.global<[K, N] x bf16>)
    grid(n in tiles(N, 64)) warps(8) cluster(2) form(scheduled) {
  %ring = sm.ring.alloc : !sm.ring<1 x [!a]>
  sm.role "load" warps(4) elected {
    %s = sm.ring.acquire %ring : !sm.ring<1 x [!a]>
    // expected-note @below {{the slot is committed or released here}}
    sm.ring.commit %s : !sm.slot<[!a]>
    // expected-error @below {{uses a slot after its commit or release}}
    sm.ring.commit %s : !sm.slot<[!a]>
  }
  sm.role "math" warps(4) {
    %s = sm.ring.wait %ring : !sm.ring<1 x [!a]>
    sm.ring.release %s : !sm.slot<[!a]>
  }
}
