//===- Rings.cpp - Rings after their expansion ----------------------*- C++
//-*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Rings.h"

#include "KernelRules.h"

using namespace tessera;
using namespace tessera::sm;

llvm::MapVector<int64_t, Ring> sm::findRings(KernelOp kernel) {
  llvm::MapVector<int64_t, Ring> rings;
  kernel.getBody().walk([&](Operation *op) {
    if (auto barrier = dyn_cast<MbarrierAllocOp>(op)) {
      if (barrier.getRing())
        rings[*barrier.getRing()].getBarrier(*barrier.getSide()) = barrier;
    } else if (auto slots = dyn_cast<SlotsAllocOp>(op)) {
      if (slots.getRing())
        rings[*slots.getRing()].slots.push_back(slots);
    }
  });
  return rings;
}

/// Checks that each side of a ring has one op at most.
static LogicalResult verifySides(KernelOp kernel) {
  llvm::DenseMap<std::pair<int64_t, int64_t>, MbarrierAllocOp> known;
  WalkResult result =
      kernel.getBody().walk([&](MbarrierAllocOp barrier) -> WalkResult {
        if (!barrier.getRing())
          return success();
        Side side = *barrier.getSide();
        auto [first, isNew] = known.try_emplace(
            {*barrier.getRing(), static_cast<int64_t>(side)}, barrier);
        if (isNew)
          return success();
        InFlightDiagnostic diagnostic = barrier.emitOpError()
                                        << "is another barrier that says that "
                                           "slots of ring "
                                        << *barrier.getRing() << " are "
                                        << stringifySide(side);
        diagnostic.attachNote(first->second.getLoc()) << "the first one";
        return diagnostic;
      });
  return failure(result.wasInterrupted());
}

/// Checks that a ring has as many slots as barriers.
static LogicalResult verifyCounts(const Ring &ring) {
  SmallVector<std::pair<Operation *, int64_t>> counts;
  for (MbarrierAllocOp barrier : {ring.full, ring.empty})
    if (barrier)
      counts.emplace_back(barrier, barrier.getType().getCount());
  for (SlotsAllocOp slots : ring.slots)
    counts.emplace_back(slots, slots.getType().getCount());
  for (auto [op, count] : counts)
    if (count != counts.front().second)
      return op->emitOpError() << "has " << count << " slots of a ring of "
                               << counts.front().second;
  return success();
}

/// Checks that a copy signals the full barrier of the slot that it fills, if
/// that is of a ring, and no other ring. A barrier of no ring is one on which
/// the role waits for the copy, to clip it.
static LogicalResult verifySignal(TmaLoadOp load) {
  auto at = load.getTile().getDefiningOp<SlotsAtOp>();
  auto slots = at ? at.getSlots().getDefiningOp<SlotsAllocOp>() : nullptr;
  auto barrier = load.getBarrier().getDefiningOp<MbarrierAllocOp>();
  std::optional<uint64_t> filled, signalled;
  if (slots)
    filled = slots.getRing();
  if (barrier)
    signalled = barrier.getRing();
  if (barrier && !signalled)
    return success();
  if (filled == signalled && (!filled || (barrier.getSide() == Side::Full &&
                                          at.getIndex() == load.getIndex())))
    return success();
  if (!filled)
    return load.emitOpError()
           << "signals ring " << *signalled << ", but fills no slot of it";
  return load.emitOpError()
         << "fills a slot of ring " << *filled
         << "; expected it to signal the full barrier of that slot";
}

LogicalResult sm::verifyRingParts(KernelOp kernel) {
  if (failed(verifySides(kernel)))
    return failure();
  for (auto &[number, ring] : findRings(kernel))
    if (failed(verifyCounts(ring)))
      return failure();
  WalkResult result = kernel.getBody().walk(
      [](TmaLoadOp load) -> WalkResult { return verifySignal(load); });
  return failure(result.wasInterrupted());
}
