// RUN: tile-opt %s -tile-pad-extents -canonicalize -cse -split-input-file | FileCheck %s
// RUN: tile-opt %s -tile-pad-extents -tile-pad-extents -canonicalize -cse -split-input-file | FileCheck %s

// A sum of squares of a loaded tile needs no mask, since its padding is zero. The maximum gets a mask.
// CHECK-LABEL: tile.kernel @row
// CHECK: %[[R:.*]] = tile.range %c0 to %c1000 : !tile.range<1024>
// CHECK: %[[T:.*]] = tile.load %x[%m, %[[R]]] : {{.*}} -> tensor<1x1024xf32>
// CHECK: %[[Q:.*]] = arith.mulf %[[T]], %[[T]] : tensor<1x1024xf32>
// CHECK: tile.reduce sum %[[Q]] axis 1
// CHECK: %[[V:.*]] = tile.valid %[[R]] : !tile.range<1024>
// CHECK: %[[E:.*]] = tile.expand_dims %[[V]] axis 0
// CHECK: %[[S:.*]] = arith.select %[[E]], %[[T]], %{{.*}} : tensor<1x1024xi1>
// CHECK: tile.reduce max %[[S]] axis 1
// CHECK: tile.store %[[Q]] to %z[%m, %[[R]]] :
tile.kernel @row(%x: !tile.global<[M, 1000] x f32>, %y: !tile.global<[M] x f32, out>, %z: !tile.global<[M, 1000] x f32, out>) grid(%m in tiles(M, 1)) {
  %c0 = arith.constant 0 : index
  %c1000 = arith.constant 1000 : index
  %d = tile.range %c0 to %c1000 full : !tile.range<1000>
  %t = tile.load %x[%m, %d] in_bounds [false, true] : !tile.global<[M, 1000] x f32>, !tile.range<1 of M>, !tile.range<1000> -> tensor<1x1000xf32>
  %q = arith.mulf %t, %t : tensor<1x1000xf32>
  %s = tile.reduce sum %q axis 1 : tensor<1x1000xf32> -> tensor<1xf32>
  %n = tile.reduce max %t axis 1 : tensor<1x1000xf32> -> tensor<1xf32>
  %a = arith.addf %s, %n : tensor<1xf32>
  tile.store %a to %y[%m] : tensor<1xf32>, !tile.global<[M] x f32, out>, !tile.range<1 of M>
  tile.store %q to %z[%m, %d] in_bounds [false, true] : tensor<1x1000xf32>, !tile.global<[M, 1000] x f32, out>, !tile.range<1 of M>, !tile.range<1000>
}

// -----

// Ranges of the grid keep their ends; a mask in the source makes padding neutral, and so does a fill.
// CHECK-LABEL: tile.kernel @masked
// CHECK-DAG: %[[START:.*]] = tile.start %n
// CHECK-DAG: %[[END:.*]] = tile.end %n
// CHECK: %[[R:.*]] = tile.range %[[START]] to %[[END]] : !tile.range<1024>
// CHECK: %[[V:.*]] = tile.valid %[[R]] : !tile.range<1024> -> tensor<1024xi1>
// CHECK: %[[S:.*]] = arith.select %[[V]]
// CHECK-NEXT: tile.reduce max %[[S]] axis 0
// CHECK: %[[F:.*]] = tile.load %x[%[[R]]] fill(0xFF800000 : f32)
// CHECK-NEXT: tile.reduce max %[[F]] axis 0
tile.kernel @masked(%x: !tile.global<[N] x f32>, %y: !tile.global<[2] x f32, out>) grid(%n in tiles(N, 997)) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant dense<0xFF800000> : tensor<997xf32>
  %v = tile.valid %n : !tile.range<997 of N> -> tensor<997xi1>
  %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<997 of N> -> tensor<997xf32>
  %s = arith.select %v, %t, %none : tensor<997xi1>, tensor<997xf32>
  %m = tile.reduce max %s axis 0 : tensor<997xf32> -> tensor<f32>
  %e = tensor.extract %m[] : tensor<f32>
  tile.store %e to %y[%c0] : f32, !tile.global<[2] x f32, out>, index
  %f = tile.load %x[%n] fill(0xFF800000 : f32) : !tile.global<[N] x f32>, !tile.range<997 of N> -> tensor<997xf32>
  %k = tile.reduce max %f axis 0 : tensor<997xf32> -> tensor<f32>
  %g = tensor.extract %k[] : tensor<f32>
  tile.store %g to %y[%c1] : f32, !tile.global<[2] x f32, out>, index
}

// -----

// A forward scan is unchanged, a reverse scan sees zeros in the padding. Positions there are -1.
// CHECK-LABEL: tile.kernel @neighbours
// CHECK: %[[T:.*]] = tile.load %x
// CHECK: %[[ONE:.*]] = arith.addi %[[T]]
// CHECK: %[[F:.*]] = tile.scan sum %[[ONE]] axis 0 :
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %[[ONE]], %cst{{.*}} : tensor<1024xi1>
// CHECK: %[[B:.*]] = tile.scan sum %[[S]] axis 0 reverse
// CHECK: arith.divsi %{{.*}}, %[[T]] : tensor<1024xi32>
// CHECK: %[[P:.*]] = arith.select %{{.*}}, %[[T]], %cst{{.*}} : tensor<1024xi1>
// CHECK: tile.store %{{.*}} to %y[%[[P]]]
tile.kernel @neighbours(%x: !tile.global<[1000] x i32>, %y: !tile.global<[1000] x i32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1000 = arith.constant 1000 : index
  %ones = arith.constant dense<1> : tensor<1000xi32>
  %d = tile.range %c0 to %c1000 full : !tile.range<1000>
  %t = tile.load %x[%d] in_bounds [true] : !tile.global<[1000] x i32>, !tile.range<1000> -> tensor<1000xi32>
  %u = arith.addi %t, %ones : tensor<1000xi32>
  %f = tile.scan sum %u axis 0 : tensor<1000xi32>
  %b = tile.scan sum %u axis 0 reverse : tensor<1000xi32>
  %s = arith.addi %f, %b : tensor<1000xi32>
  %q = arith.divsi %s, %t : tensor<1000xi32>
  tile.store %q to %y[%t] : tensor<1000xi32>, !tile.global<[1000] x i32, out>, tensor<1000xi32>
}

// -----

// Types of values in control flow change with their initial values.
// CHECK-LABEL: tile.kernel @carried
// CHECK: scf.for {{.*}} -> (tensor<128xf32>)
// CHECK: scf.if {{.*}} -> (tensor<128xf32>)
// CHECK: scf.while {{.*}} : (tensor<128xf32>) -> tensor<128xf32>
tile.kernel @carried(%x: !tile.global<[72] x f32>, %y: !tile.global<[72] x f32, out>, %n: index) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c72 = arith.constant 72 : index
  %d = tile.range %c0 to %c72 full : !tile.range<72>
  %t = tile.load %x[%d] : !tile.global<[72] x f32>, !tile.range<72> -> tensor<72xf32>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<72xf32>) {
    %b = arith.mulf %a, %t : tensor<72xf32>
    scf.yield %b : tensor<72xf32>
  }
  %p = arith.cmpi slt, %n, %c72 : index
  %s = scf.if %p -> (tensor<72xf32>) {
    %b = arith.addf %l, %t : tensor<72xf32>
    scf.yield %b : tensor<72xf32>
  } else {
    scf.yield %l : tensor<72xf32>
  }
  %w = scf.while (%a = %s) : (tensor<72xf32>) -> tensor<72xf32> {
    %b = arith.mulf %a, %t : tensor<72xf32>
    %q = tile.reduce sum %b axis 0 : tensor<72xf32> -> tensor<f32>
    %e = tensor.extract %q[] : tensor<f32>
    %one = arith.constant 1.0 : f32
    %go = arith.cmpf olt, %e, %one : f32
    scf.condition(%go) %b : tensor<72xf32>
  } do {
  ^bb0(%a: tensor<72xf32>):
    scf.yield %a : tensor<72xf32>
  }
  tile.store %w to %y[%d] : tensor<72xf32>, !tile.global<[72] x f32, out>, !tile.range<72>
}

// -----

// Tiles of products of tensor cores keep their extents, and so do tiles computed with them. Other tiles of the kernel
// are padded.
// CHECK-LABEL: tile.kernel @product
// CHECK: tile.load %a{{.*}} -> tensor<16x176xbf16>
// CHECK: tile.load %s{{.*}} -> tensor<176xf32>
// CHECK: tile.load %r{{.*}} -> tensor<1024xf32>
tile.kernel @product(%a: !tile.global<[M, 176] x bf16>, %b: !tile.global<[N, 176] x bf16>, %s: !tile.global<[176] x f32>, %r: !tile.global<[1000] x f32>, %z: !tile.global<[1000] x f32, out>, %c: !tile.global<[M, N] x f32, out>) grid(%m in tiles(M, 16), %n in tiles(N, 64)) {
  %c0 = arith.constant 0 : index
  %c176 = arith.constant 176 : index
  %c1000 = arith.constant 1000 : index
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %k = tile.range %c0 to %c176 full : !tile.range<176>
  %d = tile.range %c0 to %c1000 full : !tile.range<1000>
  %at = tile.load %a[%m, %k] : !tile.global<[M, 176] x bf16>, !tile.range<16 of M>, !tile.range<176> -> tensor<16x176xbf16>
  %bt = tile.load %b[%n, %k] : !tile.global<[N, 176] x bf16>, !tile.range<64 of N>, !tile.range<176> -> tensor<64x176xbf16>
  %st = tile.load %s[%k] : !tile.global<[176] x f32>, !tile.range<176> -> tensor<176xf32>
  %s16 = arith.truncf %st : tensor<176xf32> to tensor<176xbf16>
  %s1 = tile.expand_dims %s16 axis 0 : tensor<176xbf16> -> tensor<1x176xbf16>
  %s2 = tile.broadcast %s1 : tensor<1x176xbf16> -> tensor<16x176xbf16>
  %scaled = arith.mulf %at, %s2 : tensor<16x176xbf16>
  %p = tile.gemm %scaled, %bt, %zero transpose_b : tensor<16x176xbf16>, tensor<64x176xbf16> -> tensor<16x64xf32>
  tile.store %p to %c[%m, %n] : tensor<16x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<16 of M>, !tile.range<64 of N>
  %rt = tile.load %r[%d] : !tile.global<[1000] x f32>, !tile.range<1000> -> tensor<1000xf32>
  tile.store %rt to %z[%d] : tensor<1000xf32>, !tile.global<[1000] x f32, out>, !tile.range<1000>
}

// -----

// Threads compute a product of f32. Its columns and terms are padded; zero replaces unspecified terms.
// CHECK-LABEL: tile.kernel @product_of_threads
// CHECK: %[[A:.*]] = tile.load %a{{.*}} -> tensor<4x1024xf32>
// CHECK: %[[E:.*]] = math.exp %[[A]]
// CHECK: %[[B:.*]] = tile.load %b{{.*}} -> tensor<3x1024xf32>
// CHECK: %[[T:.*]] = arith.select %{{.*}}, %[[E]], %{{.*}} : tensor<4x1024xi1>, tensor<4x1024xf32>
// CHECK: tile.gemm %[[T]], %[[B]], %{{.*}} transpose_b : tensor<4x1024xf32>, tensor<3x1024xf32> -> tensor<4x3xf32>
tile.kernel @product_of_threads(%a: !tile.global<[M, 1000] x f32>, %b: !tile.global<[3, 1000] x f32>, %c: !tile.global<[M, 3] x f32, out>) grid(%m in tiles(M, 4)) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c1000 = arith.constant 1000 : index
  %zero = arith.constant dense<0.0> : tensor<4x3xf32>
  %k = tile.range %c0 to %c1000 full : !tile.range<1000>
  %n = tile.range %c0 to %c3 full : !tile.range<3>
  %at = tile.load %a[%m, %k] : !tile.global<[M, 1000] x f32>, !tile.range<4 of M>, !tile.range<1000> -> tensor<4x1000xf32>
  %e = math.exp %at : tensor<4x1000xf32>
  %bt = tile.load %b[%n, %k] : !tile.global<[3, 1000] x f32>, !tile.range<3>, !tile.range<1000> -> tensor<3x1000xf32>
  %p = tile.gemm %e, %bt, %zero transpose_b : tensor<4x1000xf32>, tensor<3x1000xf32> -> tensor<4x3xf32>
  tile.store %p to %c[%m, %n] : tensor<4x3xf32>, !tile.global<[M, 3] x f32, out>, !tile.range<4 of M>, !tile.range<3>
}

// -----

// Extents that spread are unchanged, and so are partial results, whose number has a meaning.
// CHECK-LABEL: tile.kernel @even
// CHECK: tensor<16x192xf32>
// CHECK: tile.reduce sum %{{.*}} axis 0 keep 3 : tensor<72xf32> -> tensor<3xf32>
tile.kernel @even(%x: !tile.global<[M, 192] x f32>, %w: !tile.global<[72] x f32>, %y: !tile.global<[M, 192] x f32, out>, %z: !tile.global<[3] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c72 = arith.constant 72 : index
  %c192 = arith.constant 192 : index
  %d = tile.range %c0 to %c192 full : !tile.range<192>
  %t = tile.load %x[%m, %d] : !tile.global<[M, 192] x f32>, !tile.range<16 of M>, !tile.range<192> -> tensor<16x192xf32>
  tile.store %t to %y[%m, %d] : tensor<16x192xf32>, !tile.global<[M, 192] x f32, out>, !tile.range<16 of M>, !tile.range<192>
  %k = tile.range %c0 to %c72 full : !tile.range<72>
  %w1 = tile.load %w[%k] : !tile.global<[72] x f32>, !tile.range<72> -> tensor<72xf32>
  %p = tile.reduce sum %w1 axis 0 keep 3 : tensor<72xf32> -> tensor<3xf32>
  %three = tile.range %c0 to %c3 full : !tile.range<3>
  tile.store %p to %z[%three] : tensor<3xf32>, !tile.global<[3] x f32, out>, !tile.range<3>
}

// -----

// A tile that is extended to the next power of two has that extent from its load on. So has the part without the added
// elements. A permuted dimension changes with its source, and so do the strides.
// CHECK-LABEL: tile.kernel @extended
// CHECK: %[[R:.*]] = tile.range %c0 to %c40 : !tile.range<64>
// CHECK: %[[T:.*]] = tile.load %x[%m, %[[R]]] : {{.*}} -> tensor<16x64xf32>
// CHECK: %[[P:.*]] = tile.rearrange %[[T]] by [1, 64] : (tensor<16x64xf32>) -> tensor<64x16xf32>
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %[[P]], %cst : tensor<64x16xi1>, tensor<64x16xf32>
// CHECK: %[[E:.*]] = tile.rearrange %[[S]] by [1, 16] : (tensor<64x16xf32>) -> tensor<16x64xf32>
// CHECK: %[[X:.*]] = tile.rearrange %[[E]] by [64, 1] xor 32 : (tensor<16x64xf32>) -> tensor<16x64xf32>
// CHECK: tile.store %[[X]] to %y[%m, %[[R]]]
tile.kernel @extended(%x: !tile.global<[M, 40] x f32>, %y: !tile.global<[M, 40] x f32, out>) grid(%m in tiles(M, 16)) {
  %c0 = arith.constant 0 : index
  %c40 = arith.constant 40 : index
  %ones = arith.constant dense<1.0> : tensor<24x16xf32>
  %d = tile.range %c0 to %c40 full : !tile.range<40>
  %t = tile.load %x[%m, %d] : !tile.global<[M, 40] x f32>, !tile.range<16 of M>, !tile.range<40> -> tensor<16x40xf32>
  %p = tile.rearrange %t by [1, 40] : (tensor<16x40xf32>) -> tensor<40x16xf32>
  %e = tile.rearrange %p, %ones by [1, 16] : (tensor<40x16xf32>, tensor<24x16xf32>) -> tensor<16x64xf32>
  %s = tile.rearrange %e by [64, 1] xor 32 : (tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = tile.rearrange %s by [64, 1] : (tensor<16x64xf32>) -> tensor<16x40xf32>
  tile.store %f to %y[%m, %d] : tensor<16x40xf32>, !tile.global<[M, 40] x f32, out>, !tile.range<16 of M>, !tile.range<40>
}

// -----

// A part that does not round up to the extent of the tile keeps its extent, and so does one with another start. A
// reversed dimension starts at the last element before the padding, and its padding takes elements of another source.
// Elements that are not constants are added by the map.
// CHECK-LABEL: tile.kernel @parts
// CHECK: %[[T:.*]] = tile.load %x{{.*}} -> tensor<1024xf32>
// CHECK: tile.rearrange %[[T]] by [1] : (tensor<1024xf32>) -> tensor<100xf32>
// CHECK: tile.rearrange %[[T]] from 1 by [1] : (tensor<1024xf32>) -> tensor<999xf32>
// CHECK: tile.rearrange %{{.*}}, %[[T]] from 1023 by [-1] : (tensor<24xf32>, tensor<1024xf32>) -> tensor<1024xf32>
// CHECK: tile.rearrange %[[T]] by [10, 1] : (tensor<1024xf32>) -> tensor<100x10xf32>
// CHECK: %[[W:.*]] = tile.load %w{{.*}} -> tensor<1000xf32>
// CHECK: tile.rearrange %[[W]], %{{.*}} by [1] : (tensor<1000xf32>, tensor<100xf32>) -> tensor<1024xf32>
tile.kernel @parts(%x: !tile.global<[1000] x f32>, %w: !tile.global<[1000] x f32>, %a: !tile.global<[100] x f32, out>, %b: !tile.global<[999] x f32, out>, %c: !tile.global<[1000] x f32, out>, %d: !tile.global<[100, 10] x f32, out>, %e: !tile.global<[1024] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c10 = arith.constant 10 : index
  %c100 = arith.constant 100 : index
  %c999 = arith.constant 999 : index
  %c1000 = arith.constant 1000 : index
  %c1024 = arith.constant 1024 : index
  %r = tile.range %c0 to %c1000 full : !tile.range<1000>
  %r100 = tile.range %c0 to %c100 full : !tile.range<100>
  %r10 = tile.range %c0 to %c10 full : !tile.range<10>
  %r999 = tile.range %c0 to %c999 full : !tile.range<999>
  %r1024 = tile.range %c0 to %c1024 full : !tile.range<1024>
  %t = tile.load %x[%r] : !tile.global<[1000] x f32>, !tile.range<1000> -> tensor<1000xf32>
  %first = tile.rearrange %t by [1] : (tensor<1000xf32>) -> tensor<100xf32>
  tile.store %first to %a[%r100] : tensor<100xf32>, !tile.global<[100] x f32, out>, !tile.range<100>
  %rest = tile.rearrange %t from 1 by [1] : (tensor<1000xf32>) -> tensor<999xf32>
  tile.store %rest to %b[%r999] : tensor<999xf32>, !tile.global<[999] x f32, out>, !tile.range<999>
  %turned = tile.rearrange %t from 999 by [-1] : (tensor<1000xf32>) -> tensor<1000xf32>
  tile.store %turned to %c[%r] : tensor<1000xf32>, !tile.global<[1000] x f32, out>, !tile.range<1000>
  %table = tile.rearrange %t by [10, 1] : (tensor<1000xf32>) -> tensor<100x10xf32>
  tile.store %table to %d[%r100, %r10] : tensor<100x10xf32>, !tile.global<[100, 10] x f32, out>, !tile.range<100>, !tile.range<10>
  %v = tile.load %w[%r] : !tile.global<[1000] x f32>, !tile.range<1000> -> tensor<1000xf32>
  %all = tile.rearrange %v, %first by [1] : (tensor<1000xf32>, tensor<100xf32>) -> tensor<1024xf32>
  tile.store %all to %e[%r1024] : tensor<1024xf32>, !tile.global<[1024] x f32, out>, !tile.range<1024>
}

// -----

// Inverted bits of the columns leave the rows free. Bits of both dimensions, and dimensions that move along both, fix
// the extents.
// CHECK-LABEL: tile.kernel @toggled
// CHECK: tile.load %x{{.*}} -> tensor<1024x2xf32>
// CHECK-NEXT: tile.rearrange %{{.*}} by [2, 1] xor 1 : (tensor<1024x2xf32>) -> tensor<1024x2xf32>
// CHECK: tile.load %y{{.*}} -> tensor<1000x2xf32>
// CHECK-NEXT: tile.rearrange %{{.*}} by [2, 1] xor 3 : (tensor<1000x2xf32>) -> tensor<1000x2xf32>
// CHECK: tile.load %z{{.*}} -> tensor<1000x2xf32>
// CHECK-NEXT: tile.rearrange %{{.*}} by [1] : (tensor<1000x2xf32>) -> tensor<2000xf32>
tile.kernel @toggled(%x: !tile.global<[1000, 2] x f32, inout>, %y: !tile.global<[1000, 2] x f32, inout>, %z: !tile.global<[1000, 2] x f32>, %o: !tile.global<[2000] x f32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c1000 = arith.constant 1000 : index
  %c2000 = arith.constant 2000 : index
  %r = tile.range %c0 to %c1000 full : !tile.range<1000>
  %c = tile.range %c0 to %c2 full : !tile.range<2>
  %all = tile.range %c0 to %c2000 full : !tile.range<2000>
  %t = tile.load %x[%r, %c] : !tile.global<[1000, 2] x f32, inout>, !tile.range<1000>, !tile.range<2> -> tensor<1000x2xf32>
  %u = tile.rearrange %t by [2, 1] xor 1 : (tensor<1000x2xf32>) -> tensor<1000x2xf32>
  tile.store %u to %x[%r, %c] : tensor<1000x2xf32>, !tile.global<[1000, 2] x f32, inout>, !tile.range<1000>, !tile.range<2>
  %v = tile.load %y[%r, %c] : !tile.global<[1000, 2] x f32, inout>, !tile.range<1000>, !tile.range<2> -> tensor<1000x2xf32>
  %w = tile.rearrange %v by [2, 1] xor 3 : (tensor<1000x2xf32>) -> tensor<1000x2xf32>
  tile.store %w to %y[%r, %c] : tensor<1000x2xf32>, !tile.global<[1000, 2] x f32, inout>, !tile.range<1000>, !tile.range<2>
  %a = tile.load %z[%r, %c] : !tile.global<[1000, 2] x f32>, !tile.range<1000>, !tile.range<2> -> tensor<1000x2xf32>
  %b = tile.rearrange %a by [1] : (tensor<1000x2xf32>) -> tensor<2000xf32>
  tile.store %b to %o[%all] : tensor<2000xf32>, !tile.global<[2000] x f32, out>, !tile.range<2000>
}

// -----

// No element is neutral for each combiner. A mask of the elements before the padding is combined as well: padding leaves
// the other part unchanged. It is in the right part, or in the left part of a reverse scan.
// CHECK-LABEL: tile.kernel @combined
// CHECK: %[[T:.*]] = tile.load %x{{.*}} -> tensor<1024xi32>
// CHECK: %[[F:.*]] = tile.scan_with %[[T]] axis 0 : (tensor<1024xi32>) -> tensor<1024xi32>
// CHECK: %[[V:.*]] = tile.valid %{{.*}} -> tensor<1024xi1>
// CHECK: %[[B:.*]]:2 = tile.scan_with %[[F]], %[[V]] axis 0 reverse : (tensor<1024xi32>, tensor<1024xi1>) -> (tensor<1024xi32>, tensor<1024xi1>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: i32, %[[VX:.*]]: i1, %[[Y:.*]]: i32, %[[VY:.*]]: i1):
// CHECK-NEXT: %[[XY:.*]] = arith.subi %[[X]], %[[Y]]
// CHECK-NEXT: %[[S:.*]] = arith.select %[[VX]], %[[XY]], %[[Y]]
// CHECK-NEXT: tile.yield %[[S]], %[[VY]] : i32, i1
// CHECK: %[[R:.*]]:3 = tile.reduce_with %[[B]]#0, %[[T]], %[[V]] axis 0
// CHECK-NEXT: ^bb0(%[[X:.*]]: i32, %[[X2:.*]]: i32, %[[VX:.*]]: i1, %[[Y:.*]]: i32, %[[Y2:.*]]: i32, %[[VY:.*]]: i1):
// CHECK: %[[S:.*]] = arith.select %[[VY]], %{{.*}}, %[[X]]
// CHECK: %[[S2:.*]] = arith.select %[[VY]], %{{.*}}, %[[X2]]
// CHECK: tile.yield %[[S]], %[[S2]], %[[VX]] : i32, i32, i1
// CHECK: tensor.extract %[[R]]#1
tile.kernel @combined(%x: !tile.global<[1000] x i32>, %y: !tile.global<[2] x i32, out>) grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %d = tile.range %c0 to %c1000 full : !tile.range<1000>
  %t = tile.load %x[%d] : !tile.global<[1000] x i32>, !tile.range<1000> -> tensor<1000xi32>
  %f = tile.scan_with %t axis 0 : (tensor<1000xi32>) -> tensor<1000xi32> {
  ^bb0(%a: i32, %b: i32):
    %ab = arith.muli %a, %b : i32
    tile.yield %ab : i32
  }
  %s = tile.scan_with %f axis 0 reverse : (tensor<1000xi32>) -> tensor<1000xi32> {
  ^bb0(%a: i32, %b: i32):
    %ab = arith.subi %a, %b : i32
    tile.yield %ab : i32
  }
  %r:2 = tile.reduce_with %s, %t axis 0 : (tensor<1000xi32>, tensor<1000xi32>) -> (tensor<i32>, tensor<i32>) {
  ^bb0(%a: i32, %a2: i32, %b: i32, %b2: i32):
    %ab = arith.muli %a, %b : i32
    %ab2 = arith.muli %a2, %b2 : i32
    tile.yield %ab, %ab2 : i32, i32
  }
  %e = tensor.extract %r#0[] : tensor<i32>
  %e2 = tensor.extract %r#1[] : tensor<i32>
  tile.store %e to %y[%c0] : i32, !tile.global<[2] x i32, out>, index
  tile.store %e2 to %y[%c1] : i32, !tile.global<[2] x i32, out>, index
}

// -----

// The constant belongs to two unrelated tiles. One of them consists of merged rows of 125 elements, which fixes its extent.
// The other one is padded.
// CHECK-LABEL: tile.kernel @shared_constant
// CHECK-DAG: arith.constant dense<2> : tensor<1x1000xi32>
// CHECK-DAG: arith.constant dense<2> : tensor<1x1024xi32>
// CHECK: tile.rearrange %{{.*}} by [1000, 1] : (tensor<1x8x125xi32>) -> tensor<1x1000xi32>
// CHECK: tile.load %z{{.*}} -> tensor<1x1024xi32>
tile.kernel @shared_constant(%x: !tile.global<[M, 8, 125] x i32>, %y: !tile.global<[M, 1000] x i32, out>, %z: !tile.global<[M, 1000] x i32, inout>) grid(%m in tiles(M, 1)) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c125 = arith.constant 125 : index
  %c1000 = arith.constant 1000 : index
  %two = arith.constant dense<2> : tensor<1x1000xi32>
  %r = tile.range %c0 to %c1000 full : !tile.range<1000>
  %g = tile.range %c0 to %c8 full : !tile.range<8>
  %e = tile.range %c0 to %c125 full : !tile.range<125>
  %t = tile.load %x[%m, %g, %e] : !tile.global<[M, 8, 125] x i32>, !tile.range<1 of M>, !tile.range<8>, !tile.range<125> -> tensor<1x8x125xi32>
  %rows = tile.rearrange %t by [1000, 1] : (tensor<1x8x125xi32>) -> tensor<1x1000xi32>
  %u = arith.muli %rows, %two : tensor<1x1000xi32>
  tile.store %u to %y[%m, %r] : tensor<1x1000xi32>, !tile.global<[M, 1000] x i32, out>, !tile.range<1 of M>, !tile.range<1000>
  %v = tile.load %z[%m, %r] : !tile.global<[M, 1000] x i32, inout>, !tile.range<1 of M>, !tile.range<1000> -> tensor<1x1000xi32>
  %w = arith.muli %v, %two : tensor<1x1000xi32>
  tile.store %w to %z[%m, %r] : tensor<1x1000xi32>, !tile.global<[M, 1000] x i32, inout>, !tile.range<1 of M>, !tile.range<1000>
}

// -----

// The padding of a load is zero: its end is no longer open. The end of its rows stays open.
// CHECK-LABEL: tile.kernel @open
// CHECK: tile.load %x[%m, %{{.*}}] open_ends [true, false] :
tile.kernel @open(%x: !tile.global<[M, N] x f32>, %y: !tile.global<[M] x f32, out>) grid(%m in tiles(M, 8)) {
  %c0 = arith.constant 0 : index
  %c48 = arith.constant 48 : index
  %n = tile.range %c0 to %c48 full : !tile.range<48>
  %t = tile.load %x[%m, %n] open_ends [true, true] : !tile.global<[M, N] x f32>, !tile.range<8 of M>, !tile.range<48> -> tensor<8x48xf32>
  %s = tile.reduce sum %t axis 1 : tensor<8x48xf32> -> tensor<8xf32>
  tile.store %s to %y[%m] : tensor<8xf32>, !tile.global<[M] x f32, out>, !tile.range<8 of M>
}
