//===- FetchLowering.cpp - Tiles to shared memory by threads ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pieces of 16 bytes are copied asynchronously (cp.async) if the launch's
// strides and addresses permit. Otherwise they are loaded to registers and
// shifted. Tiles that do not consist of pieces are copied by elements. Elements
// of 4 or 8 bytes are pieces of their own, which are always aligned.
//
// Pieces in registers are complete when the fetch has started. Pieces of
// asynchronous copies are complete with their group.
//
//===----------------------------------------------------------------------===//

#include "FetchBox.h"
#include "GlobalMemory/VectorAccess.h"
#include "Kernel/InlinePTX.h"
#include "Kernel/Machine.h"
#include "SharedMemory/SharedValues.h"

using namespace tessera;
using namespace tessera::sm;

/// Elements that a thread has in flight at a time.
static constexpr int64_t kElementsInFlight = 16;
/// Shifted pieces of 16 bytes that a thread has in flight. Fewer while a
/// product is in flight, which hides their latency and holds registers.
static constexpr int64_t kPiecesInFlight = 4, kPiecesBesideProducts = 2;

//===----------------------------------------------------------------------===//
// The ways
//===----------------------------------------------------------------------===//

/// Returns the valid bytes of a piece of `size` that is aligned, an i32.
static Value getValidBytes(OpBuilder &builder, Location loc,
                           const FetchBox &box, const Piece &piece,
                           Value isColumnValid, int64_t size) {
  Value none = emitI32(builder, loc, 0);
  // Pieces are aligned, so no piece spans position zero.
  Value left =
      LLVM::SubOp::create(builder, loc, box.getColumnLimit(), piece.position);
  left = arith::MinUIOp::create(builder, loc, left,
                                emitI32(builder, loc, size / box.bytes));
  left =
      LLVM::MulOp::create(builder, loc, left, emitI32(builder, loc, box.bytes));
  Value count = LLVM::SelectOp::create(builder, loc, isColumnValid, left, none);
  if (piece.isRowValid)
    count = LLVM::SelectOp::create(builder, loc, piece.isRowValid, count, none);
  return count;
}

void sm::emitPiece(OpBuilder &builder, Location loc, const FetchBox &box,
                   const Piece &piece, Value destination, int64_t size,
                   bool isWhole) {
  Value pointer = box.getPointer(builder, piece);
  // The validity of gathered elements depends on their position alone.
  Value isColumnValid;
  if (piece.column)
    isColumnValid = box.isColumnValid(builder, piece.position);
  if (!isWhole && isColumnValid)
    return emitAsyncCopy(
        builder, loc, destination, pointer,
        getValidBytes(builder, loc, box, piece, isColumnValid, size), size);
  emitWholeAsyncCopy(builder, loc, destination, pointer,
                     emitAnd(builder, loc, piece.isRowValid, isColumnValid),
                     size);
}

/// Starts to copy all pieces of `size` bytes.
static void emitPieces(OpBuilder &builder, Location loc, const FetchBox &box,
                       const ThreadGroup &threads, Value base, int64_t size) {
  int64_t width = size / box.bytes;
  int64_t count = box.rows * box.columns / width;
  emitThreadLoop(builder, loc, threads, count, 1,
                 [&](OpBuilder &inner, ArrayRef<Value> numbers) {
                   Piece piece = box.getPiece(inner, numbers.front(), width);
                   Value offset = emitSharedOffset(inner, loc, box.tile,
                                                   piece.row, piece.column);
                   emitPiece(inner, loc, box, piece,
                             LLVM::AddOp::create(inner, loc, base, offset),
                             size);
                 });
}

static void emitElements(OpBuilder &builder, Location loc, const FetchBox &box,
                         const ThreadGroup &threads, Value base) {
  int64_t count = box.rows * box.columns;
  // The type only moves bits.
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
              values,
              emitGlobalLoad(inner, loc, type, box.getPointer(inner, piece),
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
    FetchBox box(rewriter, context, op, adaptor, op.getType());
    if (box.hasPieces()) {
      Value isAligned = box.isAligned(rewriter);
      auto branch = scf::IfOp::create(rewriter, loc, isAligned,
                                      /*withElseRegion=*/true);
      OpBuilder pieces = branch.getThenBodyBuilder();
      emitPieces(pieces, loc, box, threads, base, kPieceBytes);
      emitAsyncCopyWait(pieces, loc);
      OpBuilder shifted = branch.getElseBodyBuilder();
      emitShiftedPieces(shifted, loc, box, threads, base, kPiecesInFlight);
    } else if (isElementCopied(box)) {
      emitPieces(rewriter, loc, box, threads, base, box.bytes);
      emitAsyncCopyWait(rewriter, loc);
    } else {
      emitElements(rewriter, loc, box, threads, base);
    }
    rewriter.replaceOp(op, base);
    return success();
  }
};

struct FetchStartLowering : KernelPattern<FetchStartOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(FetchStartOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value base = adaptor.getTile().front();
    const ThreadGroup &threads = context.getThreads(op);
    FetchBox box(rewriter, context, op, adaptor, op.getTile().getType());
    auto emitUnaligned = [&](OpBuilder &builder) {
      if (isElementCopied(box))
        emitPieces(builder, loc, box, threads, base, box.bytes);
      else if (box.hasPieces())
        emitShiftedPieces(builder, loc, box, threads, base,
                          kPiecesBesideProducts);
      else
        emitElements(builder, loc, box, threads, base);
    };
    if (TypedAttr fill = op.getFillAttr()) {
      emitFilledRow(rewriter, loc, box, threads, base, fill);
    } else if (std::optional<int64_t> dim = box.getGathered()) {
      emitGatheredRows(rewriter, loc, box, threads, base,
                       adaptor.getIndices()[*dim]);
    } else if (box.hasPieces()) {
      Value isAligned = box.isAligned(rewriter);
      auto branch = scf::IfOp::create(rewriter, loc, isAligned,
                                      /*withElseRegion=*/true);
      OpBuilder pieces = branch.getThenBodyBuilder();
      emitPieces(pieces, loc, box, threads, base, kPieceBytes);
      OpBuilder others = branch.getElseBodyBuilder();
      emitUnaligned(others);
    } else {
      emitUnaligned(rewriter);
    }
    emitAsyncCopyCommit(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }
};

struct FetchAwaitLowering : KernelPattern<FetchAwaitOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(FetchAwaitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    emitAsyncCopyWait(rewriter, op.getLoc(), op.getLeave());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Zeroes the elements from a limit on, with all threads of the warp.
struct ClipLowering : KernelPattern<ClipOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ClipOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmemType tile = op.getTile().getType();
    Value base = adaptor.getTile().front();
    Value limit = emitToI32(rewriter, loc, adaptor.getLimit().front());
    // Whole pieces are zeroed if rows are cut, elements if columns are cut.
    int64_t bytes = tile.getElementBytes(), columns = tile.getShape()[1];
    bool isRows = op.getAxis() == 0;
    bool byPieces = isRows && columns * bytes % kPieceBytes == 0;
    int64_t width = byPieces ? kPieceBytes / bytes : 1;
    Type word = rewriter.getIntegerType(byPieces ? 32 : bytes * 8);
    int64_t words = byPieces ? kPieceBytes / 4 : 1;
    Value zero = LLVM::ConstantOp::create(rewriter, loc, word,
                                          rewriter.getIntegerAttr(word, 0));
    Value perRow = emitI32(rewriter, loc, columns / width);
    Value first = context.getThreads(op).ownLane;
    if (isRows) {
      Value row =
          LLVM::SMaxOp::create(rewriter, loc, limit, emitI32(rewriter, loc, 0));
      Value skipped = LLVM::MulOp::create(rewriter, loc, row, perRow);
      first = LLVM::AddOp::create(rewriter, loc, first, skipped);
    }
    auto loop = scf::ForOp::create(
        rewriter, loc, first,
        emitI32(rewriter, loc, tile.getNumElements() / width),
        emitI32(rewriter, loc, 32));
    OpBuilder inner(loop.getBody()->getTerminator());
    Value number = loop.getInductionVar();
    Value row = LLVM::UDivOp::create(inner, loc, number, perRow);
    Value column = LLVM::URemOp::create(inner, loc, number, perRow);
    column =
        LLVM::MulOp::create(inner, loc, column, emitI32(inner, loc, width));
    auto store = [&](OpBuilder &at) {
      Value address = LLVM::AddOp::create(
          at, loc, base, emitSharedOffset(at, loc, tile, row, column));
      emitSharedStore(at, loc, address, SmallVector<Value>(words, zero));
    };
    if (isRows) {
      store(inner);
    } else {
      Value isCut = LLVM::ICmpOp::create(inner, loc, LLVM::ICmpPredicate::sge,
                                         column, limit);
      auto branch = scf::IfOp::create(inner, loc, isCut,
                                      /*withElseRegion=*/false);
      OpBuilder then = branch.getThenBodyBuilder();
      store(then);
    }
    // Each thread fences its own writes before all of them meet.
    emitProxyFence(rewriter, loc);
    NVVM::SyncWarpOp::create(rewriter, loc, emitI32(rewriter, loc, -1));
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void sm::populateFetchPatterns(const LoweringContext &context,
                               const RegisterTypeConverter &converter,
                               RewritePatternSet &patterns) {
  patterns
      .add<FetchLowering, FetchStartLowering, FetchAwaitLowering, ClipLowering>(
          converter, context);
}
