//===- Schedule.cpp - Selects the next warp ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interleaves the warps of a cluster: the first or last ready warp, a random
// agent, or the choices of a search (delay-bounded scheduling). Asynchronous
// operations take effect at once, when no warp is ready, or at random. Warps
// that poll come after all others, and after operations in flight, until
// another agent has acted; so a polling loop does not starve the agents that it
// waits for. Several warps that poll take turns.
//
// The run ends when no warp can continue and no operation is in flight: all
// warps have ended, or a deadlock.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

using namespace tessera::emu;
namespace sim = tessera::sim;

Schedule::Schedule(Cluster &cluster)
    : cluster(cluster), order(cluster.getRun().options.order),
      generator(cluster.getRun().options.seed,
                "schedule of cluster " + std::to_string(cluster.getNumber())),
      agents(cluster.getWarps().begin(), cluster.getWarps().end()) {}

Schedule::Progress Schedule::step(Warp &warp) {
  switch (warp.step()) {
  case Outcome::Failed:
    return Progress::Failed;
  case Outcome::Blocked:
    return Progress::None;
  case Outcome::Yielded:
    // The warp polls again, so the others come first once more.
    if (!polling.insert(&warp).second)
      polling = {&warp};
    return Progress::Some;
  case Outcome::Done:
    // This step may have changed the state that other warps poll.
    if (!polling.count(&warp) || polling.size() > 1)
      polling.clear();
    return Progress::Some;
  }
  return Progress::None;
}

Schedule::Progress Schedule::takeEffect(size_t index) {
  polling.clear();
  return cluster.takeEffect(index) == Outcome::Failed ? Progress::Failed
                                                      : Progress::Some;
}

Schedule::Progress Schedule::runWarps(bool fromLast) {
  llvm::ArrayRef<Warp *> warps = cluster.getWarps();
  // Warps that poll come last.
  for (bool polls : {false, true})
    for (size_t i = 0, e = warps.size(); i < e; ++i) {
      Warp &warp = *warps[fromLast ? e - 1 - i : i];
      if (warp.isFinished() || bool(polling.count(&warp)) != polls)
        continue;
      // Operations in flight take effect before a warp polls again.
      if (polls && cluster.countEffects() != 0)
        return Progress::None;
      if (Progress progress = step(warp); progress != Progress::None)
        return progress;
    }
  return Progress::None;
}

Schedule::Progress Schedule::runRandomAgent() {
  SmallVector<Warp *, 16> candidates;
  for (Warp *warp : cluster.getWarps())
    if (!warp->isFinished())
      candidates.push_back(warp);
  size_t inFlight = cluster.countEffects();
  while (!candidates.empty() || inFlight != 0) {
    size_t choice = generator.nextInteger(0, candidates.size() + inFlight);
    if (choice >= candidates.size())
      return takeEffect(choice - candidates.size());
    if (Progress progress = step(*candidates[choice]);
        progress != Progress::None)
      return progress;
    candidates.erase(candidates.begin() + choice);
  }
  return Progress::None;
}

/// Runs the first agent that can continue, after deviations: skipped agents
/// come last from there on. Only the attempt of a step shows whether a warp can
/// continue, so the choice is made before, among all unfinished warps. Effects
/// come first.
Schedule::Progress Schedule::runChosenAgent() {
  while (cluster.countEffects() != 0)
    if (takeEffect(0) == Progress::Failed)
      return Progress::Failed;
  sim::Chooser &chooser = cluster.getRun().chooser;
  // Warps that poll come last, also after those that wait.
  for (bool polls : {false, true}) {
    std::vector<Warp *> ready;
    for (Warp *warp : agents)
      if (!warp->isFinished() && bool(polling.count(warp)) == polls)
        ready.push_back(warp);
    if (ready.empty())
      continue;
    unsigned passed = chooser.choose(ready.size());
    for (unsigned i = 0; i < passed; ++i) {
      llvm::erase(agents, ready[i]);
      agents.push_back(ready[i]);
    }
    std::rotate(ready.begin(), ready.begin() + passed, ready.end());
    for (Warp *warp : ready)
      if (Progress progress = step(*warp); progress != Progress::None)
        return progress;
  }
  return Progress::None;
}

Outcome Schedule::run() {
  while (true) {
    Progress progress;
    switch (order) {
    case sim::Order::Random:
      progress = runRandomAgent();
      break;
    case sim::Order::Chosen:
      progress = runChosenAgent();
      break;
    default:
      progress = runWarps(order == sim::Order::Early);
    }
    if (progress == Progress::Failed)
      return Outcome::Failed;
    if (order == sim::Order::Program || order == sim::Order::Early) {
      // These effects may end a wait.
      bool hadEffects = cluster.countEffects() != 0;
      while (cluster.countEffects() != 0)
        if (takeEffect(0) == Progress::Failed)
          return Outcome::Failed;
      if (progress == Progress::None && hadEffects)
        continue;
    } else if (progress == Progress::None && cluster.countEffects() != 0) {
      if (takeEffect(0) == Progress::Failed)
        return Outcome::Failed;
      continue;
    }
    if (progress == Progress::None)
      return Outcome::Done;
  }
}
