//===- FetchFilled.cpp - Rows with a fill value -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fetches with a fill value. cp.async zeroes elements that it does not copy,
// when the copy completes. Invariant: an element is either copied by cp.async
// or written by its thread, never both.
//
//===----------------------------------------------------------------------===//

#include "FetchBox.h"
#include "GlobalMemory/VectorAccess.h"
#include "Kernel/InlinePTX.h"
#include "SharedMemory/SharedValues.h"

using namespace tessera;
using namespace tessera::sm;

/// Emits the bits of `fill`, a number of `bytes` bytes.
static Value emitBits(OpBuilder &builder, Location loc, TypedAttr fill,
                      int64_t bytes) {
  llvm::APInt bits = isa<FloatAttr>(fill)
                         ? cast<FloatAttr>(fill).getValue().bitcastToAPInt()
                         : cast<IntegerAttr>(fill).getValue();
  Type type = builder.getIntegerType(bytes * 8);
  return LLVM::ConstantOp::create(
      builder, loc, type,
      builder.getIntegerAttr(type, bits.zextOrTrunc(bytes * 8)));
}

void sm::emitFilledRow(OpBuilder &builder, Location loc, const FetchBox &box,
                       const ThreadGroup &threads, Value base, TypedAttr fill) {
  Type type = builder.getIntegerType(box.bytes * 8);
  emitThreadLoop(
      builder, loc, threads, box.columns, 1,
      [&](OpBuilder &inner, ArrayRef<Value> numbers) {
        Piece piece = box.getPiece(inner, numbers.front(), 1);
        Value offset =
            emitSharedOffset(inner, loc, box.tile, piece.row, piece.column);
        Value address = LLVM::AddOp::create(inner, loc, base, offset);
        Value pointer = box.getPointer(inner, piece.byte);
        Value otherwise = emitBits(inner, loc, fill, box.bytes);
        Value isValid = emitAnd(inner, loc, piece.isRowValid,
                                box.isColumnValid(inner, piece.position));
        if (!isElementCopied(box)) {
          emitSharedStore(inner, loc, address,
                          emitGlobalLoad(inner, loc, type, pointer, /*count=*/1,
                                         isValid, otherwise,
                                         box.isInvariant()));
          return;
        }
        if (!isValid)
          return emitWholeAsyncCopy(inner, loc, address, pointer, isValid,
                                    box.bytes);
        auto branch =
            scf::IfOp::create(inner, loc, isValid, /*withElseRegion=*/true);
        OpBuilder copied = branch.getThenBodyBuilder();
        emitWholeAsyncCopy(copied, loc, address, pointer, /*isValid=*/Value(),
                           box.bytes);
        OpBuilder written = branch.getElseBodyBuilder();
        emitSharedStore(written, loc, address, otherwise);
      });
}
