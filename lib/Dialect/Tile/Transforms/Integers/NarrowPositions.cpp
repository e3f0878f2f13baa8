//===- NarrowPositions.cpp - Positions of 32 bits ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-narrow-positions. An `index` has 32 bits in machine code.
// Modular arithmetic makes sums, differences and products right whenever their
// result has 32 bits, even if intermediate numbers overflow. The pass changes
// the operations that depend on the magnitude of a number that may not have 32
// bits: comparisons, minima, quotients, conversions, limits of ranges. It
// computes them in i64 (WideIntegers.h). A wide number that is used as a
// position is clamped to the nearest 32-bit number that is also outside of
// every tensor.
//
// Invariant: after the pass, a 32-bit operation depends on low bits only, or
// PositionBounds proves that its operands and result have 32 bits.
//
//===----------------------------------------------------------------------===//

#include "WideIntegers.h"
#include "tessera/Array/Limits.h"
#include "tessera/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace tessera::tile {
#define GEN_PASS_DEF_NARROWPOSITIONSPASS
#include "tessera/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tessera::tile

using namespace tessera;
using namespace tessera::tile;

namespace {
struct NarrowPositions : tile::impl::NarrowPositionsPassBase<NarrowPositions> {
  using NarrowPositionsPassBase::NarrowPositionsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    WideIntegers wide(kernel);
    wide.widenCarried();
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      narrowLoop(loop, wide);

    SmallVector<Operation *> ops;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (isa<RangeOp, ShiftOp>(op))
        narrowRange(op->getResult(0), wide);
    for (Operation *op : ops)
      if (isa<LoadOp, StoreOp, AtomicOp>(op))
        narrowIndices(op, wide);
      else if ((isa<arith::ArithDialect>(op->getDialect()) && !isModular(op)) ||
               isa<math::AbsIOp, EndOp>(op))
        widenOp(op, wide);
  }

  void report(Operation *op, StringRef what) {
    ++numWide;
    if (remarks)
      op->emitRemark() << what << " may not have 32 bits; it is computed in 64"
                       << " [wide-position]";
  }

  /// Makes a loop end where its next position still has 32 bits.
  void narrowLoop(scf::ForOp loop, WideIntegers &wide) {
    if (!loop.getInductionVar().getType().isIndex())
      return;
    Value high = loop.getUpperBound();
    Interval step = wide.getBounds().get(loop.getStep());
    // The largest end from which a step does not leave 32 bits.
    int64_t largest = kInt32.high - std::max<int64_t>(step.high, 1) + 1;
    bool fits = wide.getBounds().get(high).high <= largest;
    bool isFromMachine = wide.fits(loop.getLowerBound());
    if (isFromMachine && fits && wide.fits(high))
      return;
    if (!isFromMachine || !fits)
      return countFromZero(loop, wide);
    // An end below all 32-bit numbers is equivalent to the least one.
    report(loop, "the end of this loop");
    OpBuilder builder(loop);
    loop.getUpperBoundMutable().set(wide.clamp(
        builder, loop.getLoc(), wide.get(high), {kInt32.low, largest}));
  }

  /// Makes a loop whose positions may be anywhere count its iterations.
  void countFromZero(scf::ForOp loop, WideIntegers &wide) {
    report(loop, "a position of this loop");
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    Value low = loop.getLowerBound(), step = loop.getStep();
    Value length = arith::SubIOp::create(
        builder, loc, wide.get(loop.getUpperBound()), wide.get(low));
    Value trips =
        arith::CeilDivSIOp::create(builder, loc, length, wide.get(step));
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    loop.getLowerBoundMutable().set(zero);
    loop.getUpperBoundMutable().set(
        wide.clamp(builder, loc, trips, {0, kInt32.high}));
    loop.getStepMutable().set(one);
    builder.setInsertionPointToStart(loop.getBody());
    Value distance =
        arith::MulIOp::create(builder, loc, loop.getInductionVar(), step);
    Value position = arith::AddIOp::create(builder, loc, low, distance);
    loop.getInductionVar().replaceAllUsesExcept(position,
                                                distance.getDefiningOp());
    wide.clear();
  }

  /// Replaces the uses of a range whose start or limit may not have 32 bits.
  void narrowRange(Value range, WideIntegers &wide) {
    Interval start = wide.getBounds().getStart(range);
    Interval limit = wide.getBounds().getLimit(range);
    bool isFull = isFullRange(range);
    bool isNarrow =
        kInt32.contains(start) && (isFull || kInt32.contains(limit));
    if (isNarrow && (isFull || wide.fitsEnd(range)))
      return;
    // A full range is bounded by the tensor alone. A position within one word
    // (2^32) below or above is not mistaken for a valid one.
    constexpr int64_t word = int64_t(1) << 32;
    bool reachesTensors = !isFull || start.low <= array::kMaxSize - word ||
                          start.high >= word - kMaxTileElements;
    Operation *op = range.getDefiningOp();
    SmallVector<OpOperand *> uses;
    // Positions that begin in 32 bits and leave them within the range are not
    // valid.
    for (OpOperand &use : range.getUses())
      if (isNarrow ? isa<ValidOp>(use.getOwner())
                   : reachesTensors ||
                         !isa<LoadOp, StoreOp, AtomicOp>(use.getOwner()))
        uses.push_back(&use);
    if (llvm::all_of(
            uses, [](OpOperand *use) { return isa<ShiftOp>(use->getOwner()); }))
      return;
    report(op, "the start or the limit of this range");
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    WideIntegers::Range parts = wide.getRange(range);
    Value access;
    for (OpOperand *use : uses) {
      Operation *user = use->getOwner();
      if (auto valid = dyn_cast<ValidOp>(user)) {
        valid.getRangeMutable().set(makeCountRange(builder, op, parts, wide));
      } else if (auto indices = dyn_cast<IndicesOp>(user)) {
        replaceIndices(indices, parts);
      } else if (!isa<StartOp, LimitOp, EndOp, ShiftOp>(user)) {
        // An access, or a loop or branch that carries the range of an access.
        if (!access)
          access = makeAccessRange(builder, op, parts, wide);
        use->set(access);
      }
    }
  }

  /// Creates a range with the same positions inside of every tensor.
  Value makeAccessRange(OpBuilder &builder, Operation *op,
                        const WideIntegers::Range &parts, WideIntegers &wide) {
    auto type = cast<RangeType>(op->getResult(0).getType());
    Location loc = op->getLoc();
    Value start = wide.clamp(builder, loc, parts.start,
                             {-kMaxTileElements, array::kMaxSize});
    if (isFullRange(op->getResult(0)) && !type.getDimension())
      return makeFullRange(builder, loc, type, start);
    auto named = dyn_cast<RangeOp>(op);
    Value limit =
        named && type.getDimension()
            ? named.getLimit()
            : wide.clamp(builder, loc, parts.limit, {0, array::kMaxSize});
    return RangeOp::create(builder, loc, type, start, limit, /*full=*/false);
  }

  /// Creates the full range from `start`, which may be outside of every tensor.
  /// Only the bounds of a tensor limit an access with it.
  static Value makeFullRange(OpBuilder &builder, Location loc, RangeType type,
                             Value start) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value extent =
        arith::ConstantIndexOp::create(builder, loc, type.getExtent());
    Value range =
        RangeOp::create(builder, loc, type, zero, extent, /*full=*/true);
    return ShiftOp::create(builder, loc, range, start);
  }

  /// Creates a range from 0 with the same number of valid positions.
  Value makeCountRange(OpBuilder &builder, Operation *op,
                       const WideIntegers::Range &parts, WideIntegers &wide) {
    int64_t extent = cast<RangeType>(op->getResult(0).getType()).getExtent();
    Location loc = op->getLoc();
    // The part below the limit, and at least zero.
    Value end = WideIntegers::makeEnd(builder, loc, parts, extent);
    Value least = arith::MaxSIOp::create(builder, loc, end, parts.start);
    Value count = arith::SubIOp::create(builder, loc, least, parts.start);
    Value narrow = wide.clamp(builder, loc, count, {0, extent});
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    return RangeOp::create(builder, loc,
                           RangeType::get(builder.getContext(), extent, {}),
                           zero, narrow, /*full=*/false);
  }

  /// Replaces `indices` by the low 32 bits of the positions.
  void replaceIndices(IndicesOp indices, const WideIntegers::Range &parts) {
    OpBuilder builder(indices);
    Location loc = indices.getLoc();
    auto type = cast<RankedTensorType>(indices.getType());
    Value start = arith::TruncIOp::create(builder, loc, builder.getI32Type(),
                                          parts.start);
    Value starts = tensor::SplatOp::create(builder, loc, type, start);
    Value offsets = IotaOp::create(builder, loc, type);
    indices.replaceAllUsesWith(
        arith::AddIOp::create(builder, loc, starts, offsets).getResult());
  }

  /// Replaces the index operands of an access that may not have 32 bits.
  void narrowIndices(Operation *access, WideIntegers &wide) {
    for (OpOperand &operand : access->getOpOperands()) {
      if (!operand.get().getType().isIndex() || wide.fits(operand.get()))
        continue;
      report(access, "an index of this access");
      OpBuilder builder(access);
      operand.set(wide.clamp(builder, access->getLoc(), wide.get(operand.get()),
                             {-1, array::kMaxSize}));
    }
  }

  /// Computes `op`, which depends on the magnitude of its operands, in i64 if
  /// an operand may not have 32 bits.
  void widenOp(Operation *op, WideIntegers &wide) {
    if (op->getNumResults() != 1 || isa<arith::ConstantOp>(op) ||
        wide.hasNarrowOperands(op))
      return;
    report(op, "an operand");
    OpBuilder builder(op);
    Location loc = op->getLoc();
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      compare.getLhsMutable().set(wide.get(compare.getLhs()));
      compare.getRhsMutable().set(wide.get(compare.getRhs()));
      return;
    }
    if (auto cast = dyn_cast<arith::IndexCastOp>(op)) {
      Value number = wide.get(cast.getIn()), result = cast.getResult();
      if (number == result)
        return;
      if (result.getType().getIntOrFloatBitWidth() < 64)
        number =
            arith::TruncIOp::create(builder, loc, result.getType(), number);
      result.replaceAllUsesWith(number);
      op->erase();
      return;
    }
    replaceResult(op, wide);
  }

  /// Replaces the result of `op` by that of i64 arithmetic. The cast keeps the
  /// low bits; users of all 64 bits look through it.
  void replaceResult(Operation *op, WideIntegers &wide) {
    Value result = op->getResult(0);
    Value number = wide.recompute(result);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfterValue(number);
    result.replaceAllUsesWith(arith::IndexCastOp::create(
        builder, op->getLoc(), builder.getIndexType(), number));
  }
};
} // namespace
