// Two variants of one kernel, and another kernel.
sm.kernel @wide(%x: !tile.global<[N] x f32>) grid() warps(1) requires(N mod 4) {
}
sm.kernel @wide_plain(%x: !tile.global<[N] x f32>) grid() warps(2) requires(N mod 2) attributes {sm.variant_of = "wide"} {
  sm.barrier
}
sm.kernel @other(%x: !tile.global<[N] x f32>) grid() warps(1) {
}
