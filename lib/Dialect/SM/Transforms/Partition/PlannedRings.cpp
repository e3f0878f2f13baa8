//===- PlannedRings.cpp - Rings that a plan names ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionSteps.h"
#include "Roles/ComputedRows.h"
#include "Roles/PlanEntries.h"

#include "tessera/Dialect/SM/IR/Plan.h"

using namespace tessera;
using namespace tessera::sm;

/// Returns what `op`, which names `ring`, writes to the ring; or an error.
static FailureOr<StageableLoad>
findBrought(Operation *op, PlannedRingAttr planned, PlanAttr plan) {
  auto refuse = [&](const Twine &why) {
    return op->emitOpError() << "cannot arrive by ring '" << planned.getName()
                             << "' of the plan: " << why;
  };
  LoadOp load = findLoadOfRow(op);
  if (!load)
    return refuse("it is not computed from one load, element by element");
  if (Reason obstacle = getObstacle(load))
    return refuse(obstacle.str());
  if (load == op)
    return StageableLoad{load, op};
  auto row = cast<RankedTensorType>(op->getResult(0).getType());
  if (!planned.getByThreads())
    return refuse("tensor copies bring what is loaded, and compute nothing");
  if (row != load.getType() || !getComputedLayout(row))
    return refuse("it is no row of the loaded type that a warp shares evenly");
  for (PlannedRoleAttr role : plan.getRoles())
    if (role.getName() == "fetch" && role.getWarps() != kRowWarps)
      return refuse("rows are computed by " + Twine(kRowWarps) +
                    " warp, and role 'fetch' has " + Twine(role.getWarps()));
  return StageableLoad{load, op};
}

/// By fetch, what is computed where it is fetched.
using ComputedRows = llvm::DenseMap<Operation *, Value>;

/// Makes fetches of the loads that name rings, and of what is computed from
/// them.
static FailureOr<ComputedRows> stageLoads(KernelOp kernel) {
  SmallVector<StageableLoad> loads;
  PlanAttr plan = kernel.getPlanAttr();
  WalkResult walk = kernel.walk([&](Operation *op) -> WalkResult {
    StringRef name = getPlanEntryName(op);
    if (name.empty() || isa<FetchOp, SmemStoreOp>(op) || !namesPlanEntry(op) ||
        plan.findRing(name).takesSmemStores())
      return success();
    FailureOr<StageableLoad> brought =
        findBrought(op, plan.findRing(name), plan);
    if (succeeded(brought))
      loads.push_back(*brought);
    return LogicalResult(brought);
  });
  if (walk.wasInterrupted())
    return failure();
  ProducerLoads staged(loads);
  ComputedRows computed;
  for (auto [row, fetch] : llvm::zip(loads, staged.getFetches())) {
    if (row.brought == row.load)
      continue;
    computed[fetch] = staged.getComputed(fetch);
    if (!computed[fetch])
      return row.brought->emitOpError()
             << "cannot be computed where rings are filled, before the loop "
                "uses any of them";
  }
  staged.commit();
  return computed;
}

/// Makes a group of the fetches that name one ring in one block.
static FailureOr<FetchGroup> makeGroup(ArrayRef<Operation *> ops,
                                       PlannedRingAttr planned,
                                       const ComputedRows &computed,
                                       const IsVisible &isVisible) {
  FetchGroup group;
  for (Operation *op : ops) {
    auto fetch = cast<FetchOp>(op);
    OrReason<RingFetch> found = matchFetch(fetch, planned.getByThreads(),
                                           computed.lookup(fetch), isVisible);
    if (!found)
      return fetch.emitError() << "cannot arrive by ring '" << planned.getName()
                               << "' of the plan: " << found.getReason().str();
    group.fetches.push_back(*found);
    group.extendTo(*findLastUse(fetch));
  }
  FetchOp place = group.getPlace();
  if (arrivesTogether(group.fetches, place))
    return group;
  return place.emitError() << "cannot arrive in one slot of ring '"
                           << planned.getName()
                           << "' with tiles that are needed before it";
}

FailureOr<RingPlan> sm::makePlannedRings(KernelOp kernel,
                                         const IsVisible &isVisible) {
  FailureOr<ComputedRows> computed = stageLoads(kernel);
  if (failed(computed))
    return failure();
  RingPlan plan;
  llvm::StringMap<unsigned> numbers;
  for (PlannedRingAttr planned : kernel.getPlanAttr().getRings()) {
    if (planned.takesSmemStores())
      continue;
    numbers[planned.getName()] = plan.rings.size();
    plan.rings.push_back(readRing(planned));
  }
  for (auto &[place, ops] : findPlannedSlots(kernel)) {
    PlannedRingAttr planned =
        kernel.getPlanAttr().findRing(place.first.getValue());
    if (planned.takesSmemStores())
      continue;
    FailureOr<FetchGroup> group = makeGroup(ops, planned, *computed, isVisible);
    if (failed(group))
      return failure();
    group->ring = numbers.lookup(planned.getName());
    PlannedRing &ring = plan.rings[group->ring];
    if (ring.tiles.empty())
      ring.tiles = group->getTiles();
    if (ring.tiles != group->getTiles())
      return group->fetches.front().op.emitError()
             << "begins a slot of ring '" << planned.getName()
             << "' with its tiles in another order than those before it";
    plan.groups.push_back(*group);
  }
  describeRings(plan);
  return plan;
}
