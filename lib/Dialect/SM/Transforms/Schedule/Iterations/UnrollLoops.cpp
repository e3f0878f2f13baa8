//===- UnrollLoops.cpp - Two iterations in one ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-unroll-loops. Two kinds of loops get two iterations in their
// body:
//
// - A product that is issued while threads still work on the one before writes
//   other registers. What a loop carries has one place, so each iteration would
//   end with a copy; products of two iterations alternate between two places
//   (modulo variable expansion).
// - A role that loads rows, computes, and fills slots waits for its loads in
//   each iteration. If that takes longer than the product for which it does
//   so, the loads of two iterations are waited for together.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/Analysis/TripCount.h"
#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/SM/IR/RegisterPressure.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::sm {
#define GEN_PASS_DEF_UNROLLLOOPSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

/// Checks whether `loop` carries the result of a product, and reads the one
/// before after that product is issued.
static bool needsTwoPlaces(scf::ForOp loop) {
  Block *body = loop.getBody();
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    OpOperand *yielded = loop.getTiedLoopYieldedValue(argument);
    auto await = yielded->get().getDefiningOp<MmaAwaitOp>();
    Operation *issue = await ? await.getPending().getDefiningOp() : nullptr;
    if (!issue || issue->getBlock() != body)
      continue;
    for (Operation *user : argument.getUsers()) {
      Operation *reader = body->findAncestorOpInBlock(*user);
      if (reader != issue && issue->isBeforeInBlock(reader))
        return true;
    }
  }
  return false;
}

/// Returns the ops of the body of `loop` that depend neither on earlier
/// iterations nor on loop-carried values. These are loads of read-only tensors,
/// and arithmetic.
static llvm::SetVector<Operation *> findIndependent(scf::ForOp loop) {
  llvm::SetVector<Operation *> independent;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto load = dyn_cast<LoadOp>(op);
    bool isMovable = load ? !load.getGlobalType().isWritable()
                          : op.getNumRegions() == 0 &&
                                isa<arith::ArithDialect>(op.getDialect()) &&
                                isMemoryEffectFree(&op);
    bool needsOthers = llvm::any_of(op.getOperands(), [&](Value operand) {
      if (operand.getParentBlock() != loop.getBody())
        return false;
      Operation *definition = operand.getDefiningOp();
      return definition ? !independent.contains(definition)
                        : operand != loop.getInductionVar();
    });
    if (isMovable && !needsOthers)
      independent.insert(&op);
  }
  return independent;
}

/// Returns the least time that tensor cores take for the product of an
/// iteration of the loop around `op`. Null if there is none. Null if there are
/// several, since other work then takes longer than they do (attention).
static std::optional<double> getProductSeconds(Operation *op) {
  auto loop = op->getParentOfType<scf::ForOp>();
  if (!loop)
    return std::nullopt;
  auto issues = loop.getBody()->getOps<MmaIssueOp>();
  if (!llvm::hasSingleElement(issues))
    return std::nullopt;
  MmaIssueOp issue = *issues.begin();
  const GpuTarget &target = getTarget(op);
  SmemType operand = issue.getB().getType();
  auto sum = cast<RankedTensorType>(issue.getType().getTensor());
  // Each row takes all of the right operand.
  int64_t elements = operand.getBytes() / operand.getElementBytes();
  int64_t rate = target.getTensorRate(8 * operand.getElementBytes());
  return 2.0 * sum.getDimSize(0) * elements * target.multiprocessors / rate;
}

/// Checks whether loops of a product that takes less time than a load need the
/// slots that `fill` writes to.
static bool isForShortProducts(SlotStoreOp fill) {
  auto at = fill.getTile().getDefiningOp<SlotsAtOp>();
  return at && llvm::any_of(at.getSlots().getUsers(), [&](Operation *user) {
           std::optional<double> seconds = getProductSeconds(user);
           return seconds && *seconds < cost::kLoadSeconds;
         });
}

/// Returns the loads of `loop`, and the ops that they need, if a role does
/// nothing there but fill slots. The slots hold what the role loads and
/// computes, for products that would wait for it. Returns nothing unless the
/// role has registers for the loads of two iterations.
static llvm::SetVector<Operation *> findLoadsOfSlots(scf::ForOp loop) {
  llvm::SetVector<Operation *> slice;
  auto role = loop->getParentOfType<RoleOp>();
  Block *body = loop.getBody();
  if (!role || role.getElected() ||
      llvm::none_of(body->getOps<SlotStoreOp>(), isForShortProducts) ||
      llvm::any_of(*body, [](Operation &op) {
        return op.getNumRegions() > 0 ||
               isa<MmaIssueOp, StoreOp, TmaStoreOp>(op);
      }))
    return slice;
  llvm::SetVector<Operation *> independent = findIndependent(loop);
  int64_t registers = 0;
  for (Operation *op : llvm::reverse(independent)) {
    bool isNeeded = llvm::any_of(
        op->getUsers(), [&](Operation *user) { return slice.contains(user); });
    if (auto load = dyn_cast<LoadOp>(op))
      registers +=
          std::max<int64_t>(1, getValueRegisters(load.getResult().getType()));
    else if (!isNeeded)
      continue;
    slice.insert(op);
  }
  if (registers == 0 ||
      RegisterPressure(role).getNeed() + registers > getRegisterBudget(role))
    slice.clear();
  return slice;
}

//===----------------------------------------------------------------------===//
// Two iterations
//===----------------------------------------------------------------------===//

namespace {
/// An iteration of a loop that is being cloned.
class Iteration {
public:
  Iteration(scf::ForOp loop, Value position) : loop(loop) {
    mapping.map(loop.getInductionVar(), position);
  }

  void take(ValueRange carried) {
    mapping.map(loop.getRegionIterArgs(), carried);
  }

  /// Clones the ops that are in `ahead`, or those that are not.
  void emit(OpBuilder &builder, const llvm::SetVector<Operation *> &ahead,
            bool isAhead) {
    for (Operation &op : loop.getBody()->without_terminator())
      if (ahead.contains(&op) == isAhead)
        builder.clone(op, mapping);
  }

  SmallVector<Value> getYielded() {
    return llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) {
      return mapping.lookupOrDefault(value);
    });
  }

private:
  scf::ForOp loop;
  IRMapping mapping;
};
} // namespace

/// Emits iterations of `loop` at `positions`, those of the ops in `ahead`
/// first, and what the last one yields.
static void emitIterations(OpBuilder &builder, scf::ForOp loop,
                           ArrayRef<Value> positions, ValueRange carried,
                           const llvm::SetVector<Operation *> &ahead) {
  SmallVector<Iteration> iterations;
  for (Value position : positions)
    iterations.emplace_back(loop, position).emit(builder, ahead, true);
  SmallVector<Value> values(carried);
  for (Iteration &iteration : iterations) {
    iteration.take(values);
    iteration.emit(builder, ahead, false);
    values = iteration.getYielded();
  }
  scf::YieldOp::create(builder, loop.getLoc(), values);
}

/// Replaces `loop` by one of pairs of iterations, and one more if their number
/// is odd.
static void unrollTwice(scf::ForOp loop,
                        const llvm::SetVector<Operation *> &ahead) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value first = loop.getLowerBound(), end = loop.getUpperBound();
  Value step = loop.getStep();
  Type type = step.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  // There are (length + step - 1) / (2 step) pairs.
  Value difference = builder.createOrFold<arith::SubIOp>(loc, end, first);
  Value length =
      builder.createOrFold<arith::MaxSIOp>(loc, difference, constant(0));
  Value doubled = builder.createOrFold<arith::AddIOp>(loc, step, step);
  Value rounding = builder.createOrFold<arith::SubIOp>(loc, step, constant(1));
  Value above = builder.createOrFold<arith::AddIOp>(loc, length, rounding);
  Value pairs = builder.createOrFold<arith::DivUIOp>(loc, above, doubled);
  Value ofPairs = builder.createOrFold<arith::MulIOp>(loc, pairs, doubled);
  Value middle = builder.createOrFold<arith::AddIOp>(loc, ofPairs, first);

  auto unrolled = scf::ForOp::create(
      builder, loc, first, middle, doubled, loop.getInitArgs(),
      [&](OpBuilder &inner, Location where, Value position,
          ValueRange carried) {
        Value next = arith::AddIOp::create(inner, where, position, step);
        emitIterations(inner, loop, {position, next}, carried, ahead);
      });
  unrolled->setDiscardableAttrs(loop->getDiscardableAttrDictionary());

  Value isOdd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      middle, end);
  auto buildLast = [&](OpBuilder &inner, Location) {
    emitIterations(inner, loop, {middle}, unrolled.getResults(), ahead);
  };
  auto buildNone = [&](OpBuilder &inner, Location where) {
    scf::YieldOp::create(inner, where, unrolled.getResults());
  };
  auto last =
      scf::IfOp::create(builder, loc, isOdd, buildLast,
                        loop.getNumResults() == 0
                            ? function_ref<void(OpBuilder &, Location)>(nullptr)
                            : buildNone);
  loop->replaceAllUsesWith(last.getResults());
  loop.erase();
}

namespace {
struct UnrollLoops : sm::impl::UnrollLoopsPassBase<UnrollLoops> {
  using UnrollLoopsPassBase::UnrollLoopsPassBase;

  void runOnOperation() override {
    SmallVector<std::pair<scf::ForOp, llvm::SetVector<Operation *>>> loops;
    getOperation().walk([&](scf::ForOp loop) {
      std::optional<int64_t> most = getMostIterations(loop);
      if (loop.getUnsignedCmp() || (most && *most <= 1))
        return;
      llvm::SetVector<Operation *> loads = findLoadsOfSlots(loop);
      if (!loads.empty() || needsTwoPlaces(loop))
        loops.push_back({loop, loads});
    });
    for (auto &[loop, loads] : loops)
      unrollTwice(loop, loads);
    numLoops += loops.size();
  }
};
} // namespace
