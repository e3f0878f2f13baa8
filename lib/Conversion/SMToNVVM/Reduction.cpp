//===- Reduction.cpp - Reductions -------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// sm.reduce in three steps: each thread combines what it holds of a result; the
// lanes that share one combine by butterfly shuffles, after which each has the
// same bits; the warps that share one exchange their parts through scratch
// memory, and each combines all parts in the same order. A step that the layout
// does not ask for is left out. Layouts that spread the axis in another way
// than over whole bits of the lane go through scratch memory element by
// element.
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"
#include "Exchange.h"
#include "MemoryWords.h"
#include "RegisterMatching.h"
#include "ScratchTile.h"
#include "Shuffle.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Digit;
using layout::Layout;
using layout::Point;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

namespace {
struct ReducePlan {
  /// By register of the source that counts: the register of the result.
  SmallVector<std::pair<int64_t, int64_t>> targets;
  /// The bits of the lane over which to combine.
  SmallVector<int64_t> laneBits;
  /// Place and count of the digits of the warp over which to combine.
  SmallVector<std::pair<int64_t, int64_t>> warpDigits;
  /// How many warps share a result.
  int64_t parts = 1;
};
} // namespace

/// Nothing if the general way must be taken.
static std::optional<ReducePlan> getPlan(ReduceOp op) {
  const Layout &source = getLayout(op.getSource().getType());
  const Layout &result = getLayout(op.getType());
  unsigned axis = op.getAxis();
  std::optional<int64_t> keep = op.getKeep();
  std::optional<SmallVector<int64_t>> matches =
      matchRegisters(result, source, [&](Point element) {
        if (keep)
          element[axis] %= *keep;
        else
          element.erase(element.begin() + axis);
        return element;
      });
  if (!matches)
    return std::nullopt;

  ReducePlan plan;
  for (int64_t r : getHoldingRegisters(source))
    plan.targets.push_back({r, (*matches)[r]});
  SmallVector<const Digit *> free = getFreeDigits(source);
  for (const Digit &digit : source.getDigits()) {
    StringRef name = source.getAxes()[digit.axis].name;
    if (name == layout::kRegister || digit.kind == Digit::Kind::Broadcast)
      continue;
    // Copies that are not plain repetitions.
    if (llvm::is_contained(free, &digit))
      return std::nullopt;
    int64_t along = digit.stride[axis];
    if (along == 0 || (keep && along < *keep))
      continue;
    bool isOnlyAlong = llvm::count_if(digit.stride, [](int64_t stride) {
                         return stride != 0;
                       }) == 1;
    if (!isOnlyAlong)
      return std::nullopt;
    if (name == layout::kWarp) {
      plan.warpDigits.push_back({digit.place, digit.count});
      plan.parts *= digit.count;
    } else if (name == layout::kLane && digit.count == 2 &&
               llvm::isPowerOf2_64(digit.place)) {
      plan.laneBits.push_back(digit.place);
    } else {
      return std::nullopt;
    }
  }
  return plan;
}

namespace {
/// What the warps have of each result, in shared memory. One access reads
/// several: neighbours of a row, if a thread has such, else parts of a result.
/// Side by side, the parts of a row's elements would be apart by as many words
/// as there are parts, and the lanes of a warp would meet in few banks.
struct PartsTile {
  ScratchTile tile;
  /// Of the results.
  SmallVector<int64_t> strides;
  int64_t partStride;
  /// Results that one access moves, and parts of a result that it reads.
  int64_t rowWidth, partWidth;

  static PartsTile get(ReduceOp op, const ReducePlan &plan);
};
} // namespace

PartsTile PartsTile::get(ReduceOp op, const ReducePlan &plan) {
  Type work =
      Combiner(op.getKind(), op.getType().getElementType()).getWorkType();
  int64_t bytes = getElementBytes(work);
  const Layout &results = getLayout(op.getType());
  SmallVector<int64_t> shape = llvm::to_vector(op.getType().getShape());
  int64_t rowWidth = ScratchTile(shape, bytes).getVectorWidth(results);
  int64_t partWidth =
      llvm::isPowerOf2_64(plan.parts) ? std::min(plan.parts, 16 / bytes) : 1;
  if (rowWidth > 1 && rowWidth >= partWidth) {
    shape.insert(shape.begin(), plan.parts);
    ScratchTile tile(shape, bytes);
    ArrayRef<int64_t> strides = tile.getStrides();
    return {tile, llvm::to_vector(strides.drop_front()), strides.front(),
            rowWidth, 1};
  }
  shape.push_back(plan.parts);
  ScratchTile tile(shape, bytes);
  ArrayRef<int64_t> strides = tile.getStrides();
  return {tile, llvm::to_vector(strides.drop_back()), strides.back(), 1,
          partWidth};
}

static ScratchTile getSourceTile(ReduceOp op) {
  RankedTensorType source = op.getSource().getType();
  return ScratchTile(source.getShape(),
                     getElementBytes(source.getElementType()));
}

int64_t sm::getReduceScratch(ReduceOp op) {
  std::optional<ReducePlan> plan = getPlan(op);
  if (!plan)
    return getSourceTile(op).getBytes();
  return plan->parts == 1 ? 0 : PartsTile::get(op, *plan).tile.getBytes();
}

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

namespace {
class Reduce : public KernelPattern<ReduceOp> {
public:
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Combiner combiner(op.getKind(), op.getType().getElementType());
    SmallVector<Value> registers = unpackRegisters(
        rewriter, loc, op.getSource().getType(), adaptor.getSource());
    std::optional<ReducePlan> plan = getPlan(op);
    FailureOr<SmallVector<Value>> results =
        plan ? reduceInSteps(op, *plan, combiner, registers, rewriter)
             : reduceInMemory(op, combiner, registers, rewriter);
    if (failed(results))
      return failure();
    for (Value &result : *results)
      result = combiner.narrow(rewriter, loc, result);
    replaceByRegisters(rewriter, op, *results);
    return success();
  }

private:
  FailureOr<SmallVector<Value>>
  reduceInSteps(ReduceOp op, const ReducePlan &plan, const Combiner &combiner,
                ArrayRef<Value> registers,
                ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    SmallVector<SmallVector<Value>> elements(getNumRegisters(op.getType()));
    for (auto [source, target] : plan.targets)
      elements[target].push_back(
          combiner.widen(rewriter, loc, registers[source]));
    SmallVector<Value> results;
    for (SmallVector<Value> &line : elements)
      results.push_back(combiner.combineAll(rewriter, loc, std::move(line)));
    for (int64_t bit : plan.laneBits)
      for (Value &result : results)
        result =
            combiner.combine(rewriter, loc, result,
                             emitShuffle(rewriter, loc, NVVM::ShflKind::bfly,
                                         result, emitI32(rewriter, loc, bit)));
    if (plan.parts == 1)
      return results;
    return combineWarps(op, plan, combiner, std::move(results), rewriter);
  }

  FailureOr<SmallVector<Value>>
  combineWarps(ReduceOp op, const ReducePlan &plan, const Combiner &combiner,
               SmallVector<Value> results,
               ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    const ThreadGroup &threads = context.getThreads(op);
    FailureOr<Value> base = emitScratchBase(rewriter, context, op);
    if (failed(base))
      return failure();
    PartsTile parts = PartsTile::get(op, plan);
    const ScratchTile &tile = parts.tile;
    ScratchAccess access(rewriter, loc, tile, *base, getLayout(op.getType()),
                         threads, parts.strides);
    Value part;
    int64_t weight = parts.partStride;
    for (auto [place, count] : plan.warpDigits) {
      Value digit =
          emitDigit(rewriter, loc, threads.warp, threads.warps, place, count);
      part = emitSum(rewriter, loc, part,
                     LLVM::MulOp::create(rewriter, loc, digit,
                                         emitI32(rewriter, loc, weight)));
      weight *= count;
    }
    Type work = combiner.getWorkType();
    Value nothing = LLVM::PoisonOp::create(rewriter, loc, work);
    SmallVector<SmallVector<Value>> lines(
        results.size(), SmallVector<Value>(plan.parts, nothing));
    int64_t count = results.size(), row = parts.rowWidth;
    for (int64_t round = 0; round < tile.getRounds(); ++round) {
      emitRoleBarrier(rewriter, context, op);
      for (int64_t r = 0; r < count; r += row)
        access.store(rewriter, loc, round, r,
                     ArrayRef<Value>(results).slice(r, row), part);
      emitRoleBarrier(rewriter, context, op);
      for (int64_t r = 0; r < count; r += row)
        for (int64_t p = 0; p < plan.parts; p += parts.partWidth)
          loadParts(rewriter, loc, access, parts, round, r, p, lines);
    }
    for (auto [result, line] : llvm::zip_equal(results, lines))
      result = combiner.combineAll(rewriter, loc, line);
    return results;
  }

  /// One access: of the results from `r` on the parts from `p` on.
  static void loadParts(OpBuilder &builder, Location loc,
                        const ScratchAccess &access, const PartsTile &parts,
                        int64_t round, int64_t r, int64_t p,
                        MutableArrayRef<SmallVector<Value>> lines) {
    SmallVector<Value *> places;
    for (int64_t i = 0; i < parts.rowWidth; ++i)
      for (int64_t j = 0; j < parts.partWidth; ++j)
        places.push_back(&lines[r + i][p + j]);
    SmallVector<Value> before;
    for (Value *place : places)
      before.push_back(*place);
    Type work = before.front().getType();
    for (auto [place, loaded] :
         llvm::zip_equal(places, access.load(builder, loc, round, r, work,
                                             before, p * parts.partStride)))
      *place = loaded;
  }

  /// All holders of a result read all of its elements, in the same order.
  FailureOr<SmallVector<Value>>
  reduceInMemory(ReduceOp op, const Combiner &combiner,
                 ArrayRef<Value> registers,
                 ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    RankedTensorType source = op.getSource().getType();
    const Layout &from = getLayout(source);
    const ThreadGroup &threads = context.getThreads(op);
    FailureOr<Value> base = emitScratchBase(rewriter, context, op);
    if (failed(base))
      return failure();
    unsigned axis = op.getAxis();
    ScratchTile tile = getSourceTile(op);
    ScratchAccess writes(rewriter, loc, tile, *base, from, threads);
    // A result lies where the first of its elements does.
    SmallVector<int64_t> strides = llvm::to_vector(tile.getStrides());
    int64_t keep = op.getKeep().value_or(1);
    int64_t step = strides[axis] * keep;
    if (!op.getKeep())
      strides.erase(strides.begin() + axis);
    ScratchAccess reads(rewriter, loc, tile, *base, getLayout(op.getType()),
                        threads, strides);
    int64_t extent = source.getDimSize(axis) / keep;
    Type element = source.getElementType();
    Value identity = combiner.emitIdentity(rewriter, loc);
    SmallVector<Value> results(getNumRegisters(op.getType()), identity);
    for (int64_t round = 0; round < tile.getRounds(); ++round) {
      emitRoleBarrier(rewriter, context, op);
      for (int64_t r : getHoldingRegisters(from))
        writes.store(rewriter, loc, round, r, registers[r]);
      emitRoleBarrier(rewriter, context, op);
      auto i32 = [&](int64_t value) {
        return arith::ConstantIntOp::create(rewriter, loc,
                                            rewriter.getI32Type(), value);
      };
      auto loop = scf::ForOp::create(
          rewriter, loc, i32(0), i32(extent * step), i32(step), results,
          [&](OpBuilder &builder, Location loc, Value shift, ValueRange sums) {
            Value nothing = combiner.narrow(
                builder, loc, combiner.emitIdentity(builder, loc));
            SmallVector<Value> next;
            for (auto [r, sum] : llvm::enumerate(sums)) {
              Value loaded = reads
                                 .load(builder, loc, round, r, element, nothing,
                                       /*constantShift=*/0, shift)
                                 .front();
              next.push_back(combiner.combine(
                  builder, loc, sum, combiner.widen(builder, loc, loaded)));
            }
            scf::YieldOp::create(builder, loc, next);
          });
      results = llvm::to_vector_of<Value>(loop.getResults());
    }
    return results;
  }
};
} // namespace

void sm::populateReducePatterns(const LoweringContext &context,
                                const RegisterTypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<Reduce>(converter, context);
}
