//===- SearchedOrder.cpp - The fastest order of issues ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: choose the order of the products of an iteration, and the places of
// awaits and of work between them, so that an iteration is short.
//
// Method: exhaustive enumeration. List scheduling completes an order, and the
// LoopClock predicts its time. The proposal is the best order of a permutation
// of the issues. Orders of the same permutation take about the same registers,
// so a trial that ptxas refuses goes on with the next permutation.
//
// Invariant: the enumeration depends on the loop alone, and is bounded by the
// number of products.
//
//===----------------------------------------------------------------------===//

#include "Schedule/LoopTime.h"
#include "ScheduleStrategy.h"

#include <numeric>

using namespace tessera;
using namespace tessera::sm;

/// Loops with more products are not searched.
static constexpr size_t kMostProducts = 5;
namespace {
/// Dependences between the products of a loop, by their numbers.
class ProductOrder {
public:
  ProductOrder(SplitLoop &split, const DependenceGraph &graph);

  /// Checks whether each product comes after those that it needs.
  bool permits(ArrayRef<unsigned> products) const;
  /// Returns the last product whose result the loop uses, but no product needs:
  /// its result is stored.
  std::optional<unsigned> findStored() const;

private:
  /// Bit b of `needs[a]`: product a needs product b of its iteration.
  SmallVector<unsigned> needs;
  /// Bit a: other ops than the yield use the result of product a.
  unsigned used = 0;
};

/// The choices from which an order follows.
struct Choice {
  ArrayRef<unsigned> products;
  /// Bit i: the i-th product is issued when those before it are complete.
  unsigned drained;
  /// Whether work then comes before that issue.
  bool isEager;
  /// The place after which the stored product is awaited.
  size_t awaitPlace;
};

struct Candidate {
  IssueOrder order;
  double cycles;
  /// The place of its permutation among all.
  size_t number = 0;
};
} // namespace

ProductOrder::ProductOrder(SplitLoop &split, const DependenceGraph &graph) {
  // The products that each op needs, transitively.
  SmallVector<unsigned> needed(graph.getOps().size());
  for (bool changes = true; changes;) {
    changes = false;
    for (unsigned after = 0; after < needed.size(); ++after)
      for (const Dependence &dependence : graph.getDependences(after)) {
        if (dependence.distance != 0)
          continue;
        unsigned bits = needed[dependence.before];
        for (auto [number, issue] : llvm::enumerate(split.products))
          if (graph.getNumber(issue) == dependence.before)
            bits |= 1u << number;
        changes |= (needed[after] | bits) != needed[after];
        needed[after] |= bits;
      }
  }
  Operation *yield = graph.getLoop().getBody()->getTerminator();
  for (auto [number, issue] : llvm::enumerate(split.products)) {
    needs.push_back(needed[graph.getNumber(issue)]);
    if (llvm::any_of(getAwait(issue)->getUsers(),
                     [&](Operation *user) { return user != yield; }))
      used |= 1u << number;
  }
}

bool ProductOrder::permits(ArrayRef<unsigned> products) const {
  unsigned before = 0;
  for (unsigned product : products) {
    if (needs[product] & ~before)
      return false;
    before |= 1u << product;
  }
  return true;
}

std::optional<unsigned> ProductOrder::findStored() const {
  unsigned needed = 0;
  for (unsigned others : needs)
    needed |= others;
  for (unsigned product = needs.size(); product-- > 0;)
    if (used & ~needed & 1u << product)
      return product;
  return std::nullopt;
}

static IssueOrder makeOrder(SplitLoop &split, const Choice &choice,
                            std::optional<unsigned> stored) {
  IssueOrder order;
  for (auto [place, product] : llvm::enumerate(choice.products)) {
    if (choice.drained >> place & 1) {
      order.steps.push_back(
          {OrderStep::Await, split.products[choice.products[place - 1]]});
      if (choice.isEager)
        order.steps.push_back({OrderStep::OwnWork, nullptr});
    }
    MmaIssueOp issue = split.products[product];
    order.products.push_back({issue});
    order.steps.push_back({OrderStep::Issue, issue});
    if (stored && place == choice.awaitPlace) {
      order.steps.push_back({OrderStep::Await, split.products[*stored]});
      order.steps.push_back({OrderStep::Work, nullptr});
    }
  }
  return order;
}

/// Returns the best order of each permutation of the issues, the fastest first;
/// or why there is none.
static OrReason<SmallVector<Candidate>> search(SplitLoop &split,
                                               const DependenceGraph &graph) {
  unsigned count = split.products.size();
  ProductOrder dependences(split, graph);
  std::optional<unsigned> stored = dependences.findStored();
  SmallVector<Candidate> fastest;
  Reason reason = Reason::none();
  SmallVector<unsigned> products(count);
  std::iota(products.begin(), products.end(), 0);
  do {
    if (!dependences.permits(products))
      continue;
    size_t first =
        stored ? llvm::find(products, *stored) - products.begin() : 0;
    std::optional<Candidate> best;
    // No product comes before the first one.
    for (unsigned drained = 0; drained < 1u << count; drained += 2)
      for (bool isEager : {false, true})
        for (size_t place = first; place < (stored ? count : first + 1);
             ++place) {
          IssueOrder order =
              makeOrder(split, {products, drained, isEager, place}, stored);
          OrReason<LoopSchedule> schedule = LoopSchedule::get(graph, order);
          if (!schedule) {
            reason = schedule.getReason();
            continue;
          }
          double cycles = predictIteration(*schedule);
          if (!best || cycles < best->cycles)
            best = {std::move(order), cycles};
        }
    if (!best)
      continue;
    best->number = fastest.size();
    fastest.push_back(std::move(*best));
  } while (std::next_permutation(products.begin(), products.end()));
  if (fastest.empty())
    return reason;
  llvm::sort(fastest, [](const Candidate &a, const Candidate &b) {
    return std::pair(a.cycles, a.number) < std::pair(b.cycles, b.number);
  });
  return fastest;
}

Proposals sm::proposeSearchedOrder(SplitLoop &split, const LoopHints &hints) {
  size_t count = split.products.size();
  if (count < hints.fewestProducts || count > kMostProducts)
    return "the loop has few products, or too many";
  OrReason<DependenceGraph> graph = split.getGraph();
  if (!graph)
    return graph.getReason();
  OrReason<SmallVector<Candidate>> found = search(split, *graph);
  if (!found)
    return found.getReason();
  if (*hints.orderRank >= found->size())
    return "there are fewer orders than `mma_order` asks for";
  Proposal proposal;
  proposal.order = std::move((*found)[*hints.orderRank].order);
  proposal.limit->leeway = hints.leeway;
  return SmallVector<Proposal>{proposal};
}
