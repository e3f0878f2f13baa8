// RUN: tile-opt %s -tile-narrow-conversions=remarks=true -verify-diagnostics -o /dev/null

tile.kernel @weights(%w: !tile.global<[N] x ui8>, %y: !tile.global<[N] x bf16, out>) grid(%n in tiles(N, 128)) {
  %cst = arith.constant dense<8> : tensor<128xi32>
  %0 = tile.load %w[%n] : !tile.global<[N] x ui8>, !tile.range<128 of N> -> tensor<128xi8>
  %1 = arith.extui %0 : tensor<128xi8> to tensor<128xi32>
  %2 = arith.subi %1, %cst : tensor<128xi32>
  // expected-remark @below {{these bytes are converted without wider integers [narrow-conversion]}}
  %3 = arith.sitofp %2 : tensor<128xi32> to tensor<128xbf16>
  tile.store %3 to %y[%n] : tensor<128xbf16>, !tile.global<[N] x bf16, out>, !tile.range<128 of N>
}
