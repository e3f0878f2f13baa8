//===- TurnedTile.cpp - A tile that threads transpose -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distributes a tile as squares over lanes and warps. The two layouts differ
// only in the order of the registers within a square, so the conversion between
// them renames registers.
//
//===----------------------------------------------------------------------===//

#include "TurnedTile.h"

#include <numeric>

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;
using layout::Term;

/// Extent of a square along each dimension.
static constexpr int64_t kSquare = 4;
/// Squares of a warp along rows and columns. With these numbers, both reads and
/// writes of a warp have few bank conflicts.
static constexpr int64_t kLanesDown = 8, kLanesAcross = 4;

std::optional<TurnedTile> TurnedTile::find(RankedTensorType type,
                                           int64_t warps) {
  constexpr int64_t height = kSquare * kLanesDown,
                    width = kSquare * kLanesAcross;
  if (type.getDimSize(0) % height != 0 || type.getDimSize(1) % width != 0)
    return std::nullopt;
  int64_t down = type.getDimSize(0) / height,
          across = type.getDimSize(1) / width;
  int64_t warpsAcross = std::gcd(warps, across);
  int64_t warpsDown = std::gcd(warps / warpsAcross, down);
  std::vector<Term> warp = {{warpsAcross, {0, width}},
                            {warpsDown, {height, 0}},
                            {warps / warpsAcross / warpsDown, {0, 0}}};
  auto make = [&](Term first, Term second) {
    // Cannot fail: the digits enumerate each dimension completely.
    return llvm::cantFail(Layout::get(
        {{layout::kRegister.str(),
          {first,
           second,
           {across / warpsAcross, {0, width * warpsAcross}},
           {down / warpsDown, {height * warpsDown, 0}}}},
         {layout::kLane.str(),
          {{kLanesAcross, {0, kSquare}}, {kLanesDown, {kSquare, 0}}}},
         {layout::kWarp.str(), warp}},
        /*rank=*/2));
  };
  Term inRow = {kSquare, {0, 1}}, inColumn = {kSquare, {1, 0}};
  return TurnedTile{make(inRow, inColumn), make(inColumn, inRow)};
}
