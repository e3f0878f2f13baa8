//===- SharedTile.cpp - Layouts of tiles in shared memory -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The XOR swizzle of TMA as terms of a layout. The hardware toggles the chunk
// bits of an address (from bit 4 on) by its line bits (from bit 7 on). The map
// is linear over F2, so each bit of a row number that selects a line also
// contributes the chunk that it toggles. Other bits only contribute their row.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/SharedTile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tessera;
using namespace tessera::layout;
using llvm::createStringError;
using llvm::Twine;

static int64_t getSpan(Swizzle swizzle) {
  return static_cast<int64_t>(swizzle);
}

int64_t layout::applySwizzle(Swizzle swizzle, int64_t byte) {
  // Bits 7.. (128-byte lines) toggle bits 4.. (chunks).
  int64_t chunks = getSpan(swizzle) / 16;
  return chunks ? byte ^ ((byte >> 7 & (chunks - 1)) << 4) : byte;
}

int64_t layout::getAlignment(Swizzle swizzle) {
  return swizzle == Swizzle::None ? 128 : 8 * getSpan(swizzle);
}

llvm::StringRef layout::getSwizzleName(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return "none";
  case Swizzle::B32:
    return "32B";
  case Swizzle::B64:
    return "64B";
  case Swizzle::B128:
    return "128B";
  }
  llvm_unreachable("not a swizzle");
}

std::optional<Swizzle> layout::parseSwizzle(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Swizzle>>(name)
      .Case("none", Swizzle::None)
      .Case("32B", Swizzle::B32)
      .Case("64B", Swizzle::B64)
      .Case("128B", Swizzle::B128)
      .Default(std::nullopt);
}

/// Adds the rows of a box as terms of the offset: `count` rows from row `row`
/// of the pattern on. Row bits that select a line also toggle chunks.
static void addRows(std::vector<Term> &terms, int64_t count, unsigned dim,
                    unsigned rank, int64_t &row, int64_t span,
                    int64_t elementBytes) {
  int64_t chunks = span / 16;
  int64_t stride = 1;
  for (; count % 2 == 0; count /= 2, stride *= 2, row *= 2) {
    Term &term = terms.emplace_back(Term{2, Point(rank, 0)});
    term.stride[dim] = stride;
    int64_t line = row * span / 128;
    if (span && line > 0 && line < chunks)
      term.stride[rank - 1] += line * 16 / elementBytes;
  }
  Term &rest = terms.emplace_back(Term{count, Point(rank, 0)});
  rest.stride[dim] = stride;
  row *= count;
}

llvm::Expected<Layout> layout::getSharedTile(llvm::ArrayRef<int64_t> shape,
                                             int64_t elementBytes,
                                             Swizzle swizzle) {
  if (shape.empty())
    return createStringError("expected a tile of at least one dimension");
  if (elementBytes < 1 || elementBytes > 16 || 16 % elementBytes != 0)
    return createStringError("expected elements of 1, 2, 4, 8 or 16 bytes, "
                             "got " +
                             Twine(elementBytes));
  int64_t rows = 1;
  for (int64_t extent : shape) {
    if (extent < 1)
      return createStringError("expected extents of at least 1, got " +
                               Twine(extent));
    rows *= extent;
  }
  rows /= shape.back();
  unsigned rank = shape.size();
  int64_t span = getSpan(swizzle);
  int64_t inner = span ? span / elementBytes : shape.back();
  if (shape.back() % inner != 0)
    return createStringError(
        "expected rows in multiples of the swizzle span, " + Twine(inner) +
        " elements, got " + Twine(shape.back()));
  if (span && rows % 8 != 0)
    return createStringError("expected a multiple of 8 rows under a swizzle, "
                             "got " +
                             Twine(rows));
  Axis offset{kOffset.str(), {}};
  Point unit(rank, 0);
  unit.back() = 1;
  offset.terms.push_back({inner, unit});
  int64_t row = 1;
  for (unsigned dim = rank - 1; dim-- > 0;)
    addRows(offset.terms, shape[dim], dim, rank, row, span, elementBytes);
  unit.back() = inner;
  offset.terms.push_back({shape.back() / inner, unit});
  return Layout::get(offset, rank);
}
