//===- AgentState.cpp - One role as it runs ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The control flow of a role: loops and conditions with ops are followed,
// others passed over.
//
//===----------------------------------------------------------------------===//

#include "AgentState.h"

#include "tessera/Dialect/Tile/IR/EarlyExit.h"

using namespace tessera;
using namespace tessera::sm;

bool AgentState::run(int64_t mostSteps) {
  bool hasMoved = false;
  agent.status = Agent::Status::Ready;
  while (agent.status == Agent::Status::Ready &&
         machine.numSteps++ < mostSteps && step())
    hasMoved = true;
  return hasMoved;
}

bool AgentState::step() {
  Frame &frame = agent.frames.back();
  Operation *op = frame.next;
  if (!op)
    return isa<scf::ForOp>(frame.owner) ? testLoop() : endBlock(nullptr);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return endBlock(op);
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op) &&
      machine.scheduledOps.contains(op))
    return enter(op);
  if (isNode(op) && !fire(op))
    return false;
  // Firing may not change the frames.
  agent.frames.back().next = op->getNextNode();
  return true;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<AgentState::Carried> AgentState::read(ValueRange values) {
  SmallVector<Carried> carried;
  for (Value value : values) {
    Carried &entry = carried.emplace_back();
    if (isa<SlotType>(value.getType())) {
      if (auto slot = agent.slots.find(value); slot != agent.slots.end())
        entry.slot = slot->second;
    } else if (value.getType().isIntOrIndex() &&
               machine.asked.contains(value)) {
      entry.scalar = evaluate(value);
    }
  }
  return carried;
}

void AgentState::write(ValueRange values, ArrayRef<Carried> carried) {
  for (auto [value, entry] : llvm::zip(values, carried)) {
    if (entry.scalar)
      agent.scalars[value] = *entry.scalar;
    if (entry.slot)
      agent.slots[value] = *entry.slot;
  }
}

/// Drops facts about values of `region`: the next iteration has others.
void AgentState::forget(Region &region) {
  auto isWithin = [&](Value value) {
    return region.isAncestor(value.getParentRegion());
  };
  agent.scalars.remove_if([&](auto &entry) { return isWithin(entry.first); });
  agent.slots.remove_if([&](auto &entry) { return isWithin(entry.first); });
}

static Operation *getFirst(Region &region) { return &region.front().front(); }

bool AgentState::enter(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    std::optional<bool> isTrue = askCondition(branch.getCondition(), op);
    if (!isTrue)
      return false;
    agent.frames.back().next = op->getNextNode();
    Region &region = *isTrue ? branch.getThenRegion() : branch.getElseRegion();
    if (!region.empty())
      agent.frames.push_back({op, getFirst(region), {}, {}, {}});
    return true;
  }
  agent.frames.back().next = op->getNextNode();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Frame frame = {op, nullptr, evaluate(loop.getLowerBound()),
                   evaluate(loop.getUpperBound()), evaluate(loop.getStep())};
    write(loop.getRegionIterArgs(), read(loop.getInitArgs()));
    agent.frames.push_back(frame);
    return true;
  }
  auto loop = cast<scf::WhileOp>(op);
  write(loop.getBeforeArguments(), read(loop.getInits()));
  agent.frames.push_back({op, getFirst(loop.getBefore()), {}, {}, {}});
  return true;
}

/// Checks whether the condition of an early exit is known to be false: no later
/// iteration changes anything.
bool AgentState::hasEnded(scf::ForOp loop) {
  std::optional<unsigned> runs = tile::findEarlyExit(loop);
  return runs && evaluate(loop.getRegionIterArg(*runs)) == ScalarSum();
}

bool AgentState::testLoop() {
  Frame &frame = agent.frames.back();
  auto loop = cast<scf::ForOp>(frame.owner);
  ScalarAtoms &atoms = machine.atoms;
  ScalarSum distance = atoms.expand(frame.index) - atoms.expand(frame.bound);
  auto most = machine.mostIterations.find(loop);
  bool isLimited = most != machine.mostIterations.end();
  std::optional<bool> goesOn =
      (isLimited && frame.iterations == most->second) || hasEnded(loop)
          ? false
          : ask({/*isLess=*/true, distance, atoms.expand(frame.step), distance,
                 loop});
  if (!goesOn)
    return false;
  if (*goesOn) {
    frame.iterations += isLimited;
    agent.scalars[loop.getInductionVar()] =
        atoms.get(ScalarAtoms::Kind::Iteration, "",
                  {distance, atoms.expand(frame.index)});
    frame.next = getFirst(loop.getRegion());
    return true;
  }
  SmallVector<Carried> carried = read(loop.getRegionIterArgs());
  agent.frames.pop_back();
  write(loop.getResults(), carried);
  return true;
}

bool AgentState::endBlock(Operation *terminator) {
  Frame &frame = agent.frames.back();
  Operation *owner = frame.owner;
  if (isa<RoleOp>(owner)) {
    agent.status = Agent::Status::Done;
    return false;
  }
  if (auto condition = dyn_cast_or_null<scf::ConditionOp>(terminator)) {
    auto loop = cast<scf::WhileOp>(owner);
    std::optional<bool> goesOn =
        askCondition(condition.getCondition(), condition);
    if (!goesOn)
      return false;
    SmallVector<Carried> carried = read(condition.getArgs());
    if (*goesOn) {
      write(loop.getAfterArguments(), carried);
      frame.next = getFirst(loop.getAfter());
    } else {
      agent.frames.pop_back();
      write(loop.getResults(), carried);
    }
    return true;
  }
  SmallVector<Carried> carried = read(terminator->getOperands());
  if (auto loop = dyn_cast<scf::ForOp>(owner)) {
    frame.index = frame.index + frame.step;
    frame.next = nullptr;
    forget(loop.getRegion());
    write(loop.getRegionIterArgs(), carried);
  } else if (auto loop = dyn_cast<scf::WhileOp>(owner)) {
    forget(loop.getBefore());
    forget(loop.getAfter());
    write(loop.getBeforeArguments(), carried);
    frame.next = getFirst(loop.getBefore());
  } else {
    agent.frames.pop_back();
    write(owner->getResults(), carried);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Scalars and questions
//===----------------------------------------------------------------------===//

static std::string getName(const void *pointer) {
  return std::to_string(reinterpret_cast<uintptr_t>(pointer));
}

ScalarSum AgentState::evaluate(Value value) {
  if (auto known = agent.scalars.find(value); known != agent.scalars.end())
    return known->second;
  if (auto result = dyn_cast<OpResult>(value)) {
    // Values computed before the roles are evaluated once.
    if (isa<KernelOp>(result.getOwner()->getParentOp())) {
      auto known = machine.ofKernel.find(value);
      if (known == machine.ofKernel.end())
        known = machine.ofKernel.try_emplace(value, evaluateOp(result)).first;
      return known->second;
    }
    return evaluateOp(result);
  }
  return machine.atoms.get(ScalarAtoms::Kind::Leaf,
                           getName(value.getAsOpaquePointer()));
}

/// Checks whether `op` is the same function of its operands at every place: it
/// has no effect, or reads memory that the kernel does not write.
static bool isFunction(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return !load.getGlobalType().isWritable();
  return op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

ScalarSum AgentState::evaluateOp(OpResult result) {
  Operation *op = result.getOwner();
  ScalarAtoms &atoms = machine.atoms;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      return {number.getValue().getSExtValue(), {}};
  if (isa<arith::AddIOp>(op))
    return evaluate(op->getOperand(0)) + evaluate(op->getOperand(1));
  if (isa<arith::SubIOp>(op))
    return evaluate(op->getOperand(0)) - evaluate(op->getOperand(1));
  if (isa<arith::IndexCastOp>(op))
    return evaluate(op->getOperand(0));
  if (isa<arith::MulIOp>(op)) {
    ScalarSum a = evaluate(op->getOperand(0)), b = evaluate(op->getOperand(1));
    if (a.isConstant())
      return b * a.constant;
    if (b.isConstant())
      return a * b.constant;
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    ScalarSum a = evaluate(compare.getLhs()), b = evaluate(compare.getRhs());
    if (a.isConstant() && b.isConstant())
      return {arith::applyCmpPredicate(compare.getPredicate(),
                                       APInt(64, a.constant, true),
                                       APInt(64, b.constant, true)),
              {}};
  }
  if (isa<arith::AndIOp>(op)) {
    ScalarSum a = evaluate(op->getOperand(0)), b = evaluate(op->getOperand(1));
    if (a == ScalarSum() || b == ScalarSum())
      return {};
  }
  if (isa<ProgramIdOp>(op) && machine.kernel.getPersistent())
    return atoms.get(ScalarAtoms::Kind::FirstProgram, "");
  bool isOfScalars = llvm::all_of(op->getOperandTypes(), [](Type type) {
    return type.isIntOrIndexOrFloat() || isa<tile::GlobalType>(type);
  });
  if (isOfScalars && isFunction(op)) {
    SmallVector<ScalarSum> operands;
    for (Value operand : op->getOperands())
      operands.push_back(evaluate(operand));
    return atoms.get(ScalarAtoms::Kind::Result, machine.getFunction(result),
                     operands);
  }
  std::string name = getName(result.getAsOpaquePointer());
  auto role = op->getParentOfType<RoleOp>();
  if (!role)
    return atoms.get(ScalarAtoms::Kind::Leaf, name);
  // All warpgroups of the role find the same, once in each iteration.
  SmallVector<ScalarSum> around;
  for (const Frame &frame : agent.frames) {
    if (!frame.owner->isAncestor(op))
      break;
    if (isa<scf::ForOp>(frame.owner))
      around.push_back(
          agent.scalars[cast<scf::ForOp>(frame.owner).getInductionVar()]);
    if (auto loop = dyn_cast<scf::WhileOp>(frame.owner))
      for (Value argument : loop.getBeforeArguments())
        if (machine.asked.contains(argument))
          around.push_back(evaluate(argument));
  }
  return atoms.get(ScalarAtoms::Kind::Unknown, name, around);
}

std::optional<bool> AgentState::ask(Question question) {
  const ScalarSum &value = question.value;
  if (value.isConstant())
    return question.isLess ? value.constant < 0 : value.constant != 0;
  for (const Fact &fact : state.facts) {
    if (fact.question.isLess != question.isLess)
      continue;
    ScalarSum difference = value - fact.question.value;
    if (difference == ScalarSum())
      return fact.isTrue;
    if (!question.isLess)
      continue;
    // Steps of loops are positive.
    int direction = 0;
    for (const ScalarSum &step :
         {question.step, fact.question.step, ScalarSum{1, {}}})
      if (direction == 0)
        direction = difference.getDirection(step);
    if (direction == (fact.isTrue ? -1 : 1))
      return fact.isTrue;
  }
  agent.status = Agent::Status::Asks;
  agent.question = std::move(question);
  return std::nullopt;
}

/// Rewrites a test of another iteration of an enclosing loop, such as "i + step
/// < bound", to the test of the loop itself in that iteration.
ScalarSum AgentState::relateToLoop(const ScalarSum &value) {
  ScalarAtoms &atoms = machine.atoms;
  ScalarSum expanded = atoms.expand(value);
  for (const Frame &frame : agent.frames) {
    auto loop = dyn_cast<scf::ForOp>(frame.owner);
    if (!loop)
      continue;
    ScalarSum index = atoms.expand(frame.index);
    ScalarSum related =
        expanded.replace(agent.scalars[loop.getInductionVar()], index);
    ScalarSum distance = index - atoms.expand(frame.bound);
    if ((related - distance).getMultipleOf(atoms.expand(frame.step)))
      return related;
  }
  return expanded;
}

std::optional<bool> AgentState::askCondition(Value condition, Operation *op) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  auto askTrue = [&] {
    ScalarSum value = evaluate(condition);
    return ask({/*isLess=*/false, value, {}, value, op});
  };
  if (!compare || agent.scalars.count(condition))
    return askTrue();
  auto askLess = [&](Value a, Value b) {
    ScalarSum value = evaluate(a) - evaluate(b);
    return ask({/*isLess=*/true, relateToLoop(value), {}, value, op});
  };
  auto invert = [](std::optional<bool> answer) {
    return answer ? std::optional<bool>(!*answer) : std::nullopt;
  };
  Value a = compare.getLhs(), b = compare.getRhs();
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::slt:
    return askLess(a, b);
  case arith::CmpIPredicate::sgt:
    return askLess(b, a);
  case arith::CmpIPredicate::sge:
    return invert(askLess(a, b));
  case arith::CmpIPredicate::sle:
    return invert(askLess(b, a));
  default:
    return askTrue();
  }
}
