//===- UnswitchLoops.cpp - Loops without unneeded masks ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-unswitch-loops. A mask that tile-guard-masks made conditional
// divides the body of a loop into blocks, and ptxas schedules instructions
// within a block only. So all exponentials before the condition come before all
// conversions after it. The pass makes two loops of MMAs without such
// conditions: one always masks, the other never does.
//
// Conditions that depend on no iteration select one of the two loops. Of other
// conditions, each compares a linear function of the iteration with 0. The
// second loop then continues where the first one ends, with the values that it
// carries, so that copies and products stay in flight from one to the other.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"
#include "tessera/Dialect/Tile/IR/GuardedMasks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::sm {
#define GEN_PASS_DEF_UNSWITCHLOOPSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Adds to `needed` the ops of the body of `loop` that compute `value`, each
/// after those that it needs; false if `value` depends on the iteration.
static bool findInvariant(Value value, scf::ForOp loop,
                          llvm::SetVector<Operation *> &needed) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || op->getNumRegions() > 0 ||
      !isPure(op))
    return false;
  for (Value operand : op->getOperands())
    if (!findInvariant(operand, loop, needed))
      return false;
  needed.insert(op);
  return true;
}

namespace {
/// The masks of a loop of MMAs whose conditions hold in all iterations from one
/// of them on.
class LoopMasks {
public:
  explicit LoopMasks(scf::ForOp loop) : loop(loop) {
    for (scf::IfOp branch : loop.getBody()->getOps<scf::IfOp>())
      if (branch->hasAttr(tile::kGuardedMasksAttrName)) {
        LoopMasks more = *this;
        if (more.add(branch.getCondition())) {
          more.masks.push_back(branch);
          *this = more;
        }
      }
  }

  /// Checks whether conditions hold in all iterations from one on. Conditions
  /// that only cease to hold are left in the loop.
  bool canUnswitch() const {
    return !masks.empty() && (falling.empty() || !rising.empty());
  }

  /// Replaces the loop by a loop with masks and a loop without them.
  void unswitch();

private:
  /// Adds the conditions that hold together where `condition` does; false if
  /// one of them neither is the same in all iterations nor compares a linear
  /// function of them.
  bool add(Value condition);

  /// Returns the condition that all iterations have in common; null if none.
  Value makeCommonCondition(OpBuilder &builder);

  /// Returns the first value of the induction variable from which on all
  /// conditions hold, at most the upper bound. Both are a whole number of steps
  /// apart, or it is the upper bound.
  Value makeThreshold(OpBuilder &builder, Value common);

  /// Copies the loop without masks. The masks of the loop itself lose their
  /// conditions.
  scf::ForOp divide(OpBuilder &builder);

  scf::ForOp loop;
  SmallVector<scf::IfOp> masks;
  llvm::SetVector<Value> invariants;
  /// A condition holds where its slack is not negative.
  SmallVector<tile::LinearExpr> rising, falling;
};
} // namespace

bool LoopMasks::add(Value condition) {
  llvm::SetVector<Operation *> needed;
  if (findInvariant(condition, loop, needed)) {
    for (Operation *op : needed)
      op->moveBefore(loop);
    invariants.insert(condition);
    return true;
  }
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return add(both.getLhs()) && add(both.getRhs());
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::sge)
    return false;
  tile::LinearExpr slack = tile::LinearExpr::get(compare.getLhs()) -
                           tile::LinearExpr::get(compare.getRhs());
  Value iv = loop.getInductionVar();
  (slack.getCoefficient(iv) > 0 ? rising : falling).push_back(slack);
  return llvm::all_of(slack.without(iv).getTerms(), [&](auto term) {
    return loop.isDefinedOutsideOfLoop(term.first);
  });
}

Value LoopMasks::makeCommonCondition(OpBuilder &builder) {
  Location loc = loop.getLoc();
  SmallVector<Value> conditions(invariants.getArrayRef());
  Value iv = loop.getInductionVar();
  // A condition that holds at the end of the loop holds before it.
  for (const tile::LinearExpr &slack : falling) {
    tile::LinearExpr last = tile::LinearExpr::get(loop.getUpperBound()) - 1;
    tile::LinearExpr least =
        slack.without(iv) + last * slack.getCoefficient(iv);
    conditions.push_back(
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                              least.materialize(builder, loc),
                              arith::ConstantIndexOp::create(builder, loc, 0)));
  }
  Value all;
  for (Value condition : conditions)
    all = all ? arith::AndIOp::create(builder, loc, all, condition).getResult()
              : condition;
  return all;
}

Value LoopMasks::makeThreshold(OpBuilder &builder, Value common) {
  Location loc = loop.getLoc();
  Value begin = loop.getLowerBound(), end = loop.getUpperBound();
  Value iv = loop.getInductionVar(), step = loop.getStep(), first = begin;
  for (const tile::LinearExpr &slack : rising) {
    tile::LinearExpr missing = slack.without(iv) * -1;
    Value least = arith::CeilDivSIOp::create(
        builder, loc, missing.materialize(builder, loc),
        arith::ConstantIndexOp::create(builder, loc, slack.getCoefficient(iv)));
    first = arith::MaxSIOp::create(builder, loc, first, least);
  }
  Value distance = arith::SubIOp::create(builder, loc, first, begin);
  Value count = arith::CeilDivSIOp::create(builder, loc, distance, step);
  distance = arith::MulIOp::create(builder, loc, count, step);
  first = arith::AddIOp::create(builder, loc, begin, distance);
  first = arith::MinSIOp::create(builder, loc, first, end);
  return common ? arith::SelectOp::create(builder, loc, common, first, end)
                : first;
}

scf::ForOp LoopMasks::divide(OpBuilder &builder) {
  IRMapping mapping;
  auto plain = cast<scf::ForOp>(builder.clone(*loop, mapping));
  for (scf::IfOp mask : masks) {
    auto copy = cast<scf::IfOp>(mapping.lookup(mask.getOperation()));
    copy->replaceAllUsesWith(copy.thenYield().getOperands());
    copy.erase();
    Block *body = mask.elseBlock();
    mask->replaceAllUsesWith(mask.elseYield().getOperands());
    mask.elseYield().erase();
    mask->getBlock()->getOperations().splice(mask->getIterator(),
                                             body->getOperations());
    mask.erase();
  }
  return plain;
}

void LoopMasks::unswitch() {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value common = makeCommonCondition(builder);
  if (rising.empty()) {
    auto branch =
        scf::IfOp::create(builder, loc, loop.getResultTypes(), common,
                          /*addThenBlock=*/true, /*addElseBlock=*/true);
    loop->replaceAllUsesWith(branch);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::ForOp plain = divide(builder);
    scf::YieldOp::create(builder, loc, plain.getResults());
    Block *otherwise = branch.elseBlock();
    loop->moveBefore(otherwise, otherwise->begin());
    builder.setInsertionPointToEnd(otherwise);
    scf::YieldOp::create(builder, loc, loop.getResults());
    return;
  }
  Value threshold = makeThreshold(builder, common);
  builder.setInsertionPointAfter(loop);
  scf::ForOp plain = divide(builder);
  loop->replaceAllUsesWith(plain);
  loop.getUpperBoundMutable().set(threshold);
  plain.getLowerBoundMutable().set(threshold);
  plain.getInitArgsMutable().assign(loop.getResults());
}

namespace {
struct UnswitchLoops : sm::impl::UnswitchLoopsPassBase<UnswitchLoops> {
  using UnswitchLoopsPassBase::UnswitchLoopsPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop.getBody()->getOps<MmaIssueOp>().empty() &&
          llvm::none_of(loop.getResultTypes(), llvm::IsaPred<PendingType>))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (LoopMasks masks(loop); masks.canUnswitch()) {
        masks.unswitch();
        ++numLoops;
      }
  }
};
} // namespace
