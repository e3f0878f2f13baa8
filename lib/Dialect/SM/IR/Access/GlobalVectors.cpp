//===- GlobalVectors.cpp - Elements that are accessed together --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/GlobalVectors.h"

#include "tessera/Layout/Layout.h"

#include <set>

using namespace tessera;
using layout::Layout;

static constexpr int64_t kMostVectorBytes = 16;

/// Vectors of fewer elements are loaded by as many instructions without shifts,
/// or by fewer.
static constexpr int64_t kLeastElements = 4;
static constexpr int64_t kLeastBytes = 8;
/// Tiles of more vectors are slow for other reasons, and their code is long.
static constexpr int64_t kMostVectors = 16;

int64_t sm::getGlobalVectorWidth(const Layout &layout, int64_t elementBytes) {
  return std::min(layout.getVectorWidth(layout::kRegister),
                  kMostVectorBytes / elementBytes);
}

bool sm::isLoadedByChunks(int64_t registers, int64_t width,
                          int64_t elementBytes) {
  return width >= kLeastElements && width * elementBytes >= kLeastBytes &&
         registers <= width * kMostVectors;
}

int64_t sm::countVectorsOfChunks(LoadOp load) {
  auto tile = dyn_cast<RankedTensorType>(load.getType());
  tile::GlobalType global = load.getGlobalType();
  unsigned last = global.getRank() - 1;
  // Chunks reach into what other threads may write meanwhile.
  if (!tile || load->hasAttr(kAlignedAttrName) || global.isWritable() ||
      load.getDims().back() != last ||
      isa<RankedTensorType>(load.getIndices()[last].getType()))
    return 0;
  const Layout &layout = getLayout(tile);
  int64_t bytes = getElementBytes(global.getElementType());
  int64_t registers = layout.getSize(layout::kRegister);
  int64_t width = getGlobalVectorWidth(layout, bytes);
  return isLoadedByChunks(registers, width, bytes) ? registers / width : 0;
}

std::optional<int64_t> sm::getConstantStride(tile::GlobalType type,
                                             int64_t dim) {
  int64_t stride = 1;
  for (tile::SizeAttr extent : type.getShape().drop_front(dim + 1)) {
    std::optional<int64_t> value = extent.getConstantValue();
    if (!value)
      return std::nullopt;
    stride *= *value;
  }
  return stride;
}

int64_t sm::countRowsApart(LoadOp load) {
  auto tile = dyn_cast<RankedTensorType>(load.getType());
  if (!tile)
    return 1;
  SmallVector<unsigned> apart;
  for (auto [dim, axes] : llvm::zip_equal(load.getDims(), load.getIndexAxes()))
    if (!getConstantStride(load.getGlobalType(), dim))
      for (int64_t axis = 0; axis < axes.rank; ++axis)
        apart.push_back(axes.first + axis);
  if (apart.empty())
    return 1;
  const Layout &layout = getLayout(tile);
  std::set<SmallVector<int64_t>> rows;
  for (int64_t r = 0; r < layout.getSize(layout::kRegister); ++r) {
    layout::Point element = layout.evaluate({{layout::kRegister, r}});
    rows.insert(llvm::map_to_vector(
        apart, [&](unsigned i) -> int64_t { return element[i]; }));
  }
  return rows.size();
}
