//===- ScratchAccess.cpp - Accesses to scratch memory -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits addresses in scratch memory. A place is a dynamic sum plus a constant,
// and registers with equal dynamic parts share the sum. If the window is
// smaller than the tile, each round accesses only the elements in the window.
//
//===----------------------------------------------------------------------===//

#include "ScratchAccess.h"

#include "GlobalMemory/VectorAccess.h"

#include <map>

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

ScratchAccess::ScratchAccess(OpBuilder &builder, Location loc,
                             const ScratchTile &tile, Value base,
                             const Layout &layout, const ThreadGroup &threads,
                             std::optional<ArrayRef<int64_t>> otherStrides,
                             int64_t offset, int64_t toggle)
    : tile(tile), base(base) {
  ArrayRef<int64_t> strides = otherStrides.value_or(tile.getStrides());
  TileCoordinates coordinates(builder, loc, layout, threads);
  // Addresses are unsigned: dynamic parts of negative strides begin above them.
  int64_t shift = 0;
  for (auto [extent, stride] : llvm::zip_equal(layout.getShape(), strides))
    shift += (extent - 1) * std::max<int64_t>(-stride, 0);
  // Only a few sums of dynamic parts differ.
  std::map<std::vector<void *>, Value> sums;
  for (int64_t r = 0, e = layout.getSize(layout::kRegister); r < e; ++r) {
    Coordinate place;
    place.constant = offset;
    std::vector<void *> key;
    for (unsigned dim = 0; dim < layout.getRank(); ++dim) {
      const Coordinate &coordinate = coordinates.get(r, dim);
      key.push_back(coordinate.dynamic.getAsOpaquePointer());
      place.constant += coordinate.constant * strides[dim];
    }
    auto [found, isNew] = sums.try_emplace(key);
    if (isNew) {
      for (unsigned dim = 0; dim < layout.getRank(); ++dim)
        if (Value dynamic = coordinates.get(r, dim).dynamic)
          found->second =
              emitSum(builder, loc, found->second,
                      LLVM::MulOp::create(builder, loc, dynamic,
                                          emitI32(builder, loc, strides[dim])));
      if (found->second && shift != 0)
        found->second =
            emitSum(builder, loc, found->second, emitI32(builder, loc, shift));
    }
    place.dynamic = found->second;
    if (place.dynamic)
      place.constant -= shift;
    if (toggle != 0 && place.dynamic)
      place = {
          LLVM::XOrOp::create(builder, loc,
                              emitSum(builder, loc, place.dynamic,
                                      emitI32(builder, loc, place.constant)),
                              emitI32(builder, loc, toggle)),
          0};
    else
      place.constant ^= toggle;
    places.push_back(place);
  }
}

ScratchAccess::Place ScratchAccess::getPlace(OpBuilder &builder, Location loc,
                                             int64_t round, int64_t reg,
                                             int64_t constantShift,
                                             Value shift) const {
  Coordinate coordinate = places[reg];
  coordinate.constant += constantShift;
  int64_t bytes = tile.getElementBytes();
  int64_t window = tile.getWindow();
  Value elements = emitSum(builder, loc, coordinate.dynamic, shift);
  Place place = {base, (coordinate.constant - round * window) * bytes, Value()};
  if (elements)
    place.address = emitSum(builder, loc, base,
                            LLVM::MulOp::create(builder, loc, elements,
                                                emitI32(builder, loc, bytes)));
  if (tile.getRounds() == 1)
    return place;
  Value inWindow =
      emitSum(builder, loc, elements,
              emitI32(builder, loc, coordinate.constant - round * window));
  // An unsigned comparison: places before the window are not below its end
  // either.
  place.isThere = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult,
                                       inWindow, emitI32(builder, loc, window));
  return place;
}

void ScratchAccess::store(OpBuilder &builder, Location loc, int64_t round,
                          int64_t reg, ValueRange elements, Value shift,
                          Value predicate) const {
  Place place = getPlace(builder, loc, round, reg, 0, shift);
  emitSharedStore(builder, loc, place.address, place.offset, elements,
                  emitAnd(builder, loc, place.isThere, predicate));
}

SmallVector<Value> ScratchAccess::load(OpBuilder &builder, Location loc,
                                       int64_t round, int64_t reg, Type element,
                                       ValueRange otherwise,
                                       int64_t constantShift, Value shift,
                                       Value predicate) const {
  Place place = getPlace(builder, loc, round, reg, constantShift, shift);
  return emitSharedLoad(builder, loc, element, place.address, place.offset,
                        otherwise,
                        emitAnd(builder, loc, predicate, place.isThere));
}

FailureOr<Value> sm::emitScratchBase(OpBuilder &builder,
                                     const LoweringContext &context,
                                     Operation *op) {
  std::optional<int64_t> address =
      cast<SharedMemoryOpInterface>(op).getSharedAddress();
  if (!address)
    return op->emitOpError()
           << "goes through shared memory but has no '"
           << kScratchAddressAttrName << "'; run sm-allocate-smem before";
  return context.getSharedAddress(builder, op->getLoc(), *address);
}
