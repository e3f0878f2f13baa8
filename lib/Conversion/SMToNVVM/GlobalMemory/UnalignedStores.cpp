//===- UnalignedStores.cpp - Unaligned vector stores ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores unaligned vectors as aligned chunks, with shuffles between lanes. In a
// group of lanes with consecutive vectors, each lane but the last one stores
// the chunk that begins in its own vector and ends in the next one. The
// elements at both ends of the group are stored one per lane.
//
// Invariant: each element of a valid vector is stored exactly once.
//
//===----------------------------------------------------------------------===//

#include "ChunkAlignment.h"
#include "FunnelShift.h"
#include "Shuffle.h"
#include "UnalignedLoads.h"
#include "VectorAccess.h"

using namespace tessera;
using namespace tessera::sm;

bool sm::canShiftStores(const GlobalAccess &access) {
  return canShiftLoads(access) && access.getNeighbours() > 1;
}

static Value emitCompare(OpBuilder &builder, Location loc,
                         LLVM::ICmpPredicate predicate, Value a, int64_t b) {
  return LLVM::ICmpOp::create(builder, loc, predicate, a,
                              emitI32(builder, loc, b));
}

namespace {
/// Stores vectors of a tile. Lanes that hold consecutive vectors form a group.
class VectorStores {
public:
  VectorStores(OpBuilder &builder, Location loc, GlobalAccess &access,
               Value lane, Value isHolder);

  void store(OpBuilder &builder, int64_t reg, ValueRange elements);

private:
  /// Emits whether all vectors of the warp in register `reg` are valid, an i1.
  Value emitIsWhole(OpBuilder &builder, int64_t reg);
  /// Stores chunks that span the vectors of two lanes.
  void storeChunks(OpBuilder &builder, const ChunkPlace &place,
                   ArrayRef<Value> words);
  /// Stores the elements of the first and the last lane of a group in other
  /// chunks.
  void storeEnds(OpBuilder &builder, const ChunkPlace &place,
                 ArrayRef<Value> words);
  /// Stores one element of an end: number `slot` among the elements of the last
  /// vector and then of the first one.
  void storeEnd(OpBuilder &builder, const ChunkPlace &place,
                ArrayRef<Value> words, Value slot);
  void storeElements(OpBuilder &builder, int64_t reg, ValueRange elements);

  Location loc;
  GlobalAccess &access;
  int64_t width, bytes, chunk, neighbours;
  Value lane, isHolder;
  /// Number of the lane in its group.
  Value number;
  SmallVector<ChunkPlace> places;
};
} // namespace

VectorStores::VectorStores(OpBuilder &builder, Location loc,
                           GlobalAccess &access, Value lane, Value isHolder)
    : loc(loc), access(access), width(access.getVectorWidth()),
      bytes(access.getElementBytes()), chunk(width * bytes),
      neighbours(access.getNeighbours()), lane(lane), isHolder(isHolder),
      number(LLVM::AndOp::create(builder, loc, lane,
                                 emitI32(builder, loc, neighbours - 1))),
      places(emitChunkPlaces(builder, loc, access)) {}

Value VectorStores::emitIsWhole(OpBuilder &builder, int64_t reg) {
  Value isValid = access.emitIsValid(builder, loc, reg);
  if (!isValid)
    return Value();
  isValid = emitAnd(builder, loc, isValid,
                    access.emitIsValid(builder, loc, reg, /*ahead=*/width - 1));
  return NVVM::VoteSyncOp::create(builder, loc, builder.getI1Type(),
                                  emitI32(builder, loc, -1), isValid,
                                  NVVM::VoteSyncKind::all);
}

/// Emits the number of bytes of a vector before its first aligned one, an i32.
static Value emitLead(OpBuilder &builder, Location loc, Value shift,
                      int64_t chunk) {
  Value back =
      LLVM::SubOp::create(builder, loc, emitI32(builder, loc, 0), shift);
  return LLVM::AndOp::create(builder, loc, back,
                             emitI32(builder, loc, chunk - 1));
}

void VectorStores::storeChunks(OpBuilder &builder, const ChunkPlace &place,
                               ArrayRef<Value> words) {
  SmallVector<Value> both(words);
  for (Value word : words)
    both.push_back(emitShuffle(builder, loc, NVVM::ShflKind::down, word,
                               emitI32(builder, loc, 1)));
  Value lead = emitLead(builder, loc, place.shift, chunk);
  Value hasNext = emitCompare(builder, loc, LLVM::ICmpPredicate::ne, number,
                              neighbours - 1);
  emitGlobalStore(builder, loc,
                  emitMoved(builder, loc,
                            emitMoved(builder, loc, place.base, lead),
                            place.bytes),
                  emitShiftedWords(builder, loc, both, lead, bytes),
                  emitAnd(builder, loc, hasNext, isHolder));
}

void VectorStores::storeEnds(OpBuilder &builder, const ChunkPlace &place,
                             ArrayRef<Value> words) {
  // Both ends together have the elements of two vectors. Each lane of the group
  // stores one or several elements.
  for (int64_t first = 0; first < 2 * width; first += neighbours)
    storeEnd(builder, place, words,
             LLVM::AddOp::create(builder, loc, number,
                                 emitI32(builder, loc, first)));
}

void VectorStores::storeEnd(OpBuilder &builder, const ChunkPlace &place,
                            ArrayRef<Value> words, Value slot) {
  Value isLast =
      emitCompare(builder, loc, LLVM::ICmpPredicate::ult, slot, width);
  Value source = LLVM::SelectOp::create(builder, loc, isLast,
                                        emitI32(builder, loc, neighbours - 1),
                                        emitI32(builder, loc, 0));
  Value distance = LLVM::SubOp::create(builder, loc, source, number);
  Value at = LLVM::MulOp::create(
      builder, loc,
      LLVM::AndOp::create(builder, loc, slot, emitI32(builder, loc, width - 1)),
      emitI32(builder, loc, bytes));

  Value from = LLVM::AddOp::create(builder, loc, lane, distance);
  SmallVector<Value> rest;
  for (Value word : words)
    rest.push_back(emitShuffle(builder, loc, NVVM::ShflKind::idx, word, from));
  for (int64_t half = chunk / 2; half >= 4; half /= 2) {
    Value isUpper = emitCompare(
        builder, loc, LLVM::ICmpPredicate::ne,
        LLVM::AndOp::create(builder, loc, at, emitI32(builder, loc, half)), 0);
    size_t count = rest.size() / 2;
    for (size_t i = 0; i < count; ++i)
      rest[i] = LLVM::SelectOp::create(builder, loc, isUpper, rest[i + count],
                                       rest[i]);
    rest.resize(count);
  }
  Value value = rest.front();
  if (bytes < 4) {
    Value bits = LLVM::MulOp::create(
        builder, loc,
        LLVM::AndOp::create(builder, loc, at, emitI32(builder, loc, 3)),
        emitI32(builder, loc, 8));
    value = LLVM::LShrOp::create(builder, loc, value, bits);
    value = LLVM::TruncOp::create(builder, loc,
                                  builder.getIntegerType(bytes * 8), value);
  }

  // Of the last vector, the elements from its first aligned one on, whose chunk
  // no lane has stored. Of the first vector, the elements before its first
  // aligned one.
  Value isBefore =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, at,
                           emitLead(builder, loc, place.shift, chunk));
  Value isEnd = LLVM::XOrOp::create(builder, loc, isLast, isBefore);
  if (neighbours > 2 * width)
    isEnd = emitAnd(
        builder, loc, isEnd,
        emitCompare(builder, loc, LLVM::ICmpPredicate::ult, slot, 2 * width));
  Value offset =
      LLVM::AddOp::create(builder, loc, at,
                          LLVM::MulOp::create(builder, loc, distance,
                                              emitI32(builder, loc, chunk)));
  emitGlobalStore(builder, loc,
                  emitMoved(builder, loc,
                            emitMoved(builder, loc, place.base, offset),
                            place.bytes),
                  value, emitAnd(builder, loc, isEnd, isHolder));
}

void VectorStores::storeElements(OpBuilder &builder, int64_t reg,
                                 ValueRange elements) {
  access.startBranch();
  for (auto [i, value] : llvm::enumerate(elements))
    emitGlobalStore(
        builder, loc, access.emitPointer(builder, loc, reg + i), value,
        emitAnd(builder, loc, access.emitIsValid(builder, loc, reg + i),
                isHolder));
  access.startBranch();
}

void VectorStores::store(OpBuilder &builder, int64_t reg, ValueRange elements) {
  const ChunkPlace &place = places[reg / width];
  auto storeWhole = [&](OpBuilder &in) {
    SmallVector<Value> words = packWords(in, loc, elements);
    storeChunks(in, place, words);
    storeEnds(in, place, words);
  };
  Value isWhole = emitIsWhole(builder, reg);
  if (!isWhole) {
    storeWhole(builder);
    return;
  }
  auto branch =
      scf::IfOp::create(builder, loc, isWhole, /*withElseRegion=*/true);
  OpBuilder whole = branch.getThenBodyBuilder();
  storeWhole(whole);
  OpBuilder other = branch.getElseBodyBuilder();
  storeElements(other, reg, elements);
}

void sm::emitShiftedStores(OpBuilder &builder, Location loc,
                           GlobalAccess &access, ArrayRef<int64_t> registers,
                           ValueRange elements, Value lane, Value isHolder) {
  VectorStores stores(builder, loc, access, lane, isHolder);
  int64_t width = access.getVectorWidth();
  for (int64_t reg : registers)
    if (reg % width == 0)
      stores.store(builder, reg, elements.slice(reg, width));
}
