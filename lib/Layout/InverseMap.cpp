//===- InverseMap.cpp - From elements to places -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Solves layout(place) = element. Above the atom, each count is a digit of a
// coordinate in mixed radix, found by division. In the atom, the bits are a
// linear map over F2: Gaussian elimination yields a solution for each unit
// vector, and the solution of an element is their xor. The set of all solutions
// is this one plus the kernel, with every value of the broadcast digits.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/InverseMap.h"

#include "BitMatrix.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using namespace tessera::layout;

InverseMap::InverseMap(const Layout &layout) : layout(layout) {
  BitMatrix matrix;
  for (const Digit &digit : layout.getDigits())
    switch (digit.kind) {
    case Digit::Kind::Bit:
      bits.push_back(digit);
      matrix.addColumn(layout.packAtom(digit.stride));
      break;
    case Digit::Kind::Count:
      counts.push_back(digit);
      break;
    case Digit::Kind::Broadcast:
      broadcasts.push_back(digit);
      break;
    }
  for (unsigned bit = 0; bit < matrix.getRank(); ++bit)
    solutions.push_back(*matrix.solve(uint64_t(1) << bit));
  llvm::append_range(kernel, matrix.getKernel());
}

uint64_t InverseMap::solve(llvm::ArrayRef<int64_t> coordinates) const {
  uint64_t mask = 0;
  uint64_t packed = layout.packAtom(coordinates);
  for (auto [bit, solution] : llvm::enumerate(solutions))
    if (packed >> bit & 1)
      mask ^= solution;
  return mask;
}

Point InverseMap::getCountedPlace(llvm::ArrayRef<int64_t> coordinates) const {
  Point place(layout.getAxes().size(), 0);
  for (const Digit &digit : counts)
    place[digit.axis] += coordinates[digit.dim] / digit.stride[digit.dim] %
                         digit.count * digit.place;
  return place;
}

void InverseMap::addBits(Point &place, uint64_t mask) const {
  for (auto [index, digit] : llvm::enumerate(bits))
    if (mask >> index & 1)
      place[digit.axis] += digit.place;
}

std::vector<Point>
InverseMap::getPlaces(llvm::ArrayRef<int64_t> coordinates) const {
  Point base = getCountedPlace(coordinates);
  // Every combination of the kernel vectors, then of the broadcast digits.
  std::vector<uint64_t> masks = {solve(coordinates)};
  for (uint64_t free : kernel)
    for (size_t i = 0, e = masks.size(); i < e; ++i)
      masks.push_back(masks[i] ^ free);
  std::vector<Point> places;
  for (uint64_t combination : masks) {
    Point &place = places.emplace_back(base);
    addBits(place, combination);
  }
  for (const Digit &digit : broadcasts)
    for (size_t i = 0, e = places.size(); i < e; ++i)
      for (int64_t value = 1; value < digit.count; ++value) {
        Point place = places[i];
        place[digit.axis] += value * digit.place;
        places.push_back(place);
      }
  llvm::sort(places, [](const Point &a, const Point &b) {
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(),
                                        b.rend());
  });
  return places;
}

Point InverseMap::getPlace(llvm::ArrayRef<int64_t> coordinates) const {
  if (!kernel.empty())
    return getPlaces(coordinates).front();
  // Without a kernel, further places differ only in broadcast digits, which are
  // 0 in the first place.
  Point place = getCountedPlace(coordinates);
  addBits(place, solve(coordinates));
  return place;
}
