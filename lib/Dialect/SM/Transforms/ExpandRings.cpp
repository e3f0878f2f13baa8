//===- ExpandRings.cpp - Rings as barriers ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-expand-rings. A side of a ring is two numbers, the index of the
// next stage and the parity of its phase, which loops and conditions carry next
// to their own values. With p the parity of a side, which starts at 0, the
// using side waits for the phase p of `full`; the filling side waits for the
// phase p xor 1 of `empty`, which a fresh barrier counts as complete.
//
// A slot becomes the index of its stage, so that it may be given back later
// than the next one is taken.
//
// Where it is known that a stage is filled for the first time, nobody waits for
// it to be free; where it is not filled again, nobody gives it back; and a ring
// whose stages are filled once has no barriers for free stages.
//
//===----------------------------------------------------------------------===//

#include "RingMachine.h"
#include "SlotCounts.h"
#include "SlotUses.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::sm {
#define GEN_PASS_DEF_EXPANDRINGSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

namespace {
/// How far one side of a ring has come.
struct Position {
  Value index, parity;
};

/// What rings become, and of which ring an operation on a slot or its tile is.
struct Expansion {
  llvm::MapVector<Value, RingMachine> machines;
  llvm::DenseMap<Operation *, const RingMachine *> ofOp;
  /// Acquires that need not wait, and releases that nobody waits for.
  llvm::DenseSet<Operation *> needless;
  RingTurns turns;
};

/// Expands the rings in one role, walking over it in program order.
class RoleExpansion {
public:
  explicit RoleExpansion(const Expansion &expansion) : expansion(expansion) {}

  void expand(RoleOp role);

private:
  void expandBlock(Block &block);
  void expandFor(scf::ForOp loop);
  void expandIf(scf::IfOp op);
  void expandWhile(scf::WhileOp loop);
  /// What the side of a ring needs to go on: 1, and the parity of the phase
  /// that is not the present one.
  struct Step {
    Value one, flipped;
  };
  Step makeStep(OpBuilder &builder, Location loc, Value ring);
  void advance(OpBuilder &builder, Location loc, Value ring, const Step &step);
  void take(Operation *op);
  void push(QueuePushOp op);
  void pop(QueuePopOp op);
  void commit(RingCommitOp op);
  void giveBack(RingReleaseOp op);
  void takeOver(RingTakeOp op);
  void handOver(RingPassOp op);
  void startTurns(OpBuilder &builder, RoleOp role);
  void storePosition(OpBuilder &builder, Location loc, Value ring,
                     int64_t number);
  void startCopy(CopyStartOp op);

  const RingMachine &getMachine(Value ring) const {
    return expansion.machines.find(ring)->second;
  }
  SmallVector<Value> getRingsIn(Operation *op) const;
  SmallVector<Value> getPositions(ArrayRef<Value> rings) const;
  void setPositions(ArrayRef<Value> rings, ValueRange values);
  void appendPositions(ArrayRef<Value> rings, Operation *terminator) const;

  const Expansion &expansion;
  llvm::DenseMap<Value, Position> positions;
};
} // namespace

static Value makeInteger(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

//===----------------------------------------------------------------------===//
// Positions as values that control flow carries
//===----------------------------------------------------------------------===//

/// The rings or queues on one side of which `op` goes on to another stage.
static SmallVector<Value> getAdvanced(Operation *op) {
  if (isa<RingAcquireOp, RingWaitOp, RingTakeOp>(op))
    return llvm::to_vector(op->getOperands());
  if (auto push = dyn_cast<QueuePushOp>(op))
    return {push.getQueue()};
  if (auto pop = dyn_cast<QueuePopOp>(op))
    return {pop.getQueue()};
  return {};
}

/// Rings whose positions change within `op`.
SmallVector<Value> RoleExpansion::getRingsIn(Operation *op) const {
  llvm::DenseSet<Value> found;
  op->walk([&](Operation *inner) { found.insert_range(getAdvanced(inner)); });
  SmallVector<Value> rings;
  for (auto &[ring, machine] : expansion.machines)
    if (found.contains(ring))
      rings.push_back(ring);
  return rings;
}

/// A ring of one stage has no index to carry.
SmallVector<Value> RoleExpansion::getPositions(ArrayRef<Value> rings) const {
  SmallVector<Value> values;
  for (Value ring : rings) {
    const Position &position = positions.find(ring)->second;
    if (getMachine(ring).count > 1)
      values.push_back(position.index);
    values.push_back(position.parity);
  }
  return values;
}

/// Takes the positions of `rings` from the end of `values`.
void RoleExpansion::setPositions(ArrayRef<Value> rings, ValueRange values) {
  for (Value ring : llvm::reverse(rings)) {
    Position &position = positions[ring];
    position.parity = values.back();
    values = values.drop_back();
    if (getMachine(ring).count > 1) {
      position.index = values.back();
      values = values.drop_back();
    }
  }
}

void RoleExpansion::appendPositions(ArrayRef<Value> rings,
                                    Operation *terminator) const {
  terminator->insertOperands(terminator->getNumOperands(), getPositions(rings));
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

void RoleExpansion::expandFor(scf::ForOp loop) {
  SmallVector<Value> rings = getRingsIn(loop);
  SmallVector<Value> start = getPositions(rings);
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
  setPositions(rings, copy.getRegionIterArgs());
  expandBlock(*copy.getBody());
  appendPositions(rings, copy.getBody()->getTerminator());
  setPositions(rings, copy.getResults());
  replace(loop, copy);
}

void RoleExpansion::expandIf(scf::IfOp op) {
  SmallVector<Value> rings = getRingsIn(op);
  SmallVector<Value> start = getPositions(rings);
  retypeSlots(op.getResults());
  SmallVector<Type> types(op.getResultTypes());
  llvm::append_range(types, ValueRange(start).getTypes());
  OpBuilder builder(op);
  bool hasElse = !op.getElseRegion().empty() || !rings.empty();
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
    setPositions(rings, start);
    expandBlock(region->front());
    appendPositions(rings, region->front().getTerminator());
  }
  setPositions(rings, copy.getResults());
  replace(op, copy);
}

void RoleExpansion::expandWhile(scf::WhileOp loop) {
  SmallVector<Value> rings = getRingsIn(loop);
  SmallVector<Value> start = getPositions(rings);
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
    setPositions(rings, block.getArguments());
    expandBlock(block);
    appendPositions(rings, block.getTerminator());
  }
  setPositions(rings, copy.getResults());
  replace(loop, copy);
}

//===----------------------------------------------------------------------===//
// Operations of rings
//===----------------------------------------------------------------------===//

/// Goes on to the next stage, whose phase is another one where the ring begins
/// again.
void RoleExpansion::advance(OpBuilder &builder, Location loc, Value ring,
                            const Step &step) {
  const RingMachine &machine = getMachine(ring);
  Position &position = positions[ring];
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

RoleExpansion::Step RoleExpansion::makeStep(OpBuilder &builder, Location loc,
                                            Value ring) {
  Value one = makeInteger(builder, loc, 1);
  Value flipped =
      arith::XOrIOp::create(builder, loc, positions[ring].parity, one);
  return {one, flipped};
}

/// The next slot of a ring: waits for it, and advances.
void RoleExpansion::take(Operation *op) {
  Value ring = op->getOperand(0);
  const RingMachine &machine = getMachine(ring);
  const Position &position = positions[ring];
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Step step = makeStep(builder, loc, ring);
  if (isa<RingAcquireOp>(op)) {
    if (!expansion.needless.contains(op))
      MbarrierWaitOp::create(builder, loc, machine.empty, position.index,
                             step.flipped);
    if (!machine.isFilledByThreads)
      MbarrierExpectOp::create(builder, loc, machine.full, position.index,
                               machine.bytes);
  } else {
    MbarrierWaitOp::create(builder, loc, machine.full, position.index,
                           position.parity);
    // What threads write, by cp.async too, goes through the generic proxy. It
    // is complete when nobody of them looks, so those who wait for it fence.
    if (machine.isFilledByThreads && machine.isMultiplied)
      FenceOp::create(builder, loc);
  }
  op->getResult(0).replaceAllUsesWith(position.index);
  advance(builder, loc, ring, step);
}

void RoleExpansion::push(QueuePushOp op) {
  Value queue = op.getQueue();
  const RingMachine &machine = getMachine(queue);
  Value index = positions[queue].index;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Step step = makeStep(builder, loc, queue);
  MbarrierWaitOp::create(builder, loc, machine.empty, index, step.flipped);
  Value number = arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                            op.getNumber());
  WordsStoreOp::create(builder, loc, number, machine.words, index);
  MbarrierArriveOp::create(builder, loc, machine.full, index);
  advance(builder, loc, queue, step);
  op.erase();
}

void RoleExpansion::pop(QueuePopOp op) {
  Value queue = op.getQueue();
  const RingMachine &machine = getMachine(queue);
  const Position &position = positions[queue];
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Step step = makeStep(builder, loc, queue);
  MbarrierWaitOp::create(builder, loc, machine.full, position.index,
                         position.parity);
  Value number = WordsLoadOp::create(builder, loc, builder.getI32Type(),
                                     machine.words, position.index);
  // Warps do not wait for each other to have read it.
  MbarrierArriveOp::create(builder, loc, machine.empty, position.index)
      .setWarps(true);
  Value index =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), number);
  op->getResult(0).replaceAllUsesWith(index);
  advance(builder, loc, queue, step);
  op.erase();
}

/// The bytes of tensor copies complete the phase; threads say when theirs have
/// come.
void RoleExpansion::commit(RingCommitOp op) {
  const RingMachine &machine = *expansion.ofOp.lookup(op);
  OpBuilder builder(op);
  auto arrive = [&] {
    return MbarrierArriveOp::create(builder, op.getLoc(), machine.full,
                                    op->getOperand(0));
  };
  if (machine.isFilledByThreads) {
    arrive().setFetches(true);
    if (!machine.isAllAsync)
      arrive().setWarps(true);
  }
  op.erase();
}

void RoleExpansion::giveBack(RingReleaseOp op) {
  const RingMachine &machine = *expansion.ofOp.lookup(op);
  OpBuilder builder(op);
  // What was the slot is its index by now.
  if (machine.empty && !expansion.needless.contains(op)) {
    auto arrive = MbarrierArriveOp::create(builder, op.getLoc(), machine.empty,
                                           op->getOperand(0));
    arrive.setCluster(machine.isShared);
    arrive.setWarps(machine.isGivenByWarps);
  }
  op.erase();
}

/// Where `ring` goes on, for role `number` of those that use it in turn: twice
/// the index, and the parity.
void RoleExpansion::storePosition(OpBuilder &builder, Location loc, Value ring,
                                  int64_t number) {
  const Position &position = positions[ring];
  Value one = makeInteger(builder, loc, 1);
  Value doubled = arith::ShLIOp::create(builder, loc, position.index, one);
  Value packed = arith::OrIOp::create(builder, loc, doubled, position.parity);
  WordsStoreOp::create(builder, loc, packed, getMachine(ring).words,
                       makeInteger(builder, loc, number));
}

/// A role has a word of its own, which all of its threads have read when it
/// passes the turn, and so before another role writes there.
void RoleExpansion::takeOver(RingTakeOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  TurnTakeOp::create(builder, loc).setRoles(true);
  Value own = makeInteger(
      builder, loc, expansion.turns.getNumber(op->getParentOfType<RoleOp>()));
  Value one = makeInteger(builder, loc, 1);
  for (Value ring : op.getRings()) {
    const RingMachine &machine = getMachine(ring);
    Value packed = WordsLoadOp::create(builder, loc, builder.getI32Type(),
                                       machine.words, own);
    Position &position = positions[ring];
    position.parity = arith::AndIOp::create(builder, loc, packed, one);
    if (machine.count > 1)
      position.index = arith::ShRUIOp::create(builder, loc, packed, one);
  }
  op.erase();
}

void RoleExpansion::handOver(RingPassOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  const RingTurns &turns = expansion.turns;
  int64_t own = turns.getNumber(op->getParentOfType<RoleOp>());
  for (Value ring : op.getRings())
    storePosition(builder, loc, ring, (own + 1) % turns.roles.size());
  TurnPassOp::create(builder, loc).setRoles(true);
  op.erase();
}

/// The last of the roles starts as if it had passed to the first one.
void RoleExpansion::startTurns(OpBuilder &builder, RoleOp role) {
  if (role != expansion.turns.roles.back())
    return;
  for (Value ring : expansion.turns.rings)
    storePosition(builder, role.getLoc(), ring, /*number=*/0);
  TurnStartOp::create(builder, role.getLoc()).setRoles(true);
}

void RoleExpansion::startCopy(CopyStartOp op) {
  OpBuilder builder(op);
  const RingMachine &machine = *expansion.ofOp.lookup(op);
  Value index = op.getTile().getDefiningOp<StagesAtOp>().getIndex();
  TmaLoadOp::create(builder, op.getLoc(), op.getGlobal(), op.getIndices(),
                    op.getLimits(), op.getMask(), op.getDimsAttr(),
                    op.getInBoundsAttr(), op.getTile(), machine.full, index,
                    op.getMulticastAttr());
  op.erase();
}

void RoleExpansion::expandBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    OpBuilder builder(&op);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      expandFor(loop);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      expandIf(branch);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      expandWhile(loop);
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
      takeOver(turn);
    } else if (auto turn = dyn_cast<RingPassOp>(op)) {
      handOver(turn);
    } else if (auto tile = dyn_cast<SlotTileOp>(op)) {
      const RingMachine &machine = *expansion.ofOp.lookup(tile);
      Value at =
          StagesAtOp::create(builder, op.getLoc(), tile.getType(),
                             machine.stages[tile.getIndex()], op.getOperand(0));
      tile->replaceAllUsesWith(ValueRange(at));
      tile.erase();
    } else if (auto copy = dyn_cast<CopyStartOp>(op)) {
      startCopy(copy);
    }
  }
}

void RoleExpansion::expand(RoleOp role) {
  SmallVector<Value> rings = getRingsIn(role);
  if (rings.empty())
    return;
  Block &body = role.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  Value zero = makeInteger(builder, role.getLoc(), 0);
  for (Value ring : rings)
    positions[ring] = {zero, zero};
  if (llvm::is_contained(expansion.turns.roles, role))
    startTurns(builder, role);
  expandBlock(body);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Users of a slot wait for one copy of each of its tiles, or one fetch.
static LogicalResult verifyFilled(RingAcquireOp acquire) {
  bool isByThreads = !acquire->getParentOfType<RoleOp>().getElected();
  auto fills = [&](Operation *op) {
    return isByThreads ? isa<FetchStartOp>(op) : isa<CopyStartOp>(op);
  };
  SmallVector<unsigned> copies(acquire.getSlot().getType().getTiles().size());
  for (Operation *user : acquire->getUsers())
    if (auto tile = dyn_cast<SlotTileOp>(user))
      for (Operation *copy : tile->getUsers())
        if (fills(copy) && copy->getBlock() == acquire->getBlock())
          ++copies[tile.getIndex()];
  for (auto [index, count] : llvm::enumerate(copies))
    if (count != 1)
      return acquire.emitError()
             << "expected one " << (isByThreads ? "fetch" : "copy")
             << " into tile " << index
             << " of this slot, beside the op that takes it, got " << count;
  return success();
}

/// Whether `user` reads a tile through the asynchronous proxy, or hands it on
/// to who may.
static bool readsAsynchronously(Operation *user) {
  auto access = dyn_cast<SharedAccessOpInterface>(user);
  return !access || llvm::any_of(access.getSharedUses(), [](SharedUse use) {
    return use.kind == AccessKind::AsyncRead;
  });
}

namespace {
struct ExpandRings : sm::impl::ExpandRingsPassBase<ExpandRings> {
  using ExpandRingsPassBase::ExpandRingsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getForm() == Form::Expanded)
      return;
    FailureOr<SlotSources> sources = verifySlots(kernel);
    if (failed(sources))
      return signalPassFailure();
    WalkResult walk = kernel.walk([&](RingAcquireOp acquire) {
      return WalkResult(verifyFilled(acquire));
    });
    if (walk.wasInterrupted())
      return signalPassFailure();

    FailureOr<RingTurns> turns = verifyRingTurns(kernel);
    if (failed(turns))
      return signalPassFailure();

    Expansion expansion;
    expansion.turns = std::move(*turns);
    auto getRing = [&](Value slot) {
      return sources->lookup(slot)->getOperand(0);
    };
    kernel.walk([&](Operation *op) {
      auto acquire = dyn_cast<RingAcquireOp>(op);
      auto release = dyn_cast<RingReleaseOp>(op);
      // How many slots other roles take in turn is not counted.
      auto isLastUse = [&](RingReleaseOp release) {
        Value ring = getRing(release.getSlot());
        return !expansion.turns.contains(ring) && sm::isLastUse(release, ring);
      };
      if ((acquire && isFirstFilling(acquire)) ||
          (release && isLastUse(release)))
        expansion.needless.insert(op);
    });
    int64_t channel = 0;
    SmallVector<RingAllocOp> rings(kernel.getBody().getOps<RingAllocOp>());
    for (RingAllocOp ring : rings) {
      bool waits = llvm::any_of(ring->getUsers(), [&](Operation *op) {
        return isa<RingAcquireOp>(op) && !expansion.needless.contains(op);
      });
      FailureOr<RingMachine> machine =
          makeMachine(ring, channel++, waits, expansion.turns);
      if (failed(machine))
        return signalPassFailure();
      expansion.machines[ring.getResult()] = *machine;
    }
    SmallVector<QueueAllocOp> queues(kernel.getBody().getOps<QueueAllocOp>());
    for (QueueAllocOp queue : queues) {
      FailureOr<RingMachine> machine = makeMachine(queue, channel++);
      if (failed(machine))
        return signalPassFailure();
      expansion.machines[queue.getResult()] = *machine;
    }
    auto getMachine = [&](Value slot) {
      return &expansion.machines.find(getRing(slot))->second;
    };
    kernel.walk([&](SlotTileOp tile) {
      if (llvm::any_of(tile->getUsers(), readsAsynchronously))
        expansion.machines.find(getRing(tile.getSlot()))->second.isMultiplied =
            true;
    });
    kernel.walk([&](Operation *op) {
      if (isa<SlotTileOp, RingReleaseOp, RingCommitOp>(op))
        expansion.ofOp[op] = getMachine(op->getOperand(0));
      else if (auto copy = dyn_cast<CopyStartOp>(op))
        expansion.ofOp[op] =
            getMachine(copy.getTile().getDefiningOp<SlotTileOp>().getSlot());
    });
    for (RoleOp role : kernel.getBody().getOps<RoleOp>())
      RoleExpansion(expansion).expand(role);
    bool isShared = llvm::any_of(expansion.machines, [](const auto &entry) {
      return entry.second.isShared;
    });
    if (isShared)
      meetAround(kernel);
    for (RingAllocOp ring : rings)
      ring.erase();
    for (QueueAllocOp queue : queues)
      queue.erase();
    numRings += rings.size();
    kernel.setForm(Form::Expanded);
  }

  /// The CTAs of a cluster meet before one may write to another, and before one
  /// leaves that another may write to.
  static void meetAround(KernelOp kernel) {
    auto roles = kernel.getBody().getOps<RoleOp>();
    OpBuilder builder(*roles.begin());
    ClusterBarrierOp::create(builder, kernel.getLoc());
    builder.setInsertionPoint(kernel.getBody().front().getTerminator());
    ClusterBarrierOp::create(builder, kernel.getLoc());
  }
};
} // namespace
