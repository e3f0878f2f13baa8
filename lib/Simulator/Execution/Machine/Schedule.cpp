//===- Schedule.cpp - Schedules without search ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interleaves the agents of a cluster by a fixed rule, one step at a time.
// `program` and `late` run the first warp that can continue, `early` the last
// one, `random` any agent. Asynchronous operations take effect at once
// (`program`, `early`), when no warp can continue (`late`), or at random. If
// there is no progress and no operation is in flight, all warps have ended or
// the cluster has a deadlock.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

using namespace tessera;
using namespace tessera::sim;

Schedule::Schedule(Cluster &cluster)
    : cluster(cluster), effects(cluster),
      order(cluster.getSimulation().options.order),
      generator(cluster.getSimulation().options.seed,
                "schedule of cluster " + std::to_string(cluster.getNumber())) {}

Schedule::Progress Schedule::runFirstWarp(bool fromLast) {
  ArrayRef<Warp *> warps = cluster.getWarps();
  for (size_t i = 0, e = warps.size(); i < e; ++i) {
    Warp &warp = *warps[fromLast ? e - 1 - i : i];
    if (warp.isFinished())
      continue;
    switch (warp.step()) {
    case Outcome::Failed:
      return failure();
    case Outcome::Blocked:
      continue;
    case Outcome::Done:
    case Outcome::Again:
    case Outcome::Ready:
      return true;
    }
  }
  return false;
}

Schedule::Progress Schedule::runRandomAgent() {
  SmallVector<Warp *, 16> candidates;
  for (Warp *warp : cluster.getWarps())
    if (!warp->isFinished())
      candidates.push_back(warp);
  size_t inFlight = effects.count();
  while (!candidates.empty() || inFlight != 0) {
    size_t choice = generator.nextInteger(0, candidates.size() + inFlight);
    if (choice >= candidates.size()) {
      if (failed(effects.take(choice - candidates.size())))
        return failure();
      return true;
    }
    switch (candidates[choice]->step()) {
    case Outcome::Failed:
      return failure();
    case Outcome::Blocked:
      candidates.erase(candidates.begin() + choice);
      continue;
    case Outcome::Done:
    case Outcome::Again:
    case Outcome::Ready:
      return true;
    }
  }
  return false;
}

LogicalResult Schedule::run() {
  while (true) {
    Progress progress = order == Order::Random
                            ? runRandomAgent()
                            : runFirstWarp(order == Order::Early);
    if (failed(progress))
      return failure();
    if (order == Order::Program || order == Order::Early) {
      if (failed(effects.takeAll()))
        return failure();
    } else if (!*progress && effects.count() != 0) {
      if (failed(effects.take(0)))
        return failure();
      continue;
    }
    if (*progress)
      continue;
    return cluster.finish();
  }
}
