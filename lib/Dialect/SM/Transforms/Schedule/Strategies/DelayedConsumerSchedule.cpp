//===- DelayedConsumerSchedule.cpp - Consumers in stage 1 -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One product, on whose result threads work, and nothing of that work is what
// the next product needs. The work runs an iteration late:
//
//   iteration j: issue the product of j; work on that of j - 1; await
//
// Products then take other registers than those before them, which is what
// sm-unroll-loops is for. None is in flight over the end of an iteration.
//
//===----------------------------------------------------------------------===//

#include "ScheduleStrategy.h"

using namespace tessera;
using namespace tessera::sm;

/// Returns the ops of the loop that use the result of its only MMA.
static SmallVector<Operation *> findConsumers(const SplitLoop &split) {
  SmallVector<Operation *> consumers;
  MmaIssueOp product = split.products.front();
  for (Operation *user : getAwait(product)->getUsers())
    if (user->getBlock() == product->getBlock() &&
        !user->hasTrait<OpTrait::IsTerminator>())
      consumers.push_back(user);
  return consumers;
}

Proposals sm::proposeDelayedConsumer(SplitLoop &split, const LoopHints &) {
  if (!llvm::hasSingleElement(split.products))
    return "there are several products";
  Proposal proposal;
  proposal.order.products = {{split.products.front()}};
  proposal.order.late = findConsumers(split);
  if (proposal.order.late.empty())
    return "nothing works on its result";
  return SmallVector<Proposal>{proposal};
}

Reason sm::findDelayedConsumerFault(const SplitLoop &split,
                                    const LoopSchedule &) {
  // Ops in loops and branches are not placed in another iteration.
  MmaIssueOp product = split.products.front();
  for (Operation &op : *product->getBlock())
    if (op.getNumRegions() > 0 && getSchedule(&op).getStage() > 0)
      return "a loop or a branch is part of the work";
  if (llvm::any_of(findConsumers(split), [&](Operation *op) {
        return getSchedule(op).getOrder() < getSchedule(product).getOrder();
      }))
    return "the next product needs what is made of it";
  return Reason::none();
}
