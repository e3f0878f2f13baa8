//===- ChosenSchedule.cpp - A schedule made of choices ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChosenSchedule.h"

using namespace tessera;
using namespace tessera::sim;

ChosenSchedule::ChosenSchedule(Cluster &cluster)
    : cluster(cluster), effects(cluster) {
  for (Warp *warp : cluster.getWarps())
    agents.push_back({warp, 0});
}

/// Says whether there was any step.
FailureOr<bool> ChosenSchedule::runUncontended(Warp &warp) {
  bool hasRun = false;
  while (true) {
    if (failed(warp.runPrivateOps()))
      return failure();
    if (warp.isFinished() || warp.isContended())
      return hasRun;
    FailureOr<bool> isReady = warp.isReady();
    if (failed(isReady))
      return failure();
    if (!*isReady)
      return hasRun;
    switch (warp.runStage()) {
    case Outcome::Failed:
      return failure();
    case Outcome::Blocked:
      return hasRun;
    default:
      hasRun = true;
    }
  }
}

LogicalResult ChosenSchedule::runUncontended() {
  bool hasRun = true;
  while (hasRun) {
    FailureOr<bool> hadEffects = effects.takeAllButSignals();
    if (failed(hadEffects))
      return failure();
    hasRun = *hadEffects;
    for (Warp *warp : cluster.getWarps()) {
      FailureOr<bool> result = runUncontended(*warp);
      if (failed(result))
        return failure();
      hasRun |= *result;
    }
  }
  return success();
}

void ChosenSchedule::addCopies() {
  std::vector<Agent> added;
  for (uint32_t copy : effects.getSignals())
    if (copy > newestCopy)
      added.push_back({nullptr, copy});
  if (added.empty())
    return;
  newestCopy = added.back().copy;
  agents.insert(agents.begin(), added.begin(), added.end());
}

FailureOr<SmallVector<size_t>> ChosenSchedule::findReady() {
  SmallVector<size_t> ready;
  for (auto [i, agent] : llvm::enumerate(agents)) {
    if (agent.warp) {
      if (agent.warp->isFinished() || !agent.warp->isContended())
        continue;
      FailureOr<bool> isReady = agent.warp->isReady();
      if (failed(isReady))
        return failure();
      if (!*isReady)
        continue;
    }
    ready.push_back(i);
  }
  return ready;
}

LogicalResult ChosenSchedule::runAgent(const Agent &agent) {
  if (!agent.warp)
    return effects.takeSignal(agent.copy);
  return failure(agent.warp->runStage() == Outcome::Failed);
}

LogicalResult ChosenSchedule::run() {
  Chooser &chooser = cluster.getSimulation().chooser;
  while (true) {
    if (failed(runUncontended()))
      return failure();
    addCopies();
    FailureOr<SmallVector<size_t>> ready = findReady();
    if (failed(ready))
      return failure();
    if (ready->empty())
      return cluster.finish();

    unsigned passed = chooser.choose(ready->size());
    size_t place = (*ready)[passed];
    Agent agent = agents[place];
    if (!agent.warp)
      agents.erase(agents.begin() + place);
    // From the end, so that places remain what they are.
    std::vector<Agent> last;
    for (size_t other : llvm::reverse(ArrayRef(*ready).take_front(passed))) {
      last.insert(last.begin(), agents[other]);
      agents.erase(agents.begin() + other);
    }
    llvm::append_range(agents, last);
    if (failed(runAgent(agent)))
      return failure();
  }
}
