//===- DeadTiles.cpp - Tiles that nobody uses any more ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Method: dead code elimination that also removes values that loops carry. A
// backward walk from the used results of a loop, and from its ops with effects,
// finds the needed values; all others are dropped.
//
//===----------------------------------------------------------------------===//

#include "PartitionSteps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::sm;

/// Checks whether nothing but its results comes of `op`.
static bool isRemovable(Operation *op) {
  if (op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  if (auto load = dyn_cast<LoadOp>(op))
    return !load.getGlobalType().isWritable();
  return isa<SmemLoadOp>(op) || isMemoryEffectFree(op);
}

/// Returns the values in `loop` that are needed: for results that are used, and
/// for what it does besides.
static llvm::SetVector<Value> findNeeded(scf::ForOp loop) {
  Operation *yield = loop.getBody()->getTerminator();
  llvm::SetVector<Value> needed;
  for (auto [result, yielded] :
       llvm::zip(loop.getResults(), yield->getOperands()))
    if (!result.use_empty())
      needed.insert(yielded);
  loop.getBody()->walk([&](Operation *op) {
    if (op != yield && (op->getBlock() != loop.getBody() || !isRemovable(op)))
      needed.insert(op->operand_begin(), op->operand_end());
  });
  for (unsigned next = 0; next < needed.size(); ++next) {
    Value value = needed[next];
    if (Operation *op = value.getDefiningOp()) {
      if (op->getBlock() == loop.getBody())
        needed.insert(op->operand_begin(), op->operand_end());
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    if (argument.getOwner() == loop.getBody() && argument.getArgNumber() > 0)
      needed.insert(yield->getOperand(argument.getArgNumber() - 1));
  }
  return needed;
}

static void eraseRemovable(Operation *scope) {
  SmallVector<Operation *> removable;
  scope->walk([&](Operation *op) {
    if (isRemovable(op))
      removable.push_back(op);
  });
  for (Operation *op : llvm::reverse(removable))
    if (op->use_empty())
      op->erase();
}

/// Takes from `loop` what it carries for nobody but itself.
static void dropDeadValues(scf::ForOp loop) {
  llvm::SetVector<Value> needed = findNeeded(loop);
  Operation *yield = loop.getBody()->getTerminator();
  SmallVector<unsigned> kept;
  SmallVector<Value> inits, yielded;
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (loop->getResult(index).use_empty() && !needed.contains(argument)) {
      yield->setOperand(index, argument);
      continue;
    }
    kept.push_back(index);
    inits.push_back(loop.getInitArgs()[index]);
    yielded.push_back(yield->getOperand(index));
  }
  if (kept.size() == loop->getNumResults())
    return;
  eraseRemovable(loop);
  OpBuilder builder(loop);
  auto fewer = scf::ForOp::create(
      builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
      loop.getStep(), inits,
      [&](OpBuilder &inner, Location loc, Value position, ValueRange carried) {
        loop.getInductionVar().replaceAllUsesWith(position);
        for (auto [index, value] : llvm::zip(kept, carried))
          loop.getRegionIterArg(index).replaceAllUsesWith(value);
        for (Value &value : yielded)
          if (auto argument = dyn_cast<BlockArgument>(value);
              argument && argument.getOwner() == loop.getBody())
            value =
                argument.getArgNumber() == 0
                    ? position
                    : carried[llvm::find(kept, argument.getArgNumber() - 1) -
                              kept.begin()];
        Block *body = inner.getInsertionBlock();
        body->getOperations().splice(
            body->end(), loop.getBody()->getOperations(),
            loop.getBody()->begin(), yield->getIterator());
        inner.setInsertionPointToEnd(body);
        scf::YieldOp::create(inner, loc, yielded);
      },
      loop.getUnsignedCmp());
  fewer->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  for (auto [index, result] : llvm::zip(kept, fewer.getResults()))
    loop->getResult(index).replaceAllUsesWith(result);
  loop->erase();
}

/// Checks whether nothing is done with the slot of `wait`, and a role other
/// than its own waits for slots of the ring.
static bool isUnused(RingWaitOp wait) {
  auto role = wait->getParentOfType<RoleOp>();
  return llvm::all_of(wait->getUsers(), llvm::IsaPred<RingReleaseOp>) &&
         llvm::any_of(wait.getRing().getUsers(), [&](Operation *user) {
           return isa<RingWaitOp>(user) &&
                  user->getParentOfType<RoleOp>() != role;
         });
}

/// Erases the waits for rings whose slots `scope` never uses, with the releases
/// of these slots. The other rings keep all their waits, since a role that
/// waits for one slot of a ring waits for all.
static void eraseUnusedWaits(Operation *scope) {
  llvm::MapVector<Value, SmallVector<RingWaitOp>> waits;
  scope->walk([&](RingWaitOp wait) { waits[wait.getRing()].push_back(wait); });
  for (auto &[ring, waitsOfRing] : waits) {
    if (!llvm::all_of(waitsOfRing, isUnused))
      continue;
    for (RingWaitOp wait : waitsOfRing) {
      for (Operation *release : llvm::make_early_inc_range(wait->getUsers()))
        release->erase();
      wait->erase();
    }
  }
}

void sm::eraseDeadTiles(Operation *scope) {
  eraseRemovable(scope);
  // A loop is the only user of its initial values, if it follows another one.
  SmallVector<scf::ForOp> loops;
  scope->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : llvm::reverse(loops))
    dropDeadValues(loop);
  eraseRemovable(scope);
  eraseUnusedWaits(scope);
}
