//===- ChosenSchedule.cpp - A schedule made of choices ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the agents of a cluster by a list of deviations (delay-bounded
// scheduling). The agents are a list in order of precedence, and the first
// ready agent runs. A deviation moves the skipped agents to the end of the
// list.
//
// Only contended stages are choices. All other stages commute with the steps of
// other agents, so they run as soon as possible (a partial-order reduction;
// docs/design/simulator.md, "Exhaustive"). A copy that completes bytes at a
// barrier is an agent of its own, first in the list when it is issued.
//
// Invariant: at each choice, every agent is at a contended stage, waits, or has
// ended.
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

/// Runs the uncontended stages of a warp. Returns whether there was a step.
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
    // Erase from the end, so that the remaining indices stay valid.
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
