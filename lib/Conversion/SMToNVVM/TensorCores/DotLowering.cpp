//===- DotLowering.cpp - Products by multiply-adds --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes a product without tensor cores, as an outer product in registers.
// Each thread computes the elements that it holds. Per step along K, it loads
// each of its rows and columns once.
//
//===----------------------------------------------------------------------===//

#include "Elementwise/ScalarMath.h"
#include "Kernel/IndexFunctions.h"
#include "Kernel/Machine.h"
#include "SharedMemory/SharedValues.h"

#include <map>

using namespace tessera;
using namespace tessera::sm;
using layout::kLane;
using layout::kRegister;
using layout::kWarp;

/// Steps along K in one iteration. Loads of one step overlap the sums of
/// another.
static constexpr int64_t kUnroll = 4;

namespace {
/// Distinct coordinates of a thread's elements along one dimension.
struct Line {
  Line(OpBuilder &builder, Location loc, const layout::Layout &layout,
       const ThreadGroup &threads, unsigned dim);

  SmallVector<Value> coordinates;
  /// Position of each register among them.
  SmallVector<int64_t> positions;
};
} // namespace

Line::Line(OpBuilder &builder, Location loc, const layout::Layout &layout,
           const ThreadGroup &threads, unsigned dim) {
  std::map<std::vector<int64_t>, int64_t> known;
  std::vector<std::vector<int64_t>> columns;
  for (int64_t reg = 0; reg < layout.getSize(kRegister); ++reg) {
    std::vector<int64_t> column;
    for (int64_t warp = 0; warp < threads.warps; ++warp)
      for (int64_t lane = 0; lane < 32; ++lane)
        column.push_back(layout.evaluate(
            {{kRegister, reg}, {kLane, lane}, {kWarp, warp}})[dim]);
    auto [entry, isNew] = known.insert({column, columns.size()});
    if (isNew)
      columns.push_back(std::move(column));
    positions.push_back(entry->second);
  }
  IndexFunctions numbers(threads.warps, columns.size());
  for (auto [item, column] : llvm::enumerate(columns))
    for (auto [thread, number] : llvm::enumerate(column))
      numbers.at(thread / 32, thread % 32, item) = number;
  coordinates = numbers.emit(builder, loc, threads, /*base=*/Value());
}

/// Emits an element of an operand, in the type of the sum.
static Value emitOperand(OpBuilder &builder, Location loc, SmemType tile,
                         Value base, Value row, Value column, Type sum) {
  Value address = LLVM::AddOp::create(
      builder, loc, base, emitSharedOffset(builder, loc, tile, row, column));
  Type element = tile.getElementType();
  Value value =
      emitSharedLoad(builder, loc, address, getStorageType(element), 1).front();
  if (element == sum)
    return value;
  if (isa<IntegerType>(sum))
    return arith::ExtSIOp::create(builder, loc, sum, value);
  return emitWiden(builder, loc, element, value);
}

namespace {
struct DotLowering : KernelPattern<DotOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(DotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    const layout::Layout &layout = getLayout(op.getType());
    const ThreadGroup &threads = context.getThreads(op);
    Line rows(rewriter, loc, layout, threads, 0);
    Line columns(rewriter, loc, layout, threads, 1);
    int64_t k = op.getA().getType().getShape()[!op.getTransposeA()];
    int64_t step = kUnroll;
    while (k % step != 0)
      step /= 2;
    auto loop = scf::ForOp::create(
        rewriter, loc, emitI32(rewriter, loc, 0), emitI32(rewriter, loc, k),
        emitI32(rewriter, loc, step), adaptor.getAccumulator());
    OpBuilder builder = OpBuilder::atBlockEnd(loop.getBody());
    SmallVector<Value> sums =
        llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    for (int64_t i = 0; i < step; ++i) {
      Value at = loop.getInductionVar();
      if (i)
        at = LLVM::AddOp::create(builder, loc, at, emitI32(builder, loc, i));
      emitStep(builder, op, adaptor, rows, columns, at, sums);
    }
    scf::YieldOp::create(builder, loc, sums);
    replaceByRegisters(rewriter, op, loop.getResults());
    return success();
  }

  /// Adds the products of position `k` to `sums`.
  static void emitStep(OpBuilder &builder, DotOp op, OneToNOpAdaptor adaptor,
                       const Line &rows, const Line &columns, Value k,
                       SmallVectorImpl<Value> &sums) {
    Location loc = op.getLoc();
    Type sum = op.getType().getElementType();
    auto load = [&](SmemType tile, Value base, Value row, Value column,
                    bool transposed) {
      if (transposed)
        std::swap(row, column);
      return emitOperand(builder, loc, tile, base, row, column, sum);
    };
    SmallVector<Value> left, right;
    for (Value row : rows.coordinates)
      left.push_back(load(op.getA().getType(), adaptor.getA().front(), row, k,
                          op.getTransposeA()));
    for (Value column : columns.coordinates)
      right.push_back(load(op.getB().getType(), adaptor.getB().front(), k,
                           column, op.getTransposeB()));
    for (auto [reg, value] : llvm::enumerate(sums)) {
      Value a = left[rows.positions[reg]], b = right[columns.positions[reg]];
      if (isa<IntegerType>(sum))
        value = LLVM::AddOp::create(builder, loc, value,
                                    LLVM::MulOp::create(builder, loc, a, b));
      else
        value = LLVM::FMAOp::create(builder, loc, a, b, value);
    }
  }
};
} // namespace

void sm::populateDotPatterns(const LoweringContext &context,
                             const RegisterTypeConverter &converter,
                             RewritePatternSet &patterns) {
  patterns.add<DotLowering>(converter, context);
}
