//===- EventPlan.cpp - When each event of a loop runs -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EventPlan.h"
#include "Roles/ReadUses.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// What depends on a late event of its iteration is late, and so is what only
/// late events need, unless it depends on a product that is not or is computed
/// ahead.
void EventPlan::assignStages(ArrayRef<PlannedProduct> products) {
  unsigned count = events.getOps().size();
  llvm::DenseSet<Operation *> ahead;
  for (PlannedProduct product : products)
    if (product.isComputedAhead)
      ahead.insert(product.issue.getA().getDefiningOp());
  SmallVector<bool> followsProduct(count);
  SmallVector<SmallVector<unsigned>> before(count), after(count);
  for (const Dependence &dependence : events.getDependences())
    if (dependence.distance == 0) {
      before[dependence.after].push_back(dependence.before);
      after[dependence.before].push_back(dependence.after);
    }
  // A release may stand before the await that it depends on.
  for (bool changes = true; changes;) {
    changes = false;
    for (unsigned event = 0; event < count; ++event)
      for (unsigned other : before[event]) {
        bool follows =
            followsProduct[event] || followsProduct[other] ||
            isa<MmaIssueOp, MmaAwaitOp, MmaRetireOp>(events.getOps()[other]);
        changes |=
            stages[event] < stages[other] || followsProduct[event] != follows;
        stages[event] = std::max(stages[event], stages[other]);
        followsProduct[event] = follows;
      }
  }
  Operation *yield = events.getLoop().getBody()->getTerminator();
  for (unsigned event = count; event-- > 0;) {
    Operation *op = events.getOps()[event];
    bool isLate = !isa<MmaIssueOp, BarrierOp>(op) && !after[event].empty() &&
                  !followsProduct[event] && !ahead.contains(op) &&
                  llvm::all_of(after[event],
                               [&](unsigned user) { return stages[user] > 0; });
    if (isLate && !llvm::is_contained(op->getUsers(), yield))
      stages[event] = kLastStage;
  }
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// `event` and all events that have to run before it in an iteration of the
/// planned loop, but for those that are placed already.
llvm::SmallSetVector<unsigned, 16> EventPlan::getNeeded(unsigned event) const {
  llvm::SmallSetVector<unsigned, 16> needed;
  if (!placed.contains(event))
    needed.insert(event);
  for (unsigned next = 0; next < needed.size(); ++next)
    for (const Dependence &dependence : events.getDependences(needed[next]))
      if (LoopEvents::getSlack(dependence, stages) == 0 &&
          !placed.contains(dependence.before))
        needed.insert(dependence.before);
  return needed;
}

bool EventPlan::isReady(unsigned event) const {
  return llvm::all_of(events.getDependences(event),
                      [&](const Dependence &dependence) {
                        return LoopEvents::getSlack(dependence, stages) != 0 ||
                               placed.contains(dependence.before);
                      });
}

/// Places the events of `needed`, which keep the order of the body where they
/// can; false if they wait for each other.
bool EventPlan::place(llvm::SmallSetVector<unsigned, 16> needed) {
  while (!needed.empty()) {
    std::optional<unsigned> first;
    for (unsigned event : needed)
      if ((!first || event < *first) && isReady(event))
        first = event;
    if (!first)
      return false;
    placed.insert(*first);
    needed.remove(*first);
    placeReleases();
  }
  return true;
}

/// Whether all that was read of the slot that `release` gives back is in use:
/// then giving it back waits for no load. If a product multiplies all of it, it
/// is complete: no load is looked at then, and nothing stands between the issue
/// of the product and its await.
bool EventPlan::isReadInUse(RingReleaseOp release) const {
  int64_t stage = stages[events.getNumber(release)];
  auto isMultiplied = [&](ReadOp read) {
    auto product = dyn_cast_or_null<MmaIssueOp>(findReleasing(read));
    if (!product)
      return true;
    unsigned completion = events.getNumber(events.getCompletion(product));
    return stages[completion] != stage || placed.contains(completion);
  };
  auto isWaiting = [&](Operation *op) {
    return !op->hasTrait<OpTrait::IsTerminator>() &&
           !placed.contains(events.getNumber(op));
  };
  return llvm::none_of(release.getSlot().getUsers(), [&](Operation *tile) {
    return isa<SlotTileOp>(tile) &&
           llvm::any_of(tile->getUsers(), [&](Operation *reader) {
             auto read = dyn_cast<ReadOp>(reader);
             return read && !read.use_empty() &&
                    (!isMultiplied(read) ||
                     llvm::all_of(read->getUsers(), isWaiting));
           });
  });
}

/// Places releases of slots as early as possible: another role waits for them.
void EventPlan::placeReleases() {
  for (unsigned event = 0; event < stages.size(); ++event)
    if (auto release = dyn_cast<RingReleaseOp>(events.getOps()[event]))
      if (isReady(event) && isReadInUse(release))
        placed.insert(event);
}

/// Places the awaits of all products that are issued; false if they need one
/// that is not.
bool EventPlan::drain() {
  for (unsigned event = 0; event < stages.size(); ++event) {
    auto issue = dyn_cast<MmaIssueOp>(events.getOps()[event]);
    if (!issue || !placed.contains(event))
      continue;
    unsigned completion = events.getNumber(events.getCompletion(issue));
    llvm::SmallSetVector<unsigned, 16> needed = getNeeded(completion);
    if (llvm::any_of(needed,
                     [&](unsigned other) {
                       return isa<MmaIssueOp>(events.getOps()[other]);
                     }) ||
        !place(needed))
      return false;
  }
  return true;
}

/// Places the await of the oldest product that is in flight.
bool EventPlan::placeAwait() {
  // Products complete in the order of their issues.
  auto getAge = [&](unsigned event) {
    auto await = dyn_cast<MmaAwaitOp>(events.getOps()[event]);
    Operation *issue = await ? await.getPending().getDefiningOp() : nullptr;
    auto *found =
        issue ? llvm::find(placed, events.getNumber(issue)) : placed.end();
    return found - placed.begin();
  };
  std::optional<unsigned> oldest;
  for (unsigned event = 0; event < stages.size(); ++event)
    if (isa<MmaAwaitOp, MmaRetireOp>(events.getOps()[event]) &&
        !placed.contains(event) && isReady(event) &&
        (!oldest || getAge(event) < getAge(*oldest)))
      oldest = event;
  if (!oldest)
    return false;
  placed.insert(*oldest);
  placeReleases();
  return true;
}

/// Places all events that need no await, operands of products before others.
bool EventPlan::placeReady() {
  bool isAnyPlaced = false;
  for (bool changes = true; changes;) {
    changes = false;
    for (bool isOperand : {true, false})
      for (unsigned event = 0; event < stages.size() && !changes; ++event)
        if (!placed.contains(event) && isReady(event) &&
            events.isOperandInFlight(event) == isOperand &&
            !isa<MmaAwaitOp, MmaRetireOp, RingReleaseOp>(
                events.getOps()[event]))
          changes = placed.insert(event);
    placeReleases();
    isAnyPlaced |= changes;
  }
  return isAnyPlaced;
}

/// Places the reads of rows that wait for nothing but their ring.
void EventPlan::placeRows() {
  for (auto [event, op] : llvm::enumerate(events.getOps())) {
    auto read = dyn_cast<ReadOp>(op);
    if (!read || read.getType().getRank() != 1 || placed.contains(event))
      continue;
    llvm::SmallSetVector<unsigned, 16> needed = getNeeded(event);
    if (llvm::all_of(needed, [&](unsigned other) {
          Operation *before = events.getOps()[other];
          return isa<RingWaitOp, SlotTileOp, ReadOp>(before);
        }))
      place(needed);
  }
}

/// A turn is taken right before the first product is issued, and passed right
/// after the last one.
void EventPlan::placeTurns(bool isTaken) {
  for (auto [event, op] : llvm::enumerate(events.getOps()))
    if (isTaken ? isa<TurnTakeOp>(op) : isa<TurnPassOp>(op))
      placed.insert(event);
}

/// Places what no product needs, as soon as the oldest one in flight permits.
LogicalResult EventPlan::placeRest(std::string &why) {
  for (bool places = true; places;) {
    places = placeAwait();
    places |= placeReady();
  }
  if (placed.size() == stages.size())
    return success();
  why = "its events wait for each other";
  return failure();
}

LogicalResult EventPlan::assignOrders(ArrayRef<PlannedProduct> products,
                                      bool readsRowsBeside, std::string &why) {
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
      unsigned issue = events.getNumber(products[end].issue);
      llvm::SmallSetVector<unsigned, 16> needed = getNeeded(issue);
      bool waits = llvm::any_of(needed, [&](unsigned event) {
        return isa<MmaAwaitOp, MmaRetireOp>(events.getOps()[event]);
      });
      if (waits && end != first)
        break;
      needed.remove(issue);
      bool needsIssue = llvm::any_of(needed, [&](unsigned event) {
        return isa<MmaIssueOp>(events.getOps()[event]) &&
               !llvm::is_contained(issues, event);
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
  // What no product needs: as soon as the oldest one in flight permits. Beside
  // a single product nothing else runs, so that it is awaited after all that
  // does not need it, and so are late ones, for which that is the next
  // iteration; beside several others, that would only take registers.
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

LogicalResult EventPlan::verify(std::string &why) const {
  for (const Dependence &dependence : events.getDependences())
    if (LoopEvents::getSlack(dependence, stages) < 0) {
      why = "what runs late would be needed before";
      return failure();
    }
  return success();
}

FailureOr<EventPlan> EventPlan::getStaged(const LoopEvents &events,
                                          ArrayRef<PlannedProduct> products,
                                          ArrayRef<Operation *> late,
                                          std::string &why) {
  EventPlan plan(events);
  for (Operation *op : late)
    plan.stages[events.getNumber(op)] = kLastStage;
  for (const PlannedProduct &product : products)
    plan.stages[events.getNumber(product.issue)] = product.stage;
  plan.assignStages(products);
  if (failed(plan.verify(why)))
    return failure();
  return plan;
}

FailureOr<EventPlan> EventPlan::get(const LoopEvents &events,
                                    ArrayRef<PlannedProduct> products,
                                    ArrayRef<Operation *> late,
                                    std::string &why, bool readsRowsBeside) {
  FailureOr<EventPlan> plan = getStaged(events, products, late, why);
  if (failed(plan) ||
      failed(plan->assignOrders(products, readsRowsBeside, why)))
    return failure();
  return plan;
}

/// How many awaits that are not placed `product` needs.
unsigned EventPlan::countAwaits(MmaIssueOp product) const {
  return llvm::count_if(
      getNeeded(events.getNumber(product)), [&](unsigned event) {
        return isa<MmaAwaitOp, MmaRetireOp>(events.getOps()[event]);
      });
}

SmallVector<PlannedProduct> EventPlan::chooseOrder(const LoopEvents &events,
                                                   bool isEarly) {
  EventPlan plan(events);
  SmallVector<MmaIssueOp> left;
  for (Operation *op : events.getOps())
    if (auto issue = dyn_cast<MmaIssueOp>(op))
      left.push_back(issue);
  Operation *yield = events.getLoop().getBody()->getTerminator();
  auto isOnlyCarried = [&](MmaIssueOp issue) {
    return llvm::all_of(events.getCompletion(issue)->getUsers(),
                        [&](Operation *user) { return user == yield; });
  };
  // Whether all that `issue` needs is issued.
  auto isNext = [&](MmaIssueOp issue) {
    return llvm::none_of(plan.getNeeded(events.getNumber(issue)),
                         [&](unsigned event) {
                           Operation *op = events.getOps()[event];
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
    // What it needs is placed once the product is, not before.
    plan.placed.insert(events.getNumber(*best));
    left.erase(best);
  }
  return order;
}

bool EventPlan::overlaps() const {
  bool isInFlight = false;
  for (unsigned event : placed) {
    Operation *op = events.getOps()[event];
    if (isa<RingReleaseOp>(op)) // Giving a slot back is no work.
      continue;
    if (isInFlight && !isa<MmaAwaitOp>(op))
      return true;
    isInFlight = isa<MmaIssueOp>(op);
  }
  return false;
}

void EventPlan::annotate() const {
  MLIRContext *context = events.getLoop().getContext();
  int64_t order = 0;
  for (unsigned event : placed)
    events.getOps()[event]->setAttr(
        kEventAttrName, EventAttr::get(context, stages[event], order++));
}
