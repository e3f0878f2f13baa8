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
// conversions after it. Where the conditions of a loop of MMAs depend on no
// iteration, the loop gets a second version without the masks.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

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

/// Checks whether the values of `branch` are known before it where its
/// condition holds.
static bool isGuard(scf::IfOp branch) {
  return branch.getNumResults() > 0 &&
         llvm::all_of(branch.thenYield().getOperands(), [&](Value value) {
           return !branch.getThenRegion().isAncestor(value.getParentRegion());
         });
}

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

/// Returns the guards of `loop` whose conditions depend on no iteration, after
/// moving what computes the conditions before the loop.
static SmallVector<scf::IfOp> takeGuards(scf::ForOp loop) {
  SmallVector<scf::IfOp> guards;
  for (scf::IfOp branch : loop.getBody()->getOps<scf::IfOp>())
    if (isGuard(branch))
      guards.push_back(branch);
  llvm::erase_if(guards, [&](scf::IfOp guard) {
    llvm::SetVector<Operation *> needed;
    if (!findInvariant(guard.getCondition(), loop, needed))
      return true;
    for (Operation *op : needed)
      op->moveBefore(loop);
    return false;
  });
  return guards;
}

/// Replaces `loop` by a branch: a copy of it in which all conditions of
/// `guards` hold, or `loop`.
static void unswitch(scf::ForOp loop, ArrayRef<scf::IfOp> guards) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  llvm::SetVector<Value> conditions;
  for (scf::IfOp guard : guards)
    conditions.insert(guard.getCondition());
  Value all = conditions.front();
  for (Value condition : conditions.getArrayRef().drop_front())
    all = arith::AndIOp::create(builder, loc, all, condition);

  auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(), all,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  loop->replaceAllUsesWith(branch);
  builder.setInsertionPointToStart(branch.thenBlock());
  IRMapping mapping;
  auto copy = cast<scf::ForOp>(builder.clone(*loop, mapping));
  for (scf::IfOp guard : guards) {
    auto inner = cast<scf::IfOp>(mapping.lookup(guard.getOperation()));
    inner->replaceAllUsesWith(inner.thenYield().getOperands());
    inner.erase();
  }
  scf::YieldOp::create(builder, loc, copy.getResults());
  Block *otherwise = branch.elseBlock();
  loop->moveBefore(otherwise, otherwise->begin());
  builder.setInsertionPointToEnd(otherwise);
  scf::YieldOp::create(builder, loc, loop.getResults());
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
      if (SmallVector<scf::IfOp> guards = takeGuards(loop); !guards.empty()) {
        unswitch(loop, guards);
        ++numLoops;
      }
  }
};
} // namespace
