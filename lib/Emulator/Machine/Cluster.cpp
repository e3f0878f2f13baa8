//===- Cluster.cpp - CTAs that run together ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the CTAs of a cluster by a schedule, then checks the end. Unfinished
// warps are a deadlock, whose report has a note for each group of warps with
// equal waits. Otherwise, a warp must have seen every asynchronous operation
// that reads or writes shared memory, and every arrival of another CTA.
// Asynchronous operations are numbered in the order of issue; a product may
// take effect when all four warps have issued it.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include "AddressSpace.h"
#include "Products/ProductOps.h"
#include "Schedule.h"

#include "llvm/Support/MathExtras.h"

using namespace tessera::emu;
namespace sim = tessera::sim;
using llvm::Twine;

/// Maximum number of reported defects; each is reported once.
static constexpr size_t kMaxReports = 8;

Cluster::Cluster(Run &run, uint32_t number)
    : run(run), number(number),
      clockSize(run.countClusterCtas() *
                ((run.countThreads() + kLanes - 1) / kLanes)),
      barrier(int64_t(clockSize) * kLanes, clockSize), recurrence(*this) {
  for (unsigned i = 0, e = run.countClusterCtas(); i < e; ++i) {
    ctas.push_back(std::make_unique<Cta>(*this, i, number * e + i));
    for (const std::unique_ptr<Warp> &warp : ctas.back()->getWarps())
      warps.push_back(warp.get());
  }
}

Outcome Cluster::execute() {
  wait.reset();
  if (Schedule(*this).run() == Outcome::Failed)
    return Outcome::Failed;
  bool isPaused = false, hasEnded = true;
  for (Warp *warp : warps) {
    isPaused |= warp->endPause();
    hasEnded &= warp->isFinished();
  }
  return !hasEnded && (isPaused || wait) ? Outcome::Blocked : finish();
}

Outcome Cluster::waitForOthers(Warp &warp, const Op &poll) {
  wait.emplace(&warp, &poll);
  if (run.config.cooperative)
    return Outcome::Blocked;
  reportWait();
  return Outcome::Failed;
}

void Cluster::reportWait() {
  auto [warp, poll] = *wait;
  Finding finding;
  finding.where = poll->source->where;
  finding.text = "deadlock: the loop waits for another program, and every "
                 "program that has started has ended, in " +
                 warp->str();
  if (run.config.cooperative)
    finding.text = "deadlock: the loop waits for another program, and all "
                   "programs wait or have ended, in " +
                   warp->str();
  report(std::move(finding), poll, nullptr, 103);
}

void Cluster::arriveForEnded() {
  for (Warp *warp : warps)
    if (barrier.getPresent() && warp->isFinished() &&
        !barrier.hasCome(warp->getId()))
      barrier.arrive(warp->getId(), sim::Clocks(clockSize), kLanes);
}

Cta *Cluster::findShared(Cta &cta, uint32_t address, uint32_t &offset) {
  uint32_t rank = address >> kRankShift;
  offset = address & llvm::maskTrailingOnes<uint32_t>(kRankShift);
  if (rank == 0)
    return &cta;
  return rank <= ctas.size() ? ctas[rank - 1].get() : nullptr;
}

std::string Cluster::getName() const { return run.history.getName(number); }

//===----------------------------------------------------------------------===//
// Asynchronous operations
//===----------------------------------------------------------------------===//

Outcome Cluster::complete(uint32_t number) {
  if (!isInFlight(number))
    return Outcome::Done;
  auto found = llvm::find_if(
      asyncs, [&](const Async &async) { return async.number == number; });
  return takeEffect(found - asyncs.begin());
}

/// Returns the next product of a warpgroup, if all its warps have issued it.
static Product *getReady(TensorCores &cores) {
  if (cores.next == cores.getEnd())
    return nullptr;
  Product &product = cores.get(cores.next);
  return product.arrived == product.warps.size() ? &product : nullptr;
}

size_t Cluster::countEffects() const {
  size_t count = asyncs.size();
  for (const std::unique_ptr<Cta> &cta : ctas)
    for (TensorCores &cores : cta->cores)
      count += getReady(cores) != nullptr;
  return count;
}

Outcome Cluster::takeEffect(size_t index) {
  ++run.changes;
  if (index < asyncs.size()) {
    Async async = std::move(asyncs[index]);
    asyncs.erase(asyncs.begin() + index);
    inFlight.erase(async.number);
    return async.take();
  }
  index -= asyncs.size();
  for (const std::unique_ptr<Cta> &cta : ctas)
    for (TensorCores &cores : cta->cores) {
      Product *product = getReady(cores);
      if (!product || index-- != 0)
        continue;
      multiply(*product, *cta);
      product->isDone = true;
      ++cores.next;
      return Outcome::Done;
    }
  return Outcome::Done;
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

void Cluster::report(Finding finding, const Op *op, const Op *other, int kind) {
  foundAny = true;
  if (reported.size() < kMaxReports &&
      reported.insert({op, other, kind}).second)
    run.findings.push_back(std::move(finding));
}

Outcome Cluster::finish() {
  if (llvm::any_of(warps, [](Warp *warp) { return !warp->isFinished(); }))
    return reportDeadlock();
  auto hasSeen = [&](Cta &cta, sim::Moment moment) {
    return llvm::any_of(cta.getWarps(), [&](const std::unique_ptr<Warp> &w) {
      return w->getClocks().seen.knows(moment);
    });
  };
  auto tell = [&](const Op *op, const Twine &text) {
    report({op->source->where, text.str(), {}}, op, nullptr, 101);
  };
  for (const Expected &wait : expected)
    if (!hasSeen(*wait.target, sim::Moment::async(wait.number)))
      tell(wait.op, "the CTA ends before anyone has waited for this copy");
  for (const std::unique_ptr<Cta> &cta : ctas) {
    if (run.config.overlapsPrevious && cta->firstGlobal &&
        !cta->hasWaitedForPrevious)
      tell(cta->firstGlobal,
           "the launch may overlap the one before, and the CTA uses global "
           "memory without waiting for that; expected a griddepcontrol.wait");
    for (TensorCores &cores : cta->cores)
      for (Product &product : cores.products)
        if (!hasSeen(*cta, sim::Moment::async(product.number)))
          tell(product.op, "the CTA ends before anyone has waited for this "
                           "product");
    for (auto &[warp, arrival] : cta->remoteArrivals)
      if (!hasSeen(*cta, arrival.first))
        tell(arrival.second,
             "nothing keeps CTA " + Twine(cta->getNumber()) +
                 " from ending before another one arrives at its barrier");
  }
  return foundAny ? Outcome::Failed : Outcome::Done;
}

Outcome Cluster::reportDeadlock() {
  // Update the reason of each waiting warp: other agents have acted since.
  for (Warp *warp : warps)
    if (!warp->isFinished())
      (void)warp->step();
  Finding finding;
  finding.text = "deadlock: nothing in " + getName() + " can go on";
  const Op *first = nullptr;
  for (size_t i = 0; i < warps.size();) {
    Warp &warp = *warps[i];
    size_t end = i + 1;
    auto isAlike = [&](Warp &other) {
      if (&other.getCta() != &warp.getCta() ||
          other.isFinished() != warp.isFinished())
        return false;
      return warp.isFinished() ||
             (other.getWaitingOp() == warp.getWaitingOp() &&
              other.getWaiting() == warp.getWaiting());
    };
    while (end < warps.size() && isAlike(*warps[end]))
      ++end;
    std::string who = warp.str();
    if (end != i + 1)
      who = "warps " + std::to_string(warp.getNumber()) + " to " +
            std::to_string(warps[end - 1]->getNumber()) +
            (ctas.size() > 1
                 ? " of CTA " + std::to_string(warp.getCta().getNumber())
                 : "");
    if (!warp.isFinished() && warp.getWaitingOp()) {
      if (!first)
        first = warp.getWaitingOp();
      finding.notes.push_back(
          {warp.getWaitingOp()->source->where,
           who + (end == i + 1 ? " waits for " : " wait for ") +
               warp.getWaiting()});
    } else if (warp.isFinished()) {
      finding.notes.push_back(
          {run.kernel.kernel->where,
           who + (end == i + 1 ? " has" : " have") + " ended"});
    }
    i = end;
  }
  finding.where = first ? first->source->where : run.kernel.kernel->where;
  report(std::move(finding), first, nullptr, 102);
  return Outcome::Failed;
}
