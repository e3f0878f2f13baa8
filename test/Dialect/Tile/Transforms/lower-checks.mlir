// RUN: tile-opt %s --tile-lower-checks=remarks=true --canonicalize -verify-diagnostics | FileCheck %s

// CHECK-LABEL: tile.kernel @debug
tile.kernel @debug(%x: !tile.global<[N] x f32>, %y: !tile.global<[N] x f32, out>, %c: i1) grid(%n in tiles(N, 64)) {
  // CHECK-NEXT: %[[T:.*]] = tile.load
  // CHECK-NEXT: tile.store %[[T]]
  // CHECK-NEXT: }
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
  scf.if %c {
    %p = arith.cmpf oge, %t, %zero : tensor<64xf32>
    // expected-remark @below {{the check is removed [check-removed]}}
    tile.check %p, "x is not negative" : tensor<64xi1>
    // expected-remark @below {{the print is removed [check-removed]}}
    tile.print "x:" %t unsigned [false] : tensor<64xf32>
  }
  tile.store %t to %y[%n] : tensor<64xf32>, !tile.global<[N] x f32, out>, !tile.range<64 of N>
}
