//===- ConflictFreeStores.cpp - Stores without conflicts --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Permutes stores to avoid bank conflicts: lanes with a set toggle bit exchange
// the order of their pairs of elements, by selects on registers. Invariant:
// each lane stores the same elements to the same addresses; only the order
// changes.
//
//===----------------------------------------------------------------------===//

#include "ConflictFreeStores.h"

using namespace tessera;
using namespace tessera::sm;

/// Returns the toggle for 32-bit elements; nothing for packed elements.
static std::optional<layout::AccessToggle> findToggle(RankedTensorType tile,
                                                      SmemType shared) {
  if (isPacked(tile))
    return std::nullopt;
  return llvm::cantFail(layout::getAccessToggle(
      getLayout(tile), shared.getLayout(), shared.getElementBytes()));
}

/// Returns the type of the tile in the order after `toggle`.
static RankedTensorType
getToggled(RankedTensorType tile,
           const std::optional<layout::AccessToggle> &toggle) {
  if (!toggle)
    return tile;
  return RankedTensorType::get(
      tile.getShape(), tile.getElementType(),
      LayoutAttr::get(tile.getContext(), toggle->layout));
}

ConflictFreeStores::ConflictFreeStores(OpBuilder &builder, Location loc,
                                       const ThreadGroup &threads,
                                       RankedTensorType tile, SmemType shared)
    : toggle(findToggle(tile, shared)), plan(getToggled(tile, toggle), shared) {
  if (!toggle)
    return;
  Value bit = LLVM::AndOp::create(builder, loc, threads.lane,
                                  emitI32(builder, loc, toggle->laneBit));
  isToggled = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, bit,
                                   emitI32(builder, loc, 0));
}

void ConflictFreeStores::emitStores(OpBuilder &builder, Location loc,
                                    ArrayRef<Value> addresses,
                                    ValueRange registers) const {
  SmallVector<Value> values(registers);
  if (toggle)
    for (int64_t i = 0, e = values.size(); i < e; ++i)
      values[i] = LLVM::SelectOp::create(builder, loc, isToggled,
                                         registers[i ^ toggle->registerBit],
                                         registers[i]);
  plan.emitStores(builder, loc, addresses, values);
}
