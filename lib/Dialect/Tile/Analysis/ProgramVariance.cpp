//===- ProgramVariance.cpp - Values that vary by program --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows each varying value to its users, until nothing changes. A varying
// condition or bound makes the operation diverge, and with it all that the
// operation yields.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/Analysis/ProgramVariance.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tessera;
using namespace tessera::tile;

ProgramVariance::ProgramVariance(KernelOp kernel) {
  for (BlockArgument argument :
       kernel.getBody().getArguments().drop_front(kernel.getNumParams()))
    mark(argument, /*cause=*/nullptr);
  kernel.getBody().walk([&](Operation *op) {
    if (op->getNumRegions() == 0 && !isa<LoadOp>(op) && !isMemoryEffectFree(op))
      for (Value result : op->getResults())
        mark(result, /*cause=*/nullptr);
  });
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses())
      follow(use);
}

void ProgramVariance::mark(Value value, Operation *cause) {
  if (varying.try_emplace(value, cause).second)
    worklist.push_back(value);
}

/// Marks what `op` yields and what it passes to its regions.
void ProgramVariance::markAll(Operation *op, Operation *cause) {
  for (Value result : op->getResults())
    mark(result, cause);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        mark(argument, cause);
}

void ProgramVariance::follow(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  Operation *cause = varying.lookup(use.get());
  auto diverge = [&](Operation *structure) {
    Operation *first = cause ? cause : structure;
    if (divergent.try_emplace(structure, first).second)
      markAll(structure, first);
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (number < loop.getNumControlOperands())
      return diverge(loop);
    mark(loop.getTiedLoopResult(&use), cause);
    return mark(loop.getTiedLoopRegionIterArg(&use), cause);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return mark(loop.getBeforeArguments()[number], cause);
  if (isa<scf::IfOp>(op))
    return diverge(op);
  if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    if (number == 0)
      return diverge(loop);
    mark(loop.getResult(number - 1), cause);
    return mark(loop.getAfterArguments()[number - 1], cause);
  }
  Operation *parent = op->getParentOp();
  if (isa<scf::YieldOp>(op)) {
    if (auto loop = dyn_cast<scf::WhileOp>(parent))
      return mark(loop.getBeforeArguments()[number], cause);
    mark(parent->getResult(number), cause);
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      mark(loop.getRegionIterArg(number), cause);
    return;
  }
  // The body of an operation on tiles, such as a function that combines.
  if (op->hasTrait<OpTrait::IsTerminator>() && !isa<KernelOp>(parent))
    return markAll(parent, cause);
  markAll(op, cause);
}

Operation *ProgramVariance::findDivergence(Operation *op) const {
  for (Operation *parent = op->getParentOp(); !isa<KernelOp>(parent);
       parent = parent->getParentOp())
    if (Operation *cause = divergent.lookup(parent))
      return cause;
  return nullptr;
}
