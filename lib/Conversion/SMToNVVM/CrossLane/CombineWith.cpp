//===- CombineWith.cpp - Reductions and scans by a region -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers sm.reduce_with and sm.scan_with by the digits of the position on the
// axis (DigitSteps.h). The results of a reduction are in the registers of the
// first positions.
//
//===----------------------------------------------------------------------===//

#include "CrossLanePatterns.h"
#include "DigitSteps.h"
#include "ScratchAccess.h"

#include "tessera/Dialect/Tile/IR/Combiner.h"
#include "tessera/Layout/RegisterMatching.h"

using namespace tessera;
using namespace tessera::sm;

/// The groups of an op, one for each register, and what combines them.
template <typename OpTy>
static FailureOr<Value> getBase(OpTy op, ArrayRef<AxisDigit> digits,
                                ConversionPatternRewriter &rewriter,
                                const LoweringContext &context) {
  if (!isAmongWarps(digits))
    return Value();
  return emitScratchBase(rewriter, context, op);
}

static SmallVector<Group> unpackGroups(OpBuilder &builder, Operation *op,
                                       ArrayRef<ValueRange> sources) {
  SmallVector<Group> groups;
  for (auto [operand, source] : llvm::zip_equal(op->getOperands(), sources)) {
    SmallVector<Value> registers =
        unpackRegisters(builder, op->getLoc(),
                        cast<RankedTensorType>(operand.getType()), source);
    groups.resize(registers.size());
    for (auto [group, value] : llvm::zip_equal(groups, registers))
      group.push_back(value);
  }
  return groups;
}

/// Replaces `op` by the registers of its results.
static void replaceByGroups(ConversionPatternRewriter &rewriter, Operation *op,
                            ArrayRef<Group> groups) {
  SmallVector<SmallVector<Value>> results;
  for (OpResult result : op->getResults()) {
    SmallVector<Value> registers =
        llvm::map_to_vector(groups, [&](const Group &group) {
          return group[result.getResultNumber()];
        });
    results.push_back(packRegisters(rewriter, op->getLoc(),
                                    cast<RankedTensorType>(result.getType()),
                                    registers));
  }
  rewriter.replaceOpWithMultiple(op, std::move(results));
}

namespace {
class ReduceWith : public KernelPattern<ReduceWithOp> {
public:
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ReduceWithOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    const layout::Layout &source = getLayout(op.getSources().front().getType());
    const layout::Layout &result = getLayout(op.getResult(0).getType());
    unsigned axis = op.getAxis();
    SmallVector<AxisDigit> digits = *getAxisDigits(source, axis);
    std::optional<SmallVector<int64_t>> matches =
        layout::matchRegisters(result, source, [&](layout::Point element) {
          element.erase(element.begin() + axis);
          return element;
        });
    if (!matches)
      return rewriter.notifyMatchFailure(op, "registers of results differ");
    FailureOr<Value> base = getBase(op, digits, rewriter, context);
    if (failed(base))
      return failure();
    GroupCombiner combiner(op.getCombiner(),
                           tile::getElementTypes(op.getSources()));
    SmallVector<Group> groups =
        unpackGroups(rewriter, op, adaptor.getSources());
    emitReduceSteps(rewriter, context, op, digits, combiner, *base, groups);
    if (combiner.hasFailed())
      return failure();
    SmallVector<Group> results(result.getSize(layout::kRegister));
    for (auto [reg, target] : llvm::enumerate(*matches))
      if (isFirstRegister(digits, reg) && results[target].empty())
        results[target] = groups[reg];
    replaceByGroups(rewriter, op, results);
    return success();
  }
};

class ScanWith : public KernelPattern<ScanWithOp> {
public:
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ScanWithOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<AxisDigit> digits = *getAxisDigits(
        getLayout(op.getSources().front().getType()), op.getAxis());
    FailureOr<Value> base = getBase(op, digits, rewriter, context);
    if (failed(base))
      return failure();
    GroupCombiner combiner(op.getCombiner(),
                           tile::getElementTypes(op.getSources()));
    SmallVector<Group> groups =
        unpackGroups(rewriter, op, adaptor.getSources());
    emitScanSteps(rewriter, context, op, op.getReverse(), digits, combiner,
                  *base, groups);
    if (combiner.hasFailed())
      return failure();
    replaceByGroups(rewriter, op, groups);
    return success();
  }
};
} // namespace

void sm::populateCombineWithPatterns(const LoweringContext &context,
                                     const RegisterTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<ReduceWith, ScanWith>(converter, context);
}
