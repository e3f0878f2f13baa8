// RUN: tile-opt %s -tile-narrow-conversions -canonicalize -split-input-file | FileCheck %s

// The bytes are converted, and the floats are moved.

// CHECK-LABEL: tile.kernel @weights
// CHECK: %[[EIGHT:.*]] = arith.constant dense<8.000000e+00> : tensor<128xbf16>
// CHECK: %[[BYTES:.*]] = tile.load
// CHECK: %[[FLOATS:.*]] = arith.uitofp %[[BYTES]] : tensor<128xi8> to tensor<128xbf16>
// CHECK: arith.subf %[[FLOATS]], %[[EIGHT]]
tile.kernel @weights(%w: !tile.global<[N] x ui8>, %y: !tile.global<[N] x bf16, out>) grid(%n in tiles(N, 128)) {
  %cst = arith.constant dense<8> : tensor<128xi32>
  %0 = tile.load %w[%n] : !tile.global<[N] x ui8>, !tile.range<128 of N> -> tensor<128xi8>
  %1 = arith.extui %0 : tensor<128xi8> to tensor<128xi32>
  %2 = arith.subi %1, %cst : tensor<128xi32>
  %3 = arith.sitofp %2 : tensor<128xi32> to tensor<128xbf16>
  tile.store %3 to %y[%n] : tensor<128xbf16>, !tile.global<[N] x bf16, out>, !tile.range<128 of N>
}

// -----

// Signed bytes without a sum.

// CHECK-LABEL: tile.kernel @extended
// CHECK: %[[BYTES:.*]] = tile.load
// CHECK-NEXT: %[[FLOATS:.*]] = arith.sitofp %[[BYTES]] : tensor<128xi8> to tensor<128xf32>
// CHECK-NEXT: tile.store %[[FLOATS]]
tile.kernel @extended(%w: !tile.global<[N] x i8>, %y: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 128)) {
  %0 = tile.load %w[%n] : !tile.global<[N] x i8>, !tile.range<128 of N> -> tensor<128xi8>
  %1 = arith.extsi %0 : tensor<128xi8> to tensor<128xi32>
  %2 = arith.sitofp %1 : tensor<128xi32> to tensor<128xf32>
  tile.store %2 to %y[%n] : tensor<128xf32>, !tile.global<[N] x f32, out>, !tile.range<128 of N>
}

// -----

// bf16 has no 257: 255 + 2 would be rounded, and 255 + 1 is not.

// CHECK-LABEL: tile.kernel @limits
// CHECK: arith.uitofp {{.*}} : tensor<128xi8> to tensor<128xbf16>
// CHECK: arith.sitofp {{.*}} : tensor<128xi32> to tensor<128xbf16>
tile.kernel @limits(%w: !tile.global<[N] x ui8>, %y: !tile.global<[N] x bf16, out>, %z: !tile.global<[N] x bf16, out>) grid(%n in tiles(N, 128)) {
  %one = arith.constant dense<1> : tensor<128xi32>
  %two = arith.constant dense<2> : tensor<128xi32>
  %0 = tile.load %w[%n] : !tile.global<[N] x ui8>, !tile.range<128 of N> -> tensor<128xi8>
  %1 = arith.extui %0 : tensor<128xi8> to tensor<128xi32>
  %2 = arith.addi %1, %one : tensor<128xi32>
  %3 = arith.sitofp %2 : tensor<128xi32> to tensor<128xbf16>
  tile.store %3 to %y[%n] : tensor<128xbf16>, !tile.global<[N] x bf16, out>, !tile.range<128 of N>
  %4 = arith.addi %1, %two : tensor<128xi32>
  %5 = arith.sitofp %4 : tensor<128xi32> to tensor<128xbf16>
  tile.store %5 to %z[%n] : tensor<128xbf16>, !tile.global<[N] x bf16, out>, !tile.range<128 of N>
}

// -----

// A sum of i16 that may wrap around.

// CHECK-LABEL: tile.kernel @wraps
// CHECK: arith.sitofp {{.*}} : tensor<128xi16> to tensor<128xf32>
tile.kernel @wraps(%w: !tile.global<[N] x ui8>, %y: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 128)) {
  %cst = arith.constant dense<32700> : tensor<128xi16>
  %0 = tile.load %w[%n] : !tile.global<[N] x ui8>, !tile.range<128 of N> -> tensor<128xi8>
  %1 = arith.extui %0 : tensor<128xi8> to tensor<128xi16>
  %2 = arith.addi %1, %cst : tensor<128xi16>
  %3 = arith.sitofp %2 : tensor<128xi16> to tensor<128xf32>
  tile.store %3 to %y[%n] : tensor<128xf32>, !tile.global<[N] x f32, out>, !tile.range<128 of N>
}
