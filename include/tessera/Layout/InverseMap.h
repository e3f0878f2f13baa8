//===- InverseMap.h - From elements to places -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The places that hold an element, for any layout: counts are divided out, the
// atom is solved by elimination, and what elimination leaves free, together
// with broadcast digits, makes the copies.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_INVERSEMAP_H
#define TESSERA_LAYOUT_INVERSEMAP_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

class InverseMap {
public:
  explicit InverseMap(const Layout &layout);

  /// All places that hold the element, the lowest number of the last axis
  /// first (the first CTA, its first warp, …).
  std::vector<Point> getPlaces(llvm::ArrayRef<int64_t> coordinates) const;

  /// The first of them.
  Point getPlace(llvm::ArrayRef<int64_t> coordinates) const;

private:
  /// The mask of one place.
  uint64_t solve(llvm::ArrayRef<int64_t> coordinates) const;
  /// What the digits that count say of a place.
  Point getCountedPlace(llvm::ArrayRef<int64_t> coordinates) const;
  void addBits(Point &place, uint64_t mask) const;

  Layout layout;
  std::vector<Digit> bits, counts, broadcasts;
  /// Masks of `bits`: those that make each bit of the packed atom, and those
  /// that together change nothing.
  std::vector<uint64_t> solutions, kernel;
};

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_INVERSEMAP_H
