// A planned matrix product, one program per CTA.
#acc = #sm.layout<"128x256 = register[2*(0,1) 2*(8,0) 32*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x256xbf16, swizzle = 128>
!c = !sm.smem<128x256xbf16, swizzle = 128>
sm.kernel @matmul(%a: !tile.global<[M, K] x bf16>, %b: !tile.global<[K, N] x bf16>,
                  %c: !tile.global<[M, N] x bf16, out>)
    grid(m in tiles(M, 128), n in tiles(N, 256)) warps(8)
    schedule<warpgroups = 2, stages = 3, persistent = true> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %M = tile.size M
  %N = tile.size N
  %K = tile.size K
  %p = sm.program_id
  %rows = tile.size M ceildiv 128
  %im = arith.remui %p, %rows : index
  %in = arith.divui %p, %rows : index
  %m = arith.muli %im, %c128 : index
  %n = arith.muli %in, %c256 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
  %r = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32, #acc>) {
    %at = sm.fetch %a[%m, %k] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !a
    %bt = sm.fetch %b[%k, %n] dims [0, 1] limits(%K, %N) : !tile.global<[K, N] x bf16>, index, index -> !b
    %d = sm.mma %at, %bt, %acc : !a, !b, tensor<128x256xf32, #acc>
    scf.yield %d : tensor<128x256xf32, #acc>
  }
  %t = arith.truncf %r : tensor<128x256xf32, #acc> to tensor<128x256xbf16, #acc>
  %s = sm.smem.store %t : tensor<128x256xbf16, #acc> -> !c
  sm.copy.store %s to %c[%m, %n] dims [0, 1] limits(%M, %N) : !c, !tile.global<[M, N] x bf16, out>, index, index
}
