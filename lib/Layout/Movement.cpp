//===- Movement.cpp - Movement of a change of layout ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the movement by enumeration, so radices that interleave (96 as 3x32
// against 32x3) and copies need no special case. The holders of each element
// are sorted by CTA, warp, lane and register. A binary search finds the holder
// that shares the longest prefix with a place: in lexicographic order, it is
// one of the two neighbours.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/Movement.h"

#include "llvm/ADT/STLExtras.h"
#include <array>

using namespace tessera;
using namespace tessera::layout;
using llvm::createStringError;

llvm::StringRef layout::getMovementName(Movement movement) {
  switch (movement) {
  case Movement::None:
    return "none";
  case Movement::WithinThread:
    return "within threads";
  case Movement::WithinWarp:
    return "within warps";
  case Movement::WithinCta:
    return "within a CTA";
  case Movement::AcrossCtas:
    return "across CTAs";
  }
  llvm_unreachable("not a movement");
}

/// (cta, warp, lane, register): a common prefix is a common unit of the
/// machine.
using Holder = std::array<int32_t, 4>;

static Holder getHolder(const Layout &layout, llvm::ArrayRef<int64_t> place) {
  Holder holder = {0, 0, 0, 0};
  static constexpr llvm::StringLiteral order[] = {kCta, kWarp, kLane,
                                                  kRegister};
  for (auto [axis, number] : llvm::zip_equal(layout.getAxes(), place))
    holder[llvm::find(order, axis.name) - std::begin(order)] = number;
  return holder;
}

static int64_t linearize(llvm::ArrayRef<int64_t> coordinates,
                         llvm::ArrayRef<int64_t> shape) {
  int64_t index = 0;
  for (auto [x, extent] : llvm::zip_equal(coordinates, shape))
    index = index * extent + x;
  return index;
}

/// Returns the movement from the nearest of the sorted `holders` to `place`.
static Movement findNearest(llvm::ArrayRef<Holder> holders,
                            const Holder &place) {
  // The neighbours in lexicographic order share the longest prefix.
  const Holder *next = llvm::lower_bound(holders, place);
  int shared = 0;
  auto compare = [&](const Holder &holder) {
    int length =
        std::mismatch(holder.begin(), holder.end(), place.begin()).first -
        holder.begin();
    shared = std::max(shared, length);
  };
  if (next != holders.end())
    compare(*next);
  if (next != holders.begin())
    compare(next[-1]);
  return static_cast<Movement>(4 - shared);
}

llvm::Expected<Movement> layout::getMovement(const Layout &source,
                                             const Layout &destination) {
  if (source.getShape() != destination.getShape())
    return createStringError("a change of layout keeps the tile, but " +
                             formatPoint(source.getShape()) + " is not " +
                             formatPoint(destination.getShape()));
  for (const Layout *layout : {&source, &destination})
    if (!layout->hasOnlyAxes({kRegister, kLane, kWarp, kCta}))
      return createStringError("expected a register layout, got '" +
                               layout->str() + "'");
  std::vector<llvm::SmallVector<Holder, 1>> holders(source.getNumElements());
  for (int64_t i = 0, e = source.getNumPlaces(); i < e; ++i) {
    Point place = source.getPlace(i);
    holders[linearize(source.evaluate(place), source.getShape())].push_back(
        getHolder(source, place));
  }
  for (auto &list : holders)
    llvm::sort(list);
  Movement farthest = Movement::None;
  for (int64_t i = 0, e = destination.getNumPlaces(); i < e; ++i) {
    Point place = destination.getPlace(i);
    int64_t element =
        linearize(destination.evaluate(place), destination.getShape());
    farthest = std::max(
        farthest, findNearest(holders[element], getHolder(destination, place)));
  }
  return farthest;
}
