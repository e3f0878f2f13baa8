//===- Schedule.cpp - Which agent is next -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

using namespace tessera;
using namespace tessera::sim;

Schedule::Schedule(Cta &cta)
    : cta(cta), order(cta.getSimulation().options.order),
      generator(cta.getSimulation().options.seed,
                "schedule of CTA " + std::to_string(cta.getNumber())) {}

/// The group that is next, if all warps have issued it.
static Product *getReady(TensorCores &cores) {
  if (cores.next == cores.products.size() ||
      cores.products[cores.next].arrived !=
          cores.products[cores.next].parts.size())
    return nullptr;
  return &cores.products[cores.next];
}

size_t Schedule::countEffects() {
  size_t count = cta.copies.size();
  for (auto &[warpgroup, cores] : cta.cores)
    count += getReady(cores) != nullptr;
  return count;
}

void Schedule::trace(uint32_t asyncNumber) {
  if (Tracer *tracer = cta.getSimulation().tracer.get())
    tracer->takeEffect(cta.getNumber(), asyncNumber);
}

LogicalResult Schedule::takeEffect(size_t index) {
  if (index < cta.copies.size()) {
    Copy copy = std::move(cta.copies[index]);
    cta.copies.erase(cta.copies.begin() + index);
    trace(copy.number);
    return copy.takeEffect();
  }
  index -= cta.copies.size();
  for (auto &[warpgroup, cores] : cta.cores) {
    Product *product = getReady(cores);
    if (!product || index-- != 0)
      continue;
    multiply(*product, cores, cta);
    product->isDone = true;
    trace(product->number);
    ++cores.next;
    break;
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
  for (size_t i = 0, e = cta.warps.size(); i < e; ++i) {
    Warp &warp = *cta.warps[fromLast ? e - 1 - i : i];
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
  for (auto &warp : cta.warps)
    if (!warp->isFinished())
      candidates.push_back(warp.get());
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
    if (llvm::any_of(cta.warps, [](auto &warp) { return !warp->isFinished(); }))
      return cta.reportDeadlock();
    return cta.verifyEnd();
  }
}
