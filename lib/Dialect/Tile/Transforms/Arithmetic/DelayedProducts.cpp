//===- DelayedProducts.cpp - Products fused with a later sum ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements DelayedProducts.h as analysis and rewriting. `check` follows the
// uses of the product through masks, without changes to the IR. `rewriteUses`
// then follows the same uses and replaces each sum, maximum and mask.
//
// Invariant: either all uses of a product are rewritten, or none.
//
//===----------------------------------------------------------------------===//

#include "DelayedProducts.h"
#include "Magnitude.h"
#include "tessera/Dialect/Tile/IR/Exponentials.h"

#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace tessera;
using namespace tessera::tile;

/// The facts about one delayed product, and the scalars that were created for
/// it.
struct DelayedProducts::Delayed {
  Uniform factor;
  Sign sign = Sign::Unknown;
  bool hasFill = false;       // a mask replaces elements by an infinity
  bool hasGain = false;       // a sum before an exp2 takes the product
  Operation *place = nullptr; // insertion point of scalars and splats
  Value isPositive;           // created on demand if the sign is not known
};

static bool isBinarySum(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp>(op);
}

/// Returns the tile and the scalar of a product.
static std::pair<Value, std::optional<Uniform>> matchProduct(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || !isa<RankedTensorType>(value.getType()) ||
      !getElementType(value).isF32())
    return {};
  for (unsigned index : {1, 0})
    if (std::optional<Uniform> factor = getUniform(product->getOperand(index)))
      return {product->getOperand(1 - index), factor};
  return {};
}

/// Checks that every use of `value` can absorb the product.
LogicalResult DelayedProducts::check(Value value, Delayed &delayed,
                                     std::string &reason) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isBinarySum(user)) {
      if (user->getOperand(0) == user->getOperand(1)) {
        reason = "it is added to itself";
        return failure();
      }
      delayed.hasGain |= feedsExponential(user->getResult(0));
      continue;
    }
    if (auto reduce = dyn_cast<ReduceOp>(user);
        reduce && reduce.getKind() != ReduceKind::Sum)
      continue;
    auto select = dyn_cast<arith::SelectOp>(user);
    // The addend of another product, or the only operand of an exp2.
    if (isa<math::FmaOp, math::Exp2Op>(user))
      return failure();
    if (!select || use.getOperandNumber() == 0) {
      reason = "it is also used by itself, in something else than a sum, a "
               "maximum or a mask";
      return failure();
    }
    std::optional<double> fill =
        getConstantFloat(select->getOperand(3 - use.getOperandNumber()));
    if (!fill || !std::isinf(*fill)) {
      reason = "a mask puts something else than an infinity in its place";
      return failure();
    }
    delayed.hasFill = true;
    if (failed(check(select.getResult(), delayed, reason)))
      return failure();
  }
  return success();
}

LogicalResult DelayedProducts::delay(arith::MulFOp product,
                                     std::string &reason) {
  auto [base, factor] = matchProduct(product);
  if (!factor)
    return failure();
  Delayed delayed;
  std::string obstacle;
  if (failed(check(product, delayed, obstacle))) {
    if (feedsExponential(product))
      reason = obstacle;
    return failure();
  }
  if (!delayed.hasGain)
    return failure();
  if (factor->isConstant() &&
      (factor->constant == 0 || !std::isfinite(factor->constant)))
    return failure();
  if (getMagnitude(base).isLarge()) {
    reason = "some of its numbers (f32 or bf16 from memory, a finite mask) may "
             "be so large that the rounding of their maximum counts";
    return failure();
  }

  OpBuilder builder(product);
  Location loc = product.getLoc();
  // Consecutive scalar factors are multiplied with each other.
  for (auto [inner, outer] = matchProduct(base); outer && base.hasOneUse();
       std::tie(inner, outer) = matchProduct(base)) {
    factor = uniforms.multiply(builder, loc, *outer, *factor);
    base = inner;
  }
  delayed.sign = assumePositive && !factor->isConstant() ? Sign::Positive
                                                         : getSign(*factor);
  if (delayed.hasFill &&
      (delayed.sign == Sign::Unknown || delayed.sign == Sign::NonNegative)) {
    Type f32 = builder.getF32Type();
    Value isZero = UniformBuilder::hoist(
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                              factor->scalar, uniforms.constant(f32, 0)));
    factor->scalar = UniformBuilder::hoist(arith::SelectOp::create(
        builder, loc, isZero, uniforms.constant(f32, std::ldexp(1.0, -126)),
        factor->scalar));
  }
  delayed.factor = *factor;
  delayed.place = product;
  rewriteUses(product, base, delayed);
  return success();
}

void DelayedProducts::rewriteUses(Value value, Value base, Delayed &delayed) {
  SmallVector<std::pair<Operation *, unsigned>> uses;
  for (OpOperand &use : value.getUses())
    uses.push_back({use.getOwner(), use.getOperandNumber()});
  for (auto [user, index] : uses) {
    if (auto select = dyn_cast<arith::SelectOp>(user))
      rewriteSelect(select, value, base, delayed);
    else if (auto reduce = dyn_cast<ReduceOp>(user))
      rewriteReduce(reduce, base, delayed);
    else
      rewriteSum(user, index, base, delayed);
  }
}

/// Returns the test of a sign that is not known. Creates it once.
static Value getIsPositive(UniformBuilder &uniforms, Value &isPositive,
                           const Uniform &factor, Operation *place) {
  if (isPositive)
    return isPositive;
  OpBuilder builder(place);
  return isPositive = UniformBuilder::hoist(arith::CmpFOp::create(
             builder, place->getLoc(), arith::CmpFPredicate::OGT, factor.scalar,
             uniforms.constant(builder.getF32Type(), 0)));
}

void DelayedProducts::rewriteSelect(arith::SelectOp select, Value value,
                                    Value base, Delayed &delayed) {
  bool maskedWhenFalse = select.getTrueValue() == value;
  double fill = *getConstantFloat(maskedWhenFalse ? select.getFalseValue()
                                                  : select.getTrueValue());
  OpBuilder builder(delayed.place);
  Location loc = select.getLoc();
  Type f32 = builder.getF32Type();
  Uniform newFill{{}, delayed.sign == Sign::Negative ? -fill : fill};
  if (delayed.sign == Sign::Unknown) {
    Value isPositive = getIsPositive(uniforms, delayed.isPositive,
                                     delayed.factor, delayed.place);
    newFill.scalar = UniformBuilder::hoist(arith::SelectOp::create(
        builder, loc, isPositive, uniforms.constant(f32, fill),
        uniforms.constant(f32, -fill)));
  }
  builder.setInsertionPoint(select);
  Value other = uniforms.materialize(builder, loc, newFill, select.getType());
  Value masked = arith::SelectOp::create(builder, loc, select.getCondition(),
                                         maskedWhenFalse ? base : other,
                                         maskedWhenFalse ? other : base);
  rewriteUses(select.getResult(), masked, delayed);
}

void DelayedProducts::rewriteReduce(ReduceOp reduce, Value base,
                                    Delayed &delayed) {
  OpBuilder builder(reduce);
  Location loc = reduce.getLoc();
  ReduceKind kind = reduce.getKind();
  ReduceKind flipped =
      kind == ReduceKind::Max ? ReduceKind::Min : ReduceKind::Max;
  auto make = [&](OpBuilder &builder, ReduceKind kind) -> Value {
    auto copy = cast<ReduceOp>(builder.clone(*reduce));
    copy.setKind(kind);
    copy.getSourceMutable().set(base);
    return copy;
  };
  Value reduced;
  if (delayed.sign == Sign::Unknown) {
    Value isPositive = getIsPositive(uniforms, delayed.isPositive,
                                     delayed.factor, delayed.place);
    auto branch = scf::IfOp::create(
        builder, loc, isPositive,
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc, make(inner, kind));
        },
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc, make(inner, flipped));
        });
    reduced = branch.getResult(0);
  } else {
    reduced = make(builder, delayed.sign == Sign::Negative ? flipped : kind);
  }
  Value product = arith::MulFOp::create(
      builder, loc, reduced,
      uniforms.materialize(builder, loc, delayed.factor, reduce.getType()));
  reduce.replaceAllUsesWith(product);
}

void DelayedProducts::rewriteSum(Operation *sum, unsigned index, Value base,
                                 Delayed &delayed) {
  OpBuilder builder(delayed.place);
  Location loc = sum->getLoc();
  bool isDifference = isa<arith::SubFOp>(sum);
  Uniform factor = delayed.factor;
  if (isDifference && index == 1) {
    if (factor.isConstant())
      factor.constant = -factor.constant;
    else
      factor.scalar = UniformBuilder::hoist(
          arith::NegFOp::create(builder, loc, factor.scalar));
  }
  builder.setInsertionPoint(sum);
  Value other = sum->getOperand(1 - index);
  if (isDifference && index == 0)
    other = negate(builder, other);
  Type type = sum->getResult(0).getType();
  Value fused = math::FmaOp::create(
      builder, loc, base, uniforms.materialize(builder, loc, factor, type),
      other);
  sum->getResult(0).replaceAllUsesWith(fused);
  ++numFused;
}

/// Returns -value. The sign is changed before a small tile is repeated, and in
/// the constant of a product if there is one.
Value DelayedProducts::negate(OpBuilder &builder, Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_present<BroadcastOp, ExpandDimsOp>(op)) {
    Value source = negate(builder, op->getOperand(0));
    Operation *copy = builder.clone(*op);
    copy->setOperand(0, source);
    return copy->getResult(0);
  }
  if (auto negation = dyn_cast_if_present<arith::NegFOp>(op))
    return negation.getOperand();
  if (std::optional<double> constant = getConstantFloat(value))
    return uniforms.constant(value.getType(), -*constant);
  if (auto product = dyn_cast_if_present<arith::MulFOp>(op);
      product && value.hasOneUse())
    for (unsigned index : {1, 0})
      if (std::optional<double> constant =
              getConstantFloat(product->getOperand(index))) {
        OpBuilder inPlace(product);
        Operation *copy = inPlace.clone(*product);
        copy->setOperand(index, uniforms.constant(value.getType(), -*constant));
        return copy->getResult(0);
      }
  return UniformBuilder::hoist(
      arith::NegFOp::create(builder, value.getLoc(), value));
}
