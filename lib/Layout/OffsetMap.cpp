//===- OffsetMap.cpp - From elements to offsets -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The solution of an element is the exclusive or of the solutions of its
// coordinates, and each count is a digit of one coordinate. So the tables of
// the dimensions determine every offset.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/OffsetMap.h"

#include "tessera/Layout/InverseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using namespace tessera::layout;

OffsetMap::OffsetMap(const Layout &shared) {
  assert(shared.hasOnlyAxes({kOffset}) && shared.isBijective() &&
         "expected a tile in shared memory");
  std::vector<Digit> bits;
  llvm::copy_if(
      shared.getDigits(), std::back_inserter(bits),
      [](const Digit &digit) { return digit.kind == Digit::Kind::Bit; });
  InverseMap inverse(shared);
  for (auto [dim, extent] : llvm::enumerate(shared.getShape())) {
    std::vector<Part> &table = parts.emplace_back();
    Point x(shared.getRank(), 0);
    for (; x[dim] < extent; ++x[dim]) {
      Point place = inverse.getPlace(x);
      Part &part = table.emplace_back();
      part.counted = place.empty() ? 0 : place.front();
      for (auto [index, digit] : llvm::enumerate(bits)) {
        if (place.front() / digit.place % 2 == 0)
          continue;
        part.mask |= uint64_t(1) << index;
        part.counted -= digit.place;
      }
    }
  }
  for (size_t first = 0; first < bits.size(); first += 8) {
    std::array<int64_t, 256> &table = offsets.emplace_back();
    table.fill(0);
    for (size_t index = first; index < std::min<size_t>(first + 8, bits.size());
         ++index)
      for (unsigned mask = 0; mask < 256; ++mask)
        if (mask >> (index - first) & 1)
          table[mask] += bits[index].place;
  }
}
