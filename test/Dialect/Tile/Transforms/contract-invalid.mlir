// RUN: tile-opt %s -tile-contract=remarks=true -verify-diagnostics -o /dev/null

// The remarks: what is contracted, and who asks for nothing.

tile.kernel @contracted(%a: !tile.global<[N] x f32>, %z: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 16)) {
  %0 = tile.load %a[%n] : !tile.global<[N] x f32>, !tile.range<16 of N> -> tensor<16xf32>
  %1 = arith.mulf %0, %0 : tensor<16xf32>
  // expected-remark @below {{this sum is rounded once, with a product [contracted]}}
  %2 = arith.addf %1, %0 : tensor<16xf32>
  tile.store %2 to %z[%n] : tensor<16xf32>, !tile.global<[N] x f32, out>, !tile.range<16 of N>
}

tile.kernel @added_up(%a: !tile.global<[N, 32] x f32>, %z: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 16)) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %all = tile.range %c0 to %c32 : !tile.range<32>
  %0 = tile.load %a[%n, %all] : !tile.global<[N, 32] x f32>, !tile.range<16 of N>, !tile.range<32> -> tensor<16x32xf32>
  %1 = arith.mulf %0, %0 : tensor<16x32xf32>
  // expected-remark @below {{these products are rounded with their sum [contracted]}}
  %2 = tile.reduce sum %1 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
  tile.store %2 to %z[%n] : tensor<16xf32>, !tile.global<[N] x f32, out>, !tile.range<16 of N>
}

// expected-remark @below {{keeps products as written, as 'numerics (contract = false)' asks [products-kept]}}
tile.kernel @kept(%a: !tile.global<[N] x f32>, %z: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 16)) attributes {tile.no_contract} {
  %0 = tile.load %a[%n] : !tile.global<[N] x f32>, !tile.range<16 of N> -> tensor<16xf32>
  %1 = arith.mulf %0, %0 : tensor<16xf32>
  %2 = arith.addf %1, %0 : tensor<16xf32>
  tile.store %2 to %z[%n] : tensor<16xf32>, !tile.global<[N] x f32, out>, !tile.range<16 of N>
}
