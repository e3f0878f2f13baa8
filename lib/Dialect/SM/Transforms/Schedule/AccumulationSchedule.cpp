//===- AccumulationSchedule.cpp - Products that only accumulate -*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products that only add to what the loop carries, from operands that stay as
// they are while the next ones are issued:
//
//   iteration j: wait for slots; issue the products of j, which add to what is
//   pending; retire those of j - 1; give their slots back
//
// The results are awaited once, after the loop.
//
//===----------------------------------------------------------------------===//

#include "LoopScheduler.h"

using namespace tessera;
using namespace tessera::sm;

/// Checks whether all that happens to `argument` is that products add to it,
/// one after the other; notes those whose result only goes to the next one.
static bool isAccumulator(scf::ForOp loop, BlockArgument argument,
                          llvm::SetVector<Operation *> &chained) {
  Operation *yield = loop.getBody()->getTerminator();
  for (Value value = argument; value.hasOneUse();) {
    auto issue = dyn_cast<MmaIssueOp>(*value.user_begin());
    if (!issue || issue.getAccumulator() != value ||
        issue->getBlock() != loop.getBody())
      return false;
    value = getAwait(issue).getResult();
    if (value.hasOneUse() && *value.user_begin() == yield)
      return loop.getTiedLoopYieldedValue(argument)->get() == value;
    chained.insert(issue);
  }
  return false;
}

/// Moves the releases between `issue` and `await` to after `await`. They may
/// release what `issue` reads, whose own await is about to go.
static void releaseAfter(MmaIssueOp issue, MmaAwaitOp await) {
  Operation *last = await;
  for (Operation *op = issue->getNextNode(); op != await;) {
    Operation *next = op->getNextNode();
    if (isa<RingReleaseOp>(op)) {
      op->moveAfter(last);
      last = op;
    }
    op = next;
  }
}

LogicalResult LoopScheduler::chainSums(std::string &why) {
  Block *body = loop.getBody();
  llvm::SetVector<Operation *> chained;
  for (MmaIssueOp product : products) {
    Value sum = product.getAccumulator();
    while (auto await = sum.getDefiningOp<MmaAwaitOp>())
      sum = await.getPending().getDefiningOp<MmaIssueOp>().getAccumulator();
    auto argument = dyn_cast<BlockArgument>(sum);
    if (argument && argument.getOwner() == body &&
        argument != loop.getInductionVar() &&
        isAccumulator(loop, argument, chained))
      continue;
    why = "a product does more than add to what the loop carries";
    return failure();
  }
  for (Operation *issue : chained) {
    MmaAwaitOp await = getAwait(cast<MmaIssueOp>(issue));
    auto next = cast<MmaIssueOp>(*await->user_begin());
    next.getAccumulatorMutable().assign(await.getPending());
    next.getResult().setType(await.getPending().getType());
    await.erase();
    releaseAfter(cast<MmaIssueOp>(issue), getAwait(next));
  }
  return success();
}

LogicalResult LoopScheduler::scheduleAccumulation(std::string &why) {
  if (failed(chainSums(why)))
    return failure();
  for (MmaIssueOp product : products)
    if (isa<MmaAwaitOp>(*product->user_begin()))
      getAwait(product)->setAttr(kAfterLoopAttrName,
                                 UnitAttr::get(loop.getContext()));
  OpBuilder builder(loop.getContext());
  builder.setInsertionPointAfter(products.back());
  auto retire =
      MmaRetireOp::create(builder, products.back().getLoc(), /*leave=*/0);
  SmallVector<PlannedProduct> order;
  for (MmaIssueOp product : products)
    order.push_back({product});
  if (failed(plan(order, retire.getOperation(), why)))
    return failure();
  if (getSchedule(products.back()).getOrder() < getSchedule(retire).getOrder())
    return success();
  why =
      "what they read is overwritten, or its only slot given back, before the "
      "products of the next iteration can be issued";
  return failure();
}
