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
// iteration; otherwise there is no schedule.
//
//===----------------------------------------------------------------------===//

#include "LoopSchedule.h"
#include "Placement.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Returns the stages of all ops. An op that depends on a late op of its
/// iteration is late. So is an op that only late ops need, unless it depends on
/// a product that is not late or is computed ahead.
static SmallVector<int64_t> assignStages(const DependenceGraph &graph,
                                         const IssueOrder &order) {
  unsigned count = graph.getOps().size();
  SmallVector<int64_t> stages(count);
  for (Operation *op : order.late)
    stages[graph.getNumber(op)] = kLastStage;
  for (const PlannedProduct &product : order.products)
    stages[graph.getNumber(product.issue)] = product.stage;
  llvm::DenseSet<Operation *> ahead;
  for (PlannedProduct product : order.products)
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
  return stages;
}

/// Checks whether an op would run before another one that it depends on.
static bool isViolated(const DependenceGraph &graph, ArrayRef<int64_t> stages) {
  return llvm::any_of(
      graph.getDependences(), [&](const Dependence &dependence) {
        return DependenceGraph::getSlack(dependence, stages) < 0;
      });
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kNeedsLater =
    "a product needs one that is issued after it";

/// Places the products in their order, together where they can be issued
/// together, and all other ops.
static Reason placeInOrder(Placement &placement, const IssueOrder &order) {
  const DependenceGraph &graph = placement.getGraph();
  ArrayRef<PlannedProduct> products = order.products;
  for (size_t first = 0; first < products.size();) {
    // Products that can be issued together, after all that they need.
    size_t end = first;
    SmallVector<unsigned> issues;
    for (; end < products.size(); ++end) {
      if (products[end].startsAlone && end != first)
        break;
      if (products[end].startsAlone && !placement.drain())
        return kNeedsLater;
      unsigned issue = graph.getNumber(products[end].issue);
      Placement::Nodes needed = placement.getNeeded(issue);
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
      if (needsIssue || !placement.place(needed))
        return kNeedsLater;
      issues.push_back(issue);
    }
    if (first == 0)
      placement.placeTurns(/*isTaken=*/true);
    for (unsigned issue : issues)
      placement.add(issue);
    first = end;
  }
  placement.placeTurns(/*isTaken=*/false);
  if (order.readsVectorsEarly)
    placement.placeVectors();
  // Awaits products that no other product needs as soon as the oldest one in
  // flight permits. Nothing else overlaps a single product, so its await comes
  // after all ops that do not need it. The same holds for late products:
  // for them, those are ops of the next iteration. With several other
  // products in flight, that would only take registers.
  if (products.size() == 1 ||
      llvm::all_of(products, [](const PlannedProduct &product) {
        return product.stage > 0;
      }))
    placement.placeReady();
  return placement.placeRest();
}

/// Places what `issues` need, but not themselves; false if that is impossible
/// before them.
static bool placeNeeds(Placement &placement, ArrayRef<MmaIssueOp> issues) {
  const DependenceGraph &graph = placement.getGraph();
  for (MmaIssueOp issue : issues) {
    Placement::Nodes needed = placement.getNeeded(graph.getNumber(issue));
    for (unsigned node : llvm::to_vector(needed))
      if (llvm::is_contained(issues, graph.getOps()[node]))
        needed.remove(node);
    if (!placement.place(needed))
      return false;
  }
  return true;
}

/// Places the ops that `issues` need and that wait for no other warpgroup.
static void placeOwnWork(Placement &placement, ArrayRef<MmaIssueOp> issues) {
  const DependenceGraph &graph = placement.getGraph();
  for (MmaIssueOp issue : issues) {
    Placement::Nodes needed = placement.getNeeded(graph.getNumber(issue));
    for (bool changes = true; changes;) {
      changes = false;
      for (unsigned node : llvm::to_vector(needed)) {
        Operation *op = graph.getOps()[node];
        if (op == issue || !placement.isReady(node) || !isOfOneWarpgroup(op))
          continue;
        placement.add(node);
        needed.remove(node);
        changes = true;
      }
    }
  }
}

/// Removes from `left`, and returns, the products all of whose operands come
/// from placed products: first the products whose results the iteration uses,
/// then those that overlap that use.
static SmallVector<MmaIssueOp>
takeNextGroup(const Placement &placement, SmallVectorImpl<MmaIssueOp> &left) {
  const DependenceGraph &graph = placement.getGraph();
  Operation *yield = graph.getLoop().getBody()->getTerminator();
  SmallVector<MmaIssueOp> group, carried, others;
  for (MmaIssueOp issue : left) {
    bool isNext = llvm::none_of(placement.getNeeded(graph.getNumber(issue)),
                                [&](unsigned node) {
                                  Operation *op = graph.getOps()[node];
                                  return isa<MmaIssueOp>(op) && op != issue;
                                });
    bool isCarried =
        llvm::all_of(graph.getCompletion(issue)->getUsers(),
                     [&](Operation *user) { return user == yield; });
    (!isNext ? others : isCarried ? carried : group).push_back(issue);
  }
  llvm::append_range(group, carried);
  left = others;
  return group;
}

/// Places the products of stage 1 together with the first product, then group
/// after group the products whose operands are computed by then. Takes one turn
/// for the first group if the loop has turns.
static Reason placeInGroups(Placement &placement, const IssueOrder &order) {
  const DependenceGraph &graph = placement.getGraph();
  bool takesTurns = llvm::any_of(graph.getOps(), llvm::IsaPred<PingPongWaitOp>);
  SmallVector<MmaIssueOp> group, left;
  for (const PlannedProduct &product : order.products)
    (product.stage > 0 || group.empty() ? group : left)
        .push_back(product.issue);
  unsigned number = 0;
  for (; !group.empty(); group = takeNextGroup(placement, left), ++number) {
    if (number == 1) {
      if (takesTurns) {
        placeOwnWork(placement, group);
        placement.placeTurns(/*isTaken=*/false);
      } else {
        placement.placeAwait();
      }
      // Late ops free their registers before more are used.
      for (auto [node, stage] : llvm::enumerate(placement.getStages()))
        if (stage > 0 && !placement.contains(node) &&
            !placement.place(placement.getNeeded(node)))
          return kNeedsLater;
    }
    if (!placeNeeds(placement, group))
      return kNeedsLater;
    if (number == 0)
      placement.placeTurns(/*isTaken=*/true);
    for (MmaIssueOp issue : group)
      placement.add(graph.getNumber(issue));
  }
  if (!left.empty() || number < 2)
    return kNeedsLater;
  // The exchange overlaps the last products.
  placement.placeReady();
  return placement.placeRest();
}

/// Places the awaits of all products that were issued before `product`, which
/// complete before it.
static bool placeEarlierAwaits(Placement &placement, MmaIssueOp product) {
  const DependenceGraph &graph = placement.getGraph();
  for (unsigned node : llvm::to_vector(placement.getOrder())) {
    Operation *op = graph.getOps()[node];
    if (op == product)
      return true;
    auto issue = dyn_cast<MmaIssueOp>(op);
    if (!issue)
      continue;
    unsigned completion = graph.getNumber(graph.getCompletion(issue));
    if (placement.getStages()[completion] == placement.getStages()[node] &&
        !placement.place(placement.getNeeded(completion)))
      return false;
  }
  return true;
}

/// Places issues and awaits as `order` lists them, each after all that it
/// needs.
static Reason placeSteps(Placement &placement, const IssueOrder &order) {
  const DependenceGraph &graph = placement.getGraph();
  for (OrderStep step : order.steps) {
    if (!step.product) {
      placement.placeComputed(/*isOwn=*/step.kind == OrderStep::OwnWork);
      continue;
    }
    bool isAwait = step.kind == OrderStep::Await;
    if (isAwait && !placeEarlierAwaits(placement, step.product))
      return kNeedsLater;
    Operation *op = isAwait ? graph.getCompletion(step.product)
                            : step.product.getOperation();
    unsigned number = graph.getNumber(op);
    Placement::Nodes needed = placement.getNeeded(number);
    if (needed.empty())
      continue;
    bool needsIssue = llvm::any_of(needed, [&](unsigned node) {
      return node != number && isa<MmaIssueOp>(graph.getOps()[node]);
    });
    if (needsIssue || !placement.place(needed))
      return kNeedsLater;
  }
  return placement.placeRest();
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

OrReason<LoopSchedule> LoopSchedule::get(const DependenceGraph &graph,
                                         const IssueOrder &order) {
  SmallVector<int64_t> stages = assignStages(graph, order);
  if (isViolated(graph, stages))
    return "what runs late would be needed before";
  Placement placement(graph, stages);
  if (Reason reason = !order.steps.empty()   ? placeSteps(placement, order)
                      : order.issuesInGroups ? placeInGroups(placement, order)
                                             : placeInOrder(placement, order))
    return reason;
  return LoopSchedule(graph, stages, placement.getOrder());
}

int64_t LoopSchedule::countLater(Operation *completion) const {
  int64_t awaited = 0, count = 0, before = 0;
  bool isLate = false;
  for (unsigned node : placed) {
    Operation *op = graph.getOps()[node];
    if (op == completion)
      before = count;
    auto issue = dyn_cast<MmaIssueOp>(op);
    if (!issue)
      continue;
    ++count;
    if (graph.getCompletion(issue) != completion)
      continue;
    awaited = count;
    isLate = stages[graph.getNumber(completion)] > stages[node];
  }
  int64_t since = isLate ? count - awaited + before : before - awaited;
  return std::max<int64_t>(since, 0);
}

bool LoopSchedule::overlaps() const {
  bool isInFlight = false;
  for (unsigned node : placed) {
    Operation *op = graph.getOps()[node];
    if (isa<RingReleaseOp>(op)) // A release is no work.
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
