//===- TmaBoxes.cpp - A tile as boxes of tensor copies ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decomposes a tile into boxes. For each swizzle, the box is as large as
// possible: the span, then whole inner dimensions, then a part of one
// dimension. The first element of a box determines its start; every other
// element must then be at the byte where TMA writes it. The first swizzle for
// which all elements agree is the result.
//
// Parts for a multicast are whole boxes if all parts are equal translations of
// the first one, else parts of the rows of each box.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/TmaBoxes.h"

#include "tessera/Layout/OffsetMap.h"
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

/// Returns the largest box: whole inner dimensions, then a part of one.
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

/// Decomposes the tile for one swizzle, and checks every element.
static std::optional<TmaBoxes> match(const Layout &shared, int64_t elementBytes,
                                     Swizzle swizzle, int64_t inner) {
  TmaBoxes result;
  result.swizzle = swizzle;
  result.extents = getExtents(shared.getShape(), inner);
  OffsetMap offsets(shared);
  Point zero(shared.getRank(), 0), one(shared.getRank(), 1);
  bool matches = forEachPoint(
      zero, shared.getShape(), result.extents, [&](const Point &origin) {
        int64_t start = offsets.at(origin) * elementBytes;
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
          return offsets.at(x) * elementBytes == expected;
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
  // Prefer no swizzle if a swizzle does not move any chunk of so few rows. TMA
  // swizzles by address bits, and an unswizzled tile need not start at a
  // multiple of the pattern.
  for (Swizzle swizzle :
       {Swizzle::None, Swizzle::B128, Swizzle::B64, Swizzle::B32}) {
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

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Distributes whole boxes, if all parts are translations of the first one.
static std::optional<TmaParts> shareBoxes(const TmaBoxes &whole,
                                          int64_t parts) {
  int64_t count = whole.boxes.size();
  if (count % parts != 0)
    return std::nullopt;
  int64_t share = count / parts;
  TmaParts result;
  result.first = whole;
  result.first.boxes.resize(share);
  result.step.assign(whole.extents.size(), 0);
  if (parts > 1) {
    const TmaBoxes::Box &from = whole.boxes[0], &to = whole.boxes[share];
    result.byteStep = to.byte - from.byte;
    for (auto [step, a, b] :
         llvm::zip_equal(result.step, from.origin, to.origin))
      step = b - a;
  }
  for (int64_t i = 0; i < count; ++i) {
    const TmaBoxes::Box &box = whole.boxes[i], &base = whole.boxes[i % share];
    int64_t part = i / share;
    if (box.byte != base.byte + part * result.byteStep)
      return std::nullopt;
    for (auto [x, start, step] :
         llvm::zip_equal(box.origin, base.origin, result.step))
      if (x != start + part * step)
        return std::nullopt;
  }
  return result;
}

/// Distributes parts of each box along the outermost dimension of the box.
static std::optional<TmaParts> shareRows(const TmaBoxes &whole,
                                         int64_t elementBytes, int64_t parts) {
  unsigned rank = whole.extents.size(), dim = 0;
  while (dim + 1 < rank && whole.extents[dim] == 1)
    ++dim;
  int64_t rows = whole.extents[dim];
  int64_t bytes = whole.getBytes(elementBytes);
  if (dim + 1 == rank || rows % parts != 0 ||
      bytes / parts % getAlignment(whole.swizzle) != 0)
    return std::nullopt;
  TmaParts result;
  result.first = whole;
  result.first.extents[dim] = rows / parts;
  result.step.assign(rank, 0);
  result.step[dim] = rows / parts;
  result.byteStep = bytes / parts;
  return result;
}

llvm::Expected<TmaParts> layout::getTmaParts(const TmaBoxes &whole,
                                             int64_t elementBytes,
                                             int64_t parts) {
  if (std::optional<TmaParts> result = shareBoxes(whole, parts))
    return *result;
  if (std::optional<TmaParts> result = shareRows(whole, elementBytes, parts))
    return *result;
  return createStringError("the " + Twine(whole.boxes.size()) +
                           " boxes of the tile cannot be shared out to " +
                           Twine(parts) + " CTAs");
}
