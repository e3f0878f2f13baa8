//===- AgentEvents.cpp - Effects of roles on tokens -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AgentState.h"

using namespace tessera;
using namespace tessera::sm;

bool sm::isMeeting(Operation *op) {
  if (isa<BarrierOp>(op))
    return true;
  auto memory = dyn_cast<SharedMemoryOpInterface>(op);
  return memory && memory.isScratch() && memory.getSharedBytes() > 0;
}

bool sm::isNode(Operation *op) {
  return isa<RingAcquireOp, RingCommitOp, RingWaitOp, RingReleaseOp, RingTakeOp,
             RingPassOp, QueuePushOp, QueuePopOp, PingPongStartOp,
             PingPongWaitOp, PingPongPassOp>(op) ||
         isMeeting(op);
}

bool AgentState::fire(Operation *op) {
  bool isDone = false;
  if (isa<QueuePushOp, QueuePopOp>(op))
    isDone = fireOnQueue(op);
  else if (isa<RingTakeOp, RingPassOp, PingPongStartOp, PingPongWaitOp,
               PingPongPassOp>(op))
    isDone = fireTurn(op);
  else if (isMeeting(op))
    isDone = meet(op);
  else
    isDone = fireOnRing(op);
  if (!isDone) {
    agent.status = Agent::Status::Waits;
    agent.at = op;
  }
  return isDone;
}

bool AgentState::fireOnRing(Operation *op) {
  if (isa<RingCommitOp, RingReleaseOp>(op)) {
    auto [ring, slot] = agent.slots.lookup(op->getOperand(0));
    if (isa<RingCommitOp>(op))
      state.tokens.rings[ring].fillers[number].open.erase(slot);
    else
      machine.getUser(state, ring, number).held.erase(slot);
    return true;
  }
  RingTokens &ring = state.tokens.rings[op->getOperand(0)];
  int64_t slot = 0;
  if (isa<RingAcquireOp>(op)) {
    RingTokens::Filler &filler = ring.fillers[number];
    slot = filler.taken;
    int64_t before = slot - ring.slots;
    if (before >= 0 && !llvm::all_of(ring.users, [&](auto &user) {
          return user.second.hasReleased(before);
        }))
      return false;
    ++filler.taken;
    filler.open.insert(slot);
  } else {
    RingTokens::User &user = machine.getUser(state, op->getOperand(0), number);
    slot = user.taken;
    if (!llvm::all_of(ring.fillers, [&](auto &filler) {
          return filler.second.hasCommitted(slot);
        }))
      return false;
    ++user.taken;
    user.held.insert(slot);
  }
  agent.slots[op->getResult(0)] = {op->getOperand(0), slot};
  return true;
}

bool AgentState::fireOnQueue(Operation *op) {
  if (auto push = dyn_cast<QueuePushOp>(op)) {
    QueueTokens &queue = state.tokens.queues[push.getQueue()];
    int64_t before = queue.pushed.size() - queue.slots;
    if (!llvm::all_of(queue.popped,
                      [&](auto &user) { return user.second > before; }))
      return false;
    queue.pushed.push_back(evaluate(push.getNumber()));
    return true;
  }
  QueueTokens &queue = state.tokens.queues[op->getOperand(0)];
  int64_t &popped = queue.popped[number];
  if (popped == static_cast<int64_t>(queue.pushed.size()))
    return false;
  agent.scalars[op->getResult(0)] = queue.pushed[popped++];
  return true;
}

bool AgentState::fireTurn(Operation *op) {
  bool isOfRoles = isa<RingTakeOp, RingPassOp>(op);
  SmallVector<int64_t> &turns =
      isOfRoles ? state.tokens.roleTurns : state.tokens.turns;
  auto [first, count] = machine.peers[number];
  unsigned next = first + (number - first + 1) % count;
  if (isOfRoles) {
    const auto *own = llvm::find(machine.inTurn, number);
    ++own;
    next = own == machine.inTurn.end() ? machine.inTurn.front() : *own;
  }
  if (isa<PingPongStartOp>(op)) {
    if (number == first + count - 1)
      ++turns[first];
    return true;
  }
  if (isa<RingPassOp, PingPongPassOp>(op)) {
    ++turns[next];
    return true;
  }
  if (turns[number] == 0)
    return false;
  --turns[number];
  return true;
}

/// An agent comes to the op, and goes on when all others have come as often.
bool AgentState::meet(Operation *op) {
  auto [first, count] = machine.peers[number];
  SmallVector<int64_t> &meetings = state.tokens.meetings;
  if (agent.at != op || !agent.isMeeting) {
    ++meetings[number];
    agent.isMeeting = true;
    agent.at = op;
  }
  for (unsigned other = first; other < first + count; ++other)
    if (meetings[other] < meetings[number])
      return false;
  agent.isMeeting = false;
  return true;
}

SmallVector<unsigned> RoleInterpreter::getAwaited(const MachineState &state,
                                                  unsigned agent) const {
  SmallVector<unsigned> awaited;
  Operation *op = state.agents[agent].at;
  if (isa<PingPongWaitOp>(op)) {
    auto [first, count] = peers[agent];
    return {first + (agent - first + count - 1) % count};
  }
  if (isa<RingTakeOp>(op)) {
    const auto *own = llvm::find(inTurn, agent);
    return {own == inTurn.begin() ? inTurn.back() : *std::prev(own)};
  }
  if (isMeeting(op)) {
    auto [first, count] = peers[agent];
    for (unsigned other = first; other < first + count; ++other)
      if (state.tokens.meetings[other] < state.tokens.meetings[agent])
        awaited.push_back(other);
    return awaited;
  }
  if (auto push = dyn_cast<QueuePushOp>(op)) {
    const QueueTokens &queue =
        state.tokens.queues.find(push.getQueue())->second;
    int64_t before = queue.pushed.size() - queue.slots;
    for (auto &[user, popped] : queue.popped)
      if (popped <= before)
        awaited.push_back(user);
    return awaited;
  }
  if (auto pop = dyn_cast<QueuePopOp>(op))
    return {state.tokens.queues.find(pop.getQueue())->second.writer};
  const RingTokens &ring = state.tokens.rings.find(op->getOperand(0))->second;
  bool isInTurn = turnRings.contains(op->getOperand(0));
  if (isa<RingWaitOp>(op)) {
    int64_t slot =
        ring.users.find(isInTurn ? inTurn.front() : agent)->second.taken;
    for (auto &[filler, tokens] : ring.fillers)
      if (!tokens.hasCommitted(slot))
        awaited.push_back(filler);
    return awaited;
  }
  int64_t before = ring.fillers.find(agent)->second.taken - ring.slots;
  for (auto &[user, tokens] : ring.users) {
    if (tokens.hasReleased(before))
      continue;
    if (isInTurn)
      llvm::append_range(awaited, inTurn);
    else
      awaited.push_back(user);
  }
  return awaited;
}
