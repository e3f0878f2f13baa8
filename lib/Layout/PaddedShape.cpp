//===- PaddedShape.cpp - Extents that spread over threads -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exhaustive search for a padded shape. Candidates for an extent are the extent
// itself and the numbers 1, 3, 5 or 7 times a power of two, up to the next
// power of two. All combinations are compared by the elements of a thread in
// the blocked layout, then by the total number of elements. The search only
// runs if the original shape needs more than twice as many elements as powers
// of two.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/PaddedShape.h"

#include "tessera/Layout/RegisterTile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <functional>
#include <limits>
#include <numeric>

using namespace tessera;
using namespace tessera::layout;

static constexpr int64_t kMostVectorBytes = 16;

std::optional<int64_t>
layout::countElementsOfThread(llvm::ArrayRef<int64_t> shape,
                              int64_t elementBytes, int64_t warps) {
  int64_t vector = std::gcd(kMostVectorBytes / elementBytes, shape.back());
  llvm::Expected<Layout> layout = getBlocked(shape, vector, warps);
  if (layout)
    return layout->getSize(kRegister);
  llvm::consumeError(layout.takeError());
  return std::nullopt;
}

/// The extents that a dimension may be padded to: itself, and 1, 3, 5 or 7
/// times a power of two up to the next power of two.
static llvm::SmallVector<int64_t> getCandidates(int64_t extent, bool mayGrow) {
  llvm::SmallVector<int64_t> candidates{extent};
  int64_t most = llvm::PowerOf2Ceil(extent);
  for (int64_t odd : {1, 3, 5, 7})
    for (int64_t padded = odd; mayGrow && padded <= most; padded *= 2)
      if (padded > extent)
        candidates.push_back(padded);
  return candidates;
}

Point layout::getPaddedShape(llvm::ArrayRef<int64_t> shape,
                             llvm::ArrayRef<bool> mayGrow, int64_t elementBytes,
                             int64_t warps) {
  constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  auto count = [&](llvm::ArrayRef<int64_t> extents) {
    return countElementsOfThread(extents, elementBytes, warps).value_or(kAny);
  };
  Point even(shape);
  for (auto [extent, grows] : llvm::zip_equal(even, mayGrow))
    if (grows)
      extent = llvm::PowerOf2Ceil(extent);
  int64_t ofEven = count(even);
  if (ofEven == kAny || count(shape) <= 2 * ofEven)
    return Point(shape);
  // Enumerate all combinations of candidates, one dimension after the other.
  llvm::SmallVector<Point> shapes{Point()};
  for (auto [extent, grows] : llvm::zip_equal(shape, mayGrow)) {
    llvm::SmallVector<Point> longer;
    for (const Point &start : shapes)
      for (int64_t padded : getCandidates(extent, grows)) {
        longer.push_back(start);
        longer.back().push_back(padded);
      }
    shapes = std::move(longer);
  }
  auto getCost = [&](const Point &padded) {
    return std::pair(count(padded),
                     std::accumulate(padded.begin(), padded.end(), int64_t(1),
                                     std::multiplies<>()));
  };
  return *llvm::min_element(shapes, [&](const Point &a, const Point &b) {
    return getCost(a) < getCost(b);
  });
}
