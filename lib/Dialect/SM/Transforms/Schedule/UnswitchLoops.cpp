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
// sm-place-fences makes clips conditional: only the last block of a sequence
// has rows past the end. The last iteration becomes a loop of its own.
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

/// Copies to `builder` the ops of the body of `loop` that compute `value`, with
/// the values of `mapping` in place of others.
static Value cloneFrom(scf::ForOp loop, OpBuilder &builder, Value value,
                       IRMapping &mapping) {
  if (!mapping.contains(value) && !loop.isDefinedOutsideOfLoop(value)) {
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      cloneFrom(loop, builder, operand, mapping);
    builder.clone(*op, mapping);
  }
  return mapping.lookupOrDefault(value);
}

/// Checks whether a branch does nothing but clip.
static bool isClip(scf::IfOp branch) {
  return branch.getNumResults() == 0 && !branch.elseBlock() &&
         llvm::all_of(*branch.thenBlock(), [](Operation &op) {
           return isa<ClipOp, FenceOp, BarrierOp, scf::YieldOp>(op);
         });
}

namespace {
/// The masks of a loop of MMAs whose conditions hold in all iterations from one
/// of them on.
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
      if (isClip(branch) && beginsToHold(branch.getCondition()))
        clips.push_back(branch);
    }
    // Then one loop often runs all iterations, and should not always clip.
    if (!falling.empty())
      clips.clear();
  }

  /// Checks whether conditions hold in all iterations from one on. Conditions
  /// that only cease to hold are left in the loop. So are clips of a loop
  /// without conditional masks: such a loop has few iterations.
  bool canUnswitch() const {
    return !masks.empty() && (falling.empty() || !rising.empty());
  }

  /// Replaces the loop by a loop with masks and a loop without them, and a
  /// third one for the last iteration if that one clips.
  void unswitch();

private:
  /// Checks whether `condition`, once it holds, holds in all iterations that
  /// follow, as that of a clip does.
  bool beginsToHold(Value condition);

  /// Returns 1 if `value` never decreases from one iteration to the next, -1 if
  /// it never increases, 0 if it stays, and nothing if none of this is known.
  std::optional<int> getDirection(Value value);

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

  /// Returns the start of the last iteration if only that one clips; otherwise
  /// that of the first one. It is at most the upper bound.
  Value makeClipStart(OpBuilder &builder);

  enum class Clips { Never, Always };

  /// Copies the loop without masks. It clips in each iteration, or in none.
  scf::ForOp clonePlain(OpBuilder &builder, Clips kept);

  /// Makes a branch that selects a loop without masks where `common` holds.
  void select(OpBuilder &builder, Value common);

  scf::ForOp loop;
  SmallVector<scf::IfOp> masks, clips;
  llvm::SetVector<Value> invariants;
  /// A condition holds where its slack is not negative.
  SmallVector<tile::LinearExpr> rising, falling;
};
} // namespace

std::optional<int> LoopMasks::getDirection(Value value) {
  if (loop.isDefinedOutsideOfLoop(value) || matchPattern(value, m_Constant()))
    return 0;
  if (value == loop.getInductionVar())
    return 1;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody())
    return std::nullopt;
  if (isa<arith::IndexCastOp>(op))
    return getDirection(op->getOperand(0));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MaxSIOp, arith::MinSIOp>(op))
    return std::nullopt;
  std::optional<int> lhs = getDirection(op->getOperand(0));
  std::optional<int> rhs = getDirection(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  if (isa<arith::SubIOp>(op))
    rhs = -*rhs;
  if (*lhs * *rhs < 0)
    return std::nullopt;
  return *lhs ? lhs : rhs;
}

bool LoopMasks::beginsToHold(Value condition) {
  if (auto either = condition.getDefiningOp<arith::OrIOp>())
    return beginsToHold(either.getLhs()) && beginsToHold(either.getRhs());
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt)
    return false;
  std::optional<int> lhs = getDirection(compare.getLhs());
  std::optional<int> rhs = getDirection(compare.getRhs());
  return lhs && rhs && *lhs <= 0 && *rhs >= 0;
}

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

Value LoopMasks::makeClipStart(OpBuilder &builder) {
  Location loc = loop.getLoc();
  Value begin = loop.getLowerBound(), step = loop.getStep();
  Value distance =
      arith::SubIOp::create(builder, loc, loop.getUpperBound(), begin);
  Value count = arith::CeilDivSIOp::create(builder, loc, distance, step);
  Value end = arith::AddIOp::create(
      builder, loc, begin, arith::MulIOp::create(builder, loc, count, step));
  Value last = arith::SubIOp::create(builder, loc, end, step);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(),
              arith::SubIOp::create(builder, loc, last, step));
  Value start = arith::MaxSIOp::create(builder, loc, last, begin);
  for (scf::IfOp clip : clips) {
    Value clipsBefore = cloneFrom(loop, builder, clip.getCondition(), mapping);
    start = arith::SelectOp::create(builder, loc, clipsBefore, begin, start);
  }
  // A loop without iterations may end before it begins.
  return arith::MinSIOp::create(builder, loc, start, loop.getUpperBound());
}

/// Checks whether threads of other warps read no tile between two branches.
static bool isWithoutReads(Operation *from, Operation *to) {
  while ((from = from->getNextNode()) != to)
    if (!isPure(from) && !isa<MbarrierWaitOp>(from))
      return false;
  return true;
}

/// Clips unconditionally, which changes nothing where no rows are past the end.
/// Without a branch, ptxas schedules the products around it in one block. One
/// fence and one barrier serve consecutive clips.
static void inlineClips(ArrayRef<scf::IfOp> clips) {
  for (size_t number = 0; number < clips.size(); ++number) {
    scf::IfOp clip = clips[number];
    bool meetsLater =
        number + 1 < clips.size() && isWithoutReads(clip, clips[number + 1]);
    for (Operation &op : llvm::make_early_inc_range(*clip.thenBlock()))
      if (isa<ClipOp>(op) || (!meetsLater && isa<FenceOp, BarrierOp>(op)))
        op.moveBefore(clip);
  }
  for (scf::IfOp clip : clips)
    clip.erase();
}

scf::ForOp LoopMasks::clonePlain(OpBuilder &builder, Clips kept) {
  IRMapping mapping;
  auto plain = cast<scf::ForOp>(builder.clone(*loop, mapping));
  for (scf::IfOp mask : masks) {
    auto copy = cast<scf::IfOp>(mapping.lookup(mask.getOperation()));
    copy->replaceAllUsesWith(copy.thenYield().getOperands());
    copy.erase();
  }
  auto copies = llvm::map_to_vector(clips, [&](scf::IfOp clip) {
    return cast<scf::IfOp>(mapping.lookup(clip.getOperation()));
  });
  if (kept == Clips::Always)
    inlineClips(copies);
  else
    for (scf::IfOp copy : copies)
      copy.erase();
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
  scf::ForOp plain = clonePlain(builder, Clips::Never);
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
  if (clips.empty() && rising.empty()) {
    select(builder, common);
    return;
  }
  Value clipStart = clips.empty() ? nullptr : makeClipStart(builder);
  if (rising.empty()) {
    // Iterations with masks or clips follow those without.
    if (common)
      clipStart = arith::SelectOp::create(builder, loc, common, clipStart,
                                          loop.getLowerBound());
    scf::ForOp plain = clonePlain(builder, Clips::Never);
    dropConditions(masks);
    inlineClips(clips);
    chain(plain, loop, clipStart);
    return;
  }
  Value threshold = makeThreshold(builder, common);
  builder.setInsertionPointAfter(loop);
  scf::ForOp plain = clonePlain(builder, Clips::Never), last = plain;
  if (clipStart) {
    last = clonePlain(builder, Clips::Always);
    builder.setInsertionPoint(plain);
    clipStart = arith::MaxSIOp::create(builder, loc, clipStart, threshold);
    chain(plain, last, clipStart);
  }
  loop->replaceAllUsesWith(last);
  dropConditions(masks);
  chain(loop, plain, threshold);
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
