//===- RingPlan.cpp - Grouping of fetches into rings ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingPlan.h"
#include "MultipliedReads.h"

#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/SM/IR/ProgramWalk.h"
#include "tessera/Dialect/SM/IR/SharedMemoryBudget.h"

using namespace tessera;
using namespace tessera::sm;

SmallVector<SmemType> FetchGroup::getTiles() const {
  return llvm::map_to_vector(
      fetches, [](RingFetch fetch) { return fetch.op.getType(); });
}

void FetchGroup::extendTo(Operation *use) {
  if (!lastUse || lastUse->isBeforeInBlock(use))
    lastUse = use;
}

bool FetchGroup::isOnlyMultiplied() const {
  return llvm::all_of(fetches, [](RingFetch fetch) {
    return llvm::all_of(fetch.op->getUsers(), llvm::IsaPred<MmaOp>);
  });
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

OrReason<Operation *> sm::findLastUse(FetchOp fetch) {
  Block *block = fetch->getBlock();
  Operation *last = nullptr;
  for (Operation *user : fetch->getUsers()) {
    if (user->hasTrait<OpTrait::IsTerminator>() ||
        llvm::any_of(user->getResultTypes(),
                     [](Type type) { return isa<SmemType>(type); }) ||
        isa<LoopLikeOpInterface>(user))
      return "its tile leaves through a loop, a branch or a view";
    Operation *inBlock = block->findAncestorOpInBlock(*user);
    if (!last || last->isBeforeInBlock(inBlock))
      last = inBlock;
  }
  if (!last)
    return "nothing uses it";
  return last;
}

bool sm::canWaitFor(Operation *use, FetchOp fetch) {
  Block *block = fetch->getBlock();
  return isa<SmemLoadOp>(use) && use->getBlock() == block &&
         llvm::all_of(use->getUsers(), [&](Operation *user) {
           return fetch->isBeforeInBlock(block->findAncestorOpInBlock(*user));
         });
}

/// Rows are read to registers and small, so that it matters less how long they
/// are kept.
static bool isRow(const RingFetch &fetch) {
  return (fetch.isByThreads && !fetch.positionLayout) || isCopiedVector(fetch);
}

bool sm::isCopiedVector(const RingFetch &fetch) {
  return !fetch.isByThreads && FetchOp(fetch.op).getType().getRank() == 1;
}

bool sm::arrivesTogether(ArrayRef<RingFetch> group, FetchOp last) {
  return llvm::all_of(group, [&](RingFetch fetch) {
    return llvm::all_of(fetch.op->getUsers(), [&](Operation *user) {
      return last->isBeforeInBlock(
                 last->getBlock()->findAncestorOpInBlock(*user)) ||
             canWaitFor(user, last);
    });
  });
}

/// Returns the first op of the block of `tile` that uses it, other than to
/// spread a vector.
static Operation *findFirstUse(Value tile) {
  Block *block = tile.getParentBlock();
  Operation *first = nullptr;
  for (Operation *user : tile.getUsers()) {
    if (isa<arith::NegFOp, ExpandDimsOp, BroadcastOp>(user))
      user = findFirstUse(user->getResult(0));
    Operation *inBlock = user ? block->findAncestorOpInBlock(*user) : nullptr;
    if (inBlock && (!first || inBlock->isBeforeInBlock(first)))
      first = inBlock;
  }
  return first;
}

FetchOp sm::findCarrier(Value vector, ArrayRef<RingFetch> fetches) {
  FetchOp carrier;
  Operation *used = findFirstUse(vector), *lastStart = nullptr;
  for (Operation *op : findProductsOf(vector)) {
    auto product = dyn_cast<MmaOp>(op);
    auto tile = product ? product.getB().getDefiningOp<FetchOp>() : nullptr;
    if (!tile || tile->getBlock() != product->getBlock() ||
        llvm::none_of(fetches, [&](const RingFetch &fetch) {
          return fetch.op == tile && !fetch.isByThreads;
        }))
      continue;
    Operation *start = findFirstUse(tile);
    if (used->isBeforeInBlock(start) ||
        (lastStart && start->isBeforeInBlock(lastStart)))
      continue;
    carrier = tile;
    lastStart = start;
  }
  return carrier;
}

/// Checks whether `fetch` may arrive together with `group`: they are released
/// at the same point, and none needs be used before all are there.
static bool fits(const FetchGroup &group, const RingFetch &added,
                 Operation *lastUse) {
  FetchOp fetch = added.op;
  const RingFetch &first = group.fetches.front();
  if (FetchOp(first.op)->getBlock() != fetch->getBlock() ||
      first.isByThreads != added.isByThreads || isRow(first) != isRow(added) ||
      (!isRow(added) && group.lastUse != lastUse))
    return false;
  return arrivesTogether(group.fetches, fetch);
}

bool sm::areApart(Operation *a, Operation *b) {
  return a->getBlock() != b->getBlock() &&
         !a->getBlock()->findAncestorOpInBlock(*b) &&
         !b->getBlock()->findAncestorOpInBlock(*a);
}

bool sm::isInLoop(Operation *op) {
  for (Operation *parent = op->getParentOp(); !isa<KernelOp>(parent);
       parent = parent->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(parent);
    bool overPrograms = loop && isOverPrograms(loop);
    if (isa<LoopLikeOpInterface>(parent) && !overPrograms)
      return true;
  }
  return false;
}

/// Checks whether each warp may release the slot once it has read its part. In
/// clusters one thread of a warpgroup releases it, which tells the other CTAs.
static bool canBeGivenByWarps(const FetchGroup &group) {
  auto kernel = group.getPlace()->getParentOfType<KernelOp>();
  bool isShared = kernel.getClusterAxis().has_value();
  return llvm::all_of(group.fetches, [&](const RingFetch &fetch) {
    if (fetch.isByThreads)
      return true;
    return !isShared && llvm::all_of(FetchOp(fetch.op)->getUsers(),
                                     llvm::IsaPred<MmaOp, SmemLoadOp>);
  });
}

/// Adds `fetch` to the group of the tile that carries it, if there is one.
static bool joinCarrier(RingPlan &plan, const RingFetch &fetch,
                        Operation *lastUse, ArrayRef<RingFetch> fetches) {
  Operation *read = *FetchOp(fetch.op)->user_begin();
  FetchOp carrier = isa<SmemLoadOp>(read)
                        ? findCarrier(read->getResult(0), fetches)
                        : FetchOp();
  for (FetchGroup &group : plan.groups) {
    if (llvm::none_of(group.fetches, [&](const RingFetch &other) {
          return other.op == carrier;
        }))
      continue;
    SmallVector<RingFetch> both(group.fetches);
    both.push_back(fetch);
    llvm::sort(both, [](RingFetch a, RingFetch b) {
      return a.op->isBeforeInBlock(b.op);
    });
    if (!arrivesTogether(both, both.back().op))
      return false;
    group.fetches = both;
    group.extendTo(lastUse);
    return true;
  }
  return false;
}

RingPlan sm::planRings(ArrayRef<RingFetch> fetches) {
  RingPlan plan;
  // Vectors join the slots of tiles, so they come second.
  for (bool areVectors : {false, true})
    for (const RingFetch &fetch : fetches) {
      if (isCopiedVector(fetch) != areVectors)
        continue;
      Operation *lastUse = *findLastUse(fetch.op);
      if (areVectors && joinCarrier(plan, fetch, lastUse, fetches))
        continue;
      auto *known = llvm::find_if(plan.groups, [&](const FetchGroup &group) {
        return fits(group, fetch, lastUse);
      });
      if (known == plan.groups.end()) {
        plan.groups.push_back({{fetch}, lastUse, 0});
        continue;
      }
      known->fetches.push_back(fetch);
      known->extendTo(lastUse);
    }
  for (size_t index = 0; index < plan.groups.size(); ++index) {
    FetchGroup &group = plan.groups[index];
    SmallVector<SmemType> tiles = group.getTiles();
    bool isByThreads = group.fetches.front().isByThreads;
    unsigned ring = 0;
    for (; ring < plan.rings.size(); ++ring)
      if (plan.rings[ring].tiles == tiles &&
          plan.rings[ring].isByThreads == isByThreads &&
          llvm::all_of(ArrayRef(plan.groups).take_front(index),
                       [&](const FetchGroup &other) {
                         return other.ring != ring ||
                                areApart(other.getPlace(), group.getPlace());
                       }))
        break;
    if (ring == plan.rings.size())
      plan.rings.push_back({tiles, isByThreads});
    group.ring = ring;
  }
  describeRings(plan);
  return plan;
}

void sm::describeRings(RingPlan &plan) {
  for (const FetchGroup &group : plan.groups) {
    PlannedRing &ring = plan.rings[group.ring];
    ring.isInLoop |= isInLoop(group.getPlace());
    ring.isReleasedPerWarp |= !group.isOnlyMultiplied();
  }
  for (const FetchGroup &group : plan.groups)
    if (!canBeGivenByWarps(group))
      plan.rings[group.ring].isReleasedPerWarp = false;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

LogicalResult sm::chooseSlots(RingPlan &plan, int64_t wanted, int64_t available,
                              bool isPersistent) {
  int64_t perSlot = 0, once = 0;
  for (const PlannedRing &ring : plan.rings)
    (ring.isInLoop ? perSlot : once) += getSlotBytes(ring.tiles);
  int64_t slots = wanted > 0 ? wanted : cost::kDefaultSlots;
  if (perSlot > 0)
    slots = std::min(slots, (available - once) / perSlot);
  if (slots < 1 || once > available)
    return failure();
  // The next program's tiles are loaded while those of this one are used.
  int64_t left = available - once - (perSlot > 0 ? slots * perSlot : 0);
  for (PlannedRing &ring : plan.rings) {
    ring.slots = ring.isInLoop ? slots : 1;
    if (!ring.isInLoop && isPersistent && getSlotBytes(ring.tiles) <= left) {
      ring.slots = 2;
      left -= getSlotBytes(ring.tiles);
    }
  }
  return success();
}
