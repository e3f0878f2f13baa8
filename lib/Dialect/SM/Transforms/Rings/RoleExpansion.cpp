//===- RoleExpansion.cpp - Operations of rings as barriers ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoleExpansion.h"
#include "Roles/MultipliedReads.h"
#include "Roles/TmaFetch.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
class RoleExpansion {
public:
  RoleExpansion(const RingExpansion &expansion, Value landing)
      : expansion(expansion), landing(landing),
        positions(expansion.machines, landing) {}

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
  void commitClipped(RingCommitOp op, const ExpandedRing &machine);

  const RingExpansion &expansion;
  /// The barrier of copies that this role waits for; null if it waits for none.
  Value landing;
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
    if (!machine.isFilledByThreads && !machine.isClipped)
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
  if (machine.isClipped)
    return commitClipped(op, machine);
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

/// Emits `op` as a copy that signals slot `index` of `barrier`, and ends where
/// its tensor does.
static void emitCopy(OpBuilder &builder, CopyStartOp op, Value barrier,
                     Value index) {
  tile::GlobalType global = op.getGlobalType();
  SmallVector<Value> limits(op.getLimits());
  for (auto [axis, dim] : llvm::enumerate(op.getDims()))
    if (mayEndEarly(op, axis))
      limits[axis] = tile::SizeOp::create(
          builder, op.getLoc(), builder.getIndexType(), global.getShape()[dim]);
  TmaLoadOp::create(builder, op.getLoc(), op.getGlobal(), op.getIndices(),
                    limits, op.getMask(), op.getDimsAttr(),
                    op.getInBoundsAttr(), op.getTile(), barrier, index,
                    op.getMulticastAttr());
}

void RoleExpansion::startCopy(CopyStartOp op) {
  const ExpandedRing &machine = *expansion.ofOp.lookup(op);
  if (machine.isClipped)
    return;
  OpBuilder builder(op);
  emitCopy(builder, op, machine.full,
           op.getTile().getDefiningOp<SlotsAtOp>().getIndex());
  op.erase();
}

namespace {
/// The positions from `limit` on, along `axis` of the tile of `copy`, become
/// zero. The limit counts from the start of the tile.
struct CopyEnd {
  CopyStartOp copy;
  int64_t axis;
  Value limit;
};
} // namespace

/// Returns where `copies` end, if that may be before their tensors do.
static SmallVector<CopyEnd> findEnds(OpBuilder &builder,
                                     ArrayRef<CopyStartOp> copies) {
  SmallVector<CopyEnd> ends;
  for (CopyStartOp copy : copies)
    for (auto [axis, dim] : llvm::enumerate(copy.getDims()))
      if (mayEndEarly(copy, axis)) {
        Value limit = arith::SubIOp::create(builder, copy.getLoc(),
                                            copy.getLimits()[axis],
                                            copy.getIndices()[dim]);
        ends.push_back({copy, int64_t(axis), limit});
      }
  return ends;
}

/// A slot whose tiles are whole is filled by copies alone. Otherwise the role
/// waits for the copies, and zeroes what follows their ends.
void RoleExpansion::commitClipped(RingCommitOp op,
                                  const ExpandedRing &machine) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value index = op->getOperand(0);
  SmallVector<CopyStartOp> copies;
  for (CopyStartOp copy : op->getBlock()->getOps<CopyStartOp>())
    if (copy->isBeforeInBlock(op) && expansion.ofOp.lookup(copy) == &machine)
      copies.push_back(copy);
  SmallVector<CopyEnd> ends = findEnds(builder, copies);
  Value isCut;
  for (CopyEnd end : ends) {
    int64_t extent = end.copy.getTile().getType().getShape()[end.axis];
    Value ends = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, end.limit,
        arith::ConstantIndexOp::create(builder, loc, extent));
    isCut = isCut ? arith::OrIOp::create(builder, loc, isCut, ends).getResult()
                  : ends;
  }
  Value &parity = positions[{landing}].parity;
  auto fill = [&](OpBuilder &inner, Value barrier, Value slot) {
    MbarrierExpectOp::create(inner, loc, barrier, slot, machine.bytes);
    for (CopyStartOp copy : copies)
      emitCopy(inner, copy, barrier, slot);
  };
  auto wait = [&](OpBuilder &inner, Location) {
    Value first = makeInteger(inner, loc, 0);
    fill(inner, landing, first);
    MbarrierWaitOp::create(inner, loc, landing, first, parity);
    for (CopyEnd end : ends)
      ClipOp::create(inner, loc, end.copy.getTile(), end.axis, end.limit);
    MbarrierArriveOp::create(inner, loc, machine.full, index);
    Value flipped =
        arith::XOrIOp::create(inner, loc, parity, makeInteger(inner, loc, 1));
    scf::YieldOp::create(inner, loc, flipped);
  };
  auto copy = [&](OpBuilder &inner, Location) {
    fill(inner, machine.full, index);
    scf::YieldOp::create(inner, loc, parity);
  };
  if (ends.empty())
    fill(builder, machine.full, index);
  else
    parity = scf::IfOp::create(builder, loc, isCut, wait, copy).getResult(0);
  for (CopyStartOp copy : copies)
    copy.erase();
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
  RoleExpansion(expansion, expansion.landings.lookup(role)).expand(role);
}
