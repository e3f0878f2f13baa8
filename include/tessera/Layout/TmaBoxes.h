//===- TmaBoxes.h - A tile as boxes of tensor copies ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A TMA copy writes one box: at most 256 along each of at most 5 dimensions,
// rows no longer than the swizzle span and in multiples of 16 bytes, packed in
// row-major order and then swizzled, from an address that is a multiple of the
// swizzle's pattern. A layout is taken apart into equal boxes of this kind.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_TMABOXES_H
#define TESSERA_LAYOUT_TMABOXES_H

#include "tessera/Layout/SharedTile.h"

namespace tessera::layout {

struct TmaBoxes {
  struct Box {
    Point origin;
    int64_t byte; // from the start of the tile
  };

  Swizzle swizzle = Swizzle::None;
  Point extents;
  std::vector<Box> boxes; // by rising byte

  /// What one box adds to the transaction count of a barrier.
  int64_t getBytes(int64_t elementBytes) const;
};

llvm::Expected<TmaBoxes> getTmaBoxes(const Layout &shared,
                                     int64_t elementBytes);

/// A tile as equal parts, one for each CTA of a cluster: part r is `first`,
/// moved by r times `step` in the tensor and r times `byteStep` in the tile.
struct TmaParts {
  TmaBoxes first;
  Point step;
  int64_t byteStep = 0;
};

/// Shares out the boxes of a tile; if they are too few, boxes of a part of the
/// rows. Refused if neither gives equal parts that lie aligned.
llvm::Expected<TmaParts> getTmaParts(const TmaBoxes &whole,
                                     int64_t elementBytes, int64_t parts);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_TMABOXES_H
