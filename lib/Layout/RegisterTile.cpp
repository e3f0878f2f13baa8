//===- RegisterTile.cpp - Layouts of tiles in registers ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds register layouts as lists of terms. A wgmma fragment is a row of 8
// columns in four lanes, repeated over 8 lanes, 2 registers, 4 warps, m64
// blocks and warpgroups. A blocked layout divides the extents greedily: first
// the vector, then lanes along the rows, then warps over whole rows, and
// registers for the rest.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/RegisterTile.h"

#include "tessera/Layout/Algebra.h"
#include <algorithm>
#include <numeric>

using namespace tessera;
using namespace tessera::layout;
using llvm::createStringError;
using llvm::Twine;

/// Rows of an instruction.
static constexpr int64_t kRows = 64;

ProductSplit layout::getProductSplit(int64_t m, int64_t warpgroups) {
  int64_t blocks = m / kRows;
  if (blocks < 1 || blocks >= warpgroups || warpgroups % blocks != 0)
    return {warpgroups, 1};
  return {blocks, warpgroups / blocks};
}

/// Checks the sizes of a fragment whose columns come in units of `unit`.
static llvm::Error checkFragment(int64_t m, int64_t columns, int64_t unit,
                                 int64_t warpgroups) {
  if (warpgroups < 1)
    return createStringError("expected at least one warpgroup, got " +
                             Twine(warpgroups));
  bool isRepeated = m > 0 && m < 64 && 64 % m == 0;
  if (!isRepeated && (m < 1 || m % 64 != 0 || m / 64 % warpgroups != 0))
    return createStringError("expected rows in multiples of 64 for each of " +
                             Twine(warpgroups) +
                             " warpgroups, or 1, 2, 4, … 32, got " + Twine(m));
  if (columns < 1 || columns % unit != 0)
    return createStringError("expected columns in multiples of " + Twine(unit) +
                             ", got " + Twine(columns));
  return llvm::Error::success();
}

/// Adds the rows of a fragment to the terms of one row: 8 lanes, the register
/// at position `below` (8 rows further down), 4 warps, m64 blocks, warpgroups.
/// Fewer than 64 rows repeat. Warpgroups with the same rows have consecutive
/// groups of `columns` columns.
static llvm::Expected<Layout> addRows(std::vector<Term> registers, size_t below,
                                      Term lanes, int64_t m, ProductSplit split,
                                      int64_t columns) {
  auto makeTerms = [&](int64_t count, int64_t stride) -> std::vector<Term> {
    int64_t distinct = std::clamp<int64_t>(m / stride, 1, count);
    return {{distinct, {stride, 0}}, {count / distinct, {0, 0}}};
  };
  int64_t blocks = std::max<int64_t>(m / kRows / split.rows, 1);
  registers.insert(registers.begin() + below, {2, {m > 8 ? 8 : 0, 0}});
  registers.push_back({blocks, {kRows, 0}});
  std::vector<Term> lane = makeTerms(8, 1), warp = makeTerms(4, 16);
  lane.insert(lane.begin(), std::move(lanes));
  warp.push_back({split.rows, {m < kRows ? 0 : kRows * blocks, 0}});
  warp.push_back({split.columns, {0, columns}});
  return Layout::get({{kRegister.str(), std::move(registers)},
                      {kLane.str(), std::move(lane)},
                      {kWarp.str(), std::move(warp)}},
                     /*rank=*/2);
}

llvm::Expected<Layout> layout::getAccumulator(int64_t m, int64_t n,
                                              int64_t warpgroups) {
  ProductSplit split = getProductSplit(m, warpgroups);
  if (llvm::Error error = checkFragment(m, n, 8 * split.columns, split.rows))
    return std::move(error);
  int64_t columns = n / split.columns;
  return addRows({{2, {0, 1}}, {columns / 8, {0, 8}}}, /*below=*/1, {4, {0, 2}},
                 m, split, columns);
}

llvm::Expected<Layout> layout::getOperandA(int64_t m, int64_t k,
                                           int64_t elementBytes,
                                           int64_t warpgroups) {
  if (elementBytes != 1 && elementBytes != 2 && elementBytes != 4)
    return createStringError("expected elements of 1, 2 or 4 bytes, got " +
                             Twine(elementBytes));
  // A 32-bit register holds adjacent elements of a row. The next registers hold
  // row + 8, then the second 16 bytes of the 32-byte step.
  int64_t packed = 4 / elementBytes, step = 8 * packed;
  if (llvm::Error error = checkFragment(m, k, step, warpgroups))
    return std::move(error);
  return addRows({{packed, {0, 1}}, {2, {0, step / 2}}, {k / step, {0, step}}},
                 /*below=*/1, {4, {0, packed}}, m, {warpgroups, 1},
                 /*columns=*/k);
}

/// Returns the number of `units` (lanes or warps) that share `work` evenly, and
/// divides both by it.
static int64_t take(int64_t &units, int64_t &work) {
  int64_t taken = std::gcd(units, work);
  units /= taken;
  work /= taken;
  return taken;
}

llvm::Expected<Layout> layout::getBlocked(llvm::ArrayRef<int64_t> shape,
                                          int64_t vector, int64_t warps) {
  if (shape.empty())
    return createStringError("expected a tile of at least one dimension");
  for (int64_t extent : shape)
    if (extent < 1)
      return createStringError("expected extents of at least 1, got " +
                               Twine(extent));
  if (vector < 1 || shape.back() % vector != 0)
    return createStringError("expected rows in multiples of the vector of " +
                             Twine(vector) + " elements, got " +
                             Twine(shape.back()));
  if (warps < 1)
    return createStringError("expected at least one warp, got " + Twine(warps));
  Point work(shape), done(shape.size(), 1);
  Axis registers{kRegister.str(), {}}, lane{kLane.str(), {}},
      warp{kWarp.str(), {}};
  auto add = [&](Axis &axis, int64_t count, unsigned dim) {
    Point stride(shape.size(), 0);
    stride[dim] = done[dim];
    axis.terms.push_back({count, stride});
    done[dim] *= count;
  };
  unsigned last = shape.size() - 1;
  work[last] /= vector;
  add(registers, vector, last);
  int64_t lanes = 32;
  for (unsigned dim = shape.size(); dim-- > 0;)
    add(lane, take(lanes, work[dim]), dim);
  lane.terms.push_back({lanes, Point(shape.size(), 0)});
  // Distribute warps over whole rows if possible, to keep rows coalesced.
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    add(warp, take(warps, work[dim]), dim);
  warp.terms.push_back({warps, Point(shape.size(), 0)});
  for (unsigned dim = shape.size(); dim-- > 0;)
    add(registers, work[dim], dim);
  return Layout::get({registers, lane, warp}, shape.size());
}

llvm::Expected<Layout> layout::getReduced(const Layout &layout, unsigned dim) {
  llvm::Expected<Layout> sliced = sliceDim(layout, dim);
  if (!sliced)
    return sliced;
  return dropDuplicates(*sliced, kRegister);
}
