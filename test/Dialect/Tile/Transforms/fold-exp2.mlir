// RUN: tile-opt %s -tile-fold-exp2 -split-input-file | FileCheck %s
// RUN: tile-opt %s -tile-fold-exp2=assume-positive-scale=true -split-input-file | FileCheck %s --check-prefix=POSITIVE

// A softmax over blocks of scores: scale and log2(e) are one scalar outside the loop, the running
// maximum is carried in base 2, and one multiply-add stands before exp2. The mask is taken on the
// raw product, whose masked elements go where the sign of the scale makes them -inf. The
// log-sum-exp is natural: one product by ln(2) after the loop.

// CHECK-LABEL: tile.kernel @softmax
// CHECK-SAME: %[[SCALE:scale]]: f32
// CHECK-DAG: %[[LN2:.*]] = arith.constant dense<0.693147182> : tensor<16xf32>
// CHECK-DAG: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK-DAG: %[[TINY:.*]] = arith.constant 1.17549435E-38 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[NEG:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[POS:.*]] = arith.constant 0x7F800000 : f32
// CHECK-DAG: %[[INIT:.*]] = arith.constant dense<0xFF800000> : tensor<16xf32>
// CHECK-DAG: %[[PRODUCT:.*]] = arith.mulf %[[SCALE]], %[[LOG2E]] : f32
// CHECK: %[[ISZERO:.*]] = arith.cmpf oeq, %[[PRODUCT]], %[[ZERO]] : f32
// CHECK: %[[C:.*]] = arith.select %[[ISZERO]], %[[TINY]], %[[PRODUCT]] : f32
// CHECK: %[[SIGN:.*]] = arith.cmpf ogt, %[[C]], %[[ZERO]] : f32
// CHECK: %[[FILL:.*]] = arith.select %[[SIGN]], %[[NEG]], %[[POS]] : f32
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[MX:.*]] = %[[INIT]], %[[DEN:.*]] =
// CHECK: %[[S:.*]] = arith.extf
// CHECK-NOT: arith.mulf
// CHECK: %[[FILLS:.*]] = tensor.splat %[[FILL]]
// CHECK: %[[MASKED:.*]] = arith.select %{{.*}}, %[[S]], %[[FILLS]]
// CHECK: %[[ROW:.*]] = scf.if %[[SIGN]]
// CHECK:   tile.reduce max %[[MASKED]] axis 1
// CHECK: else
// CHECK:   tile.reduce min %[[MASKED]] axis 1
// CHECK: %[[ROWC:.*]] = arith.mulf %[[ROW]], %{{.*}} : tensor<16xf32>
// CHECK: %[[NEW:.*]] = arith.maximumf %[[MX]], %[[ROWC]]
// CHECK: %[[NEGATED:.*]] = arith.negf %[[NEW]] : tensor<16xf32>
// CHECK: %[[COLUMN:.*]] = tile.expand_dims %[[NEGATED]] axis 1
// CHECK: %[[REPEATED:.*]] = tile.broadcast %[[COLUMN]]
// CHECK: %[[CS:.*]] = tensor.splat %[[C]] : tensor<16x64xf32>
// CHECK: %[[X:.*]] = math.fma %[[MASKED]], %[[CS]], %[[REPEATED]] : tensor<16x64xf32>
// CHECK: math.exp2 %[[X]]
// CHECK: %[[Y:.*]] = arith.subf %[[MX]], %[[NEW]]
// CHECK: math.exp2 %[[Y]]
// CHECK: scf.yield %[[NEW]], %{{.*}}
// CHECK: %[[LOG:.*]] = math.log2 %[[LOOP]]#1
// CHECK: %[[SUM:.*]] = arith.addf %[[LOOP]]#0, %[[LOG]]
// CHECK: %[[LSE:.*]] = arith.mulf %[[SUM]], %[[LN2]]
// CHECK: tile.store %[[LSE]]

// POSITIVE-LABEL: tile.kernel @softmax
// POSITIVE-NOT: arith.cmpf
// POSITIVE-NOT: scf.if
// POSITIVE-NOT: tile.reduce min
// POSITIVE: tile.reduce max
// POSITIVE: math.fma
tile.kernel @softmax(%x: !tile.global<[M, N] x f16>, %scale: f32, %lse: !tile.global<[M] x f32, out>)
    grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %minf = arith.constant dense<0xFF800000> : tensor<16xf32>
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %minf2 = arith.constant dense<0xFF800000> : tensor<16x64xf32>
  %r:2 = scf.for %i = %c0 to %N step %c64 iter_args(%mx = %minf, %den = %zero) -> (tensor<16xf32>, tensor<16xf32>) {
    %n = tile.range %i to %N : !tile.range<64 of N>
    %h = tile.load %x[%m, %n] : !tile.global<[M, N] x f16>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf16>
    %t = arith.extf %h : tensor<16x64xf16> to tensor<16x64xf32>
    %sc = tensor.splat %scale : tensor<16x64xf32>
    %s0 = arith.mulf %sc, %t : tensor<16x64xf32>
    %valid = tile.valid %n : !tile.range<64 of N> -> tensor<64xi1>
    %valid1 = tile.expand_dims %valid axis 0 : tensor<64xi1> -> tensor<1x64xi1>
    %valid2 = tile.broadcast %valid1 : tensor<1x64xi1> -> tensor<16x64xi1>
    %s = arith.select %valid2, %s0, %minf2 : tensor<16x64xi1>, tensor<16x64xf32>
    %rm = tile.reduce max %s axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %new = arith.maximumf %mx, %rm : tensor<16xf32>
    %new1 = tile.expand_dims %new axis 1 : tensor<16xf32> -> tensor<16x1xf32>
    %new2 = tile.broadcast %new1 : tensor<16x1xf32> -> tensor<16x64xf32>
    %d = arith.subf %s, %new2 : tensor<16x64xf32>
    %p = math.exp %d : tensor<16x64xf32>
    %e = arith.subf %mx, %new : tensor<16xf32>
    %c = math.exp %e : tensor<16xf32>
    %dc = arith.mulf %den, %c : tensor<16xf32>
    %ps = tile.reduce sum %p axis 1 : tensor<16x64xf32> -> tensor<16xf32>
    %den1 = arith.addf %dc, %ps : tensor<16xf32>
    scf.yield %new, %den1 : tensor<16xf32>, tensor<16xf32>
  }
  %ld = math.log %r#1 : tensor<16xf32>
  %l = arith.addf %r#0, %ld : tensor<16xf32>
  tile.store %l to %lse[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// A constant scale has a known sign: no branch, and a negative one asks for the minimum. Scales in
// sequence and a division by a scalar join: 1 / -3 * 0.5 * log2(e).

// CHECK-LABEL: tile.kernel @constant_scale
// CHECK-DAG: %[[C:.*]] = arith.constant dense<-0.240449175> : tensor<16x64xf32>
// CHECK: %[[T:.*]] = arith.extf
// CHECK-NOT: scf.if
// CHECK: tile.reduce min %[[T]] axis 1
// CHECK: %[[X:.*]] = math.fma %[[T]], %[[C]],
// CHECK: math.exp2 %[[X]]
tile.kernel @constant_scale(%x: !tile.global<[M, 64] x f16>, %y: !tile.global<[M, 64] x f32, out>)
    grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %three = arith.constant dense<-3.0> : tensor<16x64xf32>
  %half = arith.constant dense<0.5> : tensor<16x64xf32>
  %n = tile.range %c0 to %c64 : !tile.range<64>
  %h = tile.load %x[%m, %n] : !tile.global<[M, 64] x f16>, !tile.range<16 of M>, !tile.range<64> -> tensor<16x64xf16>
  %t = arith.extf %h : tensor<16x64xf16> to tensor<16x64xf32>
  %s0 = arith.divf %t, %three : tensor<16x64xf32>
  %s = arith.mulf %s0, %half : tensor<16x64xf32>
  %mx = tile.reduce max %s axis 1 : tensor<16x64xf32> -> tensor<16xf32>
  %mx1 = tile.expand_dims %mx axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %mx2 = tile.broadcast %mx1 : tensor<16x1xf32> -> tensor<16x64xf32>
  %d = arith.subf %s, %mx2 : tensor<16x64xf32>
  %p = math.exp %d : tensor<16x64xf32>
  tile.store %p to %y[%m, %n] : tensor<16x64xf32>, !tile.global<[M, 64] x f32, out>, !tile.range<16 of M>, !tile.range<64>
}

// -----

// Gates are scaled as vectors, before they are broadcast; only the multiply-add reads the matrix. A cumulative sum
// may be exact and is scaled afterwards. A gate may hold the lowest number, so its product saturates.

// CHECK-LABEL: tile.kernel @gates
// CHECK: %[[C:.*]] = arith.mulf %scale, %{{.*}} : f32
// CHECK: %[[T:.*]] = arith.extf
// CHECK: %[[GM:.*]] = tile.load %g[%m]
// CHECK: arith.mulf %[[GM]], %{{.*}} : tensor<16xf32>
// CHECK: %[[GN:.*]] = tile.load %g
// CHECK: %[[GS:.*]] = tile.scan sum %[[GN]] axis 0
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[GS]], %{{.*}} : tensor<64xf32>
// CHECK: %[[FINITE:.*]] = arith.cmpf ole, %{{.*}} : tensor<64xf32>
// CHECK: %[[RAISED:.*]] = arith.maximumf %[[PRODUCT]], %{{.*}} : tensor<64xf32>
// CHECK: %[[BOUNDED:.*]] = arith.minimumf %[[RAISED]], %{{.*}} : tensor<64xf32>
// CHECK: arith.select %[[FINITE]], %[[BOUNDED]], %[[PRODUCT]] : tensor<64xi1>, tensor<64xf32>
// CHECK-NOT: arith.mulf
// CHECK: %[[CS:.*]] = tensor.splat %[[C]]
// CHECK: math.fma %[[T]], %[[CS]],
// CHECK-NOT: arith.mulf
// CHECK: math.exp2
tile.kernel @gates(%x: !tile.global<[N, N] x f16>, %g: !tile.global<[N] x f32>, %scale: f32,
                   %y: !tile.global<[N, N] x f32, out>)
    grid(%m in tiles(N, 16), %n in tiles(N, 64)) {
  %h = tile.load %x[%m, %n] : !tile.global<[N, N] x f16>, !tile.range<16 of N>, !tile.range<64 of N> -> tensor<16x64xf16>
  %t = arith.extf %h : tensor<16x64xf16> to tensor<16x64xf32>
  %gm = tile.load %g[%m] : !tile.global<[N] x f32>, !tile.range<16 of N> -> tensor<16xf32>
  %gn = tile.load %g[%n] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
  %gs = tile.scan sum %gn axis 0 : tensor<64xf32>
  %gm1 = tile.expand_dims %gm axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %gm2 = tile.broadcast %gm1 : tensor<16x1xf32> -> tensor<16x64xf32>
  %gs1 = tile.expand_dims %gs axis 0 : tensor<64xf32> -> tensor<1x64xf32>
  %gs2 = tile.broadcast %gs1 : tensor<1x64xf32> -> tensor<16x64xf32>
  %sc = tensor.splat %scale : tensor<16x64xf32>
  %s0 = arith.mulf %t, %sc : tensor<16x64xf32>
  %s1 = arith.addf %s0, %gm2 : tensor<16x64xf32>
  %s = arith.subf %s1, %gs2 : tensor<16x64xf32>
  %p = math.exp %s : tensor<16x64xf32>
  tile.store %p to %y[%m, %n] : tensor<16x64xf32>, !tile.global<[N, N] x f32, out>, !tile.range<16 of N>, !tile.range<64 of N>
}

// -----

// The gradient of a softmax: the stored natural log-sum-exp is scaled as a row, and dS keeps the
// scale alone.

// CHECK-LABEL: tile.kernel @gradient
// CHECK: %[[C:.*]] = arith.mulf %scale, %{{.*}} : f32
// CHECK: %[[S:.*]] = tile.gemm
// CHECK: %[[SCALE:.*]] = tensor.splat %scale
// CHECK: %[[L:.*]] = tile.load %lse
// CHECK: arith.mulf %[[L]], %{{.*}} : tensor<32xf32>
// CHECK: %[[CS:.*]] = tensor.splat %[[C]]
// CHECK: %[[X:.*]] = math.fma %[[S]], %[[CS]],
// CHECK: %[[P:.*]] = math.exp2 %[[X]]
// CHECK: %[[DS:.*]] = arith.mulf %[[P]], %[[SCALE]]
// CHECK: tile.store %[[DS]]
tile.kernel @gradient(%q: !tile.global<[M, 16] x bf16>, %k: !tile.global<[N, 16] x bf16>,
                      %lse: !tile.global<[M] x f32>, %scale: f32, %ds: !tile.global<[N, M] x f32, out>)
    grid(%m in tiles(M, 32), %n in tiles(N, 64)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tile.range %c0 to %c16 : !tile.range<16>
  %qt = tile.load %q[%m, %d] : !tile.global<[M, 16] x bf16>, !tile.range<32 of M>, !tile.range<16> -> tensor<32x16xbf16>
  %kt = tile.load %k[%n, %d] : !tile.global<[N, 16] x bf16>, !tile.range<64 of N>, !tile.range<16> -> tensor<64x16xbf16>
  %kq = tile.gemm %kt, %qt, %zero transpose_b : tensor<64x16xbf16>, tensor<32x16xbf16> -> tensor<64x32xf32>
  %sc = tensor.splat %scale : tensor<64x32xf32>
  %s = arith.mulf %kq, %sc : tensor<64x32xf32>
  %l = tile.load %lse[%m] : !tile.global<[M] x f32>, !tile.range<32 of M> -> tensor<32xf32>
  %l1 = tile.expand_dims %l axis 0 : tensor<32xf32> -> tensor<1x32xf32>
  %l2 = tile.broadcast %l1 : tensor<1x32xf32> -> tensor<64x32xf32>
  %x = arith.subf %s, %l2 : tensor<64x32xf32>
  %p = math.exp %x : tensor<64x32xf32>
  %dsv = arith.mulf %p, %sc : tensor<64x32xf32>
  tile.store %dsv to %ds[%n, %m] : tensor<64x32xf32>, !tile.global<[N, M] x f32, out>, !tile.range<64 of N>, !tile.range<32 of M>
}

// -----

// What cannot be folded costs one product, in f32 for narrow types; exp2 of the user stays.

// CHECK-LABEL: tile.kernel @plain
// CHECK: %[[T:.*]] = tile.load
// CHECK: %[[WIDE:.*]] = arith.extf %[[T]] : tensor<16xf16> to tensor<16xf32>
// CHECK: %[[X:.*]] = arith.mulf %[[WIDE]], %{{.*}} : tensor<16xf32>
// CHECK: %[[E:.*]] = math.exp2 %[[X]] : tensor<16xf32>
// CHECK: %[[NARROW:.*]] = arith.truncf %[[E]]
// CHECK: math.exp2 %[[NARROW]] : tensor<16xf16>
tile.kernel @plain(%x: !tile.global<[M] x f16>, %y: !tile.global<[M] x f16, out>) grid(%m in tiles(M, 16)) {
  %t = tile.load %x[%m] : !tile.global<[M] x f16>, !tile.range<16 of M> -> tensor<16xf16>
  %e = math.exp %t : tensor<16xf16>
  %e2 = math.exp2 %e : tensor<16xf16>
  tile.store %e2 to %y[%m] : tensor<16xf16>, !tile.global<[M] x f16, out>, !tile.range<16 of M>
}

// -----

// exp of a log needs neither constant.

// CHECK-LABEL: tile.kernel @inverse
// CHECK: %[[T:.*]] = tile.load
// CHECK-NEXT: %[[L:.*]] = math.log2 %[[T]]
// CHECK-NEXT: %[[E:.*]] = math.exp2 %[[L]]
// CHECK-NEXT: tile.store %[[E]]
tile.kernel @inverse(%x: !tile.global<[M] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %t = tile.load %x[%m] : !tile.global<[M] x f32>, !tile.range<16 of M> -> tensor<16xf32>
  %l = math.log %t : tensor<16xf32>
  %e = math.exp %l : tensor<16xf32>
  tile.store %e to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// A value that a branch chooses is scaled within both branches.

// CHECK-LABEL: tile.kernel @branch
// CHECK-DAG: %[[A:.*]] = arith.mulf %a, %{{.*}} : f32
// CHECK-DAG: %[[B:.*]] = arith.mulf %b, %{{.*}} : f32
// CHECK: %[[I:.*]] = scf.if %c
// CHECK: %[[AS:.*]] = tensor.splat %[[A]]
// CHECK: %[[AT:.*]] = arith.mulf %{{.*}}, %[[AS]]
// CHECK: scf.yield %[[AT]]
// CHECK: %[[BS:.*]] = tensor.splat %[[B]]
// CHECK: %[[BT:.*]] = arith.mulf %{{.*}}, %[[BS]]
// CHECK: scf.yield %[[BT]]
// CHECK: math.exp2 %[[I]]
tile.kernel @branch(%x: !tile.global<[M] x f16>, %a: f32, %b: f32, %c: i1,
                    %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 16)) {
  %h = tile.load %x[%m] : !tile.global<[M] x f16>, !tile.range<16 of M> -> tensor<16xf16>
  %t = arith.extf %h : tensor<16xf16> to tensor<16xf32>
  %s = scf.if %c -> tensor<16xf32> {
    %as = tensor.splat %a : tensor<16xf32>
    %at = arith.mulf %t, %as : tensor<16xf32>
    scf.yield %at : tensor<16xf32>
  } else {
    %bs = tensor.splat %b : tensor<16xf32>
    %bt = arith.mulf %t, %bs : tensor<16xf32>
    scf.yield %bt : tensor<16xf32>
  }
  %e = math.exp %s : tensor<16xf32>
  tile.store %e to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// A kernel may keep exp and log as written.

// CHECK-LABEL: tile.kernel @kept
// CHECK: math.exp %
// CHECK: math.log %
tile.kernel @kept(%x: !tile.global<[M] x f32>, %y: !tile.global<[M] x f32, out>)
    grid(%m in tiles(M, 16)) attributes {tile.no_fold_exp2} {
  %t = tile.load %x[%m] : !tile.global<[M] x f32>, !tile.range<16 of M> -> tensor<16xf32>
  %e = math.exp %t : tensor<16xf32>
  %l = math.log %e : tensor<16xf32>
  tile.store %l to %y[%m] : tensor<16xf32>, !tile.global<[M] x f32, out>, !tile.range<16 of M>
}

// -----

// Numbers from memory may be huge: the maximum is subtracted first, so that no rounding of a product
// and no overflow is left in the exponent.

// CHECK-LABEL: tile.kernel @from_memory
// CHECK: %[[T:.*]] = tile.load
// CHECK-NOT: arith.mulf
// CHECK: %[[D:.*]] = arith.subf %[[T]],
// CHECK: %[[X:.*]] = arith.mulf %[[D]],
// CHECK-NEXT: math.exp2 %[[X]]
tile.kernel @from_memory(%x: !tile.global<[M, 64] x f32>, %y: !tile.global<[M, 64] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tile.range %c0 to %c64 : !tile.range<64>
  %t = tile.load %x[%m, %n] : !tile.global<[M, 64] x f32>, !tile.range<16 of M>, !tile.range<64> -> tensor<16x64xf32>
  %mx = tile.reduce max %t axis 1 : tensor<16x64xf32> -> tensor<16xf32>
  %mx1 = tile.expand_dims %mx axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %mx2 = tile.broadcast %mx1 : tensor<16x1xf32> -> tensor<16x64xf32>
  %d = arith.subf %t, %mx2 : tensor<16x64xf32>
  %p = math.exp %d : tensor<16x64xf32>
  tile.store %p to %y[%m, %n] : tensor<16x64xf32>, !tile.global<[M, 64] x f32, out>, !tile.range<16 of M>, !tile.range<64>
}

// -----

// The lowest number overflows when it is scaled. A kernel that masks with it computes in natural
// units up to the difference.

// CHECK-LABEL: tile.kernel @lowest
// CHECK: %[[LOW:.*]] = arith.constant dense<-3.40282347E+38> : tensor<16x64xf32>
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %{{.*}}, %[[LOW]]
// CHECK: tile.reduce max %[[S]] axis 1
// CHECK: %[[D:.*]] = arith.subf %[[S]],
// CHECK-NEXT: %[[X:.*]] = arith.mulf %[[D]],
// CHECK-NEXT: math.exp2 %[[X]]
tile.kernel @lowest(%x: !tile.global<[M, 64] x f16>, %c: f32, %y: !tile.global<[M, 64] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %low = arith.constant dense<-3.4028234e+38> : tensor<16x64xf32>
  %none = arith.constant dense<0xFF800000> : tensor<16xf32>
  %n = tile.range %c0 to %c64 : !tile.range<64>
  %h = tile.load %x[%m, %n] : !tile.global<[M, 64] x f16>, !tile.range<16 of M>, !tile.range<64> -> tensor<16x64xf16>
  %t = arith.extf %h : tensor<16x64xf16> to tensor<16x64xf32>
  %sc = tensor.splat %c : tensor<16x64xf32>
  %s0 = arith.mulf %t, %sc : tensor<16x64xf32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %v = arith.cmpf ogt, %t, %zero : tensor<16x64xf32>
  %s = arith.select %v, %s0, %low : tensor<16x64xi1>, tensor<16x64xf32>
  %row = tile.reduce max %s axis 1 : tensor<16x64xf32> -> tensor<16xf32>
  %mx = arith.maximumf %row, %none : tensor<16xf32>
  %mx1 = tile.expand_dims %mx axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %mx2 = tile.broadcast %mx1 : tensor<16x1xf32> -> tensor<16x64xf32>
  %d = arith.subf %s, %mx2 : tensor<16x64xf32>
  %p = math.exp %d : tensor<16x64xf32>
  tile.store %p to %y[%m, %n] : tensor<16x64xf32>, !tile.global<[M, 64] x f32, out>, !tile.range<16 of M>, !tile.range<64>
}

// -----

// Scores of which a part is loaded: what the exponentials pay for, their maximum has for nothing, so
// that it is taken of scaled scores, and there are no others.

// CHECK-LABEL: tile.kernel @gated
// CHECK: %[[C:.*]] = tile.load %c
// CHECK: arith.mulf %[[C]],
// CHECK: %[[S:.*]] = math.fma
// CHECK-NEXT: tile.reduce max %[[S]] axis 1
// CHECK-NOT: arith.mulf
// CHECK: %[[D:.*]] = arith.subf %[[S]],
// CHECK-NEXT: math.exp2 %[[D]]
tile.kernel @gated(%x: !tile.global<[M, 64] x f16>, %c: !tile.global<[64] x f32>, %scale: f32,
                   %y: !tile.global<[M, 64] x f32, out>) grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tile.range %c0 to %c64 : !tile.range<64>
  %h = tile.load %x[%m, %n] : !tile.global<[M, 64] x f16>, !tile.range<64 of M>, !tile.range<64> -> tensor<64x64xf16>
  %t = arith.extf %h : tensor<64x64xf16> to tensor<64x64xf32>
  %k = tensor.splat %scale : tensor<64x64xf32>
  %qk = arith.mulf %k, %t : tensor<64x64xf32>
  %g = tile.load %c[%n] : !tile.global<[64] x f32>, !tile.range<64> -> tensor<64xf32>
  %g1 = tile.expand_dims %g axis 0 : tensor<64xf32> -> tensor<1x64xf32>
  %g2 = tile.broadcast %g1 : tensor<1x64xf32> -> tensor<64x64xf32>
  %s = arith.subf %qk, %g2 : tensor<64x64xf32>
  %mx = tile.reduce max %s axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  %mx1 = tile.expand_dims %mx axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %mx2 = tile.broadcast %mx1 : tensor<64x1xf32> -> tensor<64x64xf32>
  %d = arith.subf %s, %mx2 : tensor<64x64xf32>
  %p = math.exp %d : tensor<64x64xf32>
  tile.store %p to %y[%m, %n] : tensor<64x64xf32>, !tile.global<[M, 64] x f32, out>, !tile.range<64 of M>, !tile.range<64>
}

// -----

// A finite mask among the scores of a product: a multiply-add would leave the rounding of the scaled
// mask, 2^6, in the exponents of rows that are masked. The scaled scores are rounded instead.

// CHECK-LABEL: tile.kernel @finite_mask
// CHECK: %[[QK:.*]] = tile.gemm
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %[[QK]],
// CHECK: %[[SC:.*]] = arith.mulf %[[S]],
// CHECK: tile.reduce max %[[SC]] axis 1
// CHECK: %[[D:.*]] = arith.subf %[[SC]],
// CHECK-NEXT: math.exp2 %[[D]]
tile.kernel @finite_mask(%q: !tile.global<[M, 16] x f16>, %k: !tile.global<[64, 16] x f16>,
                         %y: !tile.global<[M, 64] x f32, out>) grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %low = arith.constant dense<-1.0e9> : tensor<64x64xf32>
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %d = tile.range %c0 to %c16 : !tile.range<16>
  %n = tile.range %c0 to %c64 : !tile.range<64>
  %a = tile.load %q[%m, %d] : !tile.global<[M, 16] x f16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xf16>
  %b = tile.load %k[%n, %d] : !tile.global<[64, 16] x f16>, !tile.range<64>, !tile.range<16> -> tensor<64x16xf16>
  %qk = tile.gemm %a, %b, %zero transpose_b : tensor<64x16xf16>, tensor<64x16xf16> -> tensor<64x64xf32>
  %mask = arith.cmpf ogt, %qk, %zero : tensor<64x64xf32>
  %s = arith.select %mask, %qk, %low : tensor<64x64xi1>, tensor<64x64xf32>
  %row = tile.reduce max %s axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  %mx = arith.maximumf %row, %none : tensor<64xf32>
  %mx1 = tile.expand_dims %mx axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %mx2 = tile.broadcast %mx1 : tensor<64x1xf32> -> tensor<64x64xf32>
  %diff = arith.subf %s, %mx2 : tensor<64x64xf32>
  %p = math.exp %diff : tensor<64x64xf32>
  tile.store %p to %y[%m, %n] : tensor<64x64xf32>, !tile.global<[M, 64] x f32, out>, !tile.range<64 of M>, !tile.range<64>
}

// -----

// A mask that is added rounds the scores, and a parameter may be any number: both keep their unit, and
// the maximum is subtracted before log2(e) multiplies.

// CHECK-LABEL: tile.kernel @added_mask
// CHECK: %[[S:.*]] = arith.addf %{{.*}}, %{{.*}} : tensor<64x64xf32>
// CHECK: tile.reduce max %[[S]] axis 1
// CHECK: %[[D:.*]] = arith.subf %[[S]],
// CHECK-NEXT: %[[X:.*]] = arith.mulf %[[D]],
// CHECK-NEXT: math.exp2 %[[X]]
// CHECK: %[[F:.*]] = arith.select %{{.*}}, %{{.*}} : tensor<64x64xi1>, tensor<64x64xf32>
// CHECK: tile.reduce max %[[F]] axis 1
// CHECK: %[[E:.*]] = arith.subf %[[F]],
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[E]],
// CHECK-NEXT: math.exp2 %[[Y]]
tile.kernel @added_mask(%q: !tile.global<[M, 16] x f16>, %k: !tile.global<[64, 16] x f16>, %fill: f32,
                        %y: !tile.global<[M, 64] x f32, out>, %z: !tile.global<[M, 64] x f32, out>)
    grid(%m in tiles(M, 64)) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %low = arith.constant dense<-1.0e6> : tensor<64x64xf32>
  %d = tile.range %c0 to %c16 : !tile.range<16>
  %n = tile.range %c0 to %c64 : !tile.range<64>
  %a = tile.load %q[%m, %d] : !tile.global<[M, 16] x f16>, !tile.range<64 of M>, !tile.range<16> -> tensor<64x16xf16>
  %b = tile.load %k[%n, %d] : !tile.global<[64, 16] x f16>, !tile.range<64>, !tile.range<16> -> tensor<64x16xf16>
  %qk = tile.gemm %a, %b, %zero transpose_b : tensor<64x16xf16>, tensor<64x16xf16> -> tensor<64x64xf32>
  %mask = arith.cmpf ogt, %qk, %zero : tensor<64x64xf32>
  %bias = arith.select %mask, %zero, %low : tensor<64x64xi1>, tensor<64x64xf32>
  %s = arith.addf %qk, %bias : tensor<64x64xf32>
  %row = tile.reduce max %s axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  %row1 = tile.expand_dims %row axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %row2 = tile.broadcast %row1 : tensor<64x1xf32> -> tensor<64x64xf32>
  %diff = arith.subf %s, %row2 : tensor<64x64xf32>
  %p = math.exp %diff : tensor<64x64xf32>
  tile.store %p to %y[%m, %n] : tensor<64x64xf32>, !tile.global<[M, 64] x f32, out>, !tile.range<64 of M>, !tile.range<64>
  %fills = tensor.splat %fill : tensor<64x64xf32>
  %t = arith.select %mask, %qk, %fills : tensor<64x64xi1>, tensor<64x64xf32>
  %top = tile.reduce max %t axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  %top1 = tile.expand_dims %top axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %top2 = tile.broadcast %top1 : tensor<64x1xf32> -> tensor<64x64xf32>
  %below = arith.subf %t, %top2 : tensor<64x64xf32>
  %w = math.exp %below : tensor<64x64xf32>
  tile.store %w to %z[%m, %n] : tensor<64x64xf32>, !tile.global<[M, 64] x f32, out>, !tile.range<64 of M>, !tile.range<64>
}

// -----

// The difference of two vectors from memory is exact where the exponential is not 0. It is computed before the
// product with log2(e), for f32 and f16.

// CHECK-LABEL: tile.kernel @difference
// CHECK-NOT: arith.mulf
// CHECK: %[[D:.*]] = arith.subf
// CHECK-NEXT: %[[X:.*]] = arith.mulf %[[D]],
// CHECK-NEXT: math.exp2 %[[X]]
tile.kernel @difference(%g: !tile.global<[M] x f32>, %h: !tile.global<[N] x f16>,
                        %y: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 16), %n in tiles(N, 64)) {
  %gm = tile.load %g[%m] : !tile.global<[M] x f32>, !tile.range<16 of M> -> tensor<16xf32>
  %h0 = tile.load %h[%n] : !tile.global<[N] x f16>, !tile.range<64 of N> -> tensor<64xf16>
  %hn = arith.extf %h0 : tensor<64xf16> to tensor<64xf32>
  %gm1 = tile.expand_dims %gm axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %gm2 = tile.broadcast %gm1 : tensor<16x1xf32> -> tensor<16x64xf32>
  %hn1 = tile.expand_dims %hn axis 0 : tensor<64xf32> -> tensor<1x64xf32>
  %hn2 = tile.broadcast %hn1 : tensor<1x64xf32> -> tensor<16x64xf32>
  %d = arith.subf %gm2, %hn2 : tensor<16x64xf32>
  %p = math.exp %d : tensor<16x64xf32>
  tile.store %p to %y[%m, %n] : tensor<16x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<16 of M>, !tile.range<64 of N>
}

// -----

// -3.4e38 * 0.8 is finite, but its product with log2(e) is not: a product of numbers from memory keeps its unit.

// CHECK-LABEL: tile.kernel @huge_product
// CHECK: %[[S:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<16x64xf32>
// CHECK-NEXT: tile.reduce max %[[S]] axis 1
// CHECK: %[[D:.*]] = arith.subf %[[S]],
// CHECK-NEXT: %[[X:.*]] = arith.mulf %[[D]],
// CHECK-NEXT: math.exp2 %[[X]]
tile.kernel @huge_product(%x: !tile.global<[M, 64] x bf16>, %scale: f32,
                          %y: !tile.global<[M, 64] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tile.range %c0 to %c64 : !tile.range<64>
  %h = tile.load %x[%m, %n] : !tile.global<[M, 64] x bf16>, !tile.range<16 of M>, !tile.range<64> -> tensor<16x64xbf16>
  %t = arith.extf %h : tensor<16x64xbf16> to tensor<16x64xf32>
  %c = tensor.splat %scale : tensor<16x64xf32>
  %s = arith.mulf %c, %t : tensor<16x64xf32>
  %mx = tile.reduce max %s axis 1 : tensor<16x64xf32> -> tensor<16xf32>
  %mx1 = tile.expand_dims %mx axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %mx2 = tile.broadcast %mx1 : tensor<16x1xf32> -> tensor<16x64xf32>
  %d = arith.subf %s, %mx2 : tensor<16x64xf32>
  %p = math.exp %d : tensor<16x64xf32>
  tile.store %p to %y[%m, %n] : tensor<16x64xf32>, !tile.global<[M, 64] x f32, out>, !tile.range<16 of M>, !tile.range<64>
}
