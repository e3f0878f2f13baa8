//===- TmaBoxes.h - A tile as boxes of tensor copies ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A TMA copy writes one box of at most 256 elements along each of at most 5
// dimensions. Its rows are at most as long as the swizzle span, and are
// multiples of 16 bytes. The box is packed in row-major order and then
// swizzled, from an address that is a multiple of the swizzle pattern. A layout
// is decomposed into equal boxes of this kind.
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
  std::vector<Box> boxes; // in ascending order of bytes

  /// Returns the bytes of one box in the transaction count of a barrier.
  int64_t getBytes(int64_t elementBytes) const;
};

llvm::Expected<TmaBoxes> getTmaBoxes(const Layout &shared,
                                     int64_t elementBytes);

/// A tile as equal parts, one for each CTA of a cluster. Part r is `first`,
/// moved by r times `step` in the tensor and by r times `byteStep` in the tile.
struct TmaParts {
  TmaBoxes first;
  Point step;
  int64_t byteStep = 0;
};

/// Distributes the boxes of a tile over the parts; if there are too few boxes,
/// distributes parts of their rows. Fails if neither gives equal, aligned
/// parts.
llvm::Expected<TmaParts> getTmaParts(const TmaBoxes &whole,
                                     int64_t elementBytes, int64_t parts);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_TMABOXES_H
