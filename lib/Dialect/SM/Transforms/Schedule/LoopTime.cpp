//===- LoopTime.cpp - Time of a scheduled loop ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates the ops of a loop, in the order of a schedule, into the steps of
// the LoopClock. Slots that other roles fill are ready. Slots that the loop
// fills itself, and slots that another role stores, are channels.
//
//===----------------------------------------------------------------------===//

#include "LoopTime.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Timing/LoopClock.h"
#include "tessera/Timing/OpWork.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::sm;
using namespace tessera::timing;

namespace {
class StepList {
public:
  explicit StepList(const LoopSchedule &schedule);

  ArrayRef<LoopStep> getSteps() const { return steps; }
  unsigned getAgents() const { return agents; }

private:
  void add(Operation *op);
  void addWork(Operation *op);
  void flush();
  void addAwait(Operation *completion);
  void addAcquire(RingAcquireOp acquire);
  void addCommit(RingCommitOp commit);

  static Value getRing(Value slot) {
    Operation *op = slot.getDefiningOp();
    if (auto acquire = dyn_cast_or_null<RingAcquireOp>(op))
      return acquire.getRing();
    auto wait = dyn_cast_or_null<RingWaitOp>(op);
    return wait ? wait.getRing() : Value();
  }
  /// Checks whether the loop both fills and reads `ring`.
  bool isExchange(Value ring) const {
    return filled.contains(ring) && read.contains(ring);
  }

  const LoopSchedule &schedule;
  TimingConstants constants;
  unsigned agents;
  SmallVector<Operation *> order;
  llvm::DenseSet<Value> filled, read;
  /// The stages of commits and releases by ring.
  llvm::DenseMap<Value, int64_t> commits, releases;
  Work pending;
  SmallVector<LoopStep> steps;
};
} // namespace

StepList::StepList(const LoopSchedule &schedule)
    : schedule(schedule), order(schedule.getOrder()) {
  auto role = order.front()->getParentOfType<RoleOp>();
  agents =
      std::max<int64_t>(1, role.getWarps() / getTarget(role).warpsPerWarpgroup);
  for (Operation *op : order) {
    if (auto acquire = dyn_cast<RingAcquireOp>(op))
      filled.insert(acquire.getRing());
    if (auto wait = dyn_cast<RingWaitOp>(op))
      read.insert(wait.getRing());
    if (auto commit = dyn_cast<RingCommitOp>(op))
      commits[getRing(commit.getSlot())] = schedule.getStage(op);
    if (auto release = dyn_cast<RingReleaseOp>(op))
      releases[getRing(release.getSlot())] = schedule.getStage(op);
  }
  for (Operation *op : order)
    add(op);
  flush();
}

void StepList::flush() {
  if (pending.getTime() > 0)
    steps.push_back({LoopStep::Compute, pending});
  pending = Work();
}

void StepList::addWork(Operation *op) {
  // Of a branch, the first side is the usual one.
  if (op->getNumRegions() > 0 && !op->getRegion(0).empty()) {
    for (Operation &inner : op->getRegion(0).front())
      addWork(&inner);
    return;
  }
  pending += getWork(op, agents, constants);
}

/// The groups that are issued after the product of `completion` may be left.
void StepList::addAwait(Operation *completion) {
  int64_t left = schedule.countLater(completion);
  flush();
  steps.push_back({LoopStep::Await, Work(), double(left)});
}

void StepList::addAcquire(RingAcquireOp acquire) {
  flush();
  Value ring = acquire.getRing();
  // Another role stores a tile, which takes as long as the copy.
  double delay = constants.mbarrier;
  if (!isExchange(ring)) {
    int64_t bytes = 0;
    for (SmemType tile : acquire.getRing().getType().getTiles())
      bytes += tile.getBytes();
    delay += constants.mbarrier + bytes / constants.addRate;
  }
  // A slot is free as many iterations later as the ring has slots. A late
  // release is one of the iteration before.
  int64_t slots = acquire.getRing().getType().getSlots();
  if (isExchange(ring))
    slots -= releases.lookup(ring) - schedule.getStage(acquire);
  steps.push_back({LoopStep::Wait, Work(), double(slots), delay,
                   ring.getAsOpaquePointer()});
}

void StepList::addCommit(RingCommitOp commit) {
  pending.latency += constants.fence;
  flush();
  Value ring = getRing(commit.getSlot());
  // A ring that is exchanged has a second channel, for its filled slots.
  const char *key = static_cast<const char *>(ring.getAsOpaquePointer());
  steps.push_back(
      {LoopStep::Signal, Work(), 0, 0, isExchange(ring) ? key + 1 : key});
}

void StepList::add(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](MmaIssueOp issue) {
        pending.latency += constants.mmaSetup;
        flush();
        MmaWork mma = getMmaWork(issue, agents, constants);
        steps.push_back({LoopStep::Issue, Work(), mma.count, mma.cycles});
      })
      .Case<MmaAwaitOp, MmaRetireOp>([&](auto) { addAwait(op); })
      .Case([&](RingWaitOp wait) {
        flush();
        Value ring = wait.getRing();
        if (!isExchange(ring)) {
          steps.push_back({LoopStep::Pause, Work(), 0, constants.readyWait});
          return;
        }
        const char *key = static_cast<const char *>(ring.getAsOpaquePointer());
        // A late op waits for the slot of the iteration before.
        steps.push_back({LoopStep::Wait, Work(),
                         double(schedule.getStage(wait) - commits.lookup(ring)),
                         constants.mbarrier, key + 1});
      })
      .Case([&](RingReleaseOp release) {
        Value ring = getRing(release.getSlot());
        if (!ring || !isExchange(ring))
          return;
        flush();
        steps.push_back(
            {LoopStep::Signal, Work(), 0, 0, ring.getAsOpaquePointer()});
      })
      .Case([&](RingAcquireOp acquire) { addAcquire(acquire); })
      .Case([&](RingCommitOp commit) { addCommit(commit); })
      .Case([&](SmemStoreOp store) {
        // All warpgroups have read the tile of the iteration before, and all
        // of them have written this one.
        flush();
        steps.push_back({LoopStep::Meet});
        addWork(store);
        pending.latency += constants.fence;
        flush();
        steps.push_back({LoopStep::Meet});
      })
      .Case<PingPongWaitOp, PingPongPassOp>([](auto) {})
      .Default([&](Operation *) { addWork(op); });
}

double sm::predictIteration(const LoopSchedule &schedule) {
  StepList list(schedule);
  return timeIteration(list.getSteps(), list.getAgents());
}
