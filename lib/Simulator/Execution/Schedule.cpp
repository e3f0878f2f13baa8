//===- Schedule.cpp - Which agent is next -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

using namespace tessera;
using namespace tessera::sim;

Schedule::Schedule(Cluster &cluster)
    : cluster(cluster), order(cluster.getSimulation().options.order),
      generator(cluster.getSimulation().options.seed,
                "schedule of cluster " + std::to_string(cluster.getNumber())) {}

/// The group that is next, if all warps have issued it.
static Product *getReady(TensorCores &cores) {
  if (cores.next == cores.products.size() ||
      cores.products[cores.next].arrived !=
          cores.products[cores.next].parts.size())
    return nullptr;
  return &cores.products[cores.next];
}

size_t Schedule::countEffects() {
  size_t count = cluster.copies.size();
  for (const std::unique_ptr<Cta> &cta : cluster.getCtas())
    for (auto &[warpgroup, cores] : cta->getAllTensorCores())
      count += getReady(cores) != nullptr;
  return count;
}

void Schedule::trace(const Cta &cta, uint32_t asyncNumber) {
  if (Tracer *tracer = cluster.getSimulation().tracer.get())
    tracer->takeEffect(cta.getNumber(), asyncNumber);
}

LogicalResult Schedule::takeEffect(size_t index) {
  if (index < cluster.copies.size()) {
    Copy copy = std::move(cluster.copies[index]);
    cluster.copies.erase(cluster.copies.begin() + index);
    trace(*copy.issuer, copy.number);
    return copy.takeEffect();
  }
  index -= cluster.copies.size();
  for (const std::unique_ptr<Cta> &cta : cluster.getCtas())
    for (auto &[warpgroup, cores] : cta->getAllTensorCores()) {
      Product *product = getReady(cores);
      if (!product || index-- != 0)
        continue;
      multiply(*product, cores, *cta);
      product->isDone = true;
      trace(*cta, product->number);
      ++cores.next;
      return success();
    }
  return success();
}

LogicalResult Schedule::takeAllEffects() {
  while (countEffects() != 0)
    if (failed(takeEffect(0)))
      return failure();
  return success();
}

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
  size_t effects = countEffects();
  while (!candidates.empty() || effects != 0) {
    size_t choice = generator.nextInteger(0, candidates.size() + effects);
    if (choice >= candidates.size()) {
      if (failed(takeEffect(choice - candidates.size())))
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
      if (failed(takeAllEffects()))
        return failure();
    } else if (!*progress && countEffects() != 0) {
      if (failed(takeEffect(0)))
        return failure();
      continue;
    }
    if (*progress)
      continue;
    if (llvm::any_of(cluster.getWarps(),
                     [](Warp *warp) { return !warp->isFinished(); }))
      return cluster.reportDeadlock();
    return cluster.verifyEnd();
  }
}
