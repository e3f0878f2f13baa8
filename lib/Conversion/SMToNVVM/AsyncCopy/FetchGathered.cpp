//===- FetchGathered.cpp - Rows at given positions --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fetches of gathered rows. Each thread has the positions of the rows of its
// pieces in registers (getPositionLayout). Asynchronous copies (cp.async) move
// pieces of 16 bytes to the place from which tensor cores read them. Rows that
// the launch does not align, or whose last piece ends early, are loaded element
// by element.
//
// The address of a row is computed for each fetch, from positions that are
// opaque to the compiler. Otherwise, the compiler would keep the products of
// positions and strides for the whole loop, in twice as many registers. The
// common part of the rows of a thread is opaque as well. A position then costs
// a multiply-add and a comparison, and a piece costs 5 instructions in all.
//
//===----------------------------------------------------------------------===//

#include "FetchBox.h"
#include "GlobalMemory/VectorAccess.h"
#include "Kernel/InlinePTX.h"
#include "SharedMemory/SharedValues.h"

using namespace tessera;
using namespace tessera::sm;

/// Elements that a thread has in flight at a time.
static constexpr int64_t kGatheredElementsInFlight = 1;

namespace {
/// The pieces of gathered rows that the executing thread copies.
class GatheredRows {
public:
  GatheredRows(OpBuilder &builder, Location loc, const FetchBox &box,
               const ThreadGroup &threads, Value base, int64_t width,
               int64_t perRow)
      : loc(loc), box(box), base(base), perTurn(threads.getThreads() / perRow) {
    row = threads.thread;
    if (!box.isRow()) {
      Value count = emitI32(builder, loc, perRow);
      row = LLVM::UDivOp::create(builder, loc, threads.thread, count);
      column = LLVM::URemOp::create(builder, loc, threads.thread, count);
      column = LLVM::MulOp::create(builder, loc, column,
                                   emitI32(builder, loc, width));
    }
    start = emitOpaque(builder, loc, box.getGatheredStart(builder, column));
  }

  /// Returns the piece of a round.
  Piece getPiece(OpBuilder &builder, Value position) const {
    return box.getGatheredPiece(builder, row, column, start,
                                emitOpaque(builder, loc, position));
  }

  /// Returns the element that is `element` elements to the right of that piece.
  Piece getPiece(OpBuilder &builder, Value position, Value element) const {
    Value inRow = column;
    if (column)
      inRow = LLVM::AddOp::create(builder, loc, column, element);
    return box.getGatheredPiece(builder, row, inRow,
                                box.getGatheredStart(builder, inRow),
                                emitOpaque(builder, loc, position));
  }

  /// Returns the position in shared memory of the piece of a round.
  Value getDestination(OpBuilder &builder, int64_t turn) const {
    auto add = [&](Value value, int64_t more) -> Value {
      return more ? LLVM::AddOp::create(builder, loc, value,
                                        emitI32(builder, loc, more))
                        .getResult()
                  : value;
    };
    int64_t rows = turn * perTurn;
    Value offset;
    if (box.isRow()) {
      offset = add(emitSharedOffset(builder, loc, box.tile,
                                    emitI32(builder, loc, 0), row),
                   rows * box.bytes);
    } else if (std::optional<int64_t> distance =
                   findRowDistance(box.tile, perTurn)) {
      offset = add(emitSharedOffset(builder, loc, box.tile, row, column),
                   turn * *distance);
    } else {
      offset = emitSharedOffset(builder, loc, box.tile, add(row, rows), column);
    }
    return LLVM::AddOp::create(builder, loc, base, offset);
  }

private:
  Location loc;
  const FetchBox &box;
  Value base, row, column, start;
  int64_t perTurn;
};
} // namespace

/// Copies pieces of `width` elements through registers.
static void emitElements(OpBuilder &builder, Location loc, const FetchBox &box,
                         const GatheredRows &rows, ValueRange positions,
                         int64_t width) {
  Type type = builder.getIntegerType(box.bytes * 8);
  auto loop = scf::ForOp::create(builder, loc, emitI32(builder, loc, 0),
                                 emitI32(builder, loc, width),
                                 emitI32(builder, loc, 1));
  OpBuilder inner(loop.getBody()->getTerminator());
  Value zero =
      LLVM::ConstantOp::create(inner, loc, type, inner.getIntegerAttr(type, 0));
  Value element = loop.getInductionVar();
  Value byte =
      LLVM::MulOp::create(inner, loc, element, emitI32(inner, loc, box.bytes));
  int64_t turns = positions.size();
  for (int64_t first = 0; first < turns; first += kGatheredElementsInFlight) {
    SmallVector<Value> values;
    ValueRange some = positions.slice(
        first, std::min(kGatheredElementsInFlight, turns - first));
    for (Value position : some) {
      Piece piece = rows.getPiece(inner, position, element);
      Value isValid = piece.isRowValid;
      if (piece.column)
        isValid = emitAnd(inner, loc, isValid,
                          box.isColumnValid(inner, piece.position));
      llvm::append_range(values, emitGlobalLoad(inner, loc, type,
                                                box.getPointer(inner, piece),
                                                /*count=*/1, isValid, zero,
                                                box.isInvariant()));
    }
    for (auto [i, value] : llvm::enumerate(values)) {
      Value address = rows.getDestination(inner, first + i);
      emitSharedStore(inner, loc,
                      LLVM::AddOp::create(inner, loc, address, byte), value);
    }
  }
}

void sm::emitGatheredRows(OpBuilder &builder, Location loc, const FetchBox &box,
                          const ThreadGroup &threads, Value base,
                          ValueRange positions) {
  int64_t width = box.isRow() ? 1 : kPieceBytes / box.bytes;
  int64_t perRow = box.isRow() ? 1 : box.columns / width;
  auto makeRows = [&](OpBuilder &at) {
    return GatheredRows(at, loc, box, threads, base, width, perRow);
  };
  auto emitPieces = [&](OpBuilder &at, int64_t size) {
    GatheredRows rows = makeRows(at);
    for (auto [turn, position] : llvm::enumerate(positions))
      emitPiece(at, loc, box, rows.getPiece(at, position),
                rows.getDestination(at, turn), size, /*isWhole=*/true);
  };
  if (box.isRow() && isElementCopied(box))
    return emitPieces(builder, box.bytes);
  if (box.isRow() || !box.hasPieces())
    return ::emitElements(builder, loc, box, makeRows(builder), positions,
                          width);
  Value arePieces = emitAnd(builder, loc, box.isAligned(builder),
                            box.arePiecesWhole(builder));
  auto branch =
      scf::IfOp::create(builder, loc, arePieces, /*withElseRegion=*/true);
  OpBuilder pieces = branch.getThenBodyBuilder();
  emitPieces(pieces, kPieceBytes);
  OpBuilder elements = branch.getElseBodyBuilder();
  ::emitElements(elements, loc, box, makeRows(elements), positions, width);
}
