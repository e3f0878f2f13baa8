//===- RoleExpansion.cpp - Operations of rings as barriers ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoleExpansion.h"
#include "Roles/MultipliedReads.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
class RoleExpansion {
public:
  explicit RoleExpansion(const RingExpansion &expansion)
      : expansion(expansion), positions(expansion.machines) {}

  void expand(RoleOp role);

private:
  void expandBlock(Block &block);
  void take(Operation *op);
  void push(QueuePushOp op);
  void pop(QueuePopOp op);
  void commit(RingCommitOp op);
  void giveBack(RingReleaseOp op);
  void readSlot(RingTakeOp op);
  void writeSlot(RingPassOp op);
  void startTurns(OpBuilder &builder, RoleOp role);
  void storePosition(OpBuilder &builder, Location loc, Value ring,
                     int64_t number);
  void startCopy(CopyStartOp op);

  const RingExpansion &expansion;
  RingCursors positions;
};
} // namespace

/// The next slot of a ring: waits for it, and advances.
void RoleExpansion::take(Operation *op) {
  RingSide side{op->getOperand(0), isa<RingAcquireOp>(op)};
  const ExpandedRing &machine = positions.getMachine(side.ring);
  Position position = positions[side];
  OpBuilder builder(op);
  Location loc = op->getLoc();
  RingCursors::Step step = positions.makeStep(builder, loc, side);
  if (side.fills) {
    if (!expansion.needless.contains(op))
      MbarrierWaitOp::create(builder, loc, machine.empty, position.index,
                             step.flipped);
    if (!machine.isFilledByThreads)
      MbarrierExpectOp::create(builder, loc, machine.full, position.index,
                               machine.bytes);
  } else {
    MbarrierWaitOp::create(builder, loc, machine.full, position.index,
                           position.parity);
    // Copies by threads, including cp.async, go through the generic proxy.
    // Their threads do not wait for completion, so the threads that wait for it
    // fence.
    if (machine.holdsFetches && machine.isMultiplied)
      FenceOp::create(builder, loc);
  }
  op->getResult(0).replaceAllUsesWith(position.index);
  positions.advance(builder, loc, side, step);
}

void RoleExpansion::push(QueuePushOp op) {
  Value queue = op.getQueue();
  const ExpandedRing &machine = positions.getMachine(queue);
  RingSide side{queue, /*fills=*/true};
  Value index = positions[side].index;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  RingCursors::Step step = positions.makeStep(builder, loc, side);
  MbarrierWaitOp::create(builder, loc, machine.empty, index, step.flipped);
  Value number = arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                            op.getNumber());
  WordsStoreOp::create(builder, loc, number, machine.words, index);
  MbarrierArriveOp::create(builder, loc, machine.full, index);
  positions.advance(builder, loc, side, step);
  op.erase();
}

void RoleExpansion::pop(QueuePopOp op) {
  Value queue = op.getQueue();
  const ExpandedRing &machine = positions.getMachine(queue);
  RingSide side{queue};
  const Position &position = positions[side];
  OpBuilder builder(op);
  Location loc = op.getLoc();
  RingCursors::Step step = positions.makeStep(builder, loc, side);
  MbarrierWaitOp::create(builder, loc, machine.full, position.index,
                         position.parity);
  Value number = WordsLoadOp::create(builder, loc, builder.getI32Type(),
                                     machine.words, position.index);
  // Warps do not wait for each other to have read it.
  auto arrive =
      MbarrierArriveOp::create(builder, loc, machine.empty, position.index);
  arrive.setWarps(true);
  arrive.getAfterMutable().assign(number);
  Value index =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), number);
  op->getResult(0).replaceAllUsesWith(index);
  positions.advance(builder, loc, side, step);
  op.erase();
}

/// The bytes of tensor copies complete the phase; threads say when theirs have
/// come.
void RoleExpansion::commit(RingCommitOp op) {
  const ExpandedRing &machine = *expansion.ofOp.lookup(op);
  OpBuilder builder(op);
  auto arrive = [&] {
    return MbarrierArriveOp::create(builder, op.getLoc(), machine.full,
                                    op->getOperand(0));
  };
  // Each thread and each warp fences its writes before it arrives: tensor cores
  // and TMA see them as well.
  if (machine.holdsValues)
    FenceOp::create(builder, op.getLoc());
  if (machine.holdsFetches)
    arrive().setFetches(true);
  if (machine.holdsValues || (machine.holdsFetches && !machine.isAllAsync))
    arrive().setWarps(true);
  op.erase();
}

/// Returns the values read, in the block of `op`, from the slot that it
/// releases. Their loads may be in flight.
static SmallVector<Value> findReads(RingReleaseOp op,
                                    const ExpandedRing &machine) {
  SmallVector<Value> reads;
  for (Value slots : machine.slots)
    for (Operation *user : slots.getUsers()) {
      auto at = dyn_cast<SlotsAtOp>(user);
      if (!at || at.getIndex() != op->getOperand(0))
        continue;
      for (Operation *reader : at->getUsers())
        if (auto read = dyn_cast<SmemLoadOp>(reader);
            read && read->getBlock() == op->getBlock()) {
          Operation *product = findReleasing(read);
          if (!product || !product->isBeforeInBlock(op))
            reads.push_back(read);
        }
    }
  return reads;
}

void RoleExpansion::giveBack(RingReleaseOp op) {
  const ExpandedRing &machine = *expansion.ofOp.lookup(op);
  OpBuilder builder(op);
  // The slot is represented by its index now.
  if (machine.empty && !expansion.needless.contains(op)) {
    auto arrive = MbarrierArriveOp::create(builder, op.getLoc(), machine.empty,
                                           op->getOperand(0));
    arrive.setCluster(machine.isShared);
    arrive.setWarps(machine.isReleasedPerWarp);
    if (machine.isReleasedPerWarp)
      arrive.getAfterMutable().assign(findReads(op, machine));
  }
  op.erase();
}

/// Where `ring` goes on, for role `number` of those that use it in turn: twice
/// the index, and the parity.
void RoleExpansion::storePosition(OpBuilder &builder, Location loc, Value ring,
                                  int64_t number) {
  Position position = positions[{ring}];
  Value one = makeInteger(builder, loc, 1);
  Value doubled = arith::ShLIOp::create(builder, loc, position.index, one);
  Value packed = arith::OrIOp::create(builder, loc, doubled, position.parity);
  WordsStoreOp::create(builder, loc, packed, positions.getMachine(ring).words,
                       makeInteger(builder, loc, number));
}

/// A role has a word of its own, which all of its threads have read when it
/// passes the turn, and so before another role writes there.
void RoleExpansion::readSlot(RingTakeOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  PingPongWaitOp::create(builder, loc).setRoles(true);
  Value own = makeInteger(
      builder, loc, expansion.turns.getNumber(op->getParentOfType<RoleOp>()));
  Value one = makeInteger(builder, loc, 1);
  for (Value ring : op.getRings()) {
    const ExpandedRing &machine = positions.getMachine(ring);
    Value packed = WordsLoadOp::create(builder, loc, builder.getI32Type(),
                                       machine.words, own);
    Position &position = positions[{ring}];
    position.parity = arith::AndIOp::create(builder, loc, packed, one);
    if (machine.count > 1)
      position.index = arith::ShRUIOp::create(builder, loc, packed, one);
  }
  op.erase();
}

void RoleExpansion::writeSlot(RingPassOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  const RingTurns &turns = expansion.turns;
  int64_t own = turns.getNumber(op->getParentOfType<RoleOp>());
  for (Value ring : op.getRings())
    storePosition(builder, loc, ring, (own + 1) % turns.roles.size());
  PingPongPassOp::create(builder, loc).setRoles(true);
  op.erase();
}

/// The last of the roles starts as if it had passed to the first one.
void RoleExpansion::startTurns(OpBuilder &builder, RoleOp role) {
  if (role != expansion.turns.roles.back())
    return;
  for (Value ring : expansion.turns.rings)
    storePosition(builder, role.getLoc(), ring, /*number=*/0);
  PingPongStartOp::create(builder, role.getLoc()).setRoles(true);
}

void RoleExpansion::startCopy(CopyStartOp op) {
  OpBuilder builder(op);
  const ExpandedRing &machine = *expansion.ofOp.lookup(op);
  Value index = op.getTile().getDefiningOp<SlotsAtOp>().getIndex();
  TmaLoadOp::create(builder, op.getLoc(), op.getGlobal(), op.getIndices(),
                    op.getLimits(), op.getMask(), op.getDimsAttr(),
                    op.getInBoundsAttr(), op.getTile(), machine.full, index,
                    op.getMulticastAttr());
  op.erase();
}

void RoleExpansion::expandBlock(Block &block) {
  auto expand = [&](Block &inner) { expandBlock(inner); };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    OpBuilder builder(&op);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      positions.carryThrough(loop, expand);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      positions.carryThrough(branch, expand);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      positions.carryThrough(loop, expand);
    } else if (isa<RingAcquireOp, RingWaitOp>(op)) {
      take(&op);
      op.erase();
    } else if (auto number = dyn_cast<QueuePushOp>(op)) {
      push(number);
    } else if (auto number = dyn_cast<QueuePopOp>(op)) {
      pop(number);
    } else if (auto filled = dyn_cast<RingCommitOp>(op)) {
      commit(filled);
    } else if (auto release = dyn_cast<RingReleaseOp>(op)) {
      giveBack(release);
    } else if (auto turn = dyn_cast<RingTakeOp>(op)) {
      readSlot(turn);
    } else if (auto turn = dyn_cast<RingPassOp>(op)) {
      writeSlot(turn);
    } else if (auto tile = dyn_cast<SlotTileOp>(op)) {
      const ExpandedRing &machine = *expansion.ofOp.lookup(tile);
      Value at =
          SlotsAtOp::create(builder, op.getLoc(), tile.getType(),
                            machine.slots[tile.getIndex()], op.getOperand(0));
      tile->replaceAllUsesWith(ValueRange(at));
      tile.erase();
    } else if (auto copy = dyn_cast<CopyStartOp>(op)) {
      startCopy(copy);
    }
  }
}

void RoleExpansion::expand(RoleOp role) {
  Block &body = role.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  positions.start(builder, role, expansion.turns);
  if (llvm::is_contained(expansion.turns.roles, role))
    startTurns(builder, role);
  expandBlock(body);
}

void sm::expandRole(RoleOp role, const RingExpansion &expansion) {
  RoleExpansion(expansion).expand(role);
}
