//===- PlanComputedRings.cpp - Rings that computing roles fill --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanComputedRings.h"

#include "tessera/Dialect/SM/IR/Plan.h"
#include "tessera/Dialect/SM/IR/ProgramWalk.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tessera;
using namespace tessera::sm;

/// One tile is written while products read the other one, or while a copy does.
static constexpr int64_t kMostExchangeSlots = 2;

/// Takes the second buffers from stores that a program does once, which have
/// time to wait for the first one, if that yields what is `wanted`. `ignored`
/// ops have none.
void ComputedRingPlanner::shrinkSingleStores(
    int64_t wanted, const llvm::DenseSet<Operation *> &ignored) {
  int64_t yielded = 0;
  SmallVector<StoreChoice *> shrunk;
  kernel.walk([&](Operation *op) {
    auto *store = llvm::find_if(
        stores, [&](const StoreChoice &choice) { return choice.op == op; });
    if (store == stores.end() || yielded >= wanted || ignored.contains(op) ||
        isInLoop(op))
      return;
    yielded += getStoreBytes(op, store->buffers) - getStoreBytes(op, 1);
    shrunk.push_back(store);
  });
  if (yielded < wanted)
    return;
  for (StoreChoice *store : shrunk)
    store->buffers = 1;
  left += yielded;
}

/// Gives `smemStore` a ring of two slots; one of them is taken from `left`.
void ComputedRingPlanner::addRing(SmemStoreOp smemStore, Filler filler,
                                  SmallVectorImpl<ComputedRing> &rings,
                                  Refuse refuse) {
  int64_t bytes = getSlotBytes(smemStore.getType());
  int64_t more = (kMostExchangeSlots - 1) * bytes;
  if (left < more)
    shrinkSingleStores(more - left, {});
  // Loops apart can share a ring, at the price of positions that go on.
  auto *known = llvm::find_if(rings, [&](ComputedRing &ring) {
    return llvm::all_of(ring.ops, [&](SmemStoreOp other) {
      return other.getType() == smemStore.getType() &&
             areApart(other, smemStore);
    });
  });
  if (left < more && known != rings.end()) {
    known->ops.push_back(smemStore);
    left += bytes;
    return;
  }
  if (left < more)
    return refuse(smemStore, "a second one takes " + Twine(more) +
                                 " bytes of shared memory, and only " +
                                 Twine(left) + " are left");
  left -= more;
  rings.push_back({filler, {smemStore}, kMostExchangeSlots});
}

SmallVector<ComputedRing>
ComputedRingPlanner::chooseTransformed(ArrayRef<SmemStoreOp> tiles,
                                       Refuse refuse) {
  SmallVector<ComputedRing> transformed;
  for (SmemStoreOp smemStore : tiles)
    addRing(smemStore, Filler::Transform, transformed, refuse);
  return transformed;
}

SmallVector<ComputedRing>
ComputedRingPlanner::chooseExchanges(ArrayRef<ComputedRing> transformed,
                                     Refuse refuse) {
  SmallVector<ComputedRing> exchanges;
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  bool isRefused = schedule && schedule.getExchange() == 1;
  // One warpgroup has no other one to exchange with.
  if (isRefused || static_cast<int64_t>(kernel.getWarps()) <
                       2 * getTarget(kernel).warpsPerWarpgroup)
    return exchanges;
  kernel.walk([&](SmemStoreOp smemStore) {
    bool isTransformed =
        llvm::any_of(transformed, [&](const ComputedRing &ring) {
          return llvm::is_contained(ring.ops, smemStore);
        });
    if (!isTransformed && findLastProduct(smemStore))
      addRing(smemStore, Filler::Math, exchanges, refuse);
  });
  return exchanges;
}

/// Checks whether the loop around `store` computes products, itself or in an
/// inner loop: the next iteration multiplies while a copy runs. The loop over
/// programs counts only for products of its own.
static bool isInProductLoop(Operation *store) {
  auto loop = dyn_cast<scf::ForOp>(store->getParentOp());
  if (!loop)
    return false;
  if (isOverPrograms(loop))
    return !loop.getBody()->getOps<MmaOp>().empty();
  auto found = loop.walk([](MmaOp) { return WalkResult::interrupt(); });
  return found.wasInterrupted();
}

void ComputedRingPlanner::chooseHandedStores(const IsVisible &isVisible,
                                             Refuse refuse) {
  RoleSlice slice(isVisible);
  llvm::MapVector<SmemType, SmallVector<StoreChoice *>> rings;
  llvm::DenseSet<Operation *> handed;
  int64_t perSlot = 0, freed = 0;
  for (StoreChoice &store : stores) {
    SmemType tile = getStoreRingType(store.op);
    if (!tile || !isInProductLoop(store.op))
      continue;
    Reason reason = store.isClipped
                        ? "threads store tiles that end before the tensor does"
                        : addHandedStore(slice, store.op);
    if (reason) {
      refuse(store.op, reason.str());
      continue;
    }
    handed.insert(store.op);
    freed += getStoreBytes(store.op, store.buffers);
    auto &ring = rings[tile];
    perSlot += ring.empty() ? getSlotBytes(tile) : 0;
    ring.push_back(&store);
  }
  if (rings.empty())
    return;
  left += freed;
  // A store of each iteration gains more from a second buffer than one of each
  // program.
  for (int64_t wanted = kMostExchangeSlots; wanted > 0; --wanted)
    if (left < wanted * perSlot)
      shrinkSingleStores(wanted * perSlot - left, handed);
  int64_t slots = std::min(kMostExchangeSlots, left / perSlot);
  for (auto &[tile, ring] : rings)
    for (StoreChoice *store : ring)
      if (slots > 0)
        store->slots = slots;
      else
        refuse(store->op, "its tile takes " + Twine(getSlotBytes(tile)) +
                              " bytes of shared memory, and only " +
                              Twine(left) + " are left");
  left -= slots > 0 ? slots * perSlot : freed;
}
