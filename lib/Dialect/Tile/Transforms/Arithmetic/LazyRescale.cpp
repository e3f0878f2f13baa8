//===- LazyRescale.cpp - Running maxima that stay ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-lazy-rescale:
//
//   n = max(m, max of s)                n = max(m, max of s)
//   p = exp2(s - n)                     r = n - m > 8 ? n : m
//   acc = acc * exp2(m - n) + p v  ->   p = exp2(s - r)
//   yield n, acc                        acc = acc * exp2(m - r) + p v
//                                       yield r, acc
//
// The factor is 1 in nearly all rows and iterations, and a warp skips a product
// by factors that are all 1. MaximumDegrees proves that results do not depend
// on the reference r.
//
//===----------------------------------------------------------------------===//

#include "MaximumDegrees.h"
#include "UniformScalars.h"

#include "tessera/Dialect/Tile/IR/Combiner.h"
#include "tessera/Dialect/Tile/IR/LazyRescale.h"
#include "tessera/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>

namespace tessera::tile {
#define GEN_PASS_DEF_LAZYRESCALEPASS
#include "tessera/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tessera::tile

using namespace tessera;
using namespace tessera::tile;

/// Returns the largest growth of a row, in octaves, for which the reference
/// stays. It depends on the type to which weights are rounded. f32 and bf16
/// have exponents for more.
static unsigned getMostOctaves(Type element) {
  return isa<Float8E4M3FNType>(element) ? 6 : 8;
}

/// Larger growth could overflow the sums of a row.
constexpr unsigned kMostOctaves = 16;

//===----------------------------------------------------------------------===//
// Weights in narrow types
//===----------------------------------------------------------------------===//

static Value getOtherFactor(Operation *product) {
  if (getUniform(product->getOperand(1)))
    return product->getOperand(0);
  return getUniform(product->getOperand(0)) ? product->getOperand(1) : Value();
}

/// Checks whether the running maximum is that of the rows of `scores`, possibly
/// multiplied by `scale` before or after the reduction.
static bool isMaximumOf(Value maximum, Value scores) {
  if (auto product = maximum.getDefiningOp<arith::MulFOp>())
    if (Value factor = getOtherFactor(product))
      return isMaximumOf(factor, scores);
  if (auto branch = maximum.getDefiningOp<scf::IfOp>()) {
    unsigned number = cast<OpResult>(maximum).getResultNumber();
    return isMaximumOf(branch.thenYield().getOperand(number), scores) &&
           isMaximumOf(branch.elseYield().getOperand(number), scores);
  }
  auto reduce = maximum.getDefiningOp<ReduceOp>();
  return reduce && reduce.getKind() != ReduceKind::Sum &&
         reduce.getSource() == scores;
}

/// Checks whether `value` is zero, or exp2(s - m') with m' the maximum of the
/// scores s. Such a value is at most 1. It is at most 2^tau if m' exceeds the
/// reference by tau.
static bool isWeight(Value value, RunningMaximum running,
                     const MaximumDegrees &degrees) {
  if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    auto isZero = [](Value side) {
      return matchPattern(side, m_AnyZeroFloat());
    };
    if (isZero(select.getFalseValue()))
      return isWeight(select.getTrueValue(), running, degrees);
    return isZero(select.getTrueValue()) &&
           isWeight(select.getFalseValue(), running, degrees);
  }
  auto power = value.getDefiningOp<math::Exp2Op>();
  if (!power)
    return false;
  Value maximum = running.getScores();
  Operation *exponent = power.getOperand().getDefiningOp();
  if (auto product = dyn_cast_or_null<arith::MulFOp>(exponent))
    if (Value factor = getOtherFactor(product))
      exponent = factor.getDefiningOp();
  Degree degree = degrees.get(power.getOperand());
  if (!exponent || degree.before != 0)
    return false;
  if (auto fma = dyn_cast<math::FmaOp>(exponent)) {
    Value factor = getUniform(fma.getA()) ? fma.getB() : fma.getA();
    return isMaximumOf(maximum, factor);
  }
  return isa<arith::SubFOp>(exponent) &&
         isMaximumOf(maximum, exponent->getOperand(0));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Finds the products of an accumulator and exp2(m - m'), and makes the factor
/// their right operand.
static SmallVector<arith::MulFOp>
findRescalings(scf::ForOp loop, const MaximumDegrees &degrees) {
  auto isFactor = [&](Value value) {
    Degree degree = degrees.get(value);
    return degree.kind == Degree::Power && degree.before != 0 &&
           degree.after == -degree.before && value.getDefiningOp<BroadcastOp>();
  };
  SmallVector<arith::MulFOp> rescalings;
  for (auto product : loop.getBody()->getOps<arith::MulFOp>()) {
    bool isAccumulator = llvm::any_of(product->getUses(), [](OpOperand &use) {
      auto gemm = dyn_cast<GemmOp>(use.getOwner());
      return gemm && gemm.getAccumulator() == use.get();
    });
    if (!isAccumulator || !getElementType(product).isF32())
      continue;
    if (isFactor(product.getLhs()) && !isFactor(product.getRhs())) {
      Value factor = product.getLhs();
      product->setOperands({product.getRhs(), factor});
    }
    if (isFactor(product.getRhs()))
      rescalings.push_back(product);
  }
  return rescalings;
}

namespace {
struct LazyRescale : tile::impl::LazyRescalePassBase<LazyRescale> {
  using LazyRescalePassBase::LazyRescalePassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (octaves > kMostOctaves) {
      emitError(kernel.getLoc())
          << "expected the option 'octaves' of tile-lazy-rescale to be at most "
          << kMostOctaves << ", got " << unsigned(octaves);
      return signalPassFailure();
    }
    kernel.walk([&](scf::ForOp loop) {
      // Without products, only vectors would be multiplied.
      if (loop.getBody()->getOps<GemmOp>().empty())
        return;
      for (unsigned index = 0, end = loop.getNumResults(); index != end;
           ++index)
        if (std::optional<RunningMaximum> running =
                findRunningMaximum(loop, index))
          visit(*running);
    });
  }

  void visit(RunningMaximum running) {
    MaximumDegrees degrees(running);
    Operation *place = running.loop;
    std::string why;
    if (getOperation()->hasAttr(kNoLazyRescaleAttrName)) {
      why = "'numerics (lazy_rescale = false)' asks for it";
    } else if (failed(degrees.run())) {
      place = degrees.getPlace();
      why = degrees.getReason();
    } else if (Operation *rounding = findUnboundedRounding(running, degrees)) {
      place = rounding;
      why = "a value that is not known to be at most 1 is rounded to a type "
            "with few exponents";
    } else if (SmallVector<arith::MulFOp> rescalings =
                   findRescalings(running.loop, degrees);
               rescalings.empty()) {
      why = "it multiplies no accumulator of a product";
    } else {
      return rewrite(running, degrees, rescalings);
    }
    if (!remarks)
      return;
    InFlightDiagnostic remark = running.maximum.emitRemark();
    remark << "the running maximum changes in each iteration: " << why
           << " [rescaled-always]";
    if (place != running.loop)
      remark.attachNote(place->getLoc()) << "see here";
  }

  /// Finds a rounding to f16 or f8 of a value that may exceed the type's range
  /// if the reference is below the maximum.
  Operation *findUnboundedRounding(RunningMaximum running,
                                   const MaximumDegrees &degrees) {
    Operation *found = nullptr;
    getOperation().walk([&](arith::TruncFOp rounding) {
      if (isInCombiner(rounding) || degrees.get(rounding.getIn()).isFree() ||
          getElementType(rounding).isBF16() ||
          isWeight(rounding.getIn(), running, degrees))
        return WalkResult::advance();
      found = rounding;
      return WalkResult::interrupt();
    });
    return found;
  }

  /// Returns the growth of the maximum, in its own unit, up to which the
  /// reference stays.
  double getThreshold(RunningMaximum running, const MaximumDegrees &degrees,
                      unsigned &allowed) {
    double perOctave = 0;
    allowed = octaves;
    getOperation().walk([&](Operation *op) {
      if (isInCombiner(op))
        return;
      if (isa<math::Exp2Op>(op)) {
        Degree degree = degrees.get(op->getOperand(0));
        perOctave = std::max(
            {perOctave, std::abs(degree.before), std::abs(degree.after)});
      } else if (isa<arith::TruncFOp>(op) &&
                 !degrees.get(op->getOperand(0)).isFree()) {
        allowed =
            std::min(allowed, getMostOctaves(getElementType(op->getResult(0))));
      }
    });
    return allowed / perOctave;
  }

  void rewrite(RunningMaximum running, const MaximumDegrees &degrees,
               ArrayRef<arith::MulFOp> rescalings) {
    unsigned allowed;
    double threshold = getThreshold(running, degrees, allowed);
    arith::MaximumFOp maximum = running.maximum;
    Location loc = maximum.getLoc();
    auto type = cast<RankedTensorType>(maximum.getType());
    OpBuilder builder(maximum->getContext());
    builder.setInsertionPointAfter(maximum);
    Value before = running.getBefore();
    Value growth = arith::SubFOp::create(builder, loc, maximum, before);
    Value limit = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, builder.getF32FloatAttr(threshold)));
    // Unordered comparison: NaN replaces the reference, as it replaces a
    // maximum.
    Value isFar = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UGT,
                                        growth, limit);
    Value reference =
        arith::SelectOp::create(builder, loc, isFar, maximum, before);
    maximum->replaceUsesWithIf(ValueRange(reference), [&](OpOperand &use) {
      return use.getOwner() != growth.getDefiningOp() &&
             use.getOwner() != reference.getDefiningOp();
    });
    for (arith::MulFOp product : rescalings)
      product->setAttr(kRareFactorAttrName, builder.getUnitAttr());
    ++numRescaled;
    if (remarks)
      maximum.emitRemark()
          << "the running maximum stays until it grows by more than " << allowed
          << " octaves"
          << " [rescaled-lazily]";
  }
};
} // namespace
