//===- Fragments.cpp - Elements of a tile in each warp ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts layouts to tables. A layout is a sum of contributions of its axes:
// within the atom, an F2-linear map, whose contributions combine by exclusive
// or; above the atom, they add. Each axis is therefore evaluated once for each
// of its numbers, and the contributions of warp, register and lane are combined
// for each place.
//
// A footprint merges the bytes that a warp touches into runs of neighbours, and
// splits the runs into pieces of one length, the greatest common divisor of the
// run lengths.
//
//===----------------------------------------------------------------------===//

#include "Fragments.h"

#include "tessera/Simulator/Simulator.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace tessera;
using namespace tessera::sim;
using layout::Layout;
using layout::Point;

/// Number of lanes of a warp.
static constexpr int64_t kLanes = 32;

/// Returns the contribution of each number on an axis.
static std::vector<Point> getContributions(const Layout &layout,
                                           StringRef axis) {
  std::vector<Point> points;
  for (int64_t i = 0, e = layout.getSize(axis); i < e; ++i)
    points.push_back(layout.evaluate(Layout::NamedNumber(axis, i)));
  return points;
}

/// Combines two contributions: exclusive or within the atom, sum above the
/// atom.
static Point combine(const Layout &layout, const Point &a, const Point &b) {
  Point sum(a.size());
  for (size_t dim = 0; dim < a.size(); ++dim) {
    int64_t mask = layout.getAtomShape()[dim] - 1;
    sum[dim] = ((a[dim] ^ b[dim]) & mask) + (a[dim] & ~mask) + (b[dim] & ~mask);
  }
  return sum;
}

static Distribution makeDistribution(const Layout &layout) {
  std::vector<Point> registers = getContributions(layout, layout::kRegister);
  std::vector<Point> lanes = getContributions(layout, layout::kLane);
  std::vector<Point> warps = getContributions(layout, layout::kWarp);
  std::vector<bool> seen(layout.getNumElements());
  Distribution distribution;
  bool hasCopies = layout.getNumElements() <
                   int64_t(warps.size() * registers.size()) * kLanes;
  for (const Point &warp : warps) {
    Fragment &fragment = distribution.emplace_back();
    fragment.registers = registers.size();
    fragment.hasCopies = hasCopies;
    fragment.places.assign(layout.getNumElements(), -1);
    for (const Point &reg : registers) {
      Point base = combine(layout, warp, reg);
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        Point point = combine(layout, base, lanes[lane % lanes.size()]);
        int64_t element = 0;
        for (auto [x, extent] : llvm::zip(point, layout.getShape()))
          element = element * extent + x;
        if (fragment.places[element] < 0)
          fragment.places[element] = fragment.elements.size();
        fragment.elements.push_back(element);
        fragment.isFirst.push_back(!seen[element]);
        seen[element] = true;
      }
    }
  }
  return distribution;
}

Footprint Footprint::get(std::vector<int64_t> elements, int64_t elementBytes) {
  llvm::sort(elements);
  elements.erase(llvm::unique(elements), elements.end());
  Footprint footprint;
  // Runs of neighbours; `count` becomes the greatest common divisor of their
  // lengths.
  SmallVector<std::pair<int64_t, int64_t>> runs;
  for (int64_t byte : elements) {
    if (!runs.empty() && runs.back().first + runs.back().second == byte)
      runs.back().second += elementBytes;
    else
      runs.emplace_back(byte, elementBytes);
  }
  for (auto [start, length] : runs)
    footprint.count = std::gcd(footprint.count, length);
  for (auto [start, length] : runs)
    for (int64_t at = 0; at < length; at += footprint.count)
      footprint.starts.push_back(start + at);
  return footprint;
}

SmallVector<int64_t> Footprint::at(int64_t base) const {
  SmallVector<int64_t> absolute;
  absolute.reserve(starts.size());
  for (int64_t start : starts)
    absolute.push_back(base + start);
  return absolute;
}

const Distribution &LayoutTables::getDistribution(RankedTensorType tile) {
  const void *key = tile.getEncoding().getAsOpaquePointer();
  auto [it, isNew] = distributions.try_emplace(key);
  if (isNew)
    it->second = makeDistribution(sm::getLayout(tile));
  return it->second;
}

const std::vector<int64_t> &LayoutTables::getBytes(sm::SmemType tile) {
  auto [it, isNew] = bytes.try_emplace(tile.getAsOpaquePointer());
  if (!isNew)
    return it->second;
  Layout layout = tile.getLayout();
  it->second.resize(tile.getNumElements());
  for (int64_t offset = 0, e = tile.getNumElements(); offset < e; ++offset) {
    Point point = layout.evaluate(Layout::NamedNumber(layout::kOffset, offset));
    int64_t element = 0;
    for (auto [x, extent] : llvm::zip(point, tile.getShape()))
      element = element * extent + x;
    it->second[element] = offset * tile.getElementBytes();
  }
  return it->second;
}

const Footprint &LayoutTables::getFootprint(RankedTensorType tile,
                                            unsigned warp, sm::SmemType smem) {
  Key key(tile.getEncoding().getAsOpaquePointer(), warp,
          smem.getAsOpaquePointer(), 0);
  auto [it, isNew] = footprints.try_emplace(key);
  if (!isNew)
    return it->second;
  const std::vector<int64_t> &byElement = getBytes(smem);
  std::vector<int64_t> touched;
  for (int32_t element : getDistribution(tile)[warp].elements)
    touched.push_back(byElement[element]);
  it->second = Footprint::get(std::move(touched), smem.getElementBytes());
  return it->second;
}

const Footprint &LayoutTables::getRowFootprint(RankedTensorType accumulator,
                                               unsigned warp, sm::SmemType a,
                                               bool isTransposed) {
  Key key(accumulator.getEncoding().getAsOpaquePointer(), warp,
          a.getAsOpaquePointer(), isTransposed ? 2 : 1);
  auto [it, isNew] = footprints.try_emplace(key);
  if (!isNew)
    return it->second;
  const std::vector<int64_t> &byElement = getBytes(a);
  RowView view(getDistribution(accumulator)[warp], accumulator.getDimSize(1));
  int64_t m = accumulator.getDimSize(0), k = a.getShape()[!isTransposed];
  std::vector<int64_t> touched;
  for (int64_t row : view.rows)
    for (int64_t i = 0; i < k; ++i)
      touched.push_back(byElement[isTransposed ? i * m + row : row * k + i]);
  it->second = Footprint::get(std::move(touched), a.getElementBytes());
  return it->second;
}

const Pieces &LayoutTables::getPieces(sm::SmemType tile, unsigned warp,
                                      unsigned warps, bool byElements) {
  auto [it, isNew] =
      pieces.try_emplace({tile.getAsOpaquePointer(), warp, warps, byElements});
  Pieces &own = it->second;
  if (!isNew)
    return own;
  const std::vector<int64_t> &byElement = getBytes(tile);
  int64_t columns = tile.getRank() ? tile.getShape().back() : 1;
  int64_t width = 16 / tile.getElementBytes();
  if (byElements || columns % width != 0)
    width = 1;
  std::vector<int64_t> touched;
  for (int64_t element = 0, e = byElement.size(); element < e; ++element) {
    if (element / width % (warps * kLanes) / kLanes != warp)
      continue;
    own.elements.push_back(element);
    touched.push_back(byElement[element]);
  }
  own.footprint = Footprint::get(std::move(touched), tile.getElementBytes());
  return own;
}

ArrayRef<int32_t> LayoutTables::getAllElements(int64_t count) {
  std::vector<int32_t> &all = numbers[count];
  if (all.empty()) {
    all.resize(count);
    std::iota(all.begin(), all.end(), 0);
  }
  return all;
}

RowView::RowView(const Fragment &fragment, int64_t columns) {
  // Adjacent elements are mostly in the same row.
  for (int32_t element : fragment.elements)
    if (rows.empty() || rows.back() != element / columns)
      rows.push_back(element / columns);
  llvm::sort(rows);
  rows.erase(llvm::unique(rows), rows.end());
  for (int32_t element : fragment.elements) {
    row.push_back(llvm::lower_bound(rows, element / columns) - rows.begin());
    column.push_back(element % columns);
  }
}

const TmaTile &LayoutTables::getTmaTile(sm::SmemType tile) {
  auto [it, isNew] = tmaTiles.try_emplace(tile.getAsOpaquePointer());
  if (!isNew)
    return it->second;
  llvm::Expected<layout::TmaBoxes> boxes =
      layout::getTmaBoxes(tile.getLayout(), tile.getElementBytes());
  if (boxes)
    it->second.boxes = std::move(*boxes);
  else
    it->second.why = llvm::toString(boxes.takeError());
  return it->second;
}

std::shared_ptr<LayoutTables> sim::makeLayoutTables() {
  return std::make_shared<LayoutTables>();
}
