//===- CandidateLayouts.cpp - Layouts that tiles may have -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The candidates of a layout assignment: the default layout of a tile, the
// layouts that products offer, and the layouts that a reduction or a gather
// prefers for its operand.
//
//===----------------------------------------------------------------------===//

#include "LayoutAssignment.h"

#include "tessera/Dialect/SM/IR/Exchange.h"
#include "tessera/Dialect/SM/IR/Layouts.h"
#include "tessera/Dialect/Tile/IR/IndexMap.h"
#include "tessera/Layout/Algebra.h"
#include "tessera/Layout/Rearrangement.h"
#include "tessera/Layout/RegisterTile.h"

#include <numeric>

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

/// Rows of a wgmma instruction.
static constexpr int64_t kInstructionRows = 64;
static constexpr int64_t kWarpsPerWarpgroup = 4;

llvm::Expected<Layout> sm::getDefaultLayout(RankedTensorType type,
                                            int64_t warps) {
  // All threads hold a tile without dimensions, for example a reduced vector.
  if (type.getRank() == 0) {
    llvm::Expected<Layout> line = layout::getBlocked({1}, 1, warps);
    return line ? layout::getReduced(*line, 0) : std::move(line);
  }
  int64_t wide = 16 / sm::getElementBytes(type.getElementType());
  return layout::getBlocked(type.getShape(),
                            std::gcd(wide, type.getShape().back()), warps);
}

Layout LayoutAssignment::getDefault(RankedTensorType type) const {
  // Cannot fail: the sizes of all tiles have been checked.
  return llvm::cantFail(getDefaultLayout(type, assigned.warps));
}

std::vector<Layout>
LayoutAssignment::getCandidates(ArrayRef<int64_t> shape) const {
  std::vector<Layout> candidates;
  // Accumulators are spread over whole warpgroups.
  bool hasWarpgroups =
      assigned.warps == assigned.warpgroups * kWarpsPerWarpgroup;
  if (shape.size() != 2 || !hasWarpgroups)
    return candidates;
  // Repeated rows are offered only if products of the kernel repeat rows, and
  // shared columns only if warpgroups share columns.
  auto isOffered = [&](int64_t rows) {
    return rows < kInstructionRows
               ? assigned.repeatsRows
               : assigned.splitsColumns ||
                     layout::getProductSplit(rows, assigned.warpgroups)
                             .columns == 1;
  };
  llvm::Expected<Layout> rows =
      layout::getAccumulator(shape[0], shape[1], assigned.warpgroups);
  if (!rows)
    llvm::consumeError(rows.takeError());
  else if (isOffered(shape[0]))
    candidates.push_back(*rows);
  llvm::Expected<Layout> columns =
      layout::getAccumulator(shape[1], shape[0], assigned.warpgroups);
  if (!columns)
    llvm::consumeError(columns.takeError());
  else if (isOffered(shape[1]))
    candidates.push_back(llvm::cantFail(layout::permuteDims(*columns, {1, 0})));
  return candidates;
}

std::optional<Layout>
LayoutAssignment::findReduceSource(RankedTensorType type, unsigned axis,
                                   std::optional<int64_t> keep,
                                   const Layout *wanted) const {
  auto reducesRight = [&](const Layout &candidate) {
    llvm::Expected<Layout> reduced = sm::getReduceLayout(candidate, axis, keep);
    if (reduced)
      return !wanted || *reduced == *wanted;
    llvm::consumeError(reduced.takeError());
    return false;
  };
  if (wanted)
    for (const Layout &candidate : getCandidates(type.getShape()))
      if (reducesRight(candidate))
        return candidate;
  if (type.getRank() == 0)
    return std::nullopt;
  // Wide vectors come first. A vector as wide as the kept part is always legal
  // along rows.
  int64_t row = type.getShape().back();
  for (int64_t vector :
       {int64_t(16) / sm::getElementBytes(type.getElementType()), int64_t(8),
        int64_t(4), int64_t(2), int64_t(1), keep.value_or(1)}) {
    if (vector < 1 || row % vector != 0)
      continue;
    llvm::Expected<Layout> candidate =
        layout::getBlocked(type.getShape(), vector, assigned.warps);
    if (candidate && reducesRight(*candidate))
      return *candidate;
    if (!candidate)
      llvm::consumeError(candidate.takeError());
  }
  if (!keep)
    return std::nullopt;
  // The kept dimensions are distributed over the threads, and each thread loops
  // over its share of the rest: the factors of the extent do not matter then.
  SmallVector<int64_t> kept(type.getShape());
  int64_t repeats = kept[axis] / *keep;
  kept[axis] = *keep;
  llvm::Expected<Layout> part = layout::getBlocked(
      kept, /*vector=*/axis + 1 == kept.size() ? *keep : 1, assigned.warps);
  if (!part) {
    llvm::consumeError(part.takeError());
    return std::nullopt;
  }
  llvm::Expected<Layout> candidate =
      layout::repeat(*part, layout::kRegister, repeats, axis);
  if (candidate && reducesRight(*candidate))
    return *candidate;
  if (!candidate)
    llvm::consumeError(candidate.takeError());
  return std::nullopt;
}

Layout LayoutAssignment::findLayoutWithDigits(RankedTensorType type,
                                              unsigned axis) const {
  int64_t row = type.getShape().back();
  for (int64_t vector = 16 / sm::getElementBytes(type.getElementType());
       vector >= 1; vector /= 2) {
    if (row % vector != 0)
      continue;
    llvm::Expected<Layout> candidate =
        layout::getBlocked(type.getShape(), vector, assigned.warps);
    if (candidate && sm::getAxisDigits(*candidate, axis))
      return *candidate;
    if (!candidate)
      llvm::consumeError(candidate.takeError());
  }
  // Each thread holds whole lines: the extent is one digit of the register.
  SmallVector<int64_t> lines(type.getShape());
  lines[axis] = 1;
  return llvm::cantFail(layout::repeat(
      llvm::cantFail(layout::getBlocked(lines, /*vector=*/1, assigned.warps)),
      layout::kRegister, type.getDimSize(axis), axis));
}

static std::optional<Layout> getIfAny(llvm::Expected<Layout> layout) {
  if (layout)
    return *layout;
  llvm::consumeError(layout.takeError());
  return std::nullopt;
}

std::optional<Layout> sm::getRearranged(tile::RearrangeOp op, unsigned number,
                                        const Layout &layout) {
  auto from = cast<RankedTensorType>(op.getSources()[number].getType());
  auto to = cast<RankedTensorType>(op.getType());
  return getIfAny(layout::transferLayout(layout,
                                         tile::getRowStrides(from.getShape()),
                                         to.getShape(), op.getStrides()));
}

std::optional<Layout> sm::getRearrangedSource(tile::RearrangeOp op,
                                              unsigned number,
                                              const Layout &layout) {
  auto from = cast<RankedTensorType>(op.getSources()[number].getType());
  return getIfAny(layout::transferLayout(layout, op.getStrides(),
                                         from.getShape(),
                                         tile::getRowStrides(from.getShape())));
}

Layout LayoutAssignment::getGatherLayout(const Layout &tile,
                                         tile::IndexAxes axes) {
  // A layout without some of its dimensions is a layout.
  Layout line = tile;
  for (unsigned dim = tile.getRank(); dim-- > 0;)
    if (!axes.contains(dim))
      line = llvm::cantFail(layout::sliceDim(line, dim));
  return llvm::cantFail(layout::dropDuplicates(line, layout::kRegister));
}
