//===- SharedDependences.cpp - Slots and tiles of a loop --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dependences of DependenceGraph that come from shared memory: writes and
// reads of tiles, and rings whose slots are acquired and released. They are
// edges of the modulo dependence graph of the loop.
//
//===----------------------------------------------------------------------===//

#include "DependenceGraph.h"

#include "llvm/ADT/MapVector.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Returns the slot that a tile in shared memory is part of, or the tile itself
/// if it is in no slot.
static Value getBuffer(Value tile) {
  auto part = tile.getDefiningOp<SlotTileOp>();
  return part ? part.getSlot() : tile;
}

/// Orders writes of a tile after earlier reads; a product has read its tiles
/// when it is complete. A slot is released after all accesses.
void DependenceGraph::addTiles() {
  struct Accesses {
    SmallVector<Operation *> reads;
    Operation *write = nullptr;
  };
  llvm::MapVector<Value, Accesses> buffers;
  auto write = [&](Operation *op, Value buffer) {
    Accesses &last = buffers[buffer];
    if (last.write)
      depend(last.write, op, 0);
    for (Operation *read : last.reads)
      depend(read, op, 0);
    last = {{}, op};
  };
  for (Operation *op : ops) {
    if (auto release = dyn_cast<RingReleaseOp>(op)) {
      write(op, release.getSlot());
      continue;
    }
    if (isa<SlotTileOp>(op))
      continue;
    for (Value operand : getOperandsWithin(op)) {
      if (!isa<SmemType>(operand.getType()))
        continue;
      Value buffer = getBuffer(operand);
      Accesses &last = buffers[buffer];
      if (last.write)
        depend(last.write, op, 0);
      Operation *completion = completions.lookup(op);
      last.reads.push_back(completion ? completion : op);
    }
  }
  // A tile that is made in the loop has the same address in all iterations.
  for (auto &[buffer, last] : buffers)
    if (Operation *maker = buffer.getDefiningOp();
        maker && isa<SmemType>(buffer.getType()) &&
        maker->getBlock() == loop.getBody())
      for (Operation *read : last.reads)
        depend(read, maker, 1);
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

/// Checks whether in each iteration the slot that `a` takes is filled before
/// that of `b`, which is of another ring. Nothing if different roles fill them:
/// then there is no order.
static std::optional<bool>
isFilledBefore(RingWaitOp a, RingWaitOp b,
               const llvm::MapVector<Value, SmallVector<RingWaitOp>> &rings) {
  auto getFill = [&](RingWaitOp wait) {
    // The loops that fill a ring do so in the same order.
    SmallVector<Operation *> fills;
    for (Operation *user : wait.getRing().getUsers())
      if (isa<RingAcquireOp>(user) &&
          (fills.empty() || user->getBlock() == fills[0]->getBlock()))
        fills.push_back(user);
    llvm::sort(fills, [](Operation *x, Operation *y) {
      return x->isBeforeInBlock(y);
    });
    ArrayRef<RingWaitOp> waits = rings.find(wait.getRing())->second;
    size_t number = llvm::find(waits, wait) - waits.begin();
    return number < fills.size() ? fills[number] : nullptr;
  };
  Operation *fillOfA = getFill(a), *fillOfB = getFill(b);
  if (!fillOfA || !fillOfB)
    return std::nullopt;
  if (fillOfA->getBlock() == fillOfB->getBlock())
    return fillOfA->isBeforeInBlock(fillOfB);
  if (fillOfA->getParentOfType<RoleOp>() != fillOfB->getParentOfType<RoleOp>())
    return std::nullopt;
  return a->isBeforeInBlock(b);
}

static bool isOfRing(Operation *op) {
  return isa<RingWaitOp, RingReleaseOp, RingAcquireOp, RingCommitOp>(op);
}

/// A loop or condition with waits may use any number of slots. It keeps its
/// place among all ops that wait for slots and release them: the roles at the
/// other ends go in that order.
void DependenceGraph::addNestedRings() {
  SmallVector<Operation *> ofRings;
  for (Operation *op : ops)
    if (op->walk([](Operation *inner) {
            return isOfRing(inner) ? WalkResult::interrupt()
                                   : WalkResult::advance();
          }).wasInterrupted())
      ofRings.push_back(op);
  for (auto [number, op] : llvm::enumerate(ofRings))
    for (Operation *later : ArrayRef(ofRings).drop_front(number + 1))
      if (op->getNumRegions() != 0 || later->getNumRegions() != 0) {
        depend(op, later, 0);
        depend(later, op, 1);
      }
}

/// The slots of a ring are taken in the order in which they are filled. The
/// role that fills them waits for a free one if all are held, and meanwhile it
/// fills no other ring either. Roles in turn take slots while it is their turn.
void DependenceGraph::addRings() {
  RingTakeOp take;
  SmallVector<RingWaitOp> taken;
  for (Operation *op : ops) {
    if (auto next = dyn_cast<RingTakeOp>(op))
      take = next;
    if (auto wait = dyn_cast<RingWaitOp>(op); wait && take) {
      depend(take, wait, 0);
      taken.push_back(wait);
    }
    if (!isa<RingPassOp>(op) || !take)
      continue;
    for (RingWaitOp wait : taken)
      depend(wait, op, 0);
    depend(take, op, 0);
    depend(op, take, 1);
    take = nullptr;
    taken.clear();
  }
  llvm::MapVector<Value, SmallVector<RingWaitOp>> rings;
  llvm::DenseMap<Value, SmallVector<RingAcquireOp>> filled;
  for (Operation *op : ops) {
    if (auto wait = dyn_cast<RingWaitOp>(op))
      rings[wait.getRing()].push_back(wait);
    if (auto acquire = dyn_cast<RingAcquireOp>(op))
      filled[acquire.getRing()].push_back(acquire);
  }
  for (auto &[ring, waits] : rings) {
    // The role fills this ring itself: the slot is committed before it is used.
    ArrayRef<RingAcquireOp> acquires = filled[ring];
    for (auto [acquire, wait] : llvm::zip(acquires, waits))
      for (Operation *user : acquire->getUsers())
        if (isa<RingCommitOp>(user) && user->getBlock() == loop.getBody())
          depend(user, wait, 0);
    int64_t count = waits.size();
    int64_t stages = cast<RingType>(ring.getType()).getSlots();
    for (auto [before, after] : llvm::zip(waits, llvm::drop_begin(waits)))
      depend(before, after, 0);
    depend(waits.back(), waits.front(), 1);
    for (int64_t number = 0; number < count; ++number) {
      int64_t distance =
          number < stages ? llvm::divideCeil(stages - number, count) : 0;
      RingWaitOp freed = waits[number - stages + distance * count];
      for (Operation *user : freed->getUsers()) {
        if (!isa<RingReleaseOp>(user) || user->getBlock() != loop.getBody())
          continue;
        depend(user, waits[number], distance);
        if (number < static_cast<int64_t>(acquires.size()))
          depend(user, acquires[number], distance);
        for (auto &[other, others] : rings)
          for (RingWaitOp wait : others)
            if (std::optional<bool> isBefore =
                    other == ring ? std::nullopt
                                  : isFilledBefore(waits[number], wait, rings))
              depend(user, wait, distance + !*isBefore);
      }
    }
  }
}
