//===- UnalignedFetch.cpp - Rows that start anywhere ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An unaligned piece of 16 bytes spans two aligned chunks. Each chunk is loaded
// as a whole, if it has a valid element of the piece, and a funnel shift
// extracts the piece from both. Chunks at the ends of the tensor reach beyond
// it. Only their elements inside are loaded.
//
// All loads of a round precede the first use, since the wait for memory
// dominates.
//
//===----------------------------------------------------------------------===//

#include "FetchBox.h"
#include "GlobalMemory/FunnelShift.h"
#include "GlobalMemory/VectorAccess.h"
#include "SharedMemory/SharedValues.h"

using namespace tessera;
using namespace tessera::sm;

static constexpr int64_t kWords = kPieceBytes / 4;

namespace {
/// The valid bytes of a piece in a valid row: from `first` to `end`, and as a
/// mask of each word. All null if all bytes are valid.
struct Window {
  Value first, end;
  SmallVector<Value> masks;
};

/// An aligned chunk of the tensor's memory.
struct Chunk {
  Value byte;     // the start
  Value isWanted; // a valid element of a piece is in it; null: always
  Value isTorn;   // an end of the tensor is in it
  SmallVector<Value> words;
};

/// A piece in flight.
struct Transfer {
  Value destination;
  Value shift; // bytes from the start of the first chunk to that of the piece
  Chunk first, second;
};

/// Emits the copies of shifted pieces.
class Shifter {
public:
  Shifter(OpBuilder &builder, Location loc, const FetchBox &box)
      : builder(builder), loc(loc), box(box) {}

  Window getWindow(Value position);
  /// Returns the words to load for a piece.
  Transfer plan(const Piece &piece, const Window &window, Value destination);
  /// Loads the words of all chunks. For most tensors, all chunks of a thread
  /// are inside, so one branch decides for all of them. With a branch for each
  /// chunk, each load would complete before the next one starts.
  void load(MutableArrayRef<Transfer> transfers);
  void store(const Transfer &transfer, const Window &window);

private:
  Value constant(int64_t value) { return emitI32(builder, loc, value); }
  Value add(Value a, Value b) {
    return LLVM::AddOp::create(builder, loc, a, b);
  }
  Value subtract(Value a, Value b) {
    return LLVM::SubOp::create(builder, loc, a, b);
  }
  Value wide(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                    builder.getI64IntegerAttr(value));
  }
  Value mul(Value a, int64_t b) {
    return LLVM::MulOp::create(builder, loc, a, constant(b));
  }
  /// Returns `value`, limited to 0 to `most`.
  Value clamp(Value value, int64_t most) {
    value = arith::MaxSIOp::create(builder, loc, value, constant(0));
    return arith::MinSIOp::create(builder, loc, value, constant(most));
  }
  Value isLess(Value a, Value b) {
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt, a, b);
  }
  Value both(Value a, Value b) { return emitAnd(builder, loc, a, b); }
  /// Returns 2^(8 n) as an i64, where n is the number of bytes of word `word`
  /// before `end`.
  Value getPower(Value end, int64_t word);
  Chunk getChunk(Value byte, Value isWanted);
  /// Loads the words of a chunk element by element.
  SmallVector<Value> loadTornChunk(OpBuilder &builder, const Chunk &chunk);

  OpBuilder &builder;
  Location loc;
  const FetchBox &box;
};
} // namespace

Value Shifter::getPower(Value end, int64_t word) {
  Value count = clamp(subtract(end, constant(word * 4)), 4);
  Type i64 = builder.getI64Type();
  Value bits = LLVM::ZExtOp::create(builder, loc, i64, mul(count, 8));
  Value one =
      LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(1));
  return LLVM::ShlOp::create(builder, loc, one, bits);
}

Window Shifter::getWindow(Value position) {
  Window window;
  if (box.areColumnsValid())
    return window;
  // The difference of positions and limits may exceed 32 bits, so it saturates.
  Type i32 = builder.getI32Type();
  auto getBytesBelow = [&](Value limit) {
    Value count = LLVM::SSubSat::create(builder, loc, i32, limit, position);
    return mul(clamp(count, kPieceBytes / box.bytes), box.bytes);
  };
  window.first = getBytesBelow(constant(0));
  window.end = getBytesBelow(box.getColumnLimit());
  for (int64_t i = 0; i < kWords; ++i) {
    Value mask = LLVM::SubOp::create(builder, loc, getPower(window.end, i),
                                     getPower(window.first, i));
    window.masks.push_back(LLVM::TruncOp::create(builder, loc, i32, mask));
  }
  return window;
}

Chunk Shifter::getChunk(Value byte, Value isWanted) {
  Value end = LLVM::AddOp::create(builder, loc, byte, wide(kPieceBytes));
  Value begins = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt,
                                      byte, wide(0));
  Value ends = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::sgt, end,
                                    box.getSize());
  Value isTorn = LLVM::OrOp::create(builder, loc, begins, ends);
  return {byte, isWanted, both(isWanted, isTorn), {}};
}

SmallVector<Value> Shifter::loadTornChunk(OpBuilder &builder,
                                          const Chunk &chunk) {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto number = [&](OpBuilder &at, int64_t value) -> Value {
    return LLVM::ConstantOp::create(at, loc, i64, at.getI64IntegerAttr(value));
  };
  Type element = builder.getIntegerType(box.bytes * 8);
  auto loop = scf::ForOp::create(
      builder, loc, number(builder, 0), number(builder, kPieceBytes),
      number(builder, box.bytes),
      ValueRange{number(builder, 0), number(builder, 0)});
  OpBuilder body = OpBuilder::atBlockEnd(loop.getBody());
  Value at = LLVM::AddOp::create(body, loc, chunk.byte, loop.getInductionVar());
  // As an unsigned number, a position before the tensor is far past its end.
  Value isInside = LLVM::ICmpOp::create(body, loc, LLVM::ICmpPredicate::ult, at,
                                        box.getSize());
  if (chunk.isWanted)
    isInside = LLVM::AndOp::create(body, loc, isInside, chunk.isWanted);
  Value zero = LLVM::ConstantOp::create(body, loc, element,
                                        body.getIntegerAttr(element, 0));
  Value loaded = emitGlobalLoad(body, loc, element, box.getPointer(body, at), 1,
                                isInside, zero, box.isInvariant())
                     .front();
  if (box.bytes < 8)
    loaded = LLVM::ZExtOp::create(body, loc, i64, loaded);
  Value bit =
      LLVM::MulOp::create(body, loc, loop.getInductionVar(), number(body, 8));
  bit = LLVM::AndOp::create(body, loc, bit, number(body, 63));
  loaded = LLVM::ShlOp::create(body, loc, loaded, bit);
  Value isLow = LLVM::ICmpOp::create(body, loc, LLVM::ICmpPredicate::slt,
                                     loop.getInductionVar(), number(body, 8));
  Value low = loop.getRegionIterArg(0), high = loop.getRegionIterArg(1);
  Value newLow = LLVM::OrOp::create(body, loc, low, loaded);
  Value newHigh = LLVM::OrOp::create(body, loc, high, loaded);
  SmallVector<Value> halves = {
      LLVM::SelectOp::create(body, loc, isLow, newLow, low),
      LLVM::SelectOp::create(body, loc, isLow, high, newHigh)};
  scf::YieldOp::create(body, loc, halves);
  SmallVector<Value> words;
  for (Value half : loop.getResults()) {
    words.push_back(LLVM::TruncOp::create(builder, loc, i32, half));
    Value high = LLVM::LShrOp::create(builder, loc, half, number(builder, 32));
    words.push_back(LLVM::TruncOp::create(builder, loc, i32, high));
  }
  return words;
}

Transfer Shifter::plan(const Piece &piece, const Window &window,
                       Value destination) {
  Transfer transfer;
  transfer.destination = destination;
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  Value pointer = box.getPointer(builder, piece.byte);
  Value bits = LLVM::PtrToIntOp::create(builder, loc, i64, pointer);
  bits = LLVM::AndOp::create(
      builder, loc, bits,
      LLVM::ConstantOp::create(builder, loc, i64,
                               builder.getI64IntegerAttr(kPieceBytes - 1)));
  transfer.shift = LLVM::TruncOp::create(builder, loc, i32, bits);
  Value chunk = LLVM::SubOp::create(builder, loc, piece.byte, bits);

  // The first chunk ends at byte 16 - shift of the piece.
  Value hasFirst = piece.isRowValid, hasSecond = piece.isRowValid;
  Value end = constant(kPieceBytes);
  if (window.end) {
    Value some = both(piece.isRowValid, isLess(window.first, window.end));
    hasFirst = both(some, isLess(add(window.first, transfer.shift), end));
    hasSecond = both(some, isLess(end, add(window.end, transfer.shift)));
  } else {
    hasSecond = both(hasSecond, isLess(constant(0), transfer.shift));
  }
  transfer.first = getChunk(chunk, hasFirst);
  Value next = LLVM::AddOp::create(builder, loc, chunk, wide(kPieceBytes));
  transfer.second = getChunk(next, hasSecond);
  return transfer;
}

void Shifter::load(MutableArrayRef<Transfer> transfers) {
  SmallVector<Chunk *> chunks;
  for (Transfer &transfer : transfers)
    chunks.append({&transfer.first, &transfer.second});
  Value isAnyTorn;
  for (Chunk *chunk : chunks)
    isAnyTorn =
        isAnyTorn
            ? Value(LLVM::OrOp::create(builder, loc, isAnyTorn, chunk->isTorn))
            : chunk->isTorn;
  Type i32 = builder.getI32Type();
  Value zero = constant(0);
  auto branch = scf::IfOp::create(
      builder, loc, SmallVector<Type>(chunks.size() * kWords, i32), isAnyTorn,
      /*withElseRegion=*/true);
  OpBuilder torn = branch.getThenBodyBuilder();
  OpBuilder whole = branch.getElseBodyBuilder();
  SmallVector<Value> slow, fast;
  for (const Chunk *chunk : chunks) {
    llvm::append_range(slow, loadTornChunk(torn, *chunk));
    llvm::append_range(fast, emitGlobalLoad(whole, loc, i32,
                                            box.getPointer(whole, chunk->byte),
                                            kWords, chunk->isWanted, zero,
                                            box.isInvariant()));
  }
  scf::YieldOp::create(torn, loc, slow);
  scf::YieldOp::create(whole, loc, fast);
  for (auto [i, chunk] : llvm::enumerate(chunks))
    llvm::append_range(chunk->words,
                       branch.getResults().slice(i * kWords, kWords));
}

void Shifter::store(const Transfer &transfer, const Window &window) {
  SmallVector<Value> both = transfer.first.words;
  llvm::append_range(both, transfer.second.words);
  SmallVector<Value> words =
      emitShiftedWords(builder, loc, both, transfer.shift, box.bytes);
  for (auto [word, mask] : llvm::zip(words, window.masks))
    word = LLVM::AndOp::create(builder, loc, word, mask);
  emitSharedStore(builder, loc, transfer.destination, words);
}

void sm::emitShiftedPieces(OpBuilder &builder, Location loc,
                           const FetchBox &box, const ThreadGroup &threads,
                           Value base, int64_t most) {
  int64_t width = kPieceBytes / box.bytes;
  int64_t perRow = box.columns / width;
  int64_t pieces = box.rows * perRow;
  // If a round of the threads covers whole rows, a thread keeps its column. The
  // valid part of the column is then computed once.
  bool keepsColumn = threads.getThreads() % perRow == 0;
  int64_t rowsPerTurn = threads.getThreads() / perRow;
  Window column;
  if (keepsColumn)
    column = Shifter(builder, loc, box)
                 .getWindow(box.getPosition(
                     builder, box.getColumn(builder, threads.thread, width)));
  std::optional<int64_t> distance;
  if (keepsColumn)
    distance = findRowDistance(box.tile, rowsPerTurn);
  emitThreadLoop(
      builder, loc, threads, pieces, getInFlight(pieces, threads, most),
      [&](OpBuilder &inner, ArrayRef<Value> numbers) {
        Shifter shifter(inner, loc, box);
        auto getDestination = [&](const Piece &piece) -> Value {
          Value offset =
              emitSharedOffset(inner, loc, box.tile, piece.row, piece.column);
          return LLVM::AddOp::create(inner, loc, base, offset);
        };
        Piece first = box.getPiece(inner, numbers.front(), width);
        Value firstDestination = getDestination(first);
        SmallVector<Transfer> transfers;
        SmallVector<Window> windows;
        for (auto [i, number] : llvm::enumerate(numbers)) {
          Piece piece = first;
          if (i)
            piece = keepsColumn
                        ? box.getPieceBelow(inner, first, i * rowsPerTurn)
                        : box.getPiece(inner, number, width);
          Value destination = firstDestination;
          if (i)
            destination =
                distance
                    ? LLVM::AddOp::create(inner, loc, firstDestination,
                                          emitI32(inner, loc, i * *distance))
                    : getDestination(piece);
          windows.push_back(keepsColumn ? column
                                        : shifter.getWindow(piece.position));
          transfers.push_back(shifter.plan(piece, windows.back(), destination));
        }
        shifter.load(transfers);
        for (auto [transfer, window] : llvm::zip_equal(transfers, windows))
          shifter.store(transfer, window);
      });
}
