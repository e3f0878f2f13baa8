//===- RingCursors.cpp - Positions of a role in its rings -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingCursors.h"

using namespace tessera;
using namespace tessera::sm;

Value sm::makeInteger(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

void RingCursors::advance(OpBuilder &builder, Location loc, RingSide side,
                          const Step &step) {
  const ExpandedRing &machine = getMachine(side.ring);
  Position &position = (*this)[side];
  if (machine.count == 1) {
    position.parity = step.flipped;
    return;
  }
  Value next = arith::AddIOp::create(builder, loc, position.index, step.one);
  Value count = makeInteger(builder, loc, machine.count);
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      next, count);
  Value zero = makeInteger(builder, loc, 0);
  position.index = arith::SelectOp::create(builder, loc, wraps, zero, next);
  position.parity = arith::SelectOp::create(builder, loc, wraps, step.flipped,
                                            position.parity);
}

RingCursors::Step RingCursors::makeStep(OpBuilder &builder, Location loc,
                                        RingSide side) {
  Value one = makeInteger(builder, loc, 1);
  Value flipped =
      arith::XOrIOp::create(builder, loc, (*this)[side].parity, one);
  return {one, flipped};
}

//===----------------------------------------------------------------------===//
// Positions as values that control flow carries
//===----------------------------------------------------------------------===//

SmallVector<RingSide> RingCursors::getAdvanced(Operation *op) const {
  if (isa<RingAcquireOp, RingWaitOp, RingTakeOp>(op))
    return llvm::map_to_vector(op->getOperands(), [&](Value ring) {
      return RingSide{ring, isa<RingAcquireOp>(op)};
    });
  if (auto push = dyn_cast<QueuePushOp>(op))
    return {{push.getQueue(), /*fills=*/true}};
  if (auto pop = dyn_cast<QueuePopOp>(op))
    return {{pop.getQueue(), /*fills=*/false}};
  if (landing && isa<CopyStartOp>(op))
    return {{landing}};
  return {};
}

SmallVector<RingSide> RingCursors::getSidesIn(Operation *op) const {
  llvm::DenseSet<Value> found[2];
  op->walk([&](Operation *inner) {
    for (RingSide side : getAdvanced(inner))
      found[side.fills].insert(side.ring);
  });
  SmallVector<RingSide> sides;
  for (auto &[ring, machine] : machines)
    for (bool fills : {false, true})
      if (found[fills].contains(ring))
        sides.push_back({ring, fills});
  return sides;
}

void RingCursors::start(OpBuilder &builder, RoleOp role,
                        const RingTurns &turns) {
  SmallVector<RingSide> sides = getSidesIn(role);
  if (sides.empty())
    return;
  Value zero = makeInteger(builder, role.getLoc(), 0);
  for (RingSide side : sides)
    (*this)[side] = {zero, zero};
  findLeaders(role, sides, turns);
}

void RingCursors::findLeaders(RoleOp role, ArrayRef<RingSide> sides,
                              const RingTurns &turns) {
  // How often sides go on between the places where blocks begin and end.
  SmallVector<SmallVector<unsigned>> steps(sides.size());
  auto addPlace = [&] {
    for (SmallVector<unsigned> &counts : steps)
      counts.push_back(0);
  };
  role->walk<WalkOrder::PreOrder>([&](Block *block) {
    addPlace();
    for (Operation &op : *block) {
      if (op.getNumRegions() != 0)
        addPlace();
      for (RingSide side : getAdvanced(&op))
        ++steps[llvm::find(sides, side) - sides.begin()].back();
    }
  });
  for (auto [number, side] : llvm::enumerate(sides)) {
    RingSide &leader = leaders[side.fills][side.ring] = side;
    // Phases of landed copies depend on where copies end.
    if (turns.contains(side.ring) || side.ring == landing)
      continue;
    for (auto [other, counts] : llvm::zip(sides.take_front(number), steps))
      if (!turns.contains(other.ring) && counts == steps[number] &&
          getMachine(other.ring).count == getMachine(side.ring).count) {
        leader = other;
        break;
      }
  }
}

/// A ring of one slot has no index to carry.
SmallVector<Value> RingCursors::getValues(ArrayRef<RingSide> sides) {
  SmallVector<Value> values;
  for (RingSide side : sides) {
    if (getLeader(side) != side)
      continue;
    const Position &position = (*this)[side];
    if (getMachine(side.ring).count > 1)
      values.push_back(position.index);
    values.push_back(position.parity);
  }
  return values;
}

/// Takes the positions of `sides` from the end of `values`.
void RingCursors::setValues(ArrayRef<RingSide> sides, ValueRange values) {
  for (RingSide side : llvm::reverse(sides)) {
    if (getLeader(side) != side)
      continue;
    Position &position = (*this)[side];
    position.parity = values.back();
    values = values.drop_back();
    if (getMachine(side.ring).count > 1) {
      position.index = values.back();
      values = values.drop_back();
    }
  }
  for (RingSide side : sides)
    (*this)[side] = (*this)[getLeader(side)];
}

void RingCursors::appendValues(ArrayRef<RingSide> sides,
                               Operation *terminator) {
  terminator->insertOperands(terminator->getNumOperands(), getValues(sides));
}

/// A slot that is carried has the type of its index from here on.
static void retypeSlots(ValueRange values) {
  for (Value value : values)
    if (isa<SlotType>(value.getType()))
      value.setType(IntegerType::get(value.getContext(), 32));
}

static void addArguments(Block &block, ValueRange positions) {
  for (Value position : positions)
    block.addArgument(position.getType(), position.getLoc());
}

/// Replaces `op` by `copy`, which carries more.
static void replace(Operation *op, Operation *copy) {
  copy->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op->replaceAllUsesWith(copy->getResults().take_front(op->getNumResults()));
  op->erase();
}

void RingCursors::carryThrough(scf::ForOp loop, BlockExpansion expand) {
  SmallVector<RingSide> sides = getSidesIn(loop);
  SmallVector<Value> start = getValues(sides);
  retypeSlots(loop.getResults());
  retypeSlots(loop.getRegionIterArgs());
  SmallVector<Value> inits(loop.getInitArgs());
  llvm::append_range(inits, start);
  OpBuilder builder(loop);
  auto copy = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), inits,
                                 nullptr, loop.getUnsignedCmp());
  copy.getRegion().takeBody(loop.getRegion());
  addArguments(*copy.getBody(), start);
  setValues(sides, copy.getRegionIterArgs());
  expand(*copy.getBody());
  appendValues(sides, copy.getBody()->getTerminator());
  setValues(sides, copy.getResults());
  replace(loop, copy);
}

void RingCursors::carryThrough(scf::IfOp op, BlockExpansion expand) {
  SmallVector<RingSide> sides = getSidesIn(op);
  SmallVector<Value> start = getValues(sides);
  retypeSlots(op.getResults());
  SmallVector<Type> types(op.getResultTypes());
  llvm::append_range(types, ValueRange(start).getTypes());
  OpBuilder builder(op);
  bool hasElse = !op.getElseRegion().empty() || !sides.empty();
  auto copy = scf::IfOp::create(builder, op.getLoc(), types, op.getCondition(),
                                /*addThenBlock=*/false,
                                /*addElseBlock=*/false);
  copy.getThenRegion().takeBody(op.getThenRegion());
  copy.getElseRegion().takeBody(op.getElseRegion());
  if (hasElse && copy.getElseRegion().empty()) {
    builder.createBlock(&copy.getElseRegion());
    scf::YieldOp::create(builder, op.getLoc());
  }
  for (Region *region : {&copy.getThenRegion(), &copy.getElseRegion()}) {
    if (region->empty())
      continue;
    setValues(sides, start);
    expand(region->front());
    appendValues(sides, region->front().getTerminator());
  }
  setValues(sides, copy.getResults());
  replace(op, copy);
}

void RingCursors::carryThrough(scf::WhileOp loop, BlockExpansion expand) {
  SmallVector<RingSide> sides = getSidesIn(loop);
  SmallVector<Value> start = getValues(sides);
  retypeSlots(loop.getResults());
  retypeSlots(loop.getBeforeArguments());
  retypeSlots(loop.getAfterArguments());
  SmallVector<Type> types(loop.getResultTypes());
  llvm::append_range(types, ValueRange(start).getTypes());
  SmallVector<Value> inits(loop.getInits());
  llvm::append_range(inits, start);
  OpBuilder builder(loop);
  auto copy = scf::WhileOp::create(builder, loop.getLoc(), types, inits);
  copy.getBefore().takeBody(loop.getBefore());
  copy.getAfter().takeBody(loop.getAfter());
  for (Region *region : {&copy.getBefore(), &copy.getAfter()}) {
    Block &block = region->front();
    addArguments(block, start);
    setValues(sides, block.getArguments());
    expand(block);
    appendValues(sides, block.getTerminator());
  }
  setValues(sides, copy.getResults());
  replace(loop, copy);
}
