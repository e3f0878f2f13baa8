//===- RegisterMatching.cpp - Registers with equal elements -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matches registers by the elements of the first thread, then checks the match
// for one register in all lanes and in all warps. This is sufficient because
// layouts are linear in the digits of a place, and so is `getSource`: the
// difference between the two sides does not depend on the register.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/RegisterMatching.h"

#include <map>

using namespace tessera;
using namespace tessera::layout;

std::optional<llvm::SmallVector<int64_t>>
layout::matchRegisters(const Layout &source, const Layout &result,
                       llvm::function_ref<Point(Point)> getSource) {
  int64_t warps = std::max(source.getSize(kWarp), result.getSize(kWarp));
  int64_t sources = source.getSize(kRegister);
  llvm::SmallVector<int64_t> matches(result.getSize(kRegister), -1);
  auto evaluate = [](const Layout &layout, int64_t reg, int64_t lane,
                     int64_t warp) {
    return layout.evaluate({{kRegister, reg},
                            {kLane, lane % layout.getSize(kLane)},
                            {kWarp, warp % layout.getSize(kWarp)}});
  };
  auto less = [](const Point &x, const Point &y) {
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  };
  // The first thread determines the register; the other threads confirm it.
  std::map<Point, int64_t, decltype(less)> held(less);
  for (int64_t r = 0; r < sources; ++r)
    held.emplace(evaluate(source, r, 0, 0), r);
  for (auto [r, match] : llvm::enumerate(matches)) {
    auto found = held.find(getSource(evaluate(result, r, 0, 0)));
    if (found == held.end())
      return std::nullopt;
    match = found->second;
  }
  // Layouts are linear in the digits of a place: if register 0 agrees with its
  // match in all lanes and in all warps, all registers do.
  auto agree = [&](int64_t lane, int64_t warp) {
    return evaluate(source, matches[0], lane, warp) ==
           getSource(evaluate(result, 0, lane, warp));
  };
  for (int64_t lane = 0; lane < 32; ++lane)
    if (!agree(lane, 0))
      return std::nullopt;
  for (int64_t warp = 0; warp < warps; ++warp)
    if (!agree(0, warp))
      return std::nullopt;
  return matches;
}
