//===- ExpandedRing.cpp - Expanded rings and queues -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandedRing.h"
#include "Roles/TmaFetch.h"

#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Layout/TmaBoxes.h"

#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::sm;

/// Whether something of the kind `OpTy` fills a slot of `ring` and `applies`.
template <typename OpTy>
static bool isFilledBy(RingAllocOp ring, function_ref<bool(OpTy)> applies) {
  for (Operation *op : ring->getUsers())
    if (auto acquire = dyn_cast<RingAcquireOp>(op))
      for (Operation *tile : acquire->getUsers())
        for (Operation *user : tile->getUsers())
          if (auto start = dyn_cast<OpTy>(user))
            if (applies(start))
              return true;
  return false;
}

/// Checks whether a copy into a slot of `ring` is one of the cluster.
static bool hasMulticast(RingAllocOp ring) {
  return isFilledBy<CopyStartOp>(
      ring, [](CopyStartOp copy) { return copy.getMulticast(); });
}

/// Checks whether threads write to a slot of `ring` what is not valid.
static bool hasFill(RingAllocOp ring) {
  return isFilledBy<FetchStartOp>(
      ring, [](FetchStartOp fetch) { return fetch.getFill().has_value(); });
}

/// Returns the arrivals of a role at the barrier of a free slot: one thread of
/// each warpgroup, or of each warp.
static int64_t getArrivals(RoleOp role, bool areWarps) {
  if (role.getElected())
    return 1;
  if (areWarps)
    return role.getWarps();
  return llvm::divideCeil(role.getWarps(), getTarget(role).warpsPerWarpgroup);
}

/// Elements of these sizes are always aligned for `cp.async`.
static bool isAlwaysAsync(SmemType tile) {
  int64_t bytes = tile.getElementBytes();
  return bytes == 4 || bytes == 8;
}

/// Returns the arrivals of `filler` at the barrier of a full slot: each thread
/// when its fetches are complete, and each warp for its writes.
static int64_t getFillArrivals(RoleOp filler, const ExpandedRing &machine) {
  if (!machine.isFilledByThreads)
    return 1;
  int64_t arrivals = machine.holdsFetches ? filler.getThreads() : 0;
  if (machine.holdsValues || !machine.isAllAsync)
    arrivals += filler.getWarps();
  return arrivals;
}

/// `arrivals` fill a slot, and `releases` free it.
static void makeBarriers(OpBuilder &builder, Location loc, int64_t number,
                         int64_t arrivals, int64_t releases,
                         ExpandedRing &machine) {
  auto make = [&](Side side, int64_t count) -> Value {
    return MbarrierAllocOp::create(
        builder, loc, MbarrierType::get(builder.getContext(), machine.count),
        builder.getI64IntegerAttr(count), builder.getI64IntegerAttr(number),
        SideAttr::get(builder.getContext(), side), /*address=*/IntegerAttr());
  };
  machine.full = make(Side::Full, arrivals);
  if (releases > 0)
    machine.empty = make(Side::Empty, releases);
}

FailureOr<ExpandedRing> sm::makeMachine(RingAllocOp ring, int64_t number,
                                        bool waits, const RingTurns &turns) {
  int64_t releases = 0;
  llvm::SetVector<Operation *> fillers, users;
  for (Operation *op : ring->getUsers()) {
    auto role = op->getParentOfType<RoleOp>();
    if (!role)
      return op->emitError() << "expected to take slots in a role";
    if (isa<RingAcquireOp>(op))
      fillers.insert(role);
    if (!isa<RingWaitOp>(op) || !users.insert(role))
      continue;
    // In turn, each slot is used by one of them, which are all alike.
    if (turns.contains(ring))
      releases = 0;
    releases += getArrivals(role, ring.getWarps());
  }
  if (fillers.size() != 1 || users.empty())
    return ring.emitError()
           << "expected one role that fills this ring and others that use "
              "it, got "
           << fillers.size() << " and " << users.size();
  OpBuilder builder(ring);
  Location loc = ring.getLoc();
  RingType type = ring.getType();
  ExpandedRing machine;
  machine.count = type.getSlots();
  auto filler = cast<RoleOp>(fillers.front());
  machine.isShared = hasMulticast(ring);
  machine.isClipped = isFilledBy<CopyStartOp>(
      ring, [](CopyStartOp copy) { return mayEndEarly(copy); });
  machine.isReleasedPerWarp = ring.getWarps();
  machine.isFilledByThreads = !filler.getElected();
  machine.holdsValues = ring.holdsValues();
  machine.holdsFetches = ring.holdsFetches();
  machine.isAllAsync = !hasFill(ring);
  if (machine.isShared && machine.isReleasedPerWarp)
    return ring.emitError() << "warps give back slots that the cluster fills; "
                               "expected no 'warps' or no multicast";
  // Copies of the next slot could arrive at the barrier of the present one.
  if (machine.isShared && machine.isClipped)
    return ring.emitError() << "copies of this ring may end before their "
                               "tensors do; expected no multicast";
  if (machine.isShared)
    releases *= ring->getParentOfType<KernelOp>().getClusterSize();
  for (SmemType tile : type.getTiles()) {
    if (machine.isFilledByThreads) {
      machine.isAllAsync &= isAlwaysAsync(tile);
    } else {
      int64_t elementBytes = tile.getElementBytes();
      llvm::Expected<layout::TmaBoxes> boxes =
          layout::getTmaBoxes(tile.getLayout(), elementBytes);
      if (!boxes)
        return ring.emitError()
               << "a tile of this ring cannot be copied by TMA: "
               << llvm::toString(boxes.takeError());
      machine.bytes += boxes->boxes.size() * boxes->getBytes(elementBytes);
    }
    auto slots = SlotsType::getChecked([&] { return ring.emitError(); },
                                       ring.getContext(), machine.count, tile);
    if (!slots)
      return failure();
    machine.slots.push_back(SlotsAllocOp::create(
        builder, loc, slots, builder.getI64IntegerAttr(number),
        /*address=*/IntegerAttr()));
  }
  makeBarriers(builder, loc, number, getFillArrivals(filler, machine),
               waits ? releases : 0, machine);
  if (turns.contains(ring))
    machine.words = WordsAllocOp::create(
        builder, loc, WordsType::get(ring.getContext(), turns.roles.size()),
        IntegerAttr());
  return machine;
}

std::optional<ExpandedRing> sm::makeLanding(RoleOp role) {
  WalkResult walk = role->walk([](CopyStartOp copy) -> WalkResult {
    return failure(mayEndEarly(copy));
  });
  if (!walk.wasInterrupted())
    return std::nullopt;
  OpBuilder builder(role);
  ExpandedRing machine;
  machine.count = 1;
  machine.full = MbarrierAllocOp::create(
      builder, role.getLoc(), MbarrierType::get(role.getContext(), 1),
      builder.getI64IntegerAttr(1), /*ring=*/IntegerAttr(),
      /*side=*/SideAttr(), /*address=*/IntegerAttr());
  return machine;
}

FailureOr<ExpandedRing> sm::makeMachine(QueueAllocOp queue, int64_t number) {
  int64_t releases = 0;
  llvm::SetVector<Operation *> writers, readers;
  for (Operation *op : queue->getUsers()) {
    auto role = op->getParentOfType<RoleOp>();
    bool isNew = (isa<QueuePushOp>(op) ? writers : readers).insert(role);
    // Each warp reads for itself.
    if (isNew && isa<QueuePopOp>(op))
      releases += getArrivals(role, /*areWarps=*/true);
  }
  if (writers.size() != 1 || readers.empty())
    return queue.emitError()
           << "expected one role that pushes to this queue and others that "
              "pop, got "
           << writers.size() << " and " << readers.size();
  OpBuilder builder(queue);
  Location loc = queue.getLoc();
  ExpandedRing machine;
  machine.count = queue.getType().getCount();
  auto words = WordsType::get(queue.getContext(), machine.count);
  machine.words = WordsAllocOp::create(builder, loc, words, IntegerAttr());
  makeBarriers(builder, loc, number, /*arrivals=*/1, releases, machine);
  return machine;
}
