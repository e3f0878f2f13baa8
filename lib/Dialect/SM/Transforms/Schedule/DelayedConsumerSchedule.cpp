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

#include "LoopScheduler.h"

using namespace tessera;
using namespace tessera::sm;

LogicalResult LoopScheduler::scheduleLateWork(const RegisterPeak &available,
                                              std::string &why) {
  if (!llvm::hasSingleElement(products)) {
    why = "there are several products";
    return failure();
  }
  SmallVector<Operation *> late;
  for (Operation *user : getAwait(products.front())->getUsers())
    if (user->getBlock() == loop.getBody() &&
        !user->hasTrait<OpTrait::IsTerminator>())
      late.push_back(user);
  if (late.empty()) {
    why = "nothing works on its result";
    return failure();
  }
  MmaIssueOp product = products.front();
  if (failed(plan({{product}}, late, why)))
    return failure();
  // Ops in loops and branches are not placed in another iteration.
  for (Operation &op : *loop.getBody())
    if (op.getNumRegions() > 0 && getSchedule(&op).getStage() > 0) {
      why = "a loop or a branch is part of the work";
      return failure();
    }
  if (llvm::any_of(late, [&](Operation *op) {
        return getSchedule(op).getOrder() < getSchedule(product).getOrder();
      })) {
    why = "the next product needs what is made of it";
    return failure();
  }
  return success(fits(available, /*leeway=*/0, why));
}
