//===- PlannedRings.cpp - Rings that a plan names ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlannedRings.h"

#include "tessera/Dialect/SM/IR/Plan.h"

using namespace tessera;
using namespace tessera::sm;

/// Makes fetches of the loads that name channels.
static LogicalResult stageLoads(KernelOp kernel) {
  SmallVector<LoadOp> loads;
  WalkResult walk = kernel.walk([&](LoadOp load) -> WalkResult {
    StringRef name = getChannelName(load);
    if (name.empty())
      return success();
    loads.push_back(load);
    StringRef obstacle = getObstacle(load);
    if (obstacle.empty())
      return success();
    return load.emitOpError() << "cannot arrive by channel '" << name
                              << "' of the plan: " << obstacle;
  });
  if (walk.wasInterrupted())
    return failure();
  StagedLoads(loads).commit();
  return success();
}

/// Makes a group of the fetches that name one channel in one block.
static FailureOr<FetchGroup> makeGroup(ArrayRef<Operation *> ops,
                                       PlannedChannelAttr channel,
                                       const IsGiven &isGiven) {
  FetchGroup group;
  for (Operation *op : ops) {
    auto fetch = cast<FetchOp>(op);
    std::string why;
    FailureOr<RingFetch> found =
        matchFetch(fetch, channel.getByThreads(), isGiven, why);
    if (failed(found))
      return fetch.emitError() << "cannot arrive by channel '"
                               << channel.getName() << "' of the plan: " << why;
    group.fetches.push_back(*found);
    Operation *lastUse = findLastUse(fetch, why);
    if (!group.lastUse || group.lastUse->isBeforeInBlock(lastUse))
      group.lastUse = lastUse;
  }
  FetchOp place = group.getPlace();
  if (arrivesTogether(group.fetches, place))
    return group;
  return place.emitError() << "cannot arrive in one slot of channel '"
                           << channel.getName()
                           << "' with tiles that are needed before it";
}

FailureOr<RingPlan> sm::makePlannedRings(KernelOp kernel,
                                         const IsGiven &isGiven) {
  if (failed(stageLoads(kernel)))
    return failure();
  RingPlan plan;
  llvm::StringMap<unsigned> numbers;
  for (PlannedChannelAttr channel : kernel.getPlanAttr().getChannels()) {
    numbers[channel.getName()] = plan.rings.size();
    PlannedRing &ring = plan.rings.emplace_back();
    ring.isByThreads = channel.getByThreads();
    ring.stages = channel.getStages();
  }
  for (auto &[place, ops] : findPlannedSlots(kernel)) {
    PlannedChannelAttr channel =
        kernel.getPlanAttr().findChannel(place.first.getValue());
    FailureOr<FetchGroup> group = makeGroup(ops, channel, isGiven);
    if (failed(group))
      return failure();
    group->ring = numbers.lookup(channel.getName());
    PlannedRing &ring = plan.rings[group->ring];
    if (ring.tiles.empty())
      ring.tiles = group->getTiles();
    if (ring.tiles != group->getTiles())
      return group->fetches.front().op.emitError()
             << "begins a slot of channel '" << channel.getName()
             << "' with its tiles in another order than those before it";
    plan.groups.push_back(*group);
  }
  describeRings(plan);
  return plan;
}
