//===- TmaBoxes.cpp - A tile as boxes of tensor copies ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/TmaBoxes.h"

#include "tessera/Layout/InverseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using namespace tessera::layout;
using llvm::createStringError;
using llvm::Twine;

static constexpr int64_t kMaxExtent = 256;

int64_t TmaBoxes::getBytes(int64_t elementBytes) const {
  int64_t bytes = elementBytes;
  for (int64_t extent : extents)
    bytes *= extent;
  return bytes;
}

static int64_t getLargestDivisor(int64_t value, int64_t bound) {
  int64_t divisor = std::min(value, bound);
  while (value % divisor != 0)
    --divisor;
  return divisor;
}

/// The largest box: whole inner dimensions, then a part of one.
static Point getExtents(llvm::ArrayRef<int64_t> shape, int64_t inner) {
  Point extents(shape.size(), 1);
  extents.back() = inner;
  for (unsigned dim = shape.size() - 1; dim-- > 0;) {
    extents[dim] = getLargestDivisor(shape[dim], kMaxExtent);
    if (extents[dim] != shape[dim])
      break;
  }
  return extents;
}

/// Calls `visit` with every point of a grid, the last dimension fastest, until
/// it returns false.
static bool forEachPoint(llvm::ArrayRef<int64_t> begin,
                         llvm::ArrayRef<int64_t> end,
                         llvm::ArrayRef<int64_t> step,
                         llvm::function_ref<bool(const Point &)> visit) {
  Point x(begin);
  while (true) {
    if (!visit(x))
      return false;
    unsigned dim = x.size();
    for (; dim > 0; --dim) {
      if ((x[dim - 1] += step[dim - 1]) < end[dim - 1])
        break;
      x[dim - 1] = begin[dim - 1];
    }
    if (dim == 0)
      return true;
  }
}

/// Takes the tile apart for one swizzle and checks every element.
static std::optional<TmaBoxes> match(const Layout &shared, int64_t elementBytes,
                                     Swizzle swizzle, int64_t inner) {
  TmaBoxes result;
  result.swizzle = swizzle;
  result.extents = getExtents(shared.getShape(), inner);
  InverseMap inverse(shared);
  Point zero(shared.getRank(), 0), one(shared.getRank(), 1);
  bool matches = forEachPoint(
      zero, shared.getShape(), result.extents, [&](const Point &origin) {
        int64_t start = inverse.getPlace(origin).front() * elementBytes;
        if (start % getAlignment(swizzle) != 0)
          return false;
        result.boxes.push_back({origin, start});
        Point end = origin;
        for (auto [x, extent] : llvm::zip_equal(end, result.extents))
          x += extent;
        int64_t next = start;
        return forEachPoint(origin, end, one, [&](const Point &x) {
          int64_t expected = applySwizzle(swizzle, next);
          next += elementBytes;
          return inverse.getPlace(x).front() * elementBytes == expected;
        });
      });
  if (!matches)
    return std::nullopt;
  llvm::sort(result.boxes, [](const TmaBoxes::Box &a, const TmaBoxes::Box &b) {
    return a.byte < b.byte;
  });
  return result;
}

llvm::Expected<TmaBoxes> layout::getTmaBoxes(const Layout &shared,
                                             int64_t elementBytes) {
  if (shared.getRank() < 1 || shared.getRank() > 5)
    return createStringError("TMA copies tiles of 1 to 5 dimensions, not of " +
                             Twine(shared.getRank()));
  if (!shared.hasOnlyAxes({kOffset}) || !shared.isBijective() ||
      shared.getAxes().empty())
    return createStringError("expected a tile in shared memory, got '" +
                             shared.str() + "'");
  if (elementBytes != 1 && elementBytes != 2 && elementBytes != 4 &&
      elementBytes != 8)
    return createStringError("TMA copies elements of 1, 2, 4 or 8 bytes, not "
                             "of " +
                             Twine(elementBytes));
  int64_t row = shared.getShape().back();
  for (Swizzle swizzle :
       {Swizzle::B128, Swizzle::B64, Swizzle::B32, Swizzle::None}) {
    int64_t span = static_cast<int64_t>(swizzle);
    int64_t inner =
        span ? span / elementBytes : getLargestDivisor(row, kMaxExtent);
    if (row % inner != 0 || inner * elementBytes % 16 != 0)
      continue;
    if (auto boxes = match(shared, elementBytes, swizzle, inner))
      return *boxes;
  }
  return createStringError("no box of at most 256 along each dimension, with "
                           "rows of a multiple of 16 bytes, lies in shared "
                           "memory as TMA writes it");
}
