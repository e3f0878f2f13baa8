//===- InFlightOperands.cpp - Operands of products in flight ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks backwards from each wait to the MMAs of its block that it completes:
// along the chain of accumulators for an await, and through the block for a
// retire.
//
//===----------------------------------------------------------------------===//

#include "InFlightOperands.h"

using namespace tessera;
using namespace tessera::sm;

InFlightOperands::InFlightOperands(Operation *function) {
  function->walk([&](Operation *op) {
    if (auto await = dyn_cast<MmaAwaitOp>(op))
      add(await);
    if (auto retire = dyn_cast<MmaRetireOp>(op))
      add(retire);
  });
}

/// Adds the MMA of the tile, and the MMAs to which it adds.
void InFlightOperands::add(MmaAwaitOp await) {
  auto issue = await.getPending().getDefiningOp<MmaIssueOp>();
  for (; issue && issue->getBlock() == await->getBlock();
       issue = issue.getAccumulator().getDefiningOp<MmaIssueOp>())
    products[await].push_back(issue);
}

/// Adds all MMAs before `retire` but the last ones, which stay in flight.
void InFlightOperands::add(MmaRetireOp retire) {
  SmallVector<Operation *> issues;
  for (Operation *op = retire; op; op = op->getPrevNode())
    if (isa<MmaIssueOp>(op))
      issues.push_back(op);
  size_t inFlight = std::min<size_t>(retire.getLeave(), issues.size());
  llvm::append_range(products[retire], ArrayRef(issues).drop_front(inFlight));
}

SmallVector<Value> InFlightOperands::get(Operation *wait) const {
  SmallVector<Value> registers;
  for (Operation *issue : products.lookup(wait))
    llvm::append_range(registers, registersOf.lookup(issue));
  return registers;
}
