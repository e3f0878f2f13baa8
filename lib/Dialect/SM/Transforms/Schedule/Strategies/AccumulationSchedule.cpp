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

#include "ScheduleStrategy.h"

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

Reason sm::chainSums(SplitLoop &split) {
  scf::ForOp loop = split.loop;
  Block *body = loop.getBody();
  llvm::SetVector<Operation *> chained;
  for (MmaIssueOp product : split.products) {
    Value sum = product.getAccumulator();
    while (auto await = sum.getDefiningOp<MmaAwaitOp>())
      sum = await.getPending().getDefiningOp<MmaIssueOp>().getAccumulator();
    auto argument = dyn_cast<BlockArgument>(sum);
    if (argument && argument.getOwner() == body &&
        argument != loop.getInductionVar() &&
        isAccumulator(loop, argument, chained))
      continue;
    return "a product does more than add to what the loop carries";
  }
  for (Operation *issue : chained) {
    MmaAwaitOp await = getAwait(cast<MmaIssueOp>(issue));
    auto next = cast<MmaIssueOp>(*await->user_begin());
    next.getAccumulatorMutable().assign(await.getPending());
    next.getResult().setType(await.getPending().getType());
    await.erase();
    releaseAfter(cast<MmaIssueOp>(issue), getAwait(next));
  }
  return Reason::none();
}

Proposals sm::proposeAccumulation(SplitLoop &split, const LoopHints &) {
  if (Reason reason = chainSums(split))
    return reason;
  MLIRContext *context = split.loop.getContext();
  for (MmaIssueOp product : split.products)
    if (isa<MmaAwaitOp>(*product->user_begin()))
      getAwait(product)->setAttr(kAfterLoopAttrName, UnitAttr::get(context));
  OpBuilder builder(context);
  MmaIssueOp last = split.products.back();
  builder.setInsertionPointAfter(last);
  Operation *retire = MmaRetireOp::create(builder, last.getLoc(), /*leave=*/0);
  Proposal proposal;
  for (MmaIssueOp product : split.products)
    proposal.order.products.push_back({product});
  proposal.order.late = {retire};
  // The sums take no registers that the loop does not take as it is.
  proposal.limit = std::nullopt;
  return SmallVector<Proposal>{proposal};
}

Reason sm::findAccumulationFault(const SplitLoop &split, const LoopSchedule &) {
  MmaIssueOp last = split.products.back();
  auto retire = cast<MmaRetireOp>(last->getNextNode());
  if (getSchedule(last).getOrder() < getSchedule(retire).getOrder())
    return Reason::none();
  return "an operand is overwritten, or its only slot released, before the "
         "products of the next iteration can be issued";
}
