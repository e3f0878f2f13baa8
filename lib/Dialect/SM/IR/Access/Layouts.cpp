//===- Layouts.cpp - Layouts that the operations prescribe ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Layouts.h"

#include "tessera/Layout/Algebra.h"
#include "tessera/Layout/RegisterTile.h"

using namespace tessera;
using layout::Axis;
using layout::Layout;
using layout::Point;

llvm::Expected<Layout> sm::getReduceLayout(const Layout &source, unsigned axis,
                                           std::optional<int64_t> keep) {
  if (!keep)
    return layout::getReduced(source, axis);
  // Term by term: what is below `keep` stays, multiples of it are combined. A
  // term that goes on beyond `keep` is split, for lanes and warps by bits.
  std::vector<Axis> axes;
  for (const Axis &old : source.getAxes()) {
    axes.push_back({old.name, {}});
    for (const layout::Term &term : old.terms) {
      auto [count, stride] = term;
      int64_t &along = stride[axis];
      if (along % *keep == 0) {
        along = 0;
      } else if (*keep % (along * count) != 0) {
        int64_t below = *keep / along;
        bool canSplit =
            *keep % along == 0 && count % below == 0 &&
            (old.name == layout::kRegister || llvm::isPowerOf2_64(below));
        if (!canSplit)
          return llvm::createStringError(
              "a thread's elements along the axis do not repeat every " +
              llvm::Twine(*keep));
        axes.back().terms.push_back({below, stride});
        for (int64_t &distance : stride)
          distance *= below;
        along = 0;
        count /= below;
      }
      axes.back().terms.push_back({count, stride});
    }
  }
  llvm::Expected<Layout> kept = Layout::get(axes, source.getRank());
  if (!kept)
    return kept;
  return layout::dropDuplicates(*kept, layout::kRegister);
}

llvm::Expected<Layout>
sm::getBroadcastSource(const Layout &result,
                       llvm::ArrayRef<int64_t> sourceShape) {
  Layout source = result;
  for (unsigned dim = 0; dim < sourceShape.size(); ++dim) {
    if (sourceShape[dim] != 1 || result.getShape()[dim] == 1)
      continue;
    llvm::Expected<Layout> sliced = layout::sliceDim(source, dim);
    if (!sliced)
      return sliced;
    llvm::Expected<Layout> expanded = layout::insertDim(*sliced, dim);
    if (!expanded)
      return expanded;
    source = *expanded;
  }
  return layout::dropDuplicates(source, layout::kRegister);
}

/// The element that a place of `result` takes from a tile of `shape`.
static Point collapse(Point element, llvm::ArrayRef<int64_t> shape) {
  for (auto [coordinate, extent] : llvm::zip_equal(element, shape))
    if (extent == 1)
      coordinate = 0;
  return element;
}

bool sm::isBroadcastLocal(const Layout &source, const Layout &result) {
  // Layouts are linear in the digits of a place, so it is enough that a thread
  // finds what it needs where one digit of its number differs from 0.
  using layout::kLane, layout::kRegister, layout::kWarp;
  if (source.getSize(kWarp) != result.getSize(kWarp))
    return false;
  std::vector<Point> registers = source.evaluateAxis(kRegister);
  for (const Point &element : result.evaluateAxis(kRegister))
    if (!llvm::is_contained(registers, collapse(element, source.getShape())))
      return false;
  auto areHeld = [&](llvm::StringRef axis) {
    std::vector<Point> starts = source.evaluateAxis(axis),
                       elements = result.evaluateAxis(axis);
    for (size_t i = 0, e = std::max(starts.size(), elements.size()); i < e;
         ++i) {
      Point element =
          collapse(elements[i % elements.size()], source.getShape());
      const Point &start = starts[i % starts.size()];
      if (llvm::none_of(registers, [&](const Point &own) {
            return source.combine(own, start) == element;
          }))
        return false;
    }
    return true;
  };
  return areHeld(kLane) && areHeld(kWarp);
}

llvm::Expected<Layout> sm::getPositionLayout(llvm::ArrayRef<int64_t> shape,
                                             int64_t elementBytes,
                                             int64_t warps) {
  constexpr int64_t kLanes = 32, kPieceBytes = 16;
  int64_t positions = shape.front(), threads = warps * kLanes;
  // Gathered elements of a row are pieces by themselves.
  int64_t perRow =
      shape.size() == 1 ? 1 : shape.back() * elementBytes / kPieceBytes;
  if (shape.size() > 1 && shape.back() * elementBytes % kPieceBytes != 0)
    return llvm::createStringError(
        "its rows are no sequence of pieces of 16 bytes");
  int64_t perTurn = perRow ? threads / perRow : 0;
  if (perTurn == 0 || threads % perRow != 0 || positions % perTurn != 0)
    return llvm::createStringError(
        llvm::Twine(threads) + " threads do not share the " +
        llvm::Twine(positions * perRow) + " pieces of its " +
        llvm::Twine(positions) + " rows evenly");
  int64_t lanesOfRow = std::min(perRow, kLanes);
  int64_t rowsOfWarp = kLanes / lanesOfRow, warpsOfRow = perRow / lanesOfRow;
  return Layout::get(
      {{layout::kRegister.str(), {{positions / perTurn, {perTurn}}}},
       {layout::kLane.str(), {{lanesOfRow, {0}}, {rowsOfWarp, {1}}}},
       {layout::kWarp.str(),
        {{warpsOfRow, {0}}, {warps / warpsOfRow, {rowsOfWarp}}}}},
      /*rank=*/1);
}
