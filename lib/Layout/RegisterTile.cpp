//===- RegisterTile.cpp - Layouts of tiles in registers ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/RegisterTile.h"

#include "tessera/Layout/Algebra.h"
#include <numeric>

using namespace tessera;
using namespace tessera::layout;
using llvm::createStringError;
using llvm::Twine;

/// Checks the sizes of a fragment whose columns come in units of `unit`.
static llvm::Error checkFragment(int64_t m, int64_t columns, int64_t unit,
                                 int64_t warpgroups) {
  if (warpgroups < 1)
    return createStringError("expected at least one warpgroup, got " +
                             Twine(warpgroups));
  if (m < 1 || m % 64 != 0 || m / 64 % warpgroups != 0)
    return createStringError("expected rows in multiples of 64 for each of " +
                             Twine(warpgroups) + " warpgroups, got " +
                             Twine(m));
  if (columns < 1 || columns % unit != 0)
    return createStringError("expected columns in multiples of " + Twine(unit) +
                             ", got " + Twine(columns));
  return llvm::Error::success();
}

/// The rows above those of a thread: 8 lanes, 4 warps, m64 blocks, warpgroups.
static llvm::Expected<Layout> addRows(std::vector<Term> registers, Term lanes,
                                      int64_t m, int64_t warpgroups) {
  int64_t blocks = m / 64 / warpgroups;
  registers.push_back({blocks, {64, 0}});
  Axis warps = {kWarp.str(), {{4, {16, 0}}, {warpgroups, {64 * blocks, 0}}}};
  return Layout::get({{kRegister.str(), std::move(registers)},
                      {kLane.str(), {std::move(lanes), {8, {1, 0}}}},
                      std::move(warps)},
                     /*rank=*/2);
}

llvm::Expected<Layout> layout::getAccumulator(int64_t m, int64_t n,
                                              int64_t warpgroups) {
  if (llvm::Error error = checkFragment(m, n, 8, warpgroups))
    return std::move(error);
  return addRows({{2, {0, 1}}, {2, {8, 0}}, {n / 8, {0, 8}}}, {4, {0, 2}}, m,
                 warpgroups);
}

llvm::Expected<Layout> layout::getOperandA(int64_t m, int64_t k,
                                           int64_t elementBytes,
                                           int64_t warpgroups) {
  if (elementBytes != 1 && elementBytes != 2 && elementBytes != 4)
    return createStringError("expected elements of 1, 2 or 4 bytes, got " +
                             Twine(elementBytes));
  // A 32-bit register holds neighbours of a row; then come row + 8 and the
  // second 16 bytes of the 32-byte step.
  int64_t packed = 4 / elementBytes, step = 8 * packed;
  if (llvm::Error error = checkFragment(m, k, step, warpgroups))
    return std::move(error);
  return addRows({{packed, {0, 1}},
                  {2, {8, 0}},
                  {2, {0, step / 2}},
                  {k / step, {0, step}}},
                 {4, {0, packed}}, m, warpgroups);
}

/// How many of `units` processors, a power of two times anything, share `work`
/// evenly; divides both.
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
  // Warps spread over whole rows where they can, to keep rows coalesced.
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
