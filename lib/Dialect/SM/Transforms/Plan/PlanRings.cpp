//===- PlanRings.cpp - Plan of loads through rings --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanRings.h"
#include "Roles/GatheredLoads.h"

using namespace tessera;
using namespace tessera::sm;

/// Checks whether threads bring a load: tensor copies would need aligned rows,
/// and do not gather.
static bool isForThreads(FetchOp fetch) {
  return fetch.getType().getRank() == 1 || getGathered(fetch.getIndices());
}

/// The slots that rings in loops keep at least when tiles join them.
static constexpr int64_t kLeastSlots = 2;

SmallVector<RingFetch>
sm::findRingFetches(KernelOp kernel, const IsGiven &isGiven,
                    function_ref<void(FetchOp, const Twine &)> refuse) {
  SmallVector<RingFetch> found;
  kernel.walk<WalkOrder::PreOrder>([&](FetchOp op) {
    OrReason<RingFetch> fetch = matchFetch(op, /*isByThreads=*/false,
                                           /*computed=*/Value(), isGiven);
    if (fetch)
      found.push_back(*fetch);
    else
      refuse(op, fetch.getReason().str());
  });
  return found;
}

bool sm::isInRing(const RingPlan &plan, FetchOp op) {
  return llvm::any_of(plan.groups, [&](const FetchGroup &group) {
    return llvm::any_of(group.fetches,
                        [&](const RingFetch &fetch) { return fetch.op == op; });
  });
}

static int64_t getLoopSlots(const RingPlan &plan) {
  for (const PlannedRing &ring : plan.rings)
    if (ring.isInLoop)
      return ring.slots;
  return 0;
}

RingPlan sm::addStagedLoads(KernelOp kernel, ProducerLoads &staged,
                            ArrayRef<RingFetch> fetches, RingPlan plan,
                            const IsGiven &isGiven, FitSlots fitSlots,
                            RefuseLoad refuse) {
  llvm::DenseMap<Operation *, RingFetch> all;
  for (const RingFetch &fetch : fetches)
    all[fetch.op] = fetch;
  auto revert = [&](FetchOp fetch, const Twine &why) {
    refuse(staged.getLoad(fetch), why);
    all.erase(fetch);
    staged.revert(fetch);
  };
  for (FetchOp fetch : staged.getFetches()) {
    OrReason<RingFetch> found = matchFetch(fetch, isForThreads(fetch),
                                           staged.getComputed(fetch), isGiven);
    if (found)
      all[fetch] = *found;
    else
      revert(fetch, found.getReason().str());
  }
  int64_t available = 0;
  auto planAll = [&]() -> FailureOr<RingPlan> {
    SmallVector<RingFetch> inOrder;
    kernel.walk<WalkOrder::PreOrder>([&](FetchOp op) {
      if (auto known = all.find(op); known != all.end())
        inOrder.push_back(known->second);
    });
    RingPlan more = planRings(inOrder);
    if (failed(fitSlots(more, available)) ||
        getLoopSlots(more) < std::min(getLoopSlots(plan), kLeastSlots))
      return failure();
    return more;
  };
  FailureOr<RingPlan> more = planAll();
  // A load that is needed once costs no slot of a load that is needed in each
  // iteration. Tiles are large, rows are not.
  for (bool areRows : {false, true}) {
    if (succeeded(more) && getLoopSlots(*more) >= getLoopSlots(plan))
      break;
    bool hasReverted = false;
    for (FetchOp fetch : staged.getFetches())
      if (isBesideProducts(staged.getLoad(fetch)) &&
          all[fetch].isByThreads == areRows) {
        revert(fetch, "its ring would take the place of a slot of others");
        hasReverted = true;
      }
    if (hasReverted)
      more = planAll();
  }
  for (bool areRows : {false, true}) {
    if (succeeded(more))
      break;
    for (FetchOp fetch : staged.getFetches())
      if (all[fetch].isByThreads == areRows)
        revert(fetch, "rings of it and of what products take do not fit into "
                      "the " +
                          Twine(available) +
                          " bytes of shared memory that are left");
    more = planAll();
  }
  return succeeded(more) ? *more : plan;
}
