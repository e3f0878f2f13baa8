//===- BarrierOps.cpp - Barriers, fences, ping-pong, roles ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behaviour of the ops that synchronise. An arrival joins the clocks of the
// warp into the barrier, and begins a new step of the warp. A wait joins the
// clocks of the barrier into the warp (vector clocks). A role or cluster
// barrier is two stages, arrive and wait. Turns (ping-pong) are named barriers
// of two warpgroups: the one that waits, and the one that passes the turn.
//
// Invariant: a wait stage has no effect while its barrier is incomplete, and a
// completed round of a named barrier stays complete.
//
//===----------------------------------------------------------------------===//

#include "Behaviours.h"

#include "CopyOps.h"
#include "Tiles/SharedElements.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::sim;

bool sim::isInCluster(Operation *, Warp &warp) {
  return warp.getCta().getCluster().getCtas().size() > 1;
}

//===----------------------------------------------------------------------===//
// Barriers between warps
//===----------------------------------------------------------------------===//

Outcome sim::arriveAt(Warp &warp, NamedBarrier &meeting) {
  if (meeting.hasCome(warp.getId()))
    return warp.fail(warp.getOp(),
                     "comes to a barrier twice in a round, and is counted for "
                     "a warp that has not come: " +
                         meeting.str());
  warp.ticket = meeting.arrive(warp.getId(), warp.getClocks(), 32);
  warp.advance();
  return Outcome::Done;
}

Outcome sim::waitAt(Warp &warp, NamedBarrier &meeting) {
  if (!meeting.isOver(warp.ticket))
    return warp.block([&meeting] {
      return "the other warps at a barrier: " + meeting.str();
    });
  if (warp.isAsking())
    return Outcome::Ready;
  warp.join(meeting.getClocks(warp.ticket));
  return Outcome::Done;
}

/// Returns the stages of the barrier `getMeeting(op, warp)`; they do nothing if
/// it is null.
template <typename GetMeeting>
static SmallVector<Stage, 2> meet(GetMeeting getMeeting) {
  auto makeStage = [getMeeting](Outcome (*act)(Warp &, NamedBarrier &)) {
    return [getMeeting, act](Operation *op, Warp &warp) {
      NamedBarrier *meeting = getMeeting(op, warp);
      return meeting ? act(warp, *meeting) : Outcome::Done;
    };
  };
  // Each warp arrives once in a round, and a completed round stays complete.
  return {makeStage(arriveAt), Stage(makeStage(waitAt)).waits()};
}

SmallVector<Stage, 2> sim::meetRole(bool (*applies)(Operation *, Warp &)) {
  return meet([applies](Operation *op, Warp &warp) -> NamedBarrier * {
    if (applies && !applies(op, warp))
      return nullptr;
    return &warp.getCta().getRoleBarrier(warp.getRole());
  });
}

SmallVector<Stage, 2> sim::meetImplied(const BehaviourTable &table) {
  return table.isFenced() ? SmallVector<Stage, 2>() : meetRole();
}

static Outcome runFence(sm::FenceOp op, Warp &warp) {
  warp.fence();
  return Outcome::Done;
}

//===----------------------------------------------------------------------===//
// Memory barriers
//===----------------------------------------------------------------------===//

/// Records an access to the bytes of a barrier in shared memory: other accesses
/// to these bytes are defects.
static Outcome touch(Operation *op, Warp &warp, int64_t byte,
                     int64_t count = kMbarrierBytes, bool isWrite = false) {
  return failed(recordAccess(op, warp, byte, count, isWrite)) ? Outcome::Failed
                                                              : Outcome::Done;
}

static Outcome runMbarrierAlloc(sm::MbarrierAllocOp op, Warp &warp) {
  Cta &cta = warp.getCta();
  int64_t address = cta.getSimulation().placement.getAddress(op);
  int64_t count = op.getType().getCount();
  int64_t number = cta.getMbarriers(op, count, op.getArrivals());
  // One thread initialises the barriers.
  if (warp.getNumber() == 0)
    if (touch(op, warp, address, count * kMbarrierBytes, /*isWrite=*/true) ==
        Outcome::Failed)
      return Outcome::Failed;
  warp.set(op.getResult(), interp::Handle{number, address});
  return Outcome::Done;
}

/// Returns the barrier of an op; null after a report.
template <typename OpTy>
static Mbarrier *findMbarrier(OpTy op, Warp &warp, int64_t &address) {
  interp::Handle handle = warp.getHandle(op.getBarrier());
  int64_t index = warp.getInteger(op.getIndex());
  int64_t count = cast<sm::MbarrierType>(op.getBarrier().getType()).getCount();
  if (index < 0 || index >= count) {
    (void)warp.report(op, "the index of the barrier is " + Twine(index) +
                              ", of " + Twine(count));
    return nullptr;
  }
  address = handle.part + index * kMbarrierBytes;
  return &warp.getCta().getMbarrier(handle.number + index);
}

/// Describes the roles that arrive where `op` waits: "role 'math' arrives
/// there".
static std::string describeArrivals(Operation *op) {
  auto isArrival = [&](Operation *user) {
    if (isa<sm::MbarrierWaitOp>(op))
      return isa<sm::MbarrierArriveOp, sm::MbarrierExpectOp>(user);
    if (isa<sm::QueuePushOp, sm::QueuePopOp>(op))
      return isa<sm::QueuePushOp, sm::QueuePopOp>(user) &&
             user->getName() != op->getName();
    // A consumer releases slots after its wait, a producer commits them after
    // its acquire.
    return isa<sm::RingAcquireOp>(op) ? isa<sm::RingWaitOp>(user)
                                      : isa<sm::RingAcquireOp>(user);
  };
  llvm::SetVector<Operation *> agents;
  Value place =
      isa<sm::QueuePushOp>(op) ? op->getOperand(1) : op->getOperand(0);
  for (Operation *user : place.getUsers())
    if (isArrival(user))
      agents.insert(user->getParentOfType<sm::RoleOp>());
  if (agents.empty())
    return "nobody arrives there";
  if (agents.contains(nullptr))
    return "all warps arrive there";
  std::string text = agents.size() == 1 ? "role " : "roles ";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(agents, os, [&](Operation *role) {
    os << "'" << cast<sm::RoleOp>(role).getName() << "'";
  });
  return text + (agents.size() == 1 ? " arrives there" : " arrive there");
}

Outcome sim::waitAt(Operation *op, Warp &warp, Mbarrier &barrier,
                    unsigned parity) {
  if (!barrier.isComplete(parity))
    return warp.block([op, &barrier, parity] {
      return "a phase of parity " + std::to_string(parity & 1) +
             " of a barrier: " + barrier.str() + "; " + describeArrivals(op);
    });
  if (warp.isAsking())
    return Outcome::Ready;
  warp.join(barrier.getClocks());
  return Outcome::Done;
}

Outcome sim::verify(Operation *op, Warp &warp, Mbarrier &barrier,
                    Mbarrier::Defect defect) {
  switch (defect) {
  case Mbarrier::Defect::None:
    return Outcome::Done;
  case Mbarrier::Defect::TooManyArrivals:
    return warp.fail(op,
                     "arrives once too often at a barrier: " + barrier.str());
  case Mbarrier::Defect::TooManyBytes:
    return warp.fail(op, "more bytes come to a barrier than it expects: " +
                             barrier.str());
  }
  return Outcome::Failed;
}

static Outcome runMbarrierWait(sm::MbarrierWaitOp op, Warp &warp) {
  int64_t address;
  Mbarrier *barrier = findMbarrier(op, warp, address);
  if (!barrier)
    return Outcome::Failed;
  Outcome outcome = waitAt(op, warp, *barrier, warp.getInteger(op.getParity()));
  return outcome == Outcome::Done ? touch(op, warp, address) : outcome;
}

Outcome sim::arrive(Operation *op, Warp &warp, Cta &target, int64_t barrier,
                    int64_t address) {
  Mbarrier *found = target.findMbarrier(barrier);
  if (!found)
    return warp.fail(op, "arrives at a barrier of CTA " +
                             Twine(target.getNumber()) +
                             ", which has not initialised it yet; expected a "
                             "sm.cluster.barrier before the roles");
  if (address >= 0 &&
      failed(recordAccess(op, warp, target, address, kMbarrierBytes,
                          /*isWrite=*/false)))
    return Outcome::Failed;
  if (&target != &warp.getCta())
    target.noteArrival(warp, op);
  return verify(op, warp, *found, found->arrive(warp.getClocks()));
}

/// Checks whether a thread of the warp arrives at `op`.
static bool arrives(Operation *op, Warp &warp) {
  auto arrive = cast<sm::MbarrierArriveOp>(op);
  return arrive.getWarps() || arrive.getFetches() || warp.isFirstOfWarpgroup();
}

static Outcome runMbarrierArrive(sm::MbarrierArriveOp op, Warp &warp) {
  if (!arrives(op, warp))
    return Outcome::Done;
  int64_t address;
  if (!findMbarrier(op, warp, address))
    return Outcome::Failed;
  int64_t number =
      warp.getHandle(op.getBarrier()).number + warp.getInteger(op.getIndex());
  if (op.getFetches()) {
    arriveAfterFetches(op, warp, number, getTarget(op).warpSize);
    return touch(op, warp, address);
  }
  Cta &own = warp.getCta();
  for (const std::unique_ptr<Cta> &cta : own.getCluster().getCtas())
    if ((op.getCluster() || cta.get() == &own) &&
        arrive(op, warp, *cta, number, address) == Outcome::Failed)
      return Outcome::Failed;
  warp.advance();
  return Outcome::Done;
}

static Outcome runMbarrierExpect(sm::MbarrierExpectOp op, Warp &warp) {
  int64_t address;
  Mbarrier *barrier = findMbarrier(op, warp, address);
  if (!barrier || touch(op, warp, address) == Outcome::Failed)
    return Outcome::Failed;
  Mbarrier::Defect defect =
      barrier->arriveExpecting(warp.getClocks(), op.getBytes());
  warp.advance();
  return verify(op, warp, *barrier, defect);
}

//===----------------------------------------------------------------------===//
// Ping-pong: a warpgroup waits at its own barrier, and the warpgroup before it
// in the order arrives there
//===----------------------------------------------------------------------===//

static NamedBarrier &getTurn(Warp &warp, unsigned warpgroup) {
  return warp.getCta().getGroupBarrier(Cta::GroupBarrier::Turn,
                                       warp.getFirstWarp(), warpgroup);
}

static unsigned countWarpgroups(Warp &warp) { return warp.getRoleWarps() / 4; }

unsigned sim::getTurnNumber(Warp &warp, bool isNext) {
  ArrayRef<sm::RoleOp> roles = warp.getCta().getSimulation().pingPongRoles;
  unsigned own = llvm::find(roles, warp.getRole()) - roles.begin();
  return (own + isNext) % roles.size();
}

NamedBarrier &sim::getTurnOfRole(Warp &warp, unsigned number) {
  sm::RoleOp role = warp.getCta().getSimulation().pingPongRoles[number];
  return warp.getCta().getGroupBarrier(Cta::GroupBarrier::Turn,
                                       role.getFirstWarp(), /*warpgroup=*/0);
}

Outcome sim::waitAtTurn(Warp &warp, NamedBarrier &turn,
                        const std::string &whose) {
  if (!turn.isOver(warp.ticket))
    return warp.block(
        [&turn, whose] { return "the turn of " + whose + ": " + turn.str(); });
  return waitAt(warp, turn);
}

static Outcome passTurn(Warp &warp, bool ofRoles) {
  if (ofRoles)
    return arriveAt(warp,
                    getTurnOfRole(warp, getTurnNumber(warp, /*isNext=*/true)));
  unsigned next = (warp.getWarpgroup() + 1) % countWarpgroups(warp);
  return arriveAt(warp, getTurn(warp, next));
}

static Outcome runTurnStart(sm::PingPongStartOp op, Warp &warp) {
  // The last warpgroup passes the turn to the first one.
  if (warp.getWarpgroup() + 1 != countWarpgroups(warp))
    return Outcome::Done;
  return passTurn(warp, op.getRoles());
}

static Outcome runTurnPass(sm::PingPongPassOp op, Warp &warp) {
  return passTurn(warp, op.getRoles());
}

static Outcome arriveAtTurn(sm::PingPongWaitOp op, Warp &warp) {
  // A role in ping-pong with other roles has one warpgroup.
  return arriveAt(warp, getTurn(warp, warp.getWarpgroup()));
}

static Outcome waitForTurn(sm::PingPongWaitOp op, Warp &warp) {
  std::string whose = op.getRoles()
                          ? "role '" + warp.getRole().getName().str() + "'"
                          : "warpgroup " + std::to_string(warp.getWarpgroup());
  return waitAtTurn(warp, getTurn(warp, warp.getWarpgroup()), whose);
}

//===----------------------------------------------------------------------===//
// Roles and programs
//===----------------------------------------------------------------------===//

/// Returns the barrier of all warps before the first role, after which barriers
/// are initialised; null if there is none.
static NamedBarrier *findStart(Operation *op, Warp &warp) {
  Block &body = *op->getBlock();
  if (*body.getOps<sm::RoleOp>().begin() != op)
    return nullptr;
  Cta &cta = warp.getCta();
  // Rings of a cluster contain mbarriers, which the cluster barrier
  // initialises.
  bool hasRings = !body.getOps<sm::RingAllocOp>().empty();
  if (hasRings && cta.getCluster().getCtas().size() > 1)
    return &cta.getCluster().getBarrier();
  bool meetsBefore =
      llvm::any_of(body.getOps<sm::ClusterBarrierOp>(), [&](Operation *other) {
        return other->isBeforeInBlock(op);
      });
  if (meetsBefore || (!hasRings && body.getOps<sm::MbarrierAllocOp>().empty()))
    return nullptr;
  return &cta.getRoleBarrier(nullptr);
}

static Outcome runRole(sm::RoleOp op, Warp &warp) {
  unsigned first = op.getFirstWarp(), number = warp.getNumber();
  bool isMember = number >= first && number < first + op.getWarps();
  if (isMember && (!op.getElected() || number == first))
    warp.startRole(op);
  return Outcome::Done;
}

static Outcome setIndex(Value result, int64_t value, Warp &warp) {
  warp.set(result, interp::Tile::getInteger(interp::ElementType::I64, value));
  return Outcome::Done;
}

static Outcome runProgramId(sm::ProgramIdOp op, Warp &warp) {
  return setIndex(op.getResult(), warp.getCta().getCluster().getNumber(), warp);
}

static Outcome runCtaCount(sm::CtaCountOp op, Warp &warp) {
  return setIndex(op.getResult(), warp.getCta().getSimulation().clusterCount,
                  warp);
}

static Outcome runCtaRank(sm::CtaRankOp op, Warp &warp) {
  return setIndex(op.getResult(), warp.getCta().getRank(), warp);
}

/// Takes the number of the barrier of the grid that the warp comes to.
static Outcome comeToGrid(sm::BarrierOp op, Warp &warp) {
  warp.ticket = warp.getCta().getSimulation().gridRounds;
  return Outcome::Done;
}

static Outcome waitForGrid(sm::BarrierOp op, Warp &warp) {
  if (warp.ticket != warp.getCta().getSimulation().gridRounds)
    return Outcome::Done;
  warp.getCta().getCluster().waitForGrid();
  return warp.block([] { return "the other programs at a barrier(grid)"; });
}

Behaviour sim::makeGridBarrier() {
  Behaviour behaviour;
  llvm::append_range(behaviour.stages, meetRole());
  behaviour.stages.push_back(BehaviourTable::makeStage(comeToGrid));
  behaviour.stages.push_back(BehaviourTable::makeStage(waitForGrid).waits());
  behaviour.isVisible = true;
  return behaviour;
}

void sim::addBarrierBehaviours(BehaviourTable &table) {
  using Table = BehaviourTable;
  table.add<sm::BarrierOp>({meetRole()});
  table.add<sm::FenceOp>(runFence);
  table.add<sm::MbarrierAllocOp>(
      {{Table::makeStage(runMbarrierAlloc).contends(isInCluster)}});
  table.add<sm::MbarrierWaitOp>(
      {{Table::makeStage(runMbarrierWait).waits().contends()}});
  table.add<sm::MbarrierArriveOp>(
      {{Table::makeStage(runMbarrierArrive).contends(arrives)}});
  table.add<sm::MbarrierExpectOp>(
      {{Table::makeStage(runMbarrierExpect).contends()}});
  // Contended: the warp that passes a turn does not wait for the end of the
  // turn before.
  table.add<sm::PingPongStartOp>({{Table::makeStage(runTurnStart).contends()}});
  table.add<sm::PingPongWaitOp>({{Table::makeStage(arriveAtTurn).contends(),
                                  Table::makeStage(waitForTurn).waits()}});
  table.add<sm::PingPongPassOp>({{Table::makeStage(runTurnPass).contends()}});
  table.add<sm::ClusterBarrierOp>({meet([](Operation *, Warp &warp) {
    return &warp.getCta().getCluster().getBarrier();
  })});
  table.add<sm::RoleOp>(
      {meet(findStart), {BehaviourTable::makeStage(runRole)}});
  table.addPrivate<sm::ProgramIdOp>(runProgramId);
  table.addPrivate<sm::CtaCountOp>(runCtaCount);
  table.addPrivate<sm::CtaRankOp>(runCtaRank);
}
