//===- LateStoreSchedule.cpp - Products for stores, a step late -*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products whose results a loop only stores, from tiles that warpgroups
// exchange (gradients of attention: dq from ds), run one iteration late. Then
// warpgroups need not wait for each other where they exchange:
//
//   iteration j: issue the first product of j, and the late ones of j - 1;
//   store what the late ones yield; work on what the first one yields; issue
//   what that work and earlier products permit, and so on; exchange
//
// Turns keep the warpgroups half an iteration apart: one works on registers
// while the other one multiplies. A warpgroup takes the turn before the first
// product, and passes it before the store.
//
//===----------------------------------------------------------------------===//

#include "LoopScheduler.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tessera;
using namespace tessera::sm;

/// Number of additional registers that tiles may take where the schedule asks
/// for late stores: reloading some scalars costs less than a second meeting.
static constexpr int64_t kLeewayOfLateStores = 8;

//===----------------------------------------------------------------------===//
// Which products are late
//===----------------------------------------------------------------------===//

/// Returns the wait for the slot that `tile` lies in, if the loop fills that
/// ring.
static RingWaitOp findExchange(scf::ForOp loop, Value tile) {
  auto part = tile.getDefiningOp<SlotTileOp>();
  auto wait = part ? part.getSlot().getDefiningOp<RingWaitOp>() : nullptr;
  if (!wait || wait->getBlock() != loop.getBody())
    return nullptr;
  bool isOwn = llvm::any_of(wait.getRing().getUsers(), [&](Operation *user) {
    return isa<RingAcquireOp>(user) && user->getBlock() == loop.getBody();
  });
  return isOwn ? wait : nullptr;
}

/// Checks whether all that happens to what `op` yields is that it fills slots,
/// which another role takes.
static bool isOnlyStored(Operation *op, scf::ForOp loop) {
  return !op->use_empty() && llvm::all_of(op->getUsers(), [&](Operation *user) {
    return user->getBlock() == loop.getBody() &&
           (isa<SlotStoreOp>(user) ||
            (isMemoryEffectFree(user) && isOnlyStored(user, loop)));
  });
}

/// Returns the wait that `issue` needs if it is late; null if it is not.
static RingWaitOp findLateWait(scf::ForOp loop, MmaIssueOp issue) {
  if (!isOnlyStored(getAwait(issue), loop))
    return nullptr;
  RingWaitOp wait = findExchange(loop, issue.getA());
  return wait ? wait : findExchange(loop, issue.getB());
}

/// Adds what takes `slot` and its tiles.
static void addSlot(Value slot, SmallVectorImpl<Operation *> &late) {
  late.push_back(slot.getDefiningOp());
  for (Operation *tile : slot.getUsers())
    if (isa<SlotTileOp>(tile))
      late.push_back(tile);
}

/// Adds what takes the slots that `op`, and what follows from it, fills.
static void addFilled(Operation *op, SmallVectorImpl<Operation *> &late) {
  for (Operation *user : op->getUsers()) {
    if (auto fill = dyn_cast<SlotStoreOp>(user))
      addSlot(fill.getTile().getDefiningOp<SlotTileOp>().getSlot(), late);
    addFilled(user, late);
  }
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// Places what `issues` need, but not themselves; false if that is impossible
/// before them.
bool LoopSchedule::placeNeeds(ArrayRef<MmaIssueOp> issues) {
  for (MmaIssueOp issue : issues) {
    llvm::SmallSetVector<unsigned, 16> needed =
        getNeeded(graph.getNumber(issue));
    for (unsigned node : llvm::to_vector(needed))
      if (llvm::is_contained(issues, graph.getOps()[node]))
        needed.remove(node);
    if (!place(needed))
      return false;
  }
  return true;
}

/// Of what `issues` need, places what no other warpgroup is waited for.
void LoopSchedule::placeOwnWork(ArrayRef<MmaIssueOp> issues) {
  for (MmaIssueOp issue : issues) {
    llvm::SmallSetVector<unsigned, 16> needed =
        getNeeded(graph.getNumber(issue));
    for (bool changes = true; changes;) {
      changes = false;
      for (unsigned node : llvm::to_vector(needed)) {
        Operation *op = graph.getOps()[node];
        if (op == issue || !isReady(node) || !isOfOneWarpgroup(op))
          continue;
        placed.insert(node);
        needed.remove(node);
        changes = true;
      }
    }
  }
}

/// Removes from `left`, and returns, the products all of whose operands come
/// from placed products: first the products whose results the iteration uses,
/// then those that overlap that use.
SmallVector<MmaIssueOp>
LoopSchedule::takeNextGroup(SmallVectorImpl<MmaIssueOp> &left) const {
  Operation *yield = graph.getLoop().getBody()->getTerminator();
  SmallVector<MmaIssueOp> group, carried, others;
  for (MmaIssueOp issue : left) {
    bool isNext =
        llvm::none_of(getNeeded(graph.getNumber(issue)), [&](unsigned node) {
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

LogicalResult
LoopSchedule::assignOrdersOfLateStores(ArrayRef<PlannedProduct> products,
                                       bool takesTurns, std::string &why) {
  why = "a product needs one that is issued after it";
  SmallVector<MmaIssueOp> group, left;
  for (const PlannedProduct &product : products)
    (product.stage > 0 || group.empty() ? group : left)
        .push_back(product.issue);
  unsigned number = 0;
  for (; !group.empty(); group = takeNextGroup(left), ++number) {
    if (number == 1) {
      if (takesTurns) {
        placeOwnWork(group);
        placeTurns(/*isTaken=*/false);
      } else {
        placeAwait();
      }
      // Late ops free their registers before more are used.
      for (unsigned node = 0; node < stages.size(); ++node)
        if (stages[node] > 0 && !placed.contains(node) &&
            !place(getNeeded(node)))
          return failure();
    }
    if (!placeNeeds(group))
      return failure();
    if (number == 0)
      placeTurns(/*isTaken=*/true);
    for (MmaIssueOp issue : group)
      placed.insert(graph.getNumber(issue));
  }
  if (!left.empty() || number < 2)
    return failure();
  // The exchange overlaps the last products.
  placeReady();
  return placeRest(why);
}

FailureOr<LoopSchedule> LoopSchedule::getLateStores(
    const DependenceGraph &graph, ArrayRef<PlannedProduct> products,
    ArrayRef<Operation *> late, bool takesTurns, std::string &why) {
  FailureOr<LoopSchedule> plan = getStaged(graph, products, late, why);
  if (failed(plan) ||
      failed(plan->assignOrdersOfLateStores(products, takesTurns, why)))
    return failure();
  return plan;
}

LogicalResult LoopScheduler::scheduleLateStores(bool takesTurns,
                                                const RegisterPeak &available,
                                                int64_t leeway,
                                                std::string &why) {
  SmallVector<Operation *> late;
  SmallVector<PlannedProduct> inOrder;
  for (MmaIssueOp issue : products) {
    RingWaitOp wait = findLateWait(loop, issue);
    inOrder.push_back({issue, wait ? kLastStage : 0});
    if (!wait)
      continue;
    addSlot(wait.getSlot(), late);
    addFilled(getAwait(issue), late);
  }
  if (late.empty() || inOrder.front().stage > 0) {
    why = "no product of tiles that warpgroups exchange is only stored";
    return failure();
  }
  if (takesTurns) {
    OpBuilder builder(products.front());
    PingPongWaitOp::create(builder, products.front().getLoc());
    builder.setInsertionPointAfter(products.front());
    PingPongPassOp::create(builder, products.front().getLoc());
  }
  if (failed(findSchedules(why)))
    return failure();
  FailureOr<LoopSchedule> plan =
      LoopSchedule::getLateStores(*graph, inOrder, late, takesTurns, why);
  if (failed(plan))
    return failure();
  plan->annotate();
  RegisterPeak most = available;
  most.ofAll += kLeewayOfLateStores;
  most.ofProducts += kLeewayOfLateStores;
  return success(fits(most, leeway, why));
}
