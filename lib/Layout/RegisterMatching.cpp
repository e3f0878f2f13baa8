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

#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace tessera;
using namespace tessera::layout;

std::optional<llvm::SmallVector<int64_t>>
layout::matchRegisters(const Layout &source, const Layout &result,
                       llvm::function_ref<Point(Point)> getSource) {
  auto less = [](const Point &x, const Point &y) {
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  };
  std::vector<Point> sources = source.evaluateAxis(kRegister),
                     results = result.evaluateAxis(kRegister);
  // The first thread determines the register; the other threads confirm it.
  std::map<Point, int64_t, decltype(less)> held(less);
  for (auto [r, element] : llvm::enumerate(sources))
    held.emplace(element, r);
  llvm::SmallVector<int64_t> matches;
  for (const Point &element : results) {
    auto found = held.find(getSource(element));
    if (found == held.end())
      return std::nullopt;
    matches.push_back(found->second);
  }
  // Layouts are linear in the digits of a place: if register 0 agrees with its
  // match in all lanes and in all warps, all registers do.
  const Point &first = sources[matches[0]];
  auto agree = [&](llvm::StringRef axis) {
    std::vector<Point> from = source.evaluateAxis(axis),
                       to = result.evaluateAxis(axis);
    for (size_t i = 0, e = std::max(from.size(), to.size()); i < e; ++i)
      if (source.combine(first, from[i % from.size()]) !=
          getSource(to[i % to.size()]))
        return false;
    return true;
  };
  if (!agree(kLane) || !agree(kWarp))
    return std::nullopt;
  return matches;
}
