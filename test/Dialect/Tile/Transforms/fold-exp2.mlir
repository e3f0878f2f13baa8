// RUN: tile-opt %s --tile-fold-exp2 -split-input-file | FileCheck %s

// Causal attention, as the front end produces it.
tile.kernel @attention(%q: !tile.global<[B, H, M, 64] x bf16>, %k: !tile.global<[B, H, N, 64] x bf16>,
                       %v: !tile.global<[B, H, N, 64] x bf16>, %scale: f32,
                       %o: !tile.global<[B, H, M, 64] x bf16, out>, %lse: !tile.global<[B, H, M] x f32, out>)
    grid(%m in tiles(M, 128), %h in H, %b in B) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %M = tile.size M
  %minf = arith.constant dense<0xFF800000> : tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %zero2 = arith.constant dense<0.0> : tensor<128x64xf32>
  %zero3 = arith.constant dense<0.0> : tensor<128x128xf32>
  %minf2 = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %d = tile.range %c0 to %c64 : !tile.range<64>
  %qm = tile.load %q[%b, %h, %m, %d] : !tile.global<[B, H, M, 64] x bf16>, index, index, !tile.range<128 of M>, !tile.range<64> -> tensor<128x64xbf16>
  %off = arith.subi %N, %M : index
  %mend = tile.end %m : !tile.range<128 of M>
  %e = arith.addi %mend, %off : index
  %last = arith.minsi %N, %e : index
  %r:3 = scf.for %i = %c0 to %last step %c128 iter_args(%mx = %minf, %den = %zero, %acc = %zero2) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
    %n = tile.range %i to %last : !tile.range<128>
    %kt = tile.load %k[%b, %h, %n, %d] : !tile.global<[B, H, N, 64] x bf16>, index, index, !tile.range<128>, !tile.range<64> -> tensor<128x64xbf16>
    %qk = tile.gemm %qm, %kt, %zero3 transpose_b : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    %sc = tensor.splat %scale : tensor<128x128xf32>
    %s0 = arith.mulf %sc, %qk : tensor<128x128xf32>
    %valid = tile.valid %n : !tile.range<128> -> tensor<128xi1>
    %valid1 = tile.expand_dims %valid axis 0 : tensor<128xi1> -> tensor<1x128xi1>
    %valid2 = tile.broadcast %valid1 : tensor<1x128xi1> -> tensor<128x128xi1>
    %s1 = arith.select %valid2, %s0, %minf2 : tensor<128x128xi1>, tensor<128x128xf32>
    %mi = tile.indices %m : !tile.range<128 of M> -> tensor<128xi32>
    %mi1 = tile.expand_dims %mi axis 1 : tensor<128xi32> -> tensor<128x1xi32>
    %offi = arith.index_cast %off : index to i32
    %offt = tensor.splat %offi : tensor<128x1xi32>
    %mi2 = arith.addi %mi1, %offt : tensor<128x1xi32>
    %mi3 = tile.broadcast %mi2 : tensor<128x1xi32> -> tensor<128x128xi32>
    %ni = tile.indices %n : !tile.range<128> -> tensor<128xi32>
    %ni1 = tile.expand_dims %ni axis 0 : tensor<128xi32> -> tensor<1x128xi32>
    %ni2 = tile.broadcast %ni1 : tensor<1x128xi32> -> tensor<128x128xi32>
    %cm = arith.cmpi sge, %mi3, %ni2 : tensor<128x128xi32>
    %s = arith.select %cm, %s1, %minf2 : tensor<128x128xi1>, tensor<128x128xf32>
    %rm = tile.reduce max %s axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %new = arith.maximumf %mx, %rm : tensor<128xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %new2 = tile.broadcast %new1 : tensor<128x1xf32> -> tensor<128x128xf32>
    %x = arith.subf %s, %new2 : tensor<128x128xf32>
    %p = math.exp %x : tensor<128x128xf32>
    %y = arith.subf %mx, %new : tensor<128xf32>
    %c = math.exp %y : tensor<128xf32>
    %dc = arith.mulf %den, %c : tensor<128xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %den1 = arith.addf %dc, %ps : tensor<128xf32>
    %ce = tile.expand_dims %c axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %cb = tile.broadcast %ce : tensor<128x1xf32> -> tensor<128x64xf32>
    %ac = arith.mulf %acc, %cb : tensor<128x64xf32>
    %pt = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xbf16>
    %vt = tile.load %v[%b, %h, %n, %d] : !tile.global<[B, H, N, 64] x bf16>, index, index, !tile.range<128>, !tile.range<64> -> tensor<128x64xbf16>
    %acc1 = tile.gemm %pt, %vt, %ac : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
    scf.yield %new, %den1, %acc1 : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
  }
  %de = tile.expand_dims %r#1 axis 1 : tensor<128xf32> -> tensor<128x1xf32>
  %db = tile.broadcast %de : tensor<128x1xf32> -> tensor<128x64xf32>
  %on = arith.divf %r#2, %db : tensor<128x64xf32>
  %ot = arith.truncf %on : tensor<128x64xf32> to tensor<128x64xbf16>
  tile.store %ot to %o[%b, %h, %m, %d] : tensor<128x64xbf16>, !tile.global<[B, H, M, 64] x bf16, out>, index, index, !tile.range<128 of M>, !tile.range<64>
  %ld = math.log %r#1 : tensor<128xf32>
  %l = arith.addf %r#0, %ld : tensor<128xf32>
  tile.store %l to %lse[%b, %h, %m] : tensor<128xf32>, !tile.global<[B, H, M] x f32, out>, index, index, !tile.range<128 of M>
}
