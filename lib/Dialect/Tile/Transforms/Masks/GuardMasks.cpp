//===- GuardMasks.cpp - Masks skipped when all true -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-guard-masks, for masks that tile-peel-masks leaves in loops of
// products. A test of scalars in each iteration tells whether the masks are all
// true (MaskSlack.h). All threads take the same branch, and only one side
// compares positions and selects. A chain of selections of one tile shares a
// test.
//
//===----------------------------------------------------------------------===//

#include "LoopSplit.h"
#include "tessera/Dialect/Tile/IR/GuardedMasks.h"
#include "tessera/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::tile {
#define GEN_PASS_DEF_GUARDMASKSPASS
#include "tessera/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tessera::tile

using namespace tessera;
using namespace tessera::tile;

/// Linear expressions. A mask is all true if none of them is negative.
using Slacks = SmallVector<LinearExpr, 4>;

namespace {
/// The conditions under which a mask is all true, and the ops that compute the
/// mask.
struct Guard {
  Slacks slacks;
  /// Ranges that have to be full, and whose limit is not a value yet.
  llvm::SetVector<Value> ranges;
  llvm::SetVector<Operation *> ops;
  /// Whether a range has to be full.
  bool hasRanges = false;
};

class GuardMaker {
public:
  explicit GuardMaker(scf::ForOp loop) : loop(loop) {}

  /// Returns the guard of `mask`; nothing if positions do not determine it.
  std::optional<Guard> make(Value mask) {
    Guard guard;
    if (!add(mask, guard) || (guard.slacks.empty() && guard.ranges.empty()))
      return std::nullopt;
    return guard;
  }

private:
  bool add(Value mask, Guard &guard);
  bool addValid(ValidOp valid, Guard &guard);
  bool addOrder(Operation *compare, Guard &guard);
  /// Adds the ops in the loop from which `op` computes its tiles.
  bool addSlice(Operation *op, Guard &guard);

  scf::ForOp loop;
  PositionBounds bounds;
};
} // namespace

bool GuardMaker::addSlice(Operation *op, Guard &guard) {
  if (op->getBlock() != loop.getBody())
    return loop.isDefinedOutsideOfLoop(op->getResult(0));
  if (op->getNumRegions() != 0 || !isPure(op))
    return false;
  guard.ops.insert(op);
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *definition = operand.getDefiningOp();
    return !isa<RankedTensorType>(operand.getType()) ||
           (definition && addSlice(definition, guard));
  });
}

bool GuardMaker::addValid(ValidOp valid, Guard &guard) {
  Value range = getUnshiftedRange(valid.getRange());
  if (isFullRange(range))
    return true;
  guard.hasRanges = true;
  if (auto op = range.getDefiningOp<RangeOp>()) {
    LinearExpr start = LinearExpr::get(op.getStart());
    guard.slacks.push_back(LinearExpr::get(op.getLimit()) - start -
                           op.getType().getExtent());
    if (!start.isNonNegative())
      guard.slacks.push_back(start);
  } else {
    guard.ranges.insert(range);
  }
  return true;
}

bool GuardMaker::addOrder(Operation *compare, Guard &guard) {
  std::optional<Mask> mask = getMask(compare);
  if (!mask)
    return false;
  // The slack is valid only if no sum leaves 32 bits.
  constexpr Interval computable{-(int64_t(1) << 62), int64_t(1) << 62};
  for (const ElementBounds &sum : mask->sums) {
    if (bounds.fits(sum.low, sum.high))
      continue;
    for (const LinearExpr &expr : {sum.low, sum.high})
      if (!computable.contains(bounds.get(expr)))
        return false;
    guard.slacks.push_back(sum.low - kInt32.low);
    guard.slacks.push_back(sum.high * -1 + kInt32.high);
  }
  llvm::append_range(guard.slacks, mask->slacks);
  return true;
}

bool GuardMaker::add(Value mask, Guard &guard) {
  Operation *op = mask.getDefiningOp();
  if (!op || !addSlice(op, guard))
    return false;
  if (isa<ExpandDimsOp, BroadcastOp, TransposeOp, arith::AndIOp>(op))
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) { return add(operand, guard); });
  if (auto valid = dyn_cast<ValidOp>(op))
    return addValid(valid, guard);
  return isOrderOfTiles(op) && addOrder(op, guard);
}

/// Creates the test that no number of `guard` is negative and all ranges are
/// full.
static Value makeGuardTest(OpBuilder &builder, Location loc,
                           const Guard &guard) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), all;
  auto require = [&](const LinearExpr &slack) {
    Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                        slack.materialize(builder, loc), zero);
    all = all ? arith::AndIOp::create(builder, loc, all, holds) : holds;
  };
  for (const LinearExpr &slack : guard.slacks)
    require(slack);
  for (Value range : guard.ranges) {
    Value limit = LimitOp::create(builder, loc, builder.getIndexType(), range);
    require(LinearExpr::get(limit) - LinearExpr::getStart(range) -
            cast<RangeType>(range.getType()).getExtent());
  }
  return all;
}

namespace {
struct GuardMasks : tile::impl::GuardMasksPassBase<GuardMasks> {
  using GuardMasksPassBase::GuardMasksPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop.getBody()->getOps<GemmOp>().empty())
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      bool isSplit = isPartOfSplit(loop);
      // Starts at the last selection, whose chain contains the earlier ones.
      auto selects = llvm::to_vector(loop.getBody()->getOps<arith::SelectOp>());
      llvm::SmallPtrSet<Operation *, 4> skipped;
      for (arith::SelectOp select : llvm::reverse(selects)) {
        if (skipped.contains(select) || !isSelectionOfTiles(select))
          continue;
        SmallVector<arith::SelectOp> chain;
        std::optional<Guard> guard = findChain(loop, select, chain);
        // In the first and the last loop of a split, ranges are rarely full.
        if (guard &&
            (!isSplit || (!guard->hasRanges && isSelectionOfProduct(select)))) {
          skipped.insert(chain.begin(), chain.end());
          skip(chain, *guard);
        }
      }
    }
  }

  /// Returns the guard of all masks of a chain of selections of one tile.
  /// `chain` gets the selections, the last one first.
  static std::optional<Guard> findChain(scf::ForOp loop, arith::SelectOp last,
                                        SmallVector<arith::SelectOp> &chain) {
    std::optional<Guard> guard = GuardMaker(loop).make(last.getCondition());
    if (!guard)
      return std::nullopt;
    chain.push_back(last);
    while (auto before =
               chain.back().getTrueValue().getDefiningOp<arith::SelectOp>()) {
      if (!before->hasOneUse() || before->getBlock() != loop.getBody() ||
          !isSelectionOfTiles(before))
        break;
      std::optional<Guard> more = GuardMaker(loop).make(before.getCondition());
      if (!more)
        break;
      llvm::append_range(guard->slacks, more->slacks);
      guard->hasRanges |= more->hasRanges;
      guard->ranges.insert(more->ranges.begin(), more->ranges.end());
      guard->ops.insert(more->ops.begin(), more->ops.end());
      chain.push_back(before);
    }
    return guard;
  }

  void skip(MutableArrayRef<arith::SelectOp> chain, const Guard &guard) {
    arith::SelectOp select = chain.front();
    if (remarks)
      for (arith::SelectOp skipped : llvm::reverse(chain))
        skipped.emitRemark()
            << "this selection is skipped where its mask is all true"
            << " [mask-guarded]";
    OpBuilder builder(select);
    Location loc = select.getLoc();
    Value test = makeGuardTest(builder, loc, guard);
    auto keep = [&](OpBuilder &inner, Location loc) {
      scf::YieldOp::create(inner, loc, chain.back().getTrueValue());
    };
    auto choose = [&](OpBuilder &inner, Location loc) {
      IRMapping mapping;
      SmallVector<Operation *> ops(guard.ops.begin(), guard.ops.end());
      llvm::sort(ops, [](Operation *a, Operation *b) {
        return a->isBeforeInBlock(b);
      });
      for (Operation *op : ops)
        inner.clone(*op, mapping);
      Operation *chosen = nullptr;
      for (arith::SelectOp skipped : llvm::reverse(chain))
        chosen = inner.clone(*skipped, mapping);
      scf::YieldOp::create(inner, loc, chosen->getResults());
    };
    auto branch = scf::IfOp::create(builder, loc, test, keep, choose);
    branch->setAttr(kGuardedMasksAttrName, builder.getUnitAttr());
    select.replaceAllUsesWith(branch.getResult(0));
    for (arith::SelectOp skipped : chain)
      skipped->erase();
    SmallVector<Operation *> ops(guard.ops.begin(), guard.ops.end());
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
    for (Operation *op : ops)
      if (isOpTriviallyDead(op))
        op->erase();
    numGuarded += chain.size();
  }
};
} // namespace
