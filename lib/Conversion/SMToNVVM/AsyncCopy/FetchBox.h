//===- FetchBox.h - Box of elements of a fetch ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The box of a tensor that becomes a tile in shared memory, as values of the
// lowered kernel, and the ways in which threads copy it. Threads take the
// pieces of a tile round by round, neighbours next to each other in global
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_ASYNCCOPY_FETCHBOX_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_ASYNCCOPY_FETCHBOX_H

#include "Kernel/LoweringContext.h"

namespace tessera::sm {

/// Bytes of the pieces in which rows are copied.
constexpr int64_t kPieceBytes = 16;

/// A piece of a row of the tile: its position, and whether its row is valid.
struct Piece {
  Value row, column; // In the tile. Null column: a gathered row.
  Value position;    // Position of the column in the tensor.
  Value from;        // A pointer; null for the start of the tensor.
  Value byte;        // Distance from `from`, an i64.
  Value isRowValid;  // An i1; null if always valid.
};

class FetchBox {
public:
  /// Creates the box that `op` copies to a tile of type `tile`.
  template <typename OpTy>
  FetchBox(OpBuilder &builder, const LoweringContext &context, OpTy op,
           typename OpTy::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
           SmemType tile)
      : tile(tile), bytes(tile.getElementBytes()),
        rows(tile.getNumElements() / tile.getShape().back()),
        columns(tile.getShape().back()), loc(op.getLoc()),
        global(op.getGlobalType()), dims(op.getDims()),
        hasMask(bool(op.getMask())),
        invariant(canLoadAsConstant(op, op.getGlobalType())) {
    for (unsigned i = 0; i < dims.size(); ++i)
      inBounds.push_back(op.isInBounds(i));
    for (auto [dim, index] : llvm::enumerate(op.getIndices()))
      if (isa<RankedTensorType>(index.getType()))
        gathered = dim;
    initialize(builder, context, op.getGlobal(), adaptor.getIndices(),
               adaptor.getLimits(),
               hasMask ? adaptor.getMask().front() : Value());
  }

  /// Returns the piece number `number`, of `width` elements.
  Piece getPiece(OpBuilder &builder, Value number, int64_t width) const;
  /// Returns the piece `rows` below another, which has a row.
  Piece getPieceBelow(OpBuilder &builder, const Piece &piece,
                      int64_t rows) const;
  /// Returns the column of the piece number `number`.
  Value getColumn(OpBuilder &builder, Value number, int64_t width) const;
  /// Returns the column's position in the tensor.
  Value getPosition(OpBuilder &builder, Value column) const;

  /// Returns the start of a column in the tensor, a pointer: its position 0 in
  /// the gathered dimension. A tile of rank 1 has no column.
  Value getGatheredStart(OpBuilder &builder, Value column) const;
  /// Returns the piece at `position` of the gathered dimension, which is the
  /// first one of the tile. Its column starts at `from`. `row` and `column` are
  /// its coordinates in the tile.
  Piece getGatheredPiece(OpBuilder &builder, Value row, Value column,
                         Value from, Value position) const;
  /// Returns the gathered dimension of the tensor.
  std::optional<int64_t> getGathered() const { return gathered; }
  /// Checks whether the tile has one dimension.
  bool isRow() const { return tile.getRank() == 1; }

  /// Checks whether every element of a valid row is valid.
  bool areColumnsValid() const;
  /// Emits whether an element of a valid row is valid, an i1; null if always.
  Value isColumnValid(OpBuilder &builder, Value position) const;
  /// Returns the exclusive limit of positions of columns. Positions below zero
  /// are not valid either.
  Value getColumnLimit() const { return limits.back(); }

  /// Checks whether rows consist of pieces of 16 bytes.
  bool hasPieces() const;
  /// Emits whether each aligned piece is valid as a whole or not at all, an i1;
  /// null if always.
  Value arePiecesWhole(OpBuilder &builder) const;
  /// Emits whether all pieces of 16 bytes are aligned, an i1.
  Value isAligned(OpBuilder &builder) const;

  Value getPointer(OpBuilder &builder, Value byte) const;
  Value getPointer(OpBuilder &builder, const Piece &piece) const;
  /// Returns the bytes of the tensor, an i64.
  Value getSize() const { return size; }
  /// Checks whether the tensor can be loaded as memory that does not change
  /// during the launch.
  bool isInvariant() const { return invariant; }

  SmemType tile;
  int64_t bytes; // of an element
  int64_t rows, columns;

private:
  void initialize(OpBuilder &builder, const LoweringContext &context,
                  Value tensor, ArrayRef<ValueRange> indices,
                  ArrayRef<ValueRange> limits, Value mask);
  Piece getPieceAt(OpBuilder &builder, Value row, Value column) const;
  Value isBelowLimit(OpBuilder &builder, Value position, unsigned dim) const;
  Value emitConstant(OpBuilder &builder, int64_t value) const {
    return emitI32(builder, loc, value);
  }
  Value emitWide(OpBuilder &builder, Value value) const;
  Value emitWideConstant(OpBuilder &builder, int64_t value) const;
  /// Returns `stride` elements in bytes, an i64.
  Value emitStride(OpBuilder &builder, OpFoldResult stride) const;

  Location loc;
  tile::GlobalType global;
  ArrayRef<int64_t> dims;
  SmallVector<bool> inBounds; // by dimension of the tile
  bool hasMask, invariant;
  std::optional<int64_t> gathered; // a dimension of the tensor
  Value address;
  SmallVector<Value> starts, limits; // by dimension of the tile
  SmallVector<Value> strides;        // of the tile, in bytes
  Value first;                       // the byte of the first element
  Value size;                        // of the tensor in bytes
  Value rowStride;                   // of the tensor's rows; null for rank 1
};

/// Returns how many pieces of `count` a thread has in flight: at most `most`,
/// such that all threads have equally many in each round, or one.
int64_t getInFlight(int64_t count, const ThreadGroup &threads, int64_t most);

/// Calls `emit` in a loop over the numbers below `count` that belong to the
/// executing thread, `inFlight` at a time.
void emitThreadLoop(
    OpBuilder &builder, Location loc, const ThreadGroup &threads, int64_t count,
    int64_t inFlight,
    llvm::function_ref<void(OpBuilder &, ArrayRef<Value>)> emit);

/// Copies gathered rows to shared memory, from `base` on. The rows of the
/// executing thread are at `positions`.
void emitGatheredRows(OpBuilder &builder, Location loc, const FetchBox &box,
                      const ThreadGroup &threads, Value base,
                      ValueRange positions);

/// Copies a row to shared memory, from `base` on, and writes `fill` to elements
/// that are not valid.
void emitFilledRow(OpBuilder &builder, Location loc, const FetchBox &box,
                   const ThreadGroup &threads, Value base, TypedAttr fill);

/// Checks whether an element is a piece that cp.async copies.
inline bool isElementCopied(const FetchBox &box) {
  return box.bytes == 4 || box.bytes == 8;
}

/// Starts an asynchronous copy of a piece of `size` bytes, and zeroes invalid
/// elements. A piece with `isWhole` is valid as a whole or not at all.
void emitPiece(OpBuilder &builder, Location loc, const FetchBox &box,
               const Piece &piece, Value destination, int64_t size,
               bool isWhole = false);

/// Copies the pieces of a box to shared memory, from `base` on, for rows of any
/// alignment. A thread has at most `most` pieces in flight, with 8 registers
/// each. The accumulators of a product may hold half of all registers
/// meanwhile.
void emitShiftedPieces(OpBuilder &builder, Location loc, const FetchBox &box,
                       const ThreadGroup &threads, Value base, int64_t most);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_ASYNCCOPY_FETCHBOX_H
