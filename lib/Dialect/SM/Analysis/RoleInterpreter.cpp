//===- RoleInterpreter.cpp - Symbolic execution of roles --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Method: symbolic execution. Scalars are linear sums of atoms (ScalarSums.h).
// A test whose result the sums do not decide is a question to the caller, and
// `assume` adds the answer to the state.
//
//===----------------------------------------------------------------------===//

#include "RoleInterpreter.h"

#include "AgentState.h"
#include "tessera/Dialect/SM/Analysis/TripCount.h"
#include "tessera/Dialect/SM/IR/ProgramWalk.h"
#include "tessera/Dialect/SM/IR/Target.h"

using namespace tessera;
using namespace tessera::sm;

/// Loops that run more often are not counted: each count is a state of its own.
static constexpr int64_t kMostCounted = 8;

/// Half a second, and many more steps than any example takes.
static constexpr int64_t kMostSteps = 1000000;

/// Warpgroups that take turns within `role` wait for each other.
static unsigned countAgents(RoleOp role) {
  WalkResult found = role.walk([](Operation *op) {
    return isa<PingPongStartOp, PingPongWaitOp, PingPongPassOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return 1;
  return llvm::divideCeil(role.getWarps(), getTarget(role).warpsPerWarpgroup);
}

/// Notes `op` and all ops that contain it.
static void collectNode(Operation *op, llvm::DenseSet<Operation *> &graph) {
  for (; !isa<RoleOp>(op); op = op->getParentOp())
    graph.insert(op);
}

RoleInterpreter::RoleInterpreter(KernelOp kernel) : kernel(kernel) {
  for (RoleOp role : kernel.getBody().getOps<RoleOp>()) {
    unsigned count = countAgents(role), first = roles.size();
    for (unsigned i = 0; i < count; ++i) {
      roles.push_back(role);
      peers.push_back({first, count});
    }
    role.getBody().walk([&](Operation *op) {
      opNumbers.try_emplace(op, opNumbers.size());
      // A role of one agent meets nobody.
      if (isNode(op) && !(isMeeting(op) && count == 1))
        collectNode(op, scheduledOps);
    });
    for (Operation *op : scheduledOps) {
      if (auto condition = dyn_cast<scf::WhileOp>(op))
        collectAsked(condition.getConditionOp().getCondition());
      else if (isa<scf::IfOp, QueuePushOp>(op))
        collectAsked(op->getOperand(0));
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        for (Value bound :
             {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
          collectAsked(bound);
      if (auto loop = dyn_cast<scf::ForOp>(op))
        if (std::optional<int64_t> most = getMostIterations(loop);
            most && *most <= kMostCounted)
          mostIterations[op] = *most;
    }
  }
  for (RoleOp role : getRolesInTurn(kernel)) {
    inTurn.push_back(llvm::find(roles, role) - roles.begin());
    role.walk([&](RingTakeOp take) {
      for (Value ring : take.getRings())
        turnRings.insert(ring);
    });
  }
}

void RoleInterpreter::collectAsked(Value value) {
  if (!asked.insert(value).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned index = argument.getArgNumber();
    if (auto loop = dyn_cast<scf::ForOp>(parent); loop && index > 0) {
      collectAsked(loop.getInitArgs()[index - 1]);
      collectAsked(loop.getYieldedValues()[index - 1]);
    } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      if (argument.getOwner() == loop.getAfterBody())
        return collectAsked(loop.getConditionOp().getArgs()[index]);
      collectAsked(loop.getInits()[index]);
      collectAsked(loop.getYieldOp().getOperand(index));
    }
    return;
  }
  auto result = cast<OpResult>(value);
  unsigned index = result.getResultNumber();
  Operation *op = result.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return collectAsked(loop.getRegionIterArg(index));
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return collectAsked(loop.getConditionOp().getArgs()[index]);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    collectAsked(branch.getCondition());
    collectAsked(branch.thenYield().getOperand(index));
    collectAsked(branch.elseYield().getOperand(index));
    return;
  }
  for (Value operand : op->getOperands())
    collectAsked(operand);
}

RingTokens::User &RoleInterpreter::getUser(MachineState &state, Value ring,
                                           unsigned agent) const {
  bool isInTurn = turnRings.contains(ring);
  return state.tokens.rings[ring].users[isInTurn ? inTurn.front() : agent];
}

StringRef RoleInterpreter::getFunction(OpResult result) {
  std::string &name = functions[result];
  if (name.empty()) {
    Operation *op = result.getOwner();
    llvm::raw_string_ostream(name)
        << op->getName() << op->getAttrDictionary() << result.getType() << " "
        << result.getResultNumber();
  }
  return name;
}

MachineState RoleInterpreter::start() {
  MachineState state;
  Tokens &tokens = state.tokens;
  tokens.turns.assign(roles.size(), 0);
  tokens.roleTurns.assign(roles.size(), 0);
  tokens.meetings.assign(roles.size(), 0);
  if (!inTurn.empty())
    tokens.roleTurns[inTurn.front()] = 1;
  for (auto ring : kernel.getBody().getOps<RingAllocOp>())
    tokens.rings[ring].slots = ring.getType().getSlots();
  for (auto queue : kernel.getBody().getOps<QueueAllocOp>())
    tokens.queues[queue].slots = queue.getType().getCount();
  for (unsigned agent = 0; agent < roles.size(); ++agent) {
    RoleOp role = roles[agent];
    Block &body = role.getBody().front();
    Agent &started = state.agents.emplace_back();
    started.frames.push_back(
        {role, body.empty() ? nullptr : &body.front(), {}, {}, {}});
    role.walk([&](Operation *op) {
      if (auto wait = dyn_cast<RingWaitOp>(op))
        getUser(state, wait.getRing(), agent);
      else if (auto acquire = dyn_cast<RingAcquireOp>(op))
        tokens.rings[acquire.getRing()].fillers[agent];
      else if (auto pop = dyn_cast<QueuePopOp>(op))
        tokens.queues[pop.getQueue()].popped[agent];
      else if (auto push = dyn_cast<QueuePushOp>(op))
        tokens.queues[push.getQueue()].writer = agent;
    });
  }
  return state;
}

bool RoleInterpreter::run(MachineState &state) {
  bool hasMoved = true;
  while (hasMoved && numSteps < kMostSteps) {
    hasMoved = false;
    for (unsigned agent = 0; agent < state.agents.size(); ++agent)
      if (state.agents[agent].status != Agent::Status::Done)
        hasMoved |= AgentState(*this, state, agent).run(kMostSteps);
  }
  return numSteps < kMostSteps;
}

void RoleInterpreter::assume(MachineState &state, const Question &question,
                             bool isTrue) {
  state.facts.push_back({question, isTrue});
  state.fork = question.op;
  state.isCertain &= isTrue && question.isLess;
}
