//===- InIterationSchedule.cpp - Products in their iteration ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each product is issued, and is complete, in its iteration. It takes registers
// for its result and for an operand. Where all of them together take too many,
// some products wait for those before them. Orders are proposed from the one
// with the fewest such waits on.
//
// If the loop has one product, the work on its result may run an iteration
// late, unless the next product needs that work:
//
//   iteration j: issue the product of j; work on that of j - 1; await
//
// Products then take other registers than those before them, so that
// sm-unroll-loops can remove the copies.
//
//===----------------------------------------------------------------------===//

#include "Schedule/Placement.h"
#include "ScheduleStrategy.h"

using namespace tessera;
using namespace tessera::sm;

/// A loop of more products is planned without such waits as
/// `PlannedProduct::startsAlone` asks for, or not at all.
static constexpr unsigned kMostProductsToTry = 6;

/// Returns an order of the products, all in their own iteration. With
/// `isEarly`, the products that need the fewest awaits come first; otherwise
/// those that add to carried values, which takes the fewest registers. Among
/// products that need the same awaits, those whose results the iteration uses
/// come before those that are only carried. The latter then overlap that use.
static SmallVector<PlannedProduct> chooseOrder(const DependenceGraph &graph,
                                               bool isEarly) {
  Placement placement(graph, SmallVector<int64_t>(graph.getOps().size()));
  SmallVector<MmaIssueOp> left;
  for (Operation *op : graph.getOps())
    if (auto issue = dyn_cast<MmaIssueOp>(op))
      left.push_back(issue);
  Operation *yield = graph.getLoop().getBody()->getTerminator();
  auto isOnlyCarried = [&](MmaIssueOp issue) {
    return llvm::all_of(graph.getCompletion(issue)->getUsers(),
                        [&](Operation *user) { return user == yield; });
  };
  // Whether all that `issue` needs is issued.
  auto isNext = [&](MmaIssueOp issue) {
    return llvm::none_of(placement.getNeeded(graph.getNumber(issue)),
                         [&](unsigned node) {
                           Operation *op = graph.getOps()[node];
                           return isa<MmaIssueOp>(op) && op != issue;
                         });
  };
  SmallVector<PlannedProduct> order;
  while (!left.empty()) {
    auto *best = llvm::find_if(left, isNext);
    unsigned awaits = placement.countAwaits(*best);
    for (auto *at = std::next(best); at != left.end(); ++at) {
      if (!isNext(*at))
        continue;
      unsigned others = placement.countAwaits(*at);
      bool isBefore = others == awaits
                          ? isOnlyCarried(*best) && !isOnlyCarried(*at)
                      : isEarly ? others < awaits
                                : !isOnlyCarried(*best) && isOnlyCarried(*at);
      if (!isBefore)
        continue;
      best = at;
      awaits = others;
    }
    order.push_back({*best});
    // The needs of the product are placed after the product is, not before.
    placement.add(graph.getNumber(*best));
    left.erase(best);
  }
  return order;
}

/// Checks whether warpgroups meet twice in each iteration of `loop`: before
/// they multiply a tile that they have written for each other, and before they
/// overwrite that tile.
static bool meetsTwice(scf::ForOp loop) {
  return !loop.getBody()->getOps<SmemStoreOp>().empty();
}

/// Returns the ops of the loop that use the result of `product`.
static SmallVector<Operation *> findConsumers(MmaIssueOp product) {
  SmallVector<Operation *> consumers;
  for (Operation *user : getAwait(product)->getUsers())
    if (user->getBlock() == product->getBlock() &&
        !user->hasTrait<OpTrait::IsTerminator>())
      consumers.push_back(user);
  return consumers;
}

/// Returns the order in which the work on the result of the only product runs
/// an iteration late. None if there is no such work, or if the next product
/// needs the work.
static std::optional<IssueOrder> delayConsumers(SplitLoop &split,
                                                const DependenceGraph &graph) {
  if (!llvm::hasSingleElement(split.products))
    return std::nullopt;
  MmaIssueOp product = split.products.front();
  IssueOrder order;
  order.products = {{product}};
  order.late = findConsumers(product);
  OrReason<LoopSchedule> schedule = LoopSchedule::get(graph, order);
  if (order.late.empty() || !schedule)
    return std::nullopt;
  // Ops in loops and branches are not placed in another iteration.
  for (Operation *op : graph.getOps())
    if (op->getNumRegions() > 0 && schedule->isLate(op))
      return std::nullopt;
  for (Operation *op : schedule->getOrder()) {
    if (op == product)
      return order;
    if (llvm::is_contained(order.late, op))
      return std::nullopt;
  }
  llvm_unreachable("a schedule has all ops of its loop");
}

Proposals sm::proposeInIteration(SplitLoop &split, const LoopHints &hints) {
  OrReason<DependenceGraph> graph = split.getGraph();
  if (!graph)
    return graph.getReason();
  SmallVector<PlannedProduct> early = chooseOrder(*graph, /*isEarly=*/true);
  SmallVector<PlannedProduct> late = chooseOrder(*graph, /*isEarly=*/false);

  // Bit i of a choice: product i + 1 waits for those before it.
  unsigned count = early.size() - 1;
  SmallVector<unsigned> choices{0};
  if (count < kMostProductsToTry)
    for (unsigned choice = 1; choice < 1u << count; ++choice)
      choices.push_back(choice);
  llvm::sort(choices, [](unsigned a, unsigned b) {
    return std::pair(llvm::popcount(a), a) < std::pair(llvm::popcount(b), b);
  });
  // Products in flight together gain less than warpgroups lose that meet twice.
  bool isEarlyTight = meetsTwice(split.loop);
  SmallVector<Proposal> proposals;
  if (std::optional<IssueOrder> order = delayConsumers(split, *graph))
    proposals.emplace_back().order = std::move(*order);
  for (unsigned choice : choices)
    for (bool isEarly : {true, false}) {
      Proposal &proposal = proposals.emplace_back();
      proposal.order.products = isEarly ? early : late;
      for (unsigned bit = 0; bit < count; ++bit)
        proposal.order.products[bit + 1].startsAlone = choice >> bit & 1;
      proposal.limit->leeway = isEarly && isEarlyTight ? 0 : hints.leeway;
    }
  return proposals;
}

Reason sm::findInIterationFault(const SplitLoop &,
                                const LoopSchedule &schedule) {
  if (schedule.overlaps())
    return Reason::none();
  return "each needs the one before, and nothing is left to do meanwhile";
}
