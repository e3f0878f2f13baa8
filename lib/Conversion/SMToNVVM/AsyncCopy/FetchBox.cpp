//===- FetchBox.cpp - Box of elements of a fetch ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distributes the pieces of a box over the threads of a group, neighbours next
// to each other in global memory. Loops over pieces are unrolled such that a
// thread has several loads in flight. Invariant: every piece belongs to exactly
// one thread and one round.
//
//===----------------------------------------------------------------------===//

#include "FetchBox.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

int64_t sm::getInFlight(int64_t count, const ThreadGroup &threads,
                        int64_t most) {
  int64_t inFlight = most;
  while (inFlight > 1 && count % (threads.getThreads() * inFlight) != 0)
    inFlight /= 2;
  return inFlight;
}

void sm::emitThreadLoop(
    OpBuilder &builder, Location loc, const ThreadGroup &threads, int64_t count,
    int64_t inFlight,
    llvm::function_ref<void(OpBuilder &, ArrayRef<Value>)> emit) {
  auto emitTurn = [&](OpBuilder &at, Value first, int64_t skipped) {
    SmallVector<Value> numbers;
    for (int64_t i = 0; i < inFlight; ++i) {
      Value number = first;
      if (int64_t turns = skipped + i)
        number = LLVM::AddOp::create(
            at, loc, number, emitI32(at, loc, turns * threads.getThreads()));
      numbers.push_back(number);
    }
    emit(at, numbers);
  };
  // One or two rounds need no loop. Loads of the second round can then start in
  // the first one, if registers permit.
  int64_t step = threads.getThreads() * inFlight;
  if (count == step || count == 2 * step) {
    for (int64_t i = 0; i < count / step; ++i)
      emitTurn(builder, threads.thread, i * inFlight);
    return;
  }
  auto loop = scf::ForOp::create(builder, loc, threads.thread,
                                 emitI32(builder, loc, count),
                                 emitI32(builder, loc, step));
  OpBuilder inner(loop.getBody()->getTerminator());
  emitTurn(inner, loop.getInductionVar(), 0);
}

//===----------------------------------------------------------------------===//
// The box
//===----------------------------------------------------------------------===//

Value FetchBox::emitWide(OpBuilder &builder, Value value) const {
  return LLVM::SExtOp::create(builder, loc, builder.getI64Type(), value);
}

Value FetchBox::emitWideConstant(OpBuilder &builder, int64_t value) const {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                  builder.getI64IntegerAttr(value));
}

Value FetchBox::emitStride(OpBuilder &builder, OpFoldResult stride) const {
  if (auto constant = dyn_cast<Attribute>(stride))
    return emitWideConstant(builder,
                            cast<IntegerAttr>(constant).getInt() * bytes);
  return LLVM::MulOp::create(builder, loc, cast<Value>(stride),
                             emitWideConstant(builder, bytes));
}

void FetchBox::initialize(OpBuilder &builder, const LoweringContext &context,
                          Value tensor, ArrayRef<ValueRange> indices,
                          ArrayRef<ValueRange> bounds, Value mask) {
  address = context.getAddress(tensor);
  int64_t rank = global.getRank();
  first = emitWideConstant(builder, 0);
  size = emitStride(builder, context.getStride(tensor, -1));
  for (int64_t dim = 0; dim < rank; ++dim) {
    Value start = gathered == dim
                      ? emitConstant(builder, 0)
                      : emitToI32(builder, loc, indices[dim].front());
    Value stride = emitStride(builder, context.getStride(tensor, dim));
    Value offset =
        LLVM::MulOp::create(builder, loc, emitWide(builder, start), stride);
    first = LLVM::AddOp::create(builder, loc, first, offset);
    if (dim == rank - 2)
      rowStride = stride;
    if (!llvm::is_contained(dims, dim))
      continue;
    starts.push_back(start);
    strides.push_back(stride);
  }
  // Positions are compared as unsigned numbers, so positions below zero are not
  // valid either.
  for (ValueRange limit : bounds)
    limits.push_back(arith::MaxSIOp::create(
        builder, loc, emitToI32(builder, loc, limit.front()),
        emitConstant(builder, 0)));
  if (mask)
    limits.front() = LLVM::SelectOp::create(builder, loc, mask, limits.front(),
                                            emitConstant(builder, 0));
}

Value FetchBox::getColumn(OpBuilder &builder, Value number,
                          int64_t width) const {
  Value column = LLVM::URemOp::create(builder, loc, number,
                                      emitConstant(builder, columns / width));
  if (width > 1)
    column =
        LLVM::MulOp::create(builder, loc, column, emitConstant(builder, width));
  return column;
}

Value FetchBox::getPosition(OpBuilder &builder, Value column) const {
  return LLVM::AddOp::create(builder, loc, starts.back(), column);
}

Value FetchBox::isBelowLimit(OpBuilder &builder, Value position,
                             unsigned dim) const {
  if (inBounds[dim] && !hasMask)
    return Value();
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, position,
                              limits[dim]);
}

Piece FetchBox::getPiece(OpBuilder &builder, Value number,
                         int64_t width) const {
  Value row = LLVM::UDivOp::create(builder, loc, number,
                                   emitConstant(builder, columns / width));
  return getPieceAt(builder, row, getColumn(builder, number, width));
}

Piece FetchBox::getPieceAt(OpBuilder &builder, Value row, Value column) const {
  Piece piece;
  piece.row = row;
  piece.column = column;
  piece.position = getPosition(builder, column);
  ArrayRef<int64_t> shape = tile.getShape();
  int64_t last = shape.size() - 1;
  Value rest = row;
  piece.byte = first;
  for (int64_t i = last; i >= 0; --i) {
    Value x = column;
    if (i < last) {
      Value extent = emitConstant(builder, shape[i]);
      x = i ? LLVM::URemOp::create(builder, loc, rest, extent).getResult()
            : rest;
      if (i)
        rest = LLVM::UDivOp::create(builder, loc, rest, extent);
    }
    Value offset =
        LLVM::MulOp::create(builder, loc, emitWide(builder, x), strides[i]);
    piece.byte = LLVM::AddOp::create(builder, loc, piece.byte, offset);
    if (i == last)
      continue;
    Value position = LLVM::AddOp::create(builder, loc, starts[i], x);
    Value isBelow = isBelowLimit(builder, position, i);
    if (isBelow && piece.isRowValid)
      isBelow = LLVM::AndOp::create(builder, loc, piece.isRowValid, isBelow);
    if (isBelow)
      piece.isRowValid = isBelow;
  }
  return piece;
}

Piece FetchBox::getPieceBelow(OpBuilder &builder, const Piece &piece,
                              int64_t rows) const {
  Value row =
      LLVM::AddOp::create(builder, loc, piece.row, emitConstant(builder, rows));
  // Rows of a plane have a constant distance.
  if (starts.size() != 2)
    return getPieceAt(builder, row, piece.column);
  Piece below = piece;
  below.row = row;
  Value distance = LLVM::MulOp::create(builder, loc, strides.front(),
                                       emitWideConstant(builder, rows));
  below.byte = LLVM::AddOp::create(builder, loc, piece.byte, distance);
  below.isRowValid = isBelowLimit(
      builder, LLVM::AddOp::create(builder, loc, starts.front(), row), 0);
  return below;
}

Value FetchBox::getGatheredStart(OpBuilder &builder, Value column) const {
  Value byte = first;
  if (column) {
    Value offset = LLVM::MulOp::create(builder, loc, emitWide(builder, column),
                                       strides.back());
    byte = LLVM::AddOp::create(builder, loc, byte, offset);
  }
  return getPointer(builder, byte);
}

Piece FetchBox::getGatheredPiece(OpBuilder &builder, Value row, Value column,
                                 Value from, Value position) const {
  Piece piece;
  piece.row = row;
  piece.column = column;
  piece.from = from;
  // Positions below zero are not valid, so any positions above may replace
  // them.
  Value wide =
      LLVM::ZExtOp::create(builder, loc, builder.getI64Type(), position);
  piece.byte = LLVM::MulOp::create(builder, loc, wide, strides.front());
  piece.isRowValid = isBelowLimit(builder, position, 0);
  if (column)
    piece.position = getPosition(builder, column);
  return piece;
}

bool FetchBox::areColumnsValid() const { return inBounds.back() && !hasMask; }

Value FetchBox::isColumnValid(OpBuilder &builder, Value position) const {
  return isBelowLimit(builder, position, starts.size() - 1);
}

bool FetchBox::hasPieces() const {
  return columns * bytes % kPieceBytes == 0 &&
         dims.back() == global.getRank() - 1;
}

Value FetchBox::arePiecesWhole(OpBuilder &builder) const {
  if (areColumnsValid())
    return Value();
  // The tile ends before the limit, or the limit is at the border of a piece.
  Value left = LLVM::SubOp::create(builder, loc, limits.back(), starts.back());
  Value isInside = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::uge,
                                        left, emitConstant(builder, columns));
  Value cut =
      LLVM::AndOp::create(builder, loc, limits.back(),
                          emitConstant(builder, kPieceBytes / bytes - 1));
  Value isUncut = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                                       cut, emitConstant(builder, 0));
  return LLVM::OrOp::create(builder, loc, isInside, isUncut);
}

Value FetchBox::isAligned(OpBuilder &builder) const {
  Value bits =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), address);
  Value start =
      LLVM::MulOp::create(builder, loc, emitWide(builder, starts.back()),
                          emitWideConstant(builder, bytes));
  bits = LLVM::OrOp::create(builder, loc, bits, start);
  if (rowStride)
    bits = LLVM::OrOp::create(builder, loc, bits, rowStride);
  bits = LLVM::AndOp::create(builder, loc, bits,
                             emitWideConstant(builder, kPieceBytes - 1));
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, bits,
                              emitWideConstant(builder, 0));
}

Value FetchBox::getPointer(OpBuilder &builder, Value byte) const {
  return LLVM::GEPOp::create(builder, loc, address.getType(),
                             builder.getI8Type(), address, byte);
}

Value FetchBox::getPointer(OpBuilder &builder, const Piece &piece) const {
  if (!piece.from)
    return getPointer(builder, piece.byte);
  return LLVM::GEPOp::create(builder, loc, address.getType(),
                             builder.getI8Type(), piece.from, piece.byte);
}
