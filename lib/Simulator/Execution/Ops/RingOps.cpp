//===- RingOps.cpp - Rings between roles ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behaviour of rings, as `sm-expand-rings` expands them: each slot has a full
// and an empty mbarrier. A producer waits for empty, fills the slot, and
// arrives at full (commit), with the bytes of its copies. A consumer waits for
// full, and arrives at empty (release).
//
// Invariant: acquisition n of an end is slot n mod depth in round n / depth.
// The parity of its wait is the parity of the round, inverted at the producer's
// end.
//
//===----------------------------------------------------------------------===//

#include "Behaviours.h"
#include "CopyOps.h"

using namespace tessera;
using namespace tessera::sim;

static Outcome runRingAlloc(sm::RingAllocOp op, Warp &warp) {
  warp.set(op.getResult(), interp::Handle{warp.getCta().getRingNumber(op), 0});
  return Outcome::Done;
}

/// Takes the next slot of a ring, as its producer if `fills`, else as its
/// consumer.
static Outcome takeSlot(Operation *op, Warp &warp, Value source, Value slot,
                        bool fills) {
  int64_t number = warp.getHandle(source).number;
  Ring &ring = warp.getCta().getRing(number);
  int64_t &taken = warp.taken[{number, fills}];
  int64_t stage = taken % ring.stages, round = taken / ring.stages;
  // All slots are empty in the first round, as if they had been released.
  unsigned parity = fills ? (round + 1) & 1 : round & 1;
  Mbarrier &barrier =
      warp.getCta().getMbarrier((fills ? ring.empty : ring.full) + stage);
  Outcome outcome = waitAt(op, warp, barrier, parity);
  if (outcome != Outcome::Done)
    return outcome;
  ++taken;
  warp.set(slot, interp::Handle{number, stage});
  return Outcome::Done;
}

static Outcome runAcquire(sm::RingAcquireOp op, Warp &warp) {
  return takeSlot(op, warp, op.getRing(), op.getSlot(), /*fills=*/true);
}

/// Checks whether threads fill `ring`. Its consumers then fence the writes of
/// these threads.
static bool isFilledByThreads(Value ring) {
  return llvm::any_of(ring.getUsers(), [](Operation *user) {
    return isa<sm::RingAcquireOp>(user) &&
           !user->getParentOfType<sm::RoleOp>().getElected();
  });
}

static Outcome runWait(sm::RingWaitOp op, Warp &warp) {
  Outcome outcome =
      takeSlot(op, warp, op.getRing(), op.getSlot(), /*fills=*/false);
  if (outcome == Outcome::Done && isFilledByThreads(op.getRing()))
    warp.fence();
  return outcome;
}

static Outcome runCommit(sm::RingCommitOp op, Warp &warp) {
  interp::Handle slot = warp.getHandle(op.getSlot());
  Ring &ring = warp.getCta().getRing(slot.number);
  if (ring.holdsFetches)
    arriveAfterFetches(op, warp, ring.full + slot.part, /*threads=*/1);
  if (ring.holdsValues) {
    warp.fence();
    Outcome outcome = arrive(op, warp, warp.getCta(), ring.full + slot.part);
    warp.advance();
    return outcome;
  }
  if (!warp.getRole().getElected())
    return Outcome::Done;
  Mbarrier &barrier = warp.getCta().getMbarrier(ring.full + slot.part);
  int64_t bytes = std::exchange(ring.announced[slot.part], 0);
  Mbarrier::Defect defect = barrier.arriveExpecting(warp.getClocks(), bytes);
  warp.advance();
  return verify(op, warp, barrier, defect);
}

/// Checks whether a thread of the warp releases the slot of `op`.
static bool givesBack(Operation *op, Warp &warp) {
  int64_t ring = warp.getHandle(op->getOperand(0)).number;
  return warp.getCta().getRing(ring).isReleasedPerWarp ||
         warp.isFirstOfWarpgroup();
}

static Outcome runRelease(sm::RingReleaseOp op, Warp &warp) {
  if (!givesBack(op, warp))
    return Outcome::Done;
  interp::Handle slot = warp.getHandle(op.getSlot());
  Ring &ring = warp.getCta().getRing(slot.number);
  Cta &own = warp.getCta();
  for (const std::unique_ptr<Cta> &cta : own.getCluster().getCtas())
    if ((ring.isShared || cta.get() == &own) &&
        arrive(op, warp, *cta, ring.empty + slot.part) == Outcome::Failed)
      return Outcome::Failed;
  warp.advance();
  return Outcome::Done;
}

static Outcome runSlotTile(sm::SlotTileOp op, Warp &warp) {
  interp::Handle slot = warp.getHandle(op.getSlot());
  Ring &ring = warp.getCta().getRing(slot.number);
  int64_t index = op.getIndex();
  warp.set(
      op.getResult(),
      interp::Handle{ring.tiles[index] + slot.part * ring.bytes[index], 0});
  return Outcome::Done;
}

static Outcome runCopyStart(sm::CopyStartOp op, Warp &warp) {
  auto tile = op.getTile().getDefiningOp<sm::SlotTileOp>();
  interp::Handle slot = warp.getHandle(tile.getSlot());
  Ring &ring = warp.getCta().getRing(slot.number);
  ring.announced[slot.part] += op.getTile().getType().getBytes();
  return startLoad(op, op.getTile(), warp, ring.full + slot.part,
                   op.getMulticast(), Box::Clip::ByBoth);
}

//===----------------------------------------------------------------------===//
// Rings of roles in ping-pong
//===----------------------------------------------------------------------===//

/// Checks whether this is the first turn of the first role, which no role
/// passes.
static bool hasFirstTurn(sm::RingTakeOp op, Warp &warp) {
  int64_t number = warp.getHandle(op.getRings().front()).number;
  return getTurnNumber(warp) == 0 && !warp.taken.count({number, false});
}

static Outcome arriveAtTake(sm::RingTakeOp op, Warp &warp) {
  if (hasFirstTurn(op, warp))
    return Outcome::Done;
  return arriveAt(warp, getTurnOfRole(warp, getTurnNumber(warp)));
}

static Outcome waitToTake(sm::RingTakeOp op, Warp &warp) {
  unsigned own = getTurnNumber(warp);
  Outcome outcome = warp.isAsking() ? Outcome::Ready : Outcome::Done;
  if (!hasFirstTurn(op, warp))
    outcome = waitAtTurn(warp, getTurnOfRole(warp, own),
                         "role '" + warp.getRole().getName().str() + "'");
  if (outcome != Outcome::Done)
    return outcome;
  for (Value ring : op.getRings()) {
    int64_t number = warp.getHandle(ring).number;
    warp.taken[{number, false}] =
        warp.getCta().getRing(number).takenBefore[own];
  }
  return Outcome::Done;
}

static Outcome runPass(sm::RingPassOp op, Warp &warp) {
  unsigned next = getTurnNumber(warp, /*isNext=*/true);
  Outcome outcome = arriveAt(warp, getTurnOfRole(warp, next));
  if (outcome != Outcome::Done)
    return outcome;
  for (Value ring : op.getRings()) {
    int64_t number = warp.getHandle(ring).number;
    warp.getCta().getRing(number).takenBefore[next] =
        warp.taken[{number, false}];
  }
  return Outcome::Done;
}

void sim::addRingBehaviours(BehaviourTable &table) {
  using Table = BehaviourTable;
  table.add<sm::RingAllocOp>(
      {{Table::makeStage(runRingAlloc).contends(isInCluster)}});
  table.add<sm::RingAcquireOp>(
      {{Table::makeStage(runAcquire).waits().contends()}});
  table.add<sm::RingWaitOp>({{Table::makeStage(runWait).waits().contends()}});
  table.add<sm::RingCommitOp>({{Table::makeStage(runCommit).contends()}});
  table.add<sm::RingReleaseOp>(
      {{Table::makeStage(runRelease).contends(givesBack)}});
  table.add<sm::RingTakeOp>({{Table::makeStage(arriveAtTake).contends(),
                              Table::makeStage(waitToTake).waits()}});
  table.add<sm::RingPassOp>({{Table::makeStage(runPass).contends()}});
  table.addPrivate<sm::SlotTileOp>(runSlotTile);
  table.add<sm::CopyStartOp>(runCopyStart);
}
