//===- ScratchTile.cpp - A tile on its way through memory -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/ScratchTile.h"

#include "llvm/Support/MathExtras.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

/// Shared memory is scarce; barriers cost little compared with moving this
/// much.
static constexpr int64_t kMaxWindowBytes = 32 * 1024;
static constexpr int64_t kMaxVectorBytes = 16;

ScratchTile::ScratchTile(ArrayRef<int64_t> shape, int64_t elementBytes)
    : strides(shape.size()), elementBytes(elementBytes) {
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    strides[dim] = elements;
    elements *= shape[dim];
    bool isRow = dim + 1 == static_cast<int64_t>(shape.size());
    if (isRow && dim > 0)
      elements = llvm::alignTo(elements, kMaxVectorBytes / elementBytes) +
                 kMaxVectorBytes / elementBytes;
  }
}

int64_t ScratchTile::getWindow() const {
  return std::min(elements, kMaxWindowBytes / elementBytes);
}

int64_t ScratchTile::getRounds() const {
  return llvm::divideCeil(elements, getWindow());
}

int64_t ScratchTile::getBytes() const { return getWindow() * elementBytes; }

int64_t ScratchTile::getVectorWidth(const Layout &registers) const {
  if (registers.getRank() == 0)
    return 1;
  return std::min(registers.getVectorWidth(layout::kRegister),
                  kMaxVectorBytes / elementBytes);
}
