//===- MachineFetch.cpp - Tiles to shared memory by threads -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a role share the pieces of a tile in turn, neighbours next to
// each other in global memory. Pieces of 16 bytes are copied past the registers
// (cp.async), where the launch's strides and addresses allow it; else elements
// are loaded and stored.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "PTXText.h"
#include "SharedValues.h"

using namespace tessera;
using namespace tessera::sm;

/// Bytes of an asynchronous copy.
static constexpr int64_t kPiece = 16;
/// Elements that a thread has in flight at a time.
static constexpr int64_t kElementsInFlight = 4;

/// Calls `emit` in a loop over the numbers below `count` that are the present
/// thread's, `inFlight` at a time; all but the first may lie beyond the end.
static void
emitThreadLoop(OpBuilder &builder, Location loc, const ThreadGroup &threads,
               int64_t count, int64_t inFlight,
               llvm::function_ref<void(OpBuilder &, ArrayRef<Value>)> emit) {
  int64_t step = threads.getThreads() * inFlight;
  auto loop = scf::ForOp::create(builder, loc, threads.thread,
                                 emitI32(builder, loc, count),
                                 emitI32(builder, loc, step));
  OpBuilder inner(loop.getBody()->getTerminator());
  SmallVector<Value> numbers;
  for (int64_t i = 0; i < inFlight; ++i) {
    Value number = loop.getInductionVar();
    if (i)
      number = LLVM::AddOp::create(
          inner, loc, number, emitI32(inner, loc, i * threads.getThreads()));
    numbers.push_back(number);
  }
  emit(inner, numbers);
}

//===----------------------------------------------------------------------===//
// The box
//===----------------------------------------------------------------------===//

namespace {
/// A piece of a row of the tile: where it lies, and whether it is valid.
struct Piece {
  Value row, column; // in the tile
  Value position;    // of the column in the tensor
  Value byte;        // from the tensor's start, an i64
  Value isValid;     // of its row, an i1; null if that is known
};

/// What a fetch reads, in values of the machine.
class Box {
public:
  Box(OpBuilder &builder, const LoweringContext &context, FetchOp op,
      FetchOp::GenericAdaptor<ArrayRef<ValueRange>> adaptor);

  /// The piece number `number`, of `width` elements.
  Piece getPiece(OpBuilder &builder, Value number, int64_t width) const;
  /// Whether an element of the row is valid in its column, or null.
  Value isColumnValid(OpBuilder &builder, Value position) const;
  /// The valid bytes of a piece, an i32.
  Value getValidBytes(OpBuilder &builder, const Piece &piece,
                      int64_t width) const;
  /// Whether all pieces of 16 bytes are aligned, an i1; null if the tile has
  /// none.
  Value isAligned(OpBuilder &builder) const;
  Value getPointer(OpBuilder &builder, Value byte) const;

  SmemType tile;
  int64_t bytes, rows, columns;

private:
  Value emitConstant(OpBuilder &builder, int64_t value) const {
    return emitI32(builder, loc, value);
  }
  Value emitWide(OpBuilder &builder, Value value) const {
    return LLVM::SExtOp::create(builder, loc, builder.getI64Type(), value);
  }
  /// `stride` elements in bytes, an i64.
  Value emitStride(OpBuilder &builder, OpFoldResult stride) const;

  mutable FetchOp op; // ODS accessors are not const
  Location loc;
  Value address;
  SmallVector<Value> starts, limits; // by dimension of the tile
  SmallVector<Value> strides;        // of the tile, in bytes
  Value first;                       // the byte of the first element
  Value rowStride;                   // of the tensor's rows; null for rank 1
};
} // namespace

Value Box::emitStride(OpBuilder &builder, OpFoldResult stride) const {
  Type i64 = builder.getI64Type();
  if (auto constant = dyn_cast<Attribute>(stride))
    return LLVM::ConstantOp::create(
        builder, loc, i64,
        builder.getI64IntegerAttr(cast<IntegerAttr>(constant).getInt() *
                                  bytes));
  Value factor = LLVM::ConstantOp::create(builder, loc, i64,
                                          builder.getI64IntegerAttr(bytes));
  return LLVM::MulOp::create(builder, loc, cast<Value>(stride), factor);
}

Box::Box(OpBuilder &builder, const LoweringContext &context, FetchOp op,
         FetchOp::GenericAdaptor<ArrayRef<ValueRange>> adaptor)
    : tile(op.getType()), bytes(tile.getElementBytes()),
      rows(tile.getNumElements() / tile.getShape().back()),
      columns(tile.getShape().back()), op(op), loc(op.getLoc()),
      address(context.getAddress(op.getGlobal())) {
  ArrayRef<int64_t> dims = op.getDims();
  int64_t rank = op.getGlobalType().getRank();
  first = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                   builder.getI64IntegerAttr(0));
  for (int64_t dim = 0; dim < rank; ++dim) {
    Value start = emitToI32(builder, loc, adaptor.getIndices()[dim].front());
    Value stride = emitStride(builder, context.getStride(op.getGlobal(), dim));
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
  // Positions are compared as unsigned numbers, so that those below zero are
  // not valid either.
  for (ValueRange limit : adaptor.getLimits())
    limits.push_back(arith::MaxSIOp::create(
        builder, loc, emitToI32(builder, loc, limit.front()),
        emitConstant(builder, 0)));
  if (!adaptor.getMask().empty())
    limits.front() =
        LLVM::SelectOp::create(builder, loc, adaptor.getMask().front(),
                               limits.front(), emitConstant(builder, 0));
}

Piece Box::getPiece(OpBuilder &builder, Value number, int64_t width) const {
  Piece piece;
  Value perRow = emitConstant(builder, columns / width);
  piece.row = LLVM::UDivOp::create(builder, loc, number, perRow);
  piece.column = LLVM::URemOp::create(builder, loc, number, perRow);
  if (width > 1)
    piece.column = LLVM::MulOp::create(builder, loc, piece.column,
                                       emitConstant(builder, width));
  ArrayRef<int64_t> shape = tile.getShape();
  piece.byte = first;
  Value rest = piece.row;
  for (int64_t i = shape.size(); i-- > 0;) {
    Value x = piece.column;
    if (i + 1 < static_cast<int64_t>(shape.size())) {
      Value extent = emitConstant(builder, shape[i]);
      x = i ? LLVM::URemOp::create(builder, loc, rest, extent).getResult()
            : rest;
      if (i)
        rest = LLVM::UDivOp::create(builder, loc, rest, extent);
    }
    Value offset =
        LLVM::MulOp::create(builder, loc, emitWide(builder, x), strides[i]);
    piece.byte = LLVM::AddOp::create(builder, loc, piece.byte, offset);
    Value position = LLVM::AddOp::create(builder, loc, starts[i], x);
    if (i + 1 == static_cast<int64_t>(shape.size())) {
      piece.position = position;
      continue;
    }
    if (op.isInBounds(i) && !op.getMask())
      continue;
    Value isBelow = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult,
                                         position, limits[i]);
    piece.isValid = piece.isValid ? LLVM::AndOp::create(builder, loc,
                                                        piece.isValid, isBelow)
                                        .getResult()
                                  : isBelow;
  }
  return piece;
}

Value Box::isColumnValid(OpBuilder &builder, Value position) const {
  if (op.isInBounds(starts.size() - 1) && !op.getMask())
    return Value();
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, position,
                              limits.back());
}

Value Box::getValidBytes(OpBuilder &builder, const Piece &piece,
                         int64_t width) const {
  Value all = emitConstant(builder, kPiece), none = emitConstant(builder, 0);
  Value count = all;
  if (Value isValid = isColumnValid(builder, piece.position)) {
    // Pieces are aligned, so none reaches from below zero to above.
    Value left =
        LLVM::SubOp::create(builder, loc, limits.back(), piece.position);
    left = arith::MinUIOp::create(builder, loc, left,
                                  emitConstant(builder, width));
    left =
        LLVM::MulOp::create(builder, loc, left, emitConstant(builder, bytes));
    count = LLVM::SelectOp::create(builder, loc, isValid, left, none);
  }
  if (piece.isValid)
    count = LLVM::SelectOp::create(builder, loc, piece.isValid, count, none);
  return count;
}

Value Box::isAligned(OpBuilder &builder) const {
  int64_t rank = op.getGlobalType().getRank();
  if (columns * bytes % kPiece != 0 || op.getDims().back() != rank - 1)
    return Value();
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, i64,
                                    builder.getI64IntegerAttr(value));
  };
  Value bits = LLVM::PtrToIntOp::create(builder, loc, i64, address);
  Value start = LLVM::MulOp::create(
      builder, loc, emitWide(builder, starts.back()), constant(bytes));
  bits = LLVM::OrOp::create(builder, loc, bits, start);
  if (rowStride)
    bits = LLVM::OrOp::create(builder, loc, bits, rowStride);
  bits = LLVM::AndOp::create(builder, loc, bits, constant(kPiece - 1));
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, bits,
                              constant(0));
}

Value Box::getPointer(OpBuilder &builder, Value byte) const {
  return LLVM::GEPOp::create(builder, loc, address.getType(),
                             builder.getI8Type(), address, byte);
}

//===----------------------------------------------------------------------===//
// The two ways
//===----------------------------------------------------------------------===//

static void emitPieces(OpBuilder &builder, Location loc, const Box &box,
                       const ThreadGroup &threads, Value base) {
  int64_t width = kPiece / box.bytes;
  emitThreadLoop(builder, loc, threads, box.rows * box.columns / width, 1,
                 [&](OpBuilder &inner, ArrayRef<Value> numbers) {
                   Piece piece = box.getPiece(inner, numbers.front(), width);
                   Value offset = emitSharedOffset(inner, loc, box.tile,
                                                   piece.row, piece.column);
                   emitAsyncCopy(inner, loc,
                                 LLVM::AddOp::create(inner, loc, base, offset),
                                 box.getPointer(inner, piece.byte),
                                 box.getValidBytes(inner, piece, width));
                 });
  emitAsyncCopyWait(builder, loc);
}

static Value emitAnd(OpBuilder &builder, Location loc, Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return LLVM::AndOp::create(builder, loc, a, b);
}

static void emitElements(OpBuilder &builder, Location loc, const Box &box,
                         const ThreadGroup &threads, Value base) {
  int64_t count = box.rows * box.columns;
  // Bits are moved, whatever they mean.
  Type type = builder.getIntegerType(box.bytes * 8);
  int64_t inFlight = kElementsInFlight;
  while (inFlight > 1 && count % (threads.getThreads() * inFlight) != 0)
    inFlight /= 2;
  emitThreadLoop(
      builder, loc, threads, count, inFlight,
      [&](OpBuilder &inner, ArrayRef<Value> numbers) {
        SmallVector<Value> addresses, values;
        for (Value number : numbers) {
          Piece piece = box.getPiece(inner, number, 1);
          Value offset =
              emitSharedOffset(inner, loc, box.tile, piece.row, piece.column);
          addresses.push_back(LLVM::AddOp::create(inner, loc, base, offset));
          Value isValid = emitAnd(inner, loc, piece.isValid,
                                  box.isColumnValid(inner, piece.position));
          auto load = [&](OpBuilder &at) -> Value {
            return LLVM::LoadOp::create(
                at, loc, type, box.getPointer(at, piece.byte), box.bytes);
          };
          if (!isValid) {
            values.push_back(load(inner));
            continue;
          }
          auto branch = scf::IfOp::create(inner, loc, type, isValid,
                                          /*withElseRegion=*/true);
          OpBuilder then = branch.getThenBodyBuilder();
          scf::YieldOp::create(then, loc, load(then));
          OpBuilder other = branch.getElseBodyBuilder();
          Value zero = LLVM::ConstantOp::create(other, loc, type,
                                                other.getIntegerAttr(type, 0));
          scf::YieldOp::create(other, loc, zero);
          values.push_back(branch.getResult(0));
        }
        for (auto [address, value] : llvm::zip_equal(addresses, values))
          emitSharedStore(inner, loc, address, value);
      });
}

namespace {
struct FetchLowering : KernelPattern<FetchOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(FetchOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value base = emitAllocatedAddress(rewriter, context, op, op.getAddress());
    if (!base)
      return failure();
    const ThreadGroup &threads = context.getThreads(op);
    Box box(rewriter, context, op, adaptor);
    emitRoleBarrier(rewriter, context, op);
    if (Value isAligned = box.isAligned(rewriter)) {
      auto branch = scf::IfOp::create(rewriter, loc, isAligned,
                                      /*withElseRegion=*/true);
      OpBuilder pieces = branch.getThenBodyBuilder();
      emitPieces(pieces, loc, box, threads, base);
      OpBuilder elements = branch.getElseBodyBuilder();
      emitElements(elements, loc, box, threads, base);
    } else {
      emitElements(rewriter, loc, box, threads, base);
    }
    emitProxyFence(rewriter, loc);
    emitRoleBarrier(rewriter, context, op);
    rewriter.replaceOp(op, base);
    return success();
  }
};

/// Zeroes what lies from a limit on, where there is such a part.
struct ClipLowering : KernelPattern<ClipOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ClipOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmemType tile = op.getTile().getType();
    Value base = adaptor.getTile().front();
    Value limit = emitToI32(rewriter, loc, adaptor.getLimit().front());
    auto isBelow = [&](OpBuilder &builder, Value a, Value b) -> Value {
      return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt, a, b);
    };
    Value extent = emitI32(rewriter, loc, tile.getShape()[op.getAxis()]);
    auto branch =
        scf::IfOp::create(rewriter, loc, isBelow(rewriter, limit, extent),
                          /*withElseRegion=*/false);
    OpBuilder then = branch.getThenBodyBuilder();
    // Whole pieces where rows are cut, elements where columns are.
    int64_t bytes = tile.getElementBytes(), columns = tile.getShape()[1];
    bool byPieces = op.getAxis() == 0 && columns * bytes % kPiece == 0;
    int64_t width = byPieces ? kPiece / bytes : 1;
    Type word = then.getIntegerType(byPieces ? 32 : bytes * 8);
    int64_t words = byPieces ? kPiece / 4 : 1;
    Value zero =
        LLVM::ConstantOp::create(then, loc, word, then.getIntegerAttr(word, 0));
    emitThreadLoop(
        then, loc, context.getThreads(op), tile.getNumElements() / width, 1,
        [&](OpBuilder &inner, ArrayRef<Value> numbers) {
          Value perRow = emitI32(inner, loc, columns / width);
          Value row = LLVM::UDivOp::create(inner, loc, numbers.front(), perRow);
          Value column =
              LLVM::URemOp::create(inner, loc, numbers.front(), perRow);
          column = LLVM::MulOp::create(inner, loc, column,
                                       emitI32(inner, loc, width));
          Value keeps = isBelow(inner, op.getAxis() == 0 ? row : column, limit);
          auto store = scf::IfOp::create(inner, loc, keeps,
                                         /*withElseRegion=*/true);
          OpBuilder other = store.getElseBodyBuilder();
          Value address = LLVM::AddOp::create(
              other, loc, base,
              emitSharedOffset(other, loc, tile, row, column));
          emitSharedStore(other, loc, address, SmallVector<Value>(words, zero));
        });
    emitProxyFence(then, loc);
    emitRoleBarrier(then, context, op);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void sm::populateFetchPatterns(const LoweringContext &context,
                               const RegisterTypeConverter &converter,
                               RewritePatternSet &patterns) {
  patterns.add<FetchLowering, ClipLowering>(converter, context);
}
