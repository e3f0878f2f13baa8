//===- TurnedTile.h - A tile that threads transpose -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To transpose a tile of 8-bit elements in shared memory, each thread reads
// squares of 4x4 elements by rows and writes them by columns. Both accesses
// then move words rather than single bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_TILETOSM_TURNEDTILE_H
#define TESSERA_LIB_CONVERSION_TILETOSM_TURNEDTILE_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Two layouts of a tile in which each thread holds the same elements: those of
/// a square in the order of its rows, and in the order of its columns.
struct TurnedTile {
  layout::Layout alongRows, alongColumns;

  /// Returns nothing if the extents are not multiples of the squares of a warp.
  static std::optional<TurnedTile> find(RankedTensorType type, int64_t warps);
};

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_TILETOSM_TURNEDTILE_H
