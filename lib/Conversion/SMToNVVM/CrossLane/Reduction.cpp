//===- Reduction.cpp - Reductions -------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers sm.reduce in three steps, and omits those that the layout does not
// need. Each thread combines the elements of a result that it holds. The lanes
// that share a result combine by butterfly shuffles, after which each has the
// same bits. The warps that share a result exchange their parts through scratch
// memory, and each combines all parts in the same order. Some layouts do not
// spread the axis over whole bits of the lane; they go through scratch memory
// element by element.
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"
#include "CrossLanePatterns.h"
#include "GlobalMemory/Shuffle.h"
#include "GlobalMemory/VectorAccess.h"
#include "ScratchAccess.h"

#include "tessera/Dialect/SM/IR/Exchange.h"
#include "tessera/Layout/FreeDigits.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

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
    std::optional<ReducePlan> plan = ReducePlan::get(op);
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

  /// Emits one access: the parts from `p` on of the results from `r` on.
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

  /// Reduces in scratch memory. All holders of a result read all of its
  /// elements in the same order.
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
    ScratchTile tile = getScratchTile(op);
    ScratchAccess writes(rewriter, loc, tile, *base, from, threads);
    // A result is stored at the place of its first element.
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
