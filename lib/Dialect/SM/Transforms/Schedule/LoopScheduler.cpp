//===- LoopScheduler.cpp - Choice of a strategy for a loop ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: find a schedule in which MMAs overlap other work of a loop.
//
// Method: strategies are tried one after the other, each on a copy of the loop
// that takes its place if there is a schedule. A strategy proposes orders of
// issue. List scheduling (LoopSchedule) completes them, and registers are
// counted on a copy of the role (LoopRegisters).
//
//   strategy           stage 1               awaited                  ping-pong
//   sums               the retire            after the loop           no
//     with operands    all MMAs              before rounding operands no
//     by threads
//   dependent product  second MMA            after work on the first  yes
//   late stores        MMAs that are stored  before the store         yes
//   searched order     nothing               as the clock prefers     no
//   in iteration       nothing               where results are used   no
//     with one MMA     users of the MMA      at the end of iterations no
//
//===----------------------------------------------------------------------===//

#include "LoopScheduler.h"

using namespace tessera;
using namespace tessera::sm;

static const Strategy kStrategies[] = {
    {"given order", proposeGivenOrder, nullptr, /*takesTurns=*/false,
     /*storesLate=*/false,
     [](const LoopHints &hints) { return !hints.order.empty(); }},
    {"sums", proposeSums, findSumFault},
    {"dependent product", proposeDependentProduct, nullptr,
     /*takesTurns=*/true},
    {"late stores", proposeLateStores, nullptr, /*takesTurns=*/true,
     /*storesLate=*/true,
     [](const LoopHints &hints) {
       return hints.takesTurns || hints.storesLate;
     }},
    {"searched order", proposeSearchedOrder, findInIterationFault,
     /*takesTurns=*/false, /*storesLate=*/false,
     [](const LoopHints &hints) { return hints.orderRank.has_value(); }},
    {"in iteration", proposeInIteration, findInIterationFault},
};

/// Returns the part of the leeway that the schedule of `proposal` takes; or why
/// there is no such schedule.
static OrReason<int64_t> schedule(SplitLoop &split, const Strategy &strategy,
                                  const DependenceGraph &graph,
                                  const Proposal &proposal,
                                  const RegisterPeak &available) {
  OrReason<LoopSchedule> found = LoopSchedule::get(graph, proposal.order);
  if (!found)
    return found.getReason();
  found->annotate();
  if (strategy.findFault)
    if (Reason fault = strategy.findFault(split, *found))
      return fault;
  if (!proposal.limit)
    return 0;
  return getTakenLeeway(split.loop, available, *proposal.limit);
}

/// The same, for the first proposal of `strategy` that has a schedule.
static OrReason<int64_t> schedule(SplitLoop &split, const Strategy &strategy,
                                  const LoopHints &hints,
                                  const RegisterPeak &available) {
  Proposals proposals = strategy.propose(split, hints);
  if (!proposals)
    return proposals.getReason();
  OrReason<DependenceGraph> graph = split.getGraph();
  if (!graph)
    return graph.getReason();
  // The first proposal is the best one: its reason says most.
  Reason first = Reason::none();
  for (const Proposal &proposal : *proposals) {
    OrReason<int64_t> leeway =
        schedule(split, strategy, *graph, proposal, available);
    if (leeway)
      return leeway;
    if (!first)
      first = leeway.getReason();
  }
  return first;
}

/// Tries `strategy` on a copy of `loop` that takes its place if that succeeds.
static OrReason<int64_t> scheduleCopy(scf::ForOp loop, const Strategy &strategy,
                                      const LoopHints &hints,
                                      const RegisterPeak &available) {
  auto copy = cast<scf::ForOp>(OpBuilder(loop).clone(*loop));
  loop->replaceAllUsesWith(copy);
  loop->remove();
  SplitLoop split(copy);
  OrReason<int64_t> leeway = schedule(split, strategy, hints, available);
  if (leeway) {
    loop->destroy();
    return leeway;
  }
  copy->replaceAllUsesWith(loop);
  copy->getBlock()->getOperations().insert(copy->getIterator(), loop);
  copy.erase();
  return leeway;
}

/// Checks whether an MMA is in a loop or branch of the body of `loop`.
static bool hasNestedProduct(scf::ForOp loop) {
  return loop.getBody()
      ->walk([&](MmaOp product) {
        return product->getBlock() == loop.getBody() ? WalkResult::advance()
                                                     : WalkResult::interrupt();
      })
      .wasInterrupted();
}

LoopOutcome sm::scheduleLoop(scf::ForOp loop, const LoopHints &hints) {
  LoopOutcome outcome;
  if (hasNestedProduct(loop)) {
    outcome.refusals.push_back(
        {nullptr, "a product is in a nested loop or condition"});
    return outcome;
  }
  RegisterPeak available = getAvailableRegisters(loop);
  for (const Strategy &strategy : kStrategies) {
    if (strategy.isTried && !strategy.isTried(hints))
      continue;
    OrReason<int64_t> leeway = scheduleCopy(loop, strategy, hints, available);
    if (leeway) {
      outcome.strategy = &strategy;
      outcome.leeway = *leeway;
      break;
    }
    outcome.refusals.push_back({&strategy, leeway.getReason().str()});
  }
  return outcome;
}

/// Joins the reasons of `refusals` for which `isWanted`.
static std::string
join(ArrayRef<LoopOutcome::Refusal> refusals,
     function_ref<bool(const LoopOutcome::Refusal &)> isWanted) {
  std::string text;
  for (const LoopOutcome::Refusal &refusal : refusals) {
    if (!isWanted(refusal))
      continue;
    if (!text.empty())
      text += "; ";
    if (refusal.strategy)
      text += (refusal.strategy->name + ": ").str();
    text += refusal.reason;
  }
  return text;
}

std::string LoopOutcome::describe() const {
  return join(refusals, [](const Refusal &) { return true; });
}

std::string LoopOutcome::describeUnmet(const LoopHints &hints) const {
  if (strategy && strategy->meets(hints))
    return "";
  return join(refusals, [&](const Refusal &refusal) {
    return !refusal.strategy || refusal.strategy->meets(hints);
  });
}
