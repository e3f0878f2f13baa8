//===- GivenOrder.cpp - An order that an option gives -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the MMAs of a loop as text, for measurements and tests:
//
//   0 2 !0 1 !2 + 4 3 !4 + !3'
//
//   n, !n     issues or awaits the MMA with this number in the body
//   n', !n'   the same, one iteration late
//   +         executes all other ops that wait for no further MMA
//   .         the same, without ops in which warpgroups wait for each other
//
// Awaits that are not listed come where they are needed. An MMA that is awaited
// late, but not issued late, only adds to a carried tile, which is awaited
// after the loop.
//
//===----------------------------------------------------------------------===//

#include "ScheduleStrategy.h"

#include "llvm/ADT/StringExtras.h"

using namespace tessera;
using namespace tessera::sm;

Proposals sm::proposeGivenOrder(SplitLoop &split, const LoopHints &hints) {
  SmallVector<StringRef> words;
  hints.order.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  Proposal proposal;
  proposal.limit = std::nullopt;
  IssueOrder &order = proposal.order;
  llvm::SmallDenseSet<Operation *> late;
  SmallVector<MmaIssueOp> retired;
  for (StringRef word : words) {
    OrderStep &step = order.steps.emplace_back();
    if (word == "+" || word == ".") {
      step.kind = word == "+" ? OrderStep::Work : OrderStep::OwnWork;
      continue;
    }
    step.kind = word.consume_front("!") ? OrderStep::Await : OrderStep::Issue;
    bool isLate = word.consume_back("'");
    unsigned number;
    if (word.getAsInteger(10, number))
      return "an order consists of n, !n, + and .";
    if (number >= split.products.size())
      return kOtherProducts;
    step.product = split.products[number];
    if (step.kind == OrderStep::Await) {
      if (isLate && !late.contains(step.product))
        retired.push_back(step.product);
      continue;
    }
    order.products.push_back({step.product, isLate ? kLastStage : 0});
    if (isLate)
      late.insert(step.product);
  }
  if (order.products.size() != split.products.size())
    return kOtherProducts;
  for (const PlannedProduct &product : order.products)
    if (product.stage > 0)
      if (RingWaitOp wait = findLateWait(split.loop, product.issue))
        addStored(product.issue, wait, order.late);
  for (MmaIssueOp product : retired) {
    OrReason<MmaRetireOp> retire = split.retireLate(product);
    if (!retire)
      return retire.getReason();
    order.late.push_back(*retire);
  }
  return SmallVector<Proposal>{proposal};
}
