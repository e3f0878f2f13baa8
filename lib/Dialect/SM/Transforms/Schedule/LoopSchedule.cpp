//===- LoopSchedule.cpp - List scheduling of a loop -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: assign a stage and an order to each op of a loop of products.
//
// Method: list scheduling on the modulo dependence graph of DependenceGraph.
// The products are placed in the given order, each after all ops that it needs.
// Awaits that a product needs come right before it; the others follow the last
// issue, oldest product first, since products complete in that order. Releases
// are placed as early as possible, since another role waits for them.
//
// Invariant: a node is placed after all ops that it depends on in its
// iteration; otherwise there is no plan.
//
//===----------------------------------------------------------------------===//

#include "LoopSchedule.h"
#include "Roles/ReadUses.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// A node that depends on a late node of its iteration is late. So is an
/// node that only late ops need, unless it depends on a product that is not
/// late or is computed ahead.
void LoopSchedule::assignStages(ArrayRef<PlannedProduct> products) {
  unsigned count = graph.getOps().size();
  llvm::DenseSet<Operation *> ahead;
  for (PlannedProduct product : products)
    if (product.isComputedAhead)
      ahead.insert(product.issue.getA().getDefiningOp());
  SmallVector<bool> followsProduct(count);
  SmallVector<SmallVector<unsigned>> before(count), after(count);
  for (const Dependence &dependence : graph.getDependences())
    if (dependence.distance == 0) {
      before[dependence.after].push_back(dependence.before);
      after[dependence.before].push_back(dependence.after);
    }
  // A release may come before the await that it depends on.
  for (bool changes = true; changes;) {
    changes = false;
    for (unsigned node = 0; node < count; ++node)
      for (unsigned other : before[node]) {
        bool follows =
            followsProduct[node] || followsProduct[other] ||
            isa<MmaIssueOp, MmaAwaitOp, MmaRetireOp>(graph.getOps()[other]);
        changes |=
            stages[node] < stages[other] || followsProduct[node] != follows;
        stages[node] = std::max(stages[node], stages[other]);
        followsProduct[node] = follows;
      }
  }
  Operation *yield = graph.getLoop().getBody()->getTerminator();
  for (unsigned node = count; node-- > 0;) {
    Operation *op = graph.getOps()[node];
    bool isLate = !isa<MmaIssueOp, BarrierOp>(op) && !after[node].empty() &&
                  !followsProduct[node] && !ahead.contains(op) &&
                  llvm::all_of(after[node],
                               [&](unsigned user) { return stages[user] > 0; });
    if (isLate && !llvm::is_contained(op->getUsers(), yield))
      stages[node] = kLastStage;
  }
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// Returns `node` and all ops that have to run before it in an iteration of
/// the planned loop, except those that are placed already.
llvm::SmallSetVector<unsigned, 16>
LoopSchedule::getNeeded(unsigned node) const {
  llvm::SmallSetVector<unsigned, 16> needed;
  if (!placed.contains(node))
    needed.insert(node);
  for (unsigned next = 0; next < needed.size(); ++next)
    for (const Dependence &dependence : graph.getDependences(needed[next]))
      if (DependenceGraph::getSlack(dependence, stages) == 0 &&
          !placed.contains(dependence.before))
        needed.insert(dependence.before);
  return needed;
}

bool LoopSchedule::isReady(unsigned node) const {
  return llvm::all_of(
      graph.getDependences(node), [&](const Dependence &dependence) {
        return DependenceGraph::getSlack(dependence, stages) != 0 ||
               placed.contains(dependence.before);
      });
}

/// Places the ops of `needed`, which keep the order of the body where they
/// can; false if they wait for each other.
bool LoopSchedule::place(llvm::SmallSetVector<unsigned, 16> needed) {
  while (!needed.empty()) {
    std::optional<unsigned> first;
    for (unsigned node : needed)
      if ((!first || node < *first) && isReady(node))
        first = node;
    if (!first)
      return false;
    placed.insert(*first);
    needed.remove(*first);
    placeReleases();
  }
  return true;
}

/// Checks whether all values read of the slot of `release` are in use: then the
/// release waits for no load. If a product multiplies all of them, the reads
/// are complete: no load is waited for then, and no op comes between the issue
/// of the product and its await.
bool LoopSchedule::isReadInUse(RingReleaseOp release) const {
  int64_t stage = stages[graph.getNumber(release)];
  auto isMultiplied = [&](SmemLoadOp read) {
    auto product = dyn_cast_or_null<MmaIssueOp>(findReleasing(read));
    if (!product)
      return true;
    unsigned completion = graph.getNumber(graph.getCompletion(product));
    return stages[completion] != stage || placed.contains(completion);
  };
  auto isWaiting = [&](Operation *op) {
    return !op->hasTrait<OpTrait::IsTerminator>() &&
           !placed.contains(graph.getNumber(op));
  };
  return llvm::none_of(release.getSlot().getUsers(), [&](Operation *tile) {
    return isa<SlotTileOp>(tile) &&
           llvm::any_of(tile->getUsers(), [&](Operation *reader) {
             auto read = dyn_cast<SmemLoadOp>(reader);
             return read && !read.use_empty() &&
                    (!isMultiplied(read) ||
                     llvm::all_of(read->getUsers(), isWaiting));
           });
  });
}

/// Places releases of slots as early as possible: another role waits for them.
void LoopSchedule::placeReleases() {
  for (unsigned node = 0; node < stages.size(); ++node)
    if (auto release = dyn_cast<RingReleaseOp>(graph.getOps()[node]))
      if (isReady(node) && isReadInUse(release))
        placed.insert(node);
}

/// Places the awaits of all products that are issued; false if they need one
/// that is not.
bool LoopSchedule::drain() {
  for (unsigned node = 0; node < stages.size(); ++node) {
    auto issue = dyn_cast<MmaIssueOp>(graph.getOps()[node]);
    if (!issue || !placed.contains(node))
      continue;
    unsigned completion = graph.getNumber(graph.getCompletion(issue));
    llvm::SmallSetVector<unsigned, 16> needed = getNeeded(completion);
    if (llvm::any_of(needed,
                     [&](unsigned other) {
                       return isa<MmaIssueOp>(graph.getOps()[other]);
                     }) ||
        !place(needed))
      return false;
  }
  return true;
}

/// Places the await of the oldest product that is in flight.
bool LoopSchedule::placeAwait() {
  // Products complete in the order of their issues.
  auto getAge = [&](unsigned node) {
    auto await = dyn_cast<MmaAwaitOp>(graph.getOps()[node]);
    Operation *issue = await ? await.getPending().getDefiningOp() : nullptr;
    auto *found =
        issue ? llvm::find(placed, graph.getNumber(issue)) : placed.end();
    return found - placed.begin();
  };
  std::optional<unsigned> oldest;
  for (unsigned node = 0; node < stages.size(); ++node)
    if (isa<MmaAwaitOp, MmaRetireOp>(graph.getOps()[node]) &&
        !placed.contains(node) && isReady(node) &&
        (!oldest || getAge(node) < getAge(*oldest)))
      oldest = node;
  if (!oldest)
    return false;
  placed.insert(*oldest);
  placeReleases();
  return true;
}

/// Places all ops that need no await, operands of products before others.
bool LoopSchedule::placeReady() {
  bool isAnyPlaced = false;
  for (bool changes = true; changes;) {
    changes = false;
    for (bool isOperand : {true, false})
      for (unsigned node = 0; node < stages.size() && !changes; ++node)
        if (!placed.contains(node) && isReady(node) &&
            graph.isOperandInFlight(node) == isOperand &&
            !isa<MmaAwaitOp, MmaRetireOp, RingReleaseOp>(graph.getOps()[node]))
          changes = placed.insert(node);
    placeReleases();
    isAnyPlaced |= changes;
  }
  return isAnyPlaced;
}

/// Places the reads of rows that wait for nothing but their ring.
void LoopSchedule::placeRows() {
  for (auto [node, op] : llvm::enumerate(graph.getOps())) {
    auto read = dyn_cast<SmemLoadOp>(op);
    if (!read || read.getType().getRank() != 1 || placed.contains(node))
      continue;
    llvm::SmallSetVector<unsigned, 16> needed = getNeeded(node);
    if (llvm::all_of(needed, [&](unsigned other) {
          Operation *before = graph.getOps()[other];
          return isa<RingWaitOp, SlotTileOp, SmemLoadOp>(before);
        }))
      place(needed);
  }
}

/// A turn is taken right before the first product is issued, and passed right
/// after the last one.
void LoopSchedule::placeTurns(bool isTaken) {
  for (auto [node, op] : llvm::enumerate(graph.getOps()))
    if (isTaken ? isa<PingPongWaitOp>(op) : isa<PingPongPassOp>(op))
      placed.insert(node);
}

/// Places what no product needs, as soon as the oldest one in flight permits.
LogicalResult LoopSchedule::placeRest(std::string &why) {
  for (bool places = true; places;) {
    places = placeAwait();
    places |= placeReady();
  }
  if (placed.size() == stages.size())
    return success();
  why = "its scheduled ops wait for each other";
  return failure();
}

LogicalResult LoopSchedule::assignOrders(ArrayRef<PlannedProduct> products,
                                         bool readsRowsBeside,
                                         std::string &why) {
  for (size_t first = 0; first < products.size();) {
    // Products that can be issued together, after all that they need.
    size_t end = first;
    SmallVector<unsigned> issues;
    for (; end < products.size(); ++end) {
      if (products[end].startsAlone && end != first)
        break;
      if (products[end].startsAlone && !drain()) {
        why = "a product needs one that is issued after it";
        return failure();
      }
      unsigned issue = graph.getNumber(products[end].issue);
      llvm::SmallSetVector<unsigned, 16> needed = getNeeded(issue);
      bool waits = llvm::any_of(needed, [&](unsigned node) {
        return isa<MmaAwaitOp, MmaRetireOp>(graph.getOps()[node]);
      });
      if (waits && end != first)
        break;
      needed.remove(issue);
      bool needsIssue = llvm::any_of(needed, [&](unsigned node) {
        return isa<MmaIssueOp>(graph.getOps()[node]) &&
               !llvm::is_contained(issues, node);
      });
      for (unsigned other : issues)
        needed.remove(other);
      if (needsIssue || !place(needed)) {
        why = "a product needs one that is issued after it";
        return failure();
      }
      issues.push_back(issue);
    }
    if (first == 0)
      placeTurns(/*isTaken=*/true);
    for (unsigned issue : issues)
      placed.insert(issue);
    first = end;
  }
  placeTurns(/*isTaken=*/false);
  if (readsRowsBeside)
    placeRows();
  // Awaits products that no other product needs as soon as the oldest one in
  // flight permits. Nothing else overlaps a single product, so its await comes
  // after all ops that do not need it. The same holds for late products:
  // for them, those are ops of the next iteration. With several other
  // products in flight, that would only take registers.
  if (products.size() == 1 ||
      llvm::all_of(products, [](const PlannedProduct &product) {
        return product.stage > 0;
      }))
    placeReady();
  return placeRest(why);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

LogicalResult LoopSchedule::verify(std::string &why) const {
  for (const Dependence &dependence : graph.getDependences())
    if (DependenceGraph::getSlack(dependence, stages) < 0) {
      why = "what runs late would be needed before";
      return failure();
    }
  return success();
}

FailureOr<LoopSchedule>
LoopSchedule::getStaged(const DependenceGraph &graph,
                        ArrayRef<PlannedProduct> products,
                        ArrayRef<Operation *> late, std::string &why) {
  LoopSchedule plan(graph);
  for (Operation *op : late)
    plan.stages[graph.getNumber(op)] = kLastStage;
  for (const PlannedProduct &product : products)
    plan.stages[graph.getNumber(product.issue)] = product.stage;
  plan.assignStages(products);
  if (failed(plan.verify(why)))
    return failure();
  return plan;
}

FailureOr<LoopSchedule> LoopSchedule::get(const DependenceGraph &graph,
                                          ArrayRef<PlannedProduct> products,
                                          ArrayRef<Operation *> late,
                                          std::string &why,
                                          bool readsRowsBeside) {
  FailureOr<LoopSchedule> plan = getStaged(graph, products, late, why);
  if (failed(plan) ||
      failed(plan->assignOrders(products, readsRowsBeside, why)))
    return failure();
  return plan;
}

/// How many awaits that are not placed `product` needs.
unsigned LoopSchedule::countAwaits(MmaIssueOp product) const {
  return llvm::count_if(
      getNeeded(graph.getNumber(product)), [&](unsigned node) {
        return isa<MmaAwaitOp, MmaRetireOp>(graph.getOps()[node]);
      });
}

SmallVector<PlannedProduct>
LoopSchedule::chooseOrder(const DependenceGraph &graph, bool isEarly) {
  LoopSchedule plan(graph);
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
    return llvm::none_of(plan.getNeeded(graph.getNumber(issue)),
                         [&](unsigned node) {
                           Operation *op = graph.getOps()[node];
                           return isa<MmaIssueOp>(op) && op != issue;
                         });
  };
  SmallVector<PlannedProduct> order;
  while (!left.empty()) {
    auto *best = llvm::find_if(left, isNext);
    unsigned awaits = plan.countAwaits(*best);
    for (auto *at = std::next(best); at != left.end(); ++at) {
      if (!isNext(*at))
        continue;
      unsigned others = plan.countAwaits(*at);
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
    plan.placed.insert(graph.getNumber(*best));
    left.erase(best);
  }
  return order;
}

bool LoopSchedule::overlaps() const {
  bool isInFlight = false;
  for (unsigned node : placed) {
    Operation *op = graph.getOps()[node];
    if (isa<RingReleaseOp>(op)) // Giving a slot back is no work.
      continue;
    if (isInFlight && !isa<MmaAwaitOp>(op))
      return true;
    isInFlight = isa<MmaIssueOp>(op);
  }
  return false;
}

void LoopSchedule::annotate() const {
  MLIRContext *context = graph.getLoop().getContext();
  int64_t order = 0;
  for (unsigned node : placed)
    graph.getOps()[node]->setAttr(
        kOpScheduleAttrName,
        OpScheduleAttr::get(context, stages[node], order++));
}
