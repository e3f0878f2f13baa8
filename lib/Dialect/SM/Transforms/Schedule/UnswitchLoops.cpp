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
// conditions, each compares a linear function of the iteration with 0, so it
// begins or ceases to hold with one iteration. The second loop then continues
// where the first one ends, with the values that it carries, so that copies and
// products stay in flight from one to the other.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"
#include "tessera/Dialect/Tile/IR/GuardedMasks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
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
/// of them on, or up to one of them.
class LoopMasks {
public:
  explicit LoopMasks(scf::ForOp loop) : loop(loop) {
    for (scf::IfOp branch : loop.getBody()->getOps<scf::IfOp>()) {
      LoopMasks more = *this;
      if (branch->hasAttr(tile::kGuardedMasksAttrName) &&
          more.add(branch.getCondition())) {
        more.masks.push_back(branch);
        *this = more;
      }
    }
  }

  bool canUnswitch() const { return !masks.empty(); }

  /// Replaces the loop by a loop with masks and a loop without them.
  void unswitch();

private:
  /// Adds the conditions that hold together where `condition` does; false if
  /// one of them neither is the same in all iterations nor compares a linear
  /// function of them.
  bool add(Value condition);

  /// Returns the condition that all iterations have in common; null if none.
  /// If another one rises, a falling one has to hold up to the last iteration.
  Value makeCommonCondition(OpBuilder &builder);

  /// Returns the first value of the induction variable from which on all
  /// conditions hold.
  Value makeBegin(OpBuilder &builder);

  /// Returns a value of the induction variable up to which all conditions hold.
  Value makeEnd(OpBuilder &builder);

  /// Returns the first iteration from `start` on, at most the upper bound.
  Value roundUp(OpBuilder &builder, Value start);

  /// Copies the loop without masks.
  scf::ForOp clonePlain(OpBuilder &builder);

  /// Makes a branch that selects a loop without masks where `common` holds.
  void select(OpBuilder &builder, Value common);

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
  int64_t coefficient = slack.getCoefficient(iv);
  if (coefficient == 0)
    return false;
  (coefficient > 0 ? rising : falling).push_back(slack);
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
    if (rising.empty())
      break;
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

Value LoopMasks::makeBegin(OpBuilder &builder) {
  Location loc = loop.getLoc();
  Value iv = loop.getInductionVar(), first = loop.getLowerBound();
  for (const tile::LinearExpr &slack : rising) {
    tile::LinearExpr missing = slack.without(iv) * -1;
    Value least = arith::CeilDivSIOp::create(
        builder, loc, missing.materialize(builder, loc),
        arith::ConstantIndexOp::create(builder, loc, slack.getCoefficient(iv)));
    first = arith::MaxSIOp::create(builder, loc, first, least);
  }
  return first;
}

Value LoopMasks::makeEnd(OpBuilder &builder) {
  Location loc = loop.getLoc();
  Value iv = loop.getInductionVar(), end = loop.getUpperBound();
  for (const tile::LinearExpr &slack : falling) {
    // The first number at which the slack is negative.
    tile::LinearExpr past = slack.without(iv) + -slack.getCoefficient(iv);
    Value first = arith::FloorDivSIOp::create(
        builder, loc, past.materialize(builder, loc),
        arith::ConstantIndexOp::create(builder, loc,
                                       -slack.getCoefficient(iv)));
    end = arith::MinSIOp::create(builder, loc, end, first);
  }
  return arith::MaxSIOp::create(builder, loc, end, loop.getLowerBound());
}

Value LoopMasks::roundUp(OpBuilder &builder, Value start) {
  Location loc = loop.getLoc();
  Value begin = loop.getLowerBound(), step = loop.getStep();
  Value distance = arith::SubIOp::create(builder, loc, start, begin);
  Value count = arith::CeilDivSIOp::create(builder, loc, distance, step);
  distance = arith::MulIOp::create(builder, loc, count, step);
  Value first = arith::AddIOp::create(builder, loc, begin, distance);
  return arith::MinSIOp::create(builder, loc, first, loop.getUpperBound());
}

scf::ForOp LoopMasks::clonePlain(OpBuilder &builder) {
  IRMapping mapping;
  auto plain = cast<scf::ForOp>(builder.clone(*loop, mapping));
  for (scf::IfOp mask : masks) {
    auto copy = cast<scf::IfOp>(mapping.lookup(mask.getOperation()));
    copy->replaceAllUsesWith(copy.thenYield().getOperands());
    copy.erase();
  }
  return plain;
}

/// Replaces each mask by what it does where its condition does not hold.
static void dropConditions(ArrayRef<scf::IfOp> masks) {
  for (scf::IfOp mask : masks) {
    Block *body = mask.elseBlock();
    mask->replaceAllUsesWith(mask.elseYield().getOperands());
    mask.elseYield().erase();
    mask->getBlock()->getOperations().splice(mask->getIterator(),
                                             body->getOperations());
    mask.erase();
  }
}

void LoopMasks::select(OpBuilder &builder, Value common) {
  Location loc = loop.getLoc();
  auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(), common,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  loop->replaceAllUsesWith(branch);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::ForOp plain = clonePlain(builder);
  scf::YieldOp::create(builder, loc, plain.getResults());
  Block *otherwise = branch.elseBlock();
  loop->moveBefore(otherwise, otherwise->begin());
  builder.setInsertionPointToEnd(otherwise);
  scf::YieldOp::create(builder, loc, loop.getResults());
}

/// Makes `next` run from `threshold` on, after `loop` has run up to there.
static void chain(scf::ForOp loop, scf::ForOp next, Value threshold) {
  loop.getUpperBoundMutable().set(threshold);
  next.getLowerBoundMutable().set(threshold);
  next.getInitArgsMutable().assign(loop.getResults());
}

void LoopMasks::unswitch() {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value common = makeCommonCondition(builder);
  if (rising.empty() && falling.empty()) {
    select(builder, common);
    return;
  }
  bool isMaskedFirst = !rising.empty();
  Value threshold =
      roundUp(builder, isMaskedFirst ? makeBegin(builder) : makeEnd(builder));
  if (common)
    threshold = arith::SelectOp::create(builder, loc, common, threshold,
                                        isMaskedFirst ? loop.getUpperBound()
                                                      : loop.getLowerBound());
  if (isMaskedFirst)
    builder.setInsertionPointAfter(loop);
  scf::ForOp plain = clonePlain(builder);
  dropConditions(masks);
  if (isMaskedFirst) {
    loop->replaceAllUsesWith(plain);
    chain(loop, plain, threshold);
  } else {
    chain(plain, loop, threshold);
  }
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
