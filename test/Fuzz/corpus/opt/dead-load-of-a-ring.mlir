

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = tensor<64x16xf32, #acc>
!r = tensor<64xf32, #row>
!x = !tile.global<[N, 64] x bf16>
!s = !tile.global<[N] x f32>

// Tensor copies do not compute.
sm.kernel @by_copies(%x: !x, %s: !s) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma, s : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, !c
    %l = sm.load %s[%i] dims [0] limits(%N) : !s, index -> !r

    %u = arith.negf %l {sm.plan_entry = "s"} : !r
  }
}

