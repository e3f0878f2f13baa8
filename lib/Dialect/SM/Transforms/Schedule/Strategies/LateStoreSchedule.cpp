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

#include "ScheduleStrategy.h"
#include "tessera/Dialect/SM/IR/CostModel.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tessera;
using namespace tessera::sm;

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

RingWaitOp sm::findLateWait(scf::ForOp loop, MmaIssueOp issue) {
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

void sm::addStored(MmaIssueOp issue, RingWaitOp wait,
                   SmallVectorImpl<Operation *> &late) {
  addSlot(wait.getSlot(), late);
  addFilled(getAwait(issue), late);
}

Proposals sm::proposeLateStores(SplitLoop &split, const LoopHints &hints) {
  Proposal proposal;
  IssueOrder &order = proposal.order;
  order.issuesInGroups = true;
  for (MmaIssueOp issue : split.products) {
    RingWaitOp wait = findLateWait(split.loop, issue);
    order.products.push_back({issue, wait ? kLastStage : 0});
    if (wait)
      addStored(issue, wait, order.late);
  }
  if (order.late.empty() || order.products.front().stage > 0)
    return "no product of tiles that warpgroups exchange is only stored";
  if (hints.takesTurns) {
    MmaIssueOp first = split.products.front();
    OpBuilder builder(first);
    PingPongWaitOp::create(builder, first.getLoc());
    builder.setInsertionPointAfter(first);
    PingPongPassOp::create(builder, first.getLoc());
  }
  proposal.limit = RegisterLimit{hints.leeway, cost::kLateStoreLeeway};
  return SmallVector<Proposal>{proposal};
}
