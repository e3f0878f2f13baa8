//===- SkipReductions.cpp - Maxima of lanes that seldom matter --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-skip-reductions, for what tile-lazy-rescale makes:
//
//   t = c * reduce max s               p = c * reduce max s keep 8
//   n = max(m, t)                      any = sm.any (p - m > 8)
//   r = n - m > 8 ? n : m        ->    r, f = if any
//   f = exp2(m - r)                      t = reduce max p; n, r, f as before
//   y = acc * f {rare_factor}          else
//                                        m, 1
//                                      y = if any acc * f else acc
//
// The comparison is monotone: it holds for the maximum of a row if and only if
// it holds for the partial maximum of some thread. So a warp in which no thread
// finds it true knows r = m and f = 1 without a shuffle.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Exchange.h"
#include "tessera/Dialect/SM/IR/Layouts.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Dialect/Tile/IR/LazyRescale.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::sm {
#define GEN_PASS_DEF_SKIPREDUCTIONSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;
using tile::ReduceKind;

namespace {
/// The reference r of a row and the ops that make it.
struct Reference {
  arith::SelectOp select;
  arith::CmpFOp growth;
  arith::MaximumFOp maximum;
  /// The reference of the iteration before.
  Value before;
  /// The factors of the maximum of a row, from the last product to the first.
  SmallVector<Value> factors;
  /// An sm.reduce, or an scf.if with a maximum on one side and a minimum on the
  /// other, by the sign of a factor.
  Operation *source;
  /// exp2(m - r), and its products with accumulators.
  arith::SubFOp decline;
  math::Exp2Op factor;
  SmallVector<arith::MulFOp> products;
};
} // namespace

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Checks whether all elements of `value` are the same.
static bool isUniform(Value value) {
  return value.getDefiningOp<tensor::SplatOp>() ||
         matchPattern(value, m_Constant());
}

/// Returns the reduction of whole rows that `value` is, if lanes but no warps
/// exchange their parts.
static ReduceOp findReduction(Value value) {
  auto reduce = value.getDefiningOp<ReduceOp>();
  if (!reduce || reduce.getKeep() || reduce.getKind() == ReduceKind::Sum)
    return nullptr;
  std::optional<ReducePlan> plan = ReducePlan::get(reduce);
  return plan && plan->warpDigits.empty() && !plan->laneBits.empty() ? reduce
                                                                     : nullptr;
}

/// The result of a branch by the sign of a factor: its two reductions.
static SmallVector<ReduceOp> findReductions(Operation *source) {
  if (auto branch = dyn_cast<scf::IfOp>(source)) {
    if (branch.getNumResults() != 1 || !branch.elseBlock())
      return {};
    ReduceOp first = findReduction(branch.thenYield().getOperand(0));
    ReduceOp other = findReduction(branch.elseYield().getOperand(0));
    if (first && other && first->getParentOp() == branch &&
        other->getParentOp() == branch &&
        first.getSource() == other.getSource() &&
        first.getAxis() == other.getAxis() &&
        !branch->isAncestor(first.getSource().getParentRegion()->getParentOp()))
      return {first, other};
    return {};
  }
  if (ReduceOp reduce = findReduction(source->getResult(0));
      reduce && reduce.getKind() == ReduceKind::Max)
    return {reduce};
  return {};
}

static std::optional<Reference> match(arith::SelectOp select) {
  Reference found;
  found.select = select;
  found.before = select.getFalseValue();
  found.maximum = select.getTrueValue().getDefiningOp<arith::MaximumFOp>();
  found.growth = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!found.maximum || !found.growth ||
      found.growth.getPredicate() != arith::CmpFPredicate::UGT ||
      !matchPattern(found.growth.getRhs(), m_Constant()) ||
      matchPattern(found.before, m_Constant()))
    return std::nullopt;
  auto difference = found.growth.getLhs().getDefiningOp<arith::SubFOp>();
  if (!difference || difference.getLhs() != found.maximum ||
      difference.getRhs() != found.before)
    return std::nullopt;
  Value top = found.maximum.getLhs() == found.before ? found.maximum.getRhs()
                                                     : found.maximum.getLhs();
  while (auto product = top.getDefiningOp<arith::MulFOp>()) {
    bool isRight = isUniform(product.getRhs());
    if (!isRight && !isUniform(product.getLhs()))
      return std::nullopt;
    found.factors.push_back(isRight ? product.getRhs() : product.getLhs());
    top = isRight ? product.getLhs() : product.getRhs();
  }
  found.source = top.getDefiningOp();
  if (!found.source || found.source->getBlock() != select->getBlock() ||
      findReductions(found.source).empty())
    return std::nullopt;
  for (Operation *user : select->getUsers())
    if (auto decline = dyn_cast<arith::SubFOp>(user);
        decline && decline.getLhs() == found.before && decline->hasOneUse())
      if (auto factor = dyn_cast<math::Exp2Op>(*decline->user_begin());
          factor && factor->getBlock() == select->getBlock()) {
        found.decline = decline;
        found.factor = factor;
      }
  if (!found.factor)
    return std::nullopt;
  for (Operation *user : found.factor->getUsers())
    if (auto column = dyn_cast<ExpandDimsOp>(user))
      for (Operation *repeated : column->getUsers())
        for (Operation *product : repeated->getUsers())
          if (auto multiply = dyn_cast<arith::MulFOp>(product);
              multiply && multiply->hasAttr(tile::kRareFactorAttrName) &&
              multiply->getBlock() == select->getBlock() &&
              isa<BroadcastOp>(repeated) &&
              multiply.getRhs() == repeated->getResult(0))
            found.products.push_back(multiply);
  if (found.products.empty())
    return std::nullopt;
  return found;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The partial results of `whole` that each thread computes from its own
/// registers. Their number is the smallest one for which lanes exchange
/// nothing; null if there is none.
static ReduceOp createPartial(OpBuilder &builder, ReduceOp whole) {
  int64_t extent = whole.getSource().getType().getDimSize(whole.getAxis());
  for (int64_t keep = 2; keep < extent; ++keep) {
    if (extent % keep != 0)
      continue;
    if (llvm::Error unfit =
            getReduceLayout(getLayout(whole.getSource().getType()),
                            whole.getAxis(), keep)
                .takeError()) {
      llvm::consumeError(std::move(unfit));
      continue;
    }
    auto partial = ReduceOp::create(builder, whole.getLoc(), whole.getKind(),
                                    whole.getSource(), whole.getAxis(), keep);
    std::optional<ReducePlan> plan = ReducePlan::get(partial);
    if (plan && plan->laneBits.empty() && plan->warpDigits.empty())
      return partial;
    partial->erase();
  }
  return nullptr;
}

/// The partial results in the place of the reduction or of the branch by the
/// sign; null if layouts have none.
static Value createPartials(OpBuilder &builder, Operation *source) {
  SmallVector<ReduceOp> reductions = findReductions(source);
  builder.setInsertionPoint(source);
  ReduceOp first = createPartial(builder, reductions.front());
  auto branch = dyn_cast<scf::IfOp>(source);
  if (!first || !branch)
    return first ? first.getResult() : Value();
  // The same number of partial results on both sides.
  auto emit = [&](ReduceOp whole) {
    return [&, whole](OpBuilder &inside, Location loc) mutable {
      Value partial =
          ReduceOp::create(inside, loc, whole.getKind(), whole.getSource(),
                           whole.getAxis(), first.getKeep());
      scf::YieldOp::create(inside, loc, partial);
    };
  };
  auto result =
      scf::IfOp::create(builder, branch.getLoc(), branch.getCondition(),
                        emit(reductions.front()), emit(reductions.back()));
  first->erase();
  return result.getResult(0);
}

/// `value`, the same in all elements, as a tile of `type`.
static Value createUniform(OpBuilder &builder, Value value,
                           RankedTensorType type) {
  if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    return tensor::SplatOp::create(builder, value.getLoc(), splat.getInput(),
                                   type);
  DenseElementsAttr elements;
  matchPattern(value, m_Constant(&elements));
  return arith::ConstantOp::create(
      builder, value.getLoc(),
      DenseElementsAttr::get(type, elements.getSplatValue<Attribute>()));
}

/// Multiplies in the warps that voted for it.
static void skipProduct(arith::MulFOp product, Value any) {
  OpBuilder builder(product);
  auto branch = scf::IfOp::create(
      builder, product.getLoc(), any,
      [&](OpBuilder &inside, Location loc) {
        Value scaled = arith::MulFOp::create(inside, loc, product.getLhs(),
                                             product.getRhs());
        scf::YieldOp::create(inside, loc, scaled);
      },
      [&](OpBuilder &inside, Location loc) {
        scf::YieldOp::create(inside, loc, product.getLhs());
      });
  product.replaceAllUsesWith(branch.getResult(0));
  product->erase();
}

/// Erases what the branch has replaced, as far as nothing else uses it.
static void eraseDead(Reference &reference) {
  SmallVector<Operation *> ops = {reference.factor,
                                  reference.decline,
                                  reference.select,
                                  reference.growth,
                                  reference.growth.getLhs().getDefiningOp(),
                                  reference.maximum};
  Value top = reference.maximum.getLhs() == reference.before
                  ? reference.maximum.getRhs()
                  : reference.maximum.getLhs();
  for (size_t i = 0; i < reference.factors.size(); ++i) {
    auto product = top.getDefiningOp<arith::MulFOp>();
    ops.push_back(product);
    top = isUniform(product.getRhs()) ? product.getLhs() : product.getRhs();
  }
  ops.push_back(reference.source);
  for (Operation *op : ops)
    if (isOpTriviallyDead(op))
      op->erase();
}

namespace {
struct SkipReductions : sm::impl::SkipReductionsPassBase<SkipReductions> {
  using SkipReductionsPassBase::SkipReductionsPassBase;

  void runOnOperation() override {
    SmallVector<arith::SelectOp> selects;
    getOperation().walk(
        [&](arith::SelectOp select) { selects.push_back(select); });
    for (arith::SelectOp select : selects)
      if (std::optional<Reference> reference = match(select))
        rewrite(*reference);
  }

  void rewrite(Reference &reference) {
    OpBuilder builder(reference.source);
    unsigned axis = findReductions(reference.source).front().getAxis();
    Value partial = createPartials(builder, reference.source);
    if (!partial)
      return;
    Location loc = reference.select.getLoc();
    auto kept = cast<RankedTensorType>(partial.getType());
    auto row = cast<RankedTensorType>(reference.select.getType());
    builder.setInsertionPoint(reference.select);
    for (Value factor : llvm::reverse(reference.factors))
      partial = arith::MulFOp::create(builder, loc, partial,
                                      createUniform(builder, factor, kept));
    Value column = ExpandDimsOp::create(builder, loc, reference.before, axis);
    Value before = BroadcastOp::create(builder, loc, kept, column);
    Value growth = arith::SubFOp::create(builder, loc, partial, before);
    Value far = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::UGT, growth,
        createUniform(builder, reference.growth.getRhs(), kept));
    Value any = AnyOp::create(builder, loc, builder.getI1Type(), far);
    Value one = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(row, builder.getF32FloatAttr(1)));
    auto branch = scf::IfOp::create(
        builder, loc, any,
        [&](OpBuilder &inside, Location) {
          IRMapping mapping;
          Value top =
              ReduceOp::create(inside, loc, ReduceKind::Max, partial, axis);
          Value maximum =
              arith::MaximumFOp::create(inside, loc, reference.before, top);
          mapping.map(reference.maximum.getResult(), maximum);
          inside.clone(*reference.growth.getLhs().getDefiningOp(), mapping);
          inside.clone(*reference.growth, mapping);
          inside.clone(*reference.select, mapping);
          inside.clone(*reference.decline, mapping);
          inside.clone(*reference.factor, mapping);
          scf::YieldOp::create(
              inside, loc,
              ValueRange{mapping.lookup(reference.select.getResult()),
                         mapping.lookup(reference.factor.getResult())});
        },
        [&](OpBuilder &inside, Location) {
          scf::YieldOp::create(inside, loc, ValueRange{reference.before, one});
        });
    reference.select.replaceAllUsesWith(branch.getResult(0));
    reference.factor.replaceAllUsesWith(branch.getResult(1));
    for (arith::MulFOp product : reference.products)
      skipProduct(product, any);
    eraseDead(reference);
    ++numSkipped;
  }
};
} // namespace
