//===- MatrixDescriptor.cpp - Descriptors of wgmma operands -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derives the fields of a descriptor from a layout. For each swizzle, the byte
// strides are differences of the bytes of single elements. The formula of the
// header then predicts the byte of every element of every block and step, and
// is compared with the layout. The first swizzle without a difference is the
// result.
//
// Invariant: a returned descriptor addresses every element of the tile, and its
// strides fit their fields.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/MatrixDescriptor.h"

#include "tessera/Layout/OffsetMap.h"

using namespace tessera;
using namespace tessera::layout;
using llvm::createStringError;
using llvm::Twine;

namespace {
/// A tile: its extents along MN and K, and the bytes of its elements.
struct Operand {
  Operand(const Layout &shared, int64_t elementBytes, unsigned kDim)
      : offsets(shared), elementBytes(elementBytes), kDim(kDim),
        mn(shared.getShape()[1 - kDim]), k(shared.getShape()[kDim]) {}

  /// Returns the byte of an element.
  int64_t at(int64_t mnIndex, int64_t kIndex) const {
    Point x = {mnIndex, kIndex};
    if (kDim == 0)
      std::swap(x[0], x[1]);
    return offsets.at(x) * elementBytes;
  }

  OffsetMap offsets;
  int64_t elementBytes;
  unsigned kDim;
  int64_t mn, k;
};
} // namespace

uint64_t MatrixDescriptor::encode(uint32_t address) const {
  uint64_t mode = swizzle == Swizzle::B128  ? 1
                  : swizzle == Swizzle::B64 ? 2
                  : swizzle == Swizzle::B32 ? 3
                                            : 0;
  return (address & 0x3FFFF) >> 4 | uint64_t(leadingBytes >> 4) << 16 |
         uint64_t(strideBytes >> 4) << 32 | mode << 62;
}

/// Returns the byte from which the instruction reads an element of its block.
static int64_t predict(const MatrixDescriptor &descriptor, int64_t start,
                       int64_t mn, int64_t k, int64_t elementBytes) {
  int64_t span = static_cast<int64_t>(descriptor.swizzle);
  int64_t sum = descriptor.isTransposed
                    ? start +
                          mn * elementBytes / span * descriptor.leadingBytes +
                          k / 8 * descriptor.strideBytes + k % 8 * span +
                          mn * elementBytes % span
                    : start + mn / 8 * descriptor.strideBytes + mn % 8 * span +
                          k * elementBytes;
  return applySwizzle(descriptor.swizzle, sum);
}

/// Derives the fields for a swizzle, and checks them for every element.
static std::optional<MatrixDescriptor>
match(const Operand &tile, Swizzle swizzle, bool transposed, int64_t block) {
  MatrixDescriptor descriptor;
  descriptor.isTransposed = transposed;
  descriptor.swizzle = swizzle;
  int64_t span = static_cast<int64_t>(swizzle);
  int64_t step = 32 / tile.elementBytes;
  descriptor.steps = tile.k / step;
  descriptor.strideBytes = 8 * span;
  if (transposed) {
    descriptor.strideBytes = tile.at(0, 8) - tile.at(0, 0);
    if (block > span / tile.elementBytes)
      descriptor.leadingBytes =
          tile.at(span / tile.elementBytes, 0) - tile.at(0, 0);
  } else if (block > 8) {
    descriptor.strideBytes = tile.at(8, 0) - tile.at(0, 0);
  }
  for (int64_t mn = 0; mn < tile.mn; mn += block)
    for (int64_t k = 0; k < tile.k; k += step) {
      int64_t start = tile.at(mn, k);
      descriptor.starts.push_back(start);
      for (int64_t i = 0; i < block; ++i)
        for (int64_t j = 0; j < step; ++j)
          if (predict(descriptor, start, i, j, tile.elementBytes) !=
              tile.at(mn + i, k + j))
            return std::nullopt;
    }
  return descriptor;
}

static bool fitsField(int64_t bytes) {
  return bytes >= 0 && bytes % 16 == 0 && bytes >> 4 <= 0x3FFF;
}

llvm::Expected<MatrixDescriptor>
layout::getMatrixDescriptor(const Layout &shared, int64_t elementBytes,
                            unsigned kDim, int64_t block) {
  if (shared.getRank() != 2 || kDim > 1)
    return createStringError("expected a matrix, got a tile of rank " +
                             Twine(shared.getRank()));
  if (!shared.hasOnlyAxes({kOffset}) || !shared.isBijective() ||
      shared.getAxes().empty())
    return createStringError("expected a matrix in shared memory, got '" +
                             shared.str() + "'");
  if (elementBytes != 1 && elementBytes != 2 && elementBytes != 4)
    return createStringError(
        "wgmma multiplies elements of 1, 2 or 4 bytes, not of " +
        Twine(elementBytes));
  Operand tile(shared, elementBytes, kDim);
  int64_t step = 32 / elementBytes;
  if (tile.k % step != 0)
    return createStringError("expected K in multiples of " + Twine(step) +
                             " elements, got " + Twine(tile.k));
  if (block < 8 || block > 256 || block % 8 != 0 || tile.mn % block != 0)
    return createStringError("expected blocks of 8, 16, … 256 that divide " +
                             Twine(tile.mn) + ", got " + Twine(block));
  bool isKMajor = tile.at(0, 1) == tile.at(0, 0) + elementBytes;
  bool isMnMajor = tile.at(1, 0) == tile.at(0, 0) + elementBytes;
  if (!isKMajor && !isMnMajor)
    return createStringError("neither dimension is contiguous");
  if (isMnMajor && elementBytes != 2)
    return createStringError("wgmma reads only 16-bit elements along MN; K "
                             "must be contiguous for " +
                             Twine(8 * elementBytes) + "-bit ones");
  for (Swizzle swizzle : {Swizzle::B128, Swizzle::B64, Swizzle::B32})
    if (auto descriptor = match(tile, swizzle, isMnMajor, block)) {
      if (!fitsField(descriptor->leadingBytes) ||
          !fitsField(descriptor->strideBytes))
        return createStringError(
            "the strides between the parts of the tile, " +
            Twine(descriptor->leadingBytes) + " and " +
            Twine(descriptor->strideBytes) +
            " bytes, do not fit the 14 bits of a descriptor");
      return *descriptor;
    }
  return createStringError("the tile follows no swizzle of 128, 64 or 32 bytes "
                           "over blocks of " +
                           Twine(block));
}
