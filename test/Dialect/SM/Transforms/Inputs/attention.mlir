// Planned attention with a loop without masks and one with them (the end of the keys), as they
// come from tile-peel-masks.
#s = #sm.layout<"128x128 = register[2*(0,1) 2*(8,0) 16*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#o = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#row = #sm.layout<"128 = register[2*(8)] lane[4*(0) 8*(1)] warp[8*(16)]">
#column = #sm.layout<"128x1 = register[2*(8,0)] lane[4*(0,0) 8*(1,0)] warp[8*(16,0)]">
#keys = #sm.layout<"128 = register[2*(1) 16*(8)] lane[4*(2) 8*(0)] warp[8*(0)]">
#line = #sm.layout<"1x128 = register[2*(0,1) 16*(0,8)] lane[4*(0,2) 8*(0,0)] warp[8*(0,0)]">
!q = !sm.smem<128x64xbf16, swizzle = 128>
!g = !tile.global<[H, N, 64] x bf16>
sm.kernel @attention(%q: !tile.global<[H, M, 64] x bf16>, %k: !g, %v: !g,
                     %o: !tile.global<[H, M, 64] x bf16, out>)
    grid(m in tiles(M, 128), h in H) warps(8)
    schedule<warpgroups = 2, stages = 2, pingpong = true> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.size M
  %N = tile.size N
  %blocks = tile.size M ceildiv 128
  %p = sm.program_id
  %im = arith.remui %p, %blocks : index
  %h = arith.divui %p, %blocks : index
  %m = arith.muli %im, %c128 : index
  %full = arith.divui %N, %c128 : index
  %end = arith.muli %full, %c128 : index
  %zs = arith.constant dense<0.0> : tensor<128x128xf32, #s>
  %none = arith.constant dense<0xFF800000> : tensor<128x128xf32, #s>
  %zo = arith.constant dense<0.0> : tensor<128x64xf32, #o>
  %zr = arith.constant dense<0.0> : tensor<128xf32, #row>
  %lowest = arith.constant dense<-1.0e+30> : tensor<128xf32, #row>
  %qt = sm.fetch %q[%h, %m, %c0] dims [1, 2] limits(%M, %c64) : !tile.global<[H, M, 64] x bf16>, index, index, index -> !q
  %r:3 = scf.for %n = %c0 to %end step %c128 iter_args(%mx = %lowest, %l = %zr, %acc = %zo)
      -> (tensor<128xf32, #row>, tensor<128xf32, #row>, tensor<128x64xf32, #o>) {
    %kt = sm.fetch %k[%h, %n, %c0] dims [1, 2] limits(%N, %c64) in_bounds [true, true] : !g, index, index, index -> !q
    %s = sm.mma %qt, %kt, %zs transpose_b : !q, !q, tensor<128x128xf32, #s>
    %rm = sm.reduce max %s axis 1 : tensor<128x128xf32, #s> -> tensor<128xf32, #row>
    %new = arith.maximumf %mx, %rm : tensor<128xf32, #row>
    %newc = sm.expand_dims %new axis 1 : tensor<128xf32, #row> -> tensor<128x1xf32, #column>
    %newb = sm.broadcast %newc : tensor<128x1xf32, #column> -> tensor<128x128xf32, #s>
    %x = arith.subf %s, %newb : tensor<128x128xf32, #s>
    %e = math.exp2 %x : tensor<128x128xf32, #s>
    %dm = arith.subf %mx, %new : tensor<128xf32, #row>
    %c = math.exp2 %dm : tensor<128xf32, #row>
    %sum = sm.reduce sum %e axis 1 : tensor<128x128xf32, #s> -> tensor<128xf32, #row>
    %lc = arith.mulf %l, %c : tensor<128xf32, #row>
    %ln = arith.addf %lc, %sum : tensor<128xf32, #row>
    %cc = sm.expand_dims %c axis 1 : tensor<128xf32, #row> -> tensor<128x1xf32, #column>
    %cb = sm.broadcast %cc : tensor<128x1xf32, #column> -> tensor<128x64xf32, #o>
    %scaled = arith.mulf %acc, %cb : tensor<128x64xf32, #o>
    %pb = arith.truncf %e : tensor<128x128xf32, #s> to tensor<128x128xbf16, #s>
    %vt = sm.fetch %v[%h, %n, %c0] dims [1, 2] limits(%N, %c64) in_bounds [true, true] : !g, index, index, index -> !q
    %d = sm.mma %pb, %vt, %scaled : tensor<128x128xbf16, #s>, !q, tensor<128x64xf32, #o>
    scf.yield %new, %ln, %d : tensor<128xf32, #row>, tensor<128xf32, #row>, tensor<128x64xf32, #o>
  } {tile.peeled}
  %t:3 = scf.for %n = %end to %N step %c128 iter_args(%mx = %r#0, %l = %r#1, %acc = %r#2)
      -> (tensor<128xf32, #row>, tensor<128xf32, #row>, tensor<128x64xf32, #o>) {
    %kt = sm.fetch %k[%h, %n, %c0] dims [1, 2] limits(%N, %c64) : !g, index, index, index -> !q
    %s0 = sm.mma %qt, %kt, %zs transpose_b : !q, !q, tensor<128x128xf32, #s>
    %ni = sm.indices %n : tensor<128xi32, #keys>
    %Ni = arith.index_cast %N : index to i32
    %Nt = tensor.splat %Ni : tensor<128xi32, #keys>
    %ok = arith.cmpi slt, %ni, %Nt : tensor<128xi32, #keys>
    %okl = sm.expand_dims %ok axis 0 : tensor<128xi1, #keys> -> tensor<1x128xi1, #line>
    %okb = sm.broadcast %okl : tensor<1x128xi1, #line> -> tensor<128x128xi1, #s>
    %s = arith.select %okb, %s0, %none : tensor<128x128xi1, #s>, tensor<128x128xf32, #s>
    %rm = sm.reduce max %s axis 1 : tensor<128x128xf32, #s> -> tensor<128xf32, #row>
    %new = arith.maximumf %mx, %rm : tensor<128xf32, #row>
    %newc = sm.expand_dims %new axis 1 : tensor<128xf32, #row> -> tensor<128x1xf32, #column>
    %newb = sm.broadcast %newc : tensor<128x1xf32, #column> -> tensor<128x128xf32, #s>
    %x = arith.subf %s, %newb : tensor<128x128xf32, #s>
    %e = math.exp2 %x : tensor<128x128xf32, #s>
    %dm = arith.subf %mx, %new : tensor<128xf32, #row>
    %c = math.exp2 %dm : tensor<128xf32, #row>
    %sum = sm.reduce sum %e axis 1 : tensor<128x128xf32, #s> -> tensor<128xf32, #row>
    %lc = arith.mulf %l, %c : tensor<128xf32, #row>
    %ln = arith.addf %lc, %sum : tensor<128xf32, #row>
    %cc = sm.expand_dims %c axis 1 : tensor<128xf32, #row> -> tensor<128x1xf32, #column>
    %cb = sm.broadcast %cc : tensor<128x1xf32, #column> -> tensor<128x64xf32, #o>
    %scaled = arith.mulf %acc, %cb : tensor<128x64xf32, #o>
    %pb = arith.truncf %e : tensor<128x128xf32, #s> to tensor<128x128xbf16, #s>
    %vt = sm.fetch %v[%h, %n, %c0] dims [1, 2] limits(%N, %c64) : !g, index, index, index -> !q
    %d = sm.mma %pb, %vt, %scaled : tensor<128x128xbf16, #s>, !q, tensor<128x64xf32, #o>
    scf.yield %new, %ln, %d : tensor<128xf32, #row>, tensor<128xf32, #row>, tensor<128x64xf32, #o>
  } {tile.peeled}
  %lc = sm.expand_dims %t#1 axis 1 : tensor<128xf32, #row> -> tensor<128x1xf32, #column>
  %lb = sm.broadcast %lc : tensor<128x1xf32, #column> -> tensor<128x64xf32, #o>
  %of = arith.divf %t#2, %lb : tensor<128x64xf32, #o>
  %ob = arith.truncf %of : tensor<128x64xf32, #o> to tensor<128x64xbf16, #o>
  sm.store %ob to %o[%h, %m, %c0] dims [1, 2] limits(%M, %c64) : tensor<128x64xbf16, #o>, !tile.global<[H, M, 64] x bf16, out>, index, index, index
}
