//===- SlotUses.cpp - Slots are consumed once -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlotUses.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Once on every path
//===----------------------------------------------------------------------===//

/// Checks whether `op` takes over the slots among its operands.
static bool isConsumer(Operation *op) {
  return isa<RingCommitOp, RingReleaseOp, scf::YieldOp, scf::ConditionOp,
             scf::ForOp, scf::WhileOp>(op);
}

static InFlightDiagnostic report(Value slot, Operation *op, StringRef what) {
  InFlightDiagnostic diagnostic = op->emitError() << what;
  diagnostic.attachNote(slot.getLoc()) << "the slot is taken here";
  return diagnostic;
}

/// Returns the uses of `slot` in `op` or in its regions.
static SmallVector<OpOperand *> getUsesIn(Value slot, Operation *op) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : slot.getUses())
    if (op->isAncestor(use.getOwner()))
      uses.push_back(&use);
  return uses;
}

/// The tiles of `slot` may be used by ops up to the one that consumes it.
static LogicalResult verifyTiles(Value slot, Block &block,
                                 Operation *consumer) {
  for (Operation *user : slot.getUsers()) {
    auto tile = dyn_cast<SlotTileOp>(user);
    if (!tile)
      continue;
    for (Operation *reader : tile->getUsers()) {
      Operation *inBlock = block.findAncestorOpInBlock(*reader);
      if (inBlock && consumer->isBeforeInBlock(inBlock)) {
        InFlightDiagnostic diagnostic =
            reader->emitError()
            << "uses a tile of a slot after its commit or release";
        diagnostic.attachNote(consumer->getLoc())
            << "the slot is committed or released here";
        return diagnostic;
      }
    }
  }
  return success();
}

/// Checks that each path through `block` consumes `slot`, which is alive at its
/// start, once.
static LogicalResult verifyIn(Value slot, Block &block) {
  Operation *consumer = nullptr;
  for (Operation &op : block) {
    SmallVector<OpOperand *> uses = getUsesIn(slot, &op);
    if (uses.empty())
      continue;
    if (consumer) {
      InFlightDiagnostic diagnostic =
          uses.front()->getOwner()->emitError()
          << "uses a slot after its commit or release";
      diagnostic.attachNote(consumer->getLoc())
          << "the slot is committed or released here";
      return diagnostic;
    }
    bool inRegions = llvm::any_of(
        uses, [&](OpOperand *use) { return use->getOwner() != &op; });
    if (!inRegions) {
      if (isa<SlotTileOp>(op))
        continue;
      if (!isConsumer(&op))
        return report(slot, &op, "cannot take a slot");
      if (uses.size() > 1)
        return report(slot, &op, "commits or releases a slot twice");
      consumer = &op;
      continue;
    }
    if (llvm::none_of(
            uses, [](OpOperand *use) { return isConsumer(use->getOwner()); }))
      continue;
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch)
      return report(
          slot, &op,
          "commits or releases a slot of an outer block in each iteration");
    if (branch.getElseRegion().empty())
      return report(slot, &op,
                    "commits or releases a slot on one of two paths");
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      if (failed(verifyIn(slot, region->front())))
        return failure();
    consumer = &op;
  }
  if (!consumer)
    return report(slot, block.getParentOp(),
                  "does not commit or release a slot on every path");
  return verifyTiles(slot, block, consumer);
}

//===----------------------------------------------------------------------===//
// Where slots come from
//===----------------------------------------------------------------------===//

/// Returns the values that a loop or a condition passes to `value`.
static SmallVector<Value> getCarried(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned index = argument.getArgNumber();
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return {loop.getInitArgs()[index - 1],
              loop.getYieldedValues()[index - 1]};
    auto loop = cast<scf::WhileOp>(parent);
    if (argument.getOwner() == loop.getAfterBody())
      return {loop.getConditionOp().getArgs()[index]};
    return {loop.getInits()[index], loop.getYieldOp().getOperand(index)};
  }
  auto result = cast<OpResult>(value);
  unsigned index = result.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return {loop.getInitArgs()[index], loop.getYieldedValues()[index]};
  if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner()))
    return {loop.getConditionOp().getArgs()[index]};
  auto branch = cast<scf::IfOp>(result.getOwner());
  return {branch.thenYield().getOperand(index),
          branch.elseYield().getOperand(index)};
}

/// One of the ops that take what becomes `slot`, and whether all agree.
static LogicalResult findSource(Value slot, Value start, Operation *&source,
                                llvm::DenseSet<Value> &seen) {
  if (!seen.insert(slot).second)
    return success();
  Operation *op = slot.getDefiningOp();
  if (!isa_and_present<RingAcquireOp, RingWaitOp>(op)) {
    for (Value incoming : getCarried(slot))
      if (failed(findSource(incoming, start, source, seen)))
        return failure();
    return success();
  }
  if (!source)
    source = op;
  if (source->getName() == op->getName() &&
      source->getOperand(0) == op->getOperand(0))
    return success();
  InFlightDiagnostic diagnostic =
      mlir::emitError(start.getLoc())
      << "slots of two rings, or of two sides, are carried as one value";
  diagnostic.attachNote(source->getLoc()) << "one is taken here";
  diagnostic.attachNote(op->getLoc()) << "another one is taken here";
  return diagnostic;
}

FailureOr<SlotSources> sm::verifySlots(KernelOp kernel) {
  SmallVector<Value> slots;
  auto collect = [&](ValueRange values) {
    for (Value value : values)
      if (isa<SlotType>(value.getType()))
        slots.push_back(value);
  };
  WalkResult walk = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool carries = isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op);
    size_t before = slots.size();
    collect(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        collect(block.getArguments());
    if (slots.size() != before && !carries &&
        !isa<RingAcquireOp, RingWaitOp>(op)) {
      op->emitError() << "cannot make a slot";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  for (Value slot : slots) {
    Block *block = isa<BlockArgument>(slot)
                       ? cast<BlockArgument>(slot).getOwner()
                       : slot.getParentBlock();
    if (failed(verifyIn(slot, *block)))
      return failure();
  }
  SlotSources result;
  for (Value slot : slots) {
    Operation *source = nullptr;
    llvm::DenseSet<Value> seen;
    if (failed(findSource(slot, slot, source, seen)))
      return failure();
    // A slot that is yielded only by itself is never used: its loop never
    // starts.
    result.sources[slot] = source;
  }
  return result;
}
