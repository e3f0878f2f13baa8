//===- InverseMap.h - From elements to places -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The map from an element to the places that hold it, for any layout. Counts
// are found by division, and bits by Gaussian elimination over F2. The kernel
// of the elimination and the broadcast digits yield the further places.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_INVERSEMAP_H
#define TESSERA_LAYOUT_INVERSEMAP_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

class InverseMap {
public:
  explicit InverseMap(const Layout &layout);

  /// Returns all places that hold the element, sorted by the last axis first
  /// (the first CTA, its first warp, …).
  std::vector<Point> getPlaces(llvm::ArrayRef<int64_t> coordinates) const;

  /// Returns the first place that holds the element.
  Point getPlace(llvm::ArrayRef<int64_t> coordinates) const;

private:
  /// Returns the set of bits, as a mask, of one place.
  uint64_t solve(llvm::ArrayRef<int64_t> coordinates) const;
  /// Returns the part of a place that the counts determine.
  Point getCountedPlace(llvm::ArrayRef<int64_t> coordinates) const;
  void addBits(Point &place, uint64_t mask) const;

  Layout layout;
  std::vector<Digit> bits, counts, broadcasts;
  /// Masks of `bits`: sets that produce each bit of the packed atom, and sets
  /// whose contributions cancel.
  std::vector<uint64_t> solutions, kernel;
};

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_INVERSEMAP_H
