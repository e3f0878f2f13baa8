//===- MachineFetch.cpp - Tiles to shared memory by threads -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pieces of 16 bytes are copied past the registers (cp.async), where the
// launch's strides and addresses allow it; else they are loaded and shifted
// into place. Tiles that do not consist of pieces are copied by elements.
//
//===----------------------------------------------------------------------===//

#include "FetchBox.h"
#include "Machine.h"
#include "MemoryWords.h"
#include "PTXText.h"
#include "SharedValues.h"

using namespace tessera;
using namespace tessera::sm;

/// Elements that a thread has in flight at a time.
static constexpr int64_t kElementsInFlight = 16;

//===----------------------------------------------------------------------===//
// The ways
//===----------------------------------------------------------------------===//

static Value emitAnd(OpBuilder &builder, Location loc, Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return LLVM::AndOp::create(builder, loc, a, b);
}

/// The valid bytes of a piece that is aligned, an i32.
static Value getValidBytes(OpBuilder &builder, Location loc,
                           const FetchBox &box, const Piece &piece) {
  Value all = emitI32(builder, loc, kPieceBytes);
  Value none = emitI32(builder, loc, 0);
  Value count = all;
  if (Value isValid = box.isColumnValid(builder, piece.position)) {
    // Pieces are aligned, so none reaches from below zero to above.
    Value left =
        LLVM::SubOp::create(builder, loc, box.getColumnLimit(), piece.position);
    left = arith::MinUIOp::create(
        builder, loc, left, emitI32(builder, loc, kPieceBytes / box.bytes));
    left = LLVM::MulOp::create(builder, loc, left,
                               emitI32(builder, loc, box.bytes));
    count = LLVM::SelectOp::create(builder, loc, isValid, left, none);
  }
  if (piece.isRowValid)
    count = LLVM::SelectOp::create(builder, loc, piece.isRowValid, count, none);
  return count;
}

static void emitPieces(OpBuilder &builder, Location loc, const FetchBox &box,
                       const ThreadGroup &threads, Value base) {
  int64_t width = kPieceBytes / box.bytes;
  emitThreadLoop(builder, loc, threads, box.rows * box.columns / width, 1,
                 [&](OpBuilder &inner, ArrayRef<Value> numbers) {
                   Piece piece = box.getPiece(inner, numbers.front(), width);
                   Value offset = emitSharedOffset(inner, loc, box.tile,
                                                   piece.row, piece.column);
                   emitAsyncCopy(inner, loc,
                                 LLVM::AddOp::create(inner, loc, base, offset),
                                 box.getPointer(inner, piece.byte),
                                 getValidBytes(inner, loc, box, piece));
                 });
  emitAsyncCopyWait(builder, loc);
}

static void emitElements(OpBuilder &builder, Location loc, const FetchBox &box,
                         const ThreadGroup &threads, Value base) {
  int64_t count = box.rows * box.columns;
  // Bits are moved, whatever they mean.
  Type type = builder.getIntegerType(box.bytes * 8);
  emitThreadLoop(
      builder, loc, threads, count,
      getInFlight(count, threads, kElementsInFlight),
      [&](OpBuilder &inner, ArrayRef<Value> numbers) {
        SmallVector<Value> addresses, values;
        Value zero = LLVM::ConstantOp::create(inner, loc, type,
                                              inner.getIntegerAttr(type, 0));
        for (Value number : numbers) {
          Piece piece = box.getPiece(inner, number, 1);
          Value offset =
              emitSharedOffset(inner, loc, box.tile, piece.row, piece.column);
          addresses.push_back(LLVM::AddOp::create(inner, loc, base, offset));
          Value isValid = emitAnd(inner, loc, piece.isRowValid,
                                  box.isColumnValid(inner, piece.position));
          llvm::append_range(
              values, emitGlobalLoad(
                          inner, loc, type, box.getPointer(inner, piece.byte),
                          /*count=*/1, isValid, zero, box.isInvariant()));
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
    FetchBox box(rewriter, context, op, adaptor);
    if (box.hasPieces()) {
      Value isAligned = box.isAligned(rewriter);
      auto branch = scf::IfOp::create(rewriter, loc, isAligned,
                                      /*withElseRegion=*/true);
      OpBuilder pieces = branch.getThenBodyBuilder();
      emitPieces(pieces, loc, box, threads, base);
      OpBuilder shifted = branch.getElseBodyBuilder();
      emitShiftedPieces(shifted, loc, box, threads, base);
    } else {
      emitElements(rewriter, loc, box, threads, base);
    }
    rewriter.replaceOp(op, base);
    return success();
  }
};

/// Zeroes what lies from a limit on.
struct ClipLowering : KernelPattern<ClipOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ClipOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmemType tile = op.getTile().getType();
    Value base = adaptor.getTile().front();
    Value limit = emitToI32(rewriter, loc, adaptor.getLimit().front());
    // Whole pieces where rows are cut, elements where columns are.
    int64_t bytes = tile.getElementBytes(), columns = tile.getShape()[1];
    bool byPieces = op.getAxis() == 0 && columns * bytes % kPieceBytes == 0;
    int64_t width = byPieces ? kPieceBytes / bytes : 1;
    Type word = rewriter.getIntegerType(byPieces ? 32 : bytes * 8);
    int64_t words = byPieces ? kPieceBytes / 4 : 1;
    Value zero = LLVM::ConstantOp::create(rewriter, loc, word,
                                          rewriter.getIntegerAttr(word, 0));
    emitThreadLoop(
        rewriter, loc, context.getThreads(op), tile.getNumElements() / width, 1,
        [&](OpBuilder &inner, ArrayRef<Value> numbers) {
          Value perRow = emitI32(inner, loc, columns / width);
          Value row = LLVM::UDivOp::create(inner, loc, numbers.front(), perRow);
          Value column =
              LLVM::URemOp::create(inner, loc, numbers.front(), perRow);
          column = LLVM::MulOp::create(inner, loc, column,
                                       emitI32(inner, loc, width));
          Value keeps =
              LLVM::ICmpOp::create(inner, loc, LLVM::ICmpPredicate::slt,
                                   op.getAxis() == 0 ? row : column, limit);
          auto store = scf::IfOp::create(inner, loc, keeps,
                                         /*withElseRegion=*/true);
          OpBuilder other = store.getElseBodyBuilder();
          Value address = LLVM::AddOp::create(
              other, loc, base,
              emitSharedOffset(other, loc, tile, row, column));
          emitSharedStore(other, loc, address, SmallVector<Value>(words, zero));
        });
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
