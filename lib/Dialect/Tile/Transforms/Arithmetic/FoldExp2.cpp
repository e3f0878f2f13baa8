//===- FoldExp2.cpp - exp and log in base 2 ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-fold-exp2: hardware computes 2^x, so exp(x) costs a product by
// log2(e) and log(x) a product by ln(2). This file rewrites the functions. Then
// ScaledValues moves log2(e) to where it costs least, and DelayedProducts fuses
// the remaining products with the subtraction of the maximum.
//
//===----------------------------------------------------------------------===//

#include "DelayedProducts.h"
#include "ScaledValues.h"
#include "tessera/Dialect/Tile/IR/Combiner.h"
#include "tessera/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tessera::tile {
#define GEN_PASS_DEF_FOLDEXP2PASS
#include "tessera/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tessera::tile

using namespace tessera;
using namespace tessera::tile;

constexpr double kLog2E = 1.4426950408889634;
constexpr double kLn2 = 0.69314718055994531;

/// Returns `type` with f32 elements.
static Type getF32Of(Type type) {
  Type f32 = Float32Type::get(type.getContext());
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return tile.clone(f32);
  return f32;
}

/// Checks whether the pass handles `type`: a scalar or a tile of floats. Other
/// types do not reach a kernel, but the verifier of math accepts them.
static bool isTileOrScalar(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (tile && !tile.hasStaticShape())
    return false;
  Type element = tile ? tile.getElementType() : type;
  return isa<FloatType>(element) && isElementType(element);
}

/// Makes an exp or log of a narrow type compute in f32. Rounding x * log2(e) to
/// 16 bits would cost up to three digits of the result.
template <typename OpTy>
static OpTy computeInF32(OpTy op) {
  Type type = op.getType();
  if (getElementType(op.getResult()).isF32())
    return op;
  OpBuilder builder(op);
  Value wide = arith::ExtFOp::create(builder, op.getLoc(), getF32Of(type),
                                     op.getOperand());
  auto result = OpTy::create(builder, op.getLoc(), wide);
  Value narrow =
      arith::TruncFOp::create(builder, op.getLoc(), type, result.getResult());
  op.getResult().replaceAllUsesWith(narrow);
  op.erase();
  return result;
}

/// Rewrites a * k + b * k to (a + b) * k for products by ln(2), which logs and
/// recovered values leave.
static void factorSum(Operation *sum, UniformBuilder &uniforms) {
  auto match = [](Value value) -> Value {
    auto product = value.getDefiningOp<arith::MulFOp>();
    if (!product || !product->hasOneUse())
      return {};
    std::optional<double> constant = getConstantFloat(product.getRhs());
    if (!constant || static_cast<float>(*constant) != static_cast<float>(kLn2))
      return {};
    return product.getLhs();
  };
  Value lhs = match(sum->getOperand(0)), rhs = match(sum->getOperand(1));
  if (!lhs || !rhs || lhs == sum->getOperand(1))
    return;
  OpBuilder builder(sum);
  Operation *inner = builder.clone(*sum);
  inner->setOperands({lhs, rhs});
  Value product = arith::MulFOp::create(
      builder, sum->getLoc(), inner->getResult(0),
      uniforms.constant(sum->getResult(0).getType(), kLn2));
  sum->getResult(0).replaceAllUsesWith(product);
}

namespace {
struct FoldExp2 : tile::impl::FoldExp2PassBase<FoldExp2> {
  using FoldExp2PassBase::FoldExp2PassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel->hasAttr(kNoFoldExp2AttrName)) {
      if (remarks)
        kernel->emitRemark() << "keeps exp and log as written, as "
                                "'numerics (fold_exp2 = false)' asks"
                             << " [exponentials-kept]";
      return;
    }
    exponentials.clear();
    // Each phase creates its own constants. Unused constants are erased between
    // phases.
    {
      UniformBuilder uniforms(kernel);
      rewriteLogs(kernel, uniforms);
      rewriteExps(kernel, uniforms);
    }
    removeDead(kernel);
    factorSums(kernel);
    removeDead(kernel);
    delayProducts(kernel);
    removeDead(kernel);
    if (remarks)
      kernel.walk([&](math::Exp2Op exponential) {
        if (exponentials.contains(exponential))
          describe(exponential);
      });
  }

  void rewriteLogs(KernelOp kernel, UniformBuilder &uniforms) {
    SmallVector<math::LogOp> logs;
    kernel.walk([&](math::LogOp log) {
      if (isTileOrScalar(log.getType()) && !isInCombiner(log))
        logs.push_back(log);
    });
    for (math::LogOp log : logs) {
      log = computeInF32(log);
      OpBuilder builder(log);
      Value log2 =
          math::Log2Op::create(builder, log.getLoc(), log.getOperand());
      Value result = arith::MulFOp::create(
          builder, log.getLoc(), log2, uniforms.constant(log.getType(), kLn2));
      log.getResult().replaceAllUsesWith(result);
      log.erase();
      ++numLog;
    }
  }

  void rewriteExps(KernelOp kernel, UniformBuilder &uniforms) {
    SmallVector<math::ExpOp> exps;
    kernel.walk([&](math::ExpOp exp) {
      if (isTileOrScalar(exp.getType()) && !isInCombiner(exp))
        exps.push_back(exp);
    });
    SmallVector<Value> arguments;
    for (math::ExpOp &exp : exps) {
      exp = computeInF32(exp);
      arguments.push_back(exp.getOperand());
    }
    ScaledValues values(uniforms, kLog2E, arguments);
    for (math::ExpOp exp : exps) {
      Value argument = values.get(exp.getOperand());
      OpBuilder builder(exp);
      auto exp2 = math::Exp2Op::create(builder, exp.getLoc(), argument);
      exp.getResult().replaceAllUsesWith(exp2);
      exp.erase();
      exponentials.insert(exp2);
      ++numExp;
    }
    values.rewriteComparisons();
    numCarried += values.getNumCarried();
    numProducts += values.getNumProducts();
    if (remarks)
      for (const ScaledValues::Sink &sink : values.getSinks())
        sink.op->emitRemark()
            << "log2(e) is folded into " << sink.what << " [scale-folded]";
  }

  void factorSums(KernelOp kernel) {
    UniformBuilder uniforms(kernel);
    SmallVector<Operation *> sums;
    kernel.walk([&](Operation *op) {
      if (isa<arith::AddFOp, arith::SubFOp>(op) && !isInCombiner(op))
        sums.push_back(op);
    });
    for (Operation *sum : sums)
      factorSum(sum, uniforms);
  }

  void delayProducts(KernelOp kernel) {
    UniformBuilder uniforms(kernel);
    SmallVector<arith::MulFOp> products;
    kernel.walk([&](arith::MulFOp product) {
      if (!isInCombiner(product))
        products.push_back(product);
    });
    DelayedProducts delayed(uniforms, assumePositiveScale);
    for (arith::MulFOp product : products) {
      std::string reason;
      if (failed(delayed.delay(product, reason)) && remarks && !reason.empty())
        product.emitRemark()
            << "this product is not fused with a later sum: " << reason
            << " [product-not-fused]";
    }
    numFused += delayed.getNumFused();
  }

  static void removeDead(KernelOp kernel) {
    IRRewriter rewriter(kernel.getContext());
    (void)runRegionDCE(rewriter, kernel->getRegions());
  }

  /// The exp2 operations that this run created. Only these get a remark.
  DenseSet<Operation *> exponentials;

  static void describe(math::Exp2Op exponential) {
    Operation *argument = exponential.getOperand().getDefiningOp();
    InFlightDiagnostic remark = exponential.emitRemark();
    if (isa_and_present<math::FmaOp>(argument))
      remark << "exp became exp2 of one multiply-add";
    else if (isa_and_present<arith::MulFOp>(argument))
      remark << "exp became exp2 with a product of its own";
    else
      remark << "exp became exp2 without a product";
    remark << " [exponential-folded]";
  }
};
} // namespace
