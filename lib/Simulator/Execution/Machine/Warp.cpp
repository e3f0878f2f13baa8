//===- Warp.cpp - One warp while it runs ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An interpreter of one warp with an explicit stack of activations (block, next
// op, loop state), so that the warp can stop at any op. A step executes the ops
// that other agents cannot observe, then one stage of the next visible op. Ops
// outside of the dialect `sm` have the semantics of the reference interpreter,
// on the warp's fragments.
//
// Invariant: a stage that is blocked, or that is only asked (`isReady`),
// changes no state, so it can be repeated.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "Waits.h"

#include "tessera/Dialect/Tile/IR/EarlyExit.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"

using namespace tessera;
using namespace tessera::sim;
using interp::RuntimeValue;
using interp::Tile;

/// Number of lanes of a warp.
static constexpr int64_t kLanes = 32;

Warp::Warp(Cta &cta, unsigned number)
    : Frame(cta.getSimulation().launch, cta.getSimulation().constants),
      cta(cta),
      id(cta.getRank() * cta.getSimulation().kernel.getWarps() + number),
      number(number), roleWarps(cta.getSimulation().kernel.getWarps()),
      clocks(cta.getCluster().countWarps()) {
  clocks.seen.setStep(id, moment);
  interp::Launch &launch = getLaunch();
  SmallVector<RuntimeValue> arguments;
  for (unsigned i = 0, e = launch.getNumArguments(); i < e; ++i) {
    if (interp::GlobalTensor *tensor = launch.getTensor(i))
      arguments.push_back(tensor);
    else
      arguments.push_back(launch.getScalar(i));
  }
  push(cta.getSimulation().kernel.getBody(), arguments);
}

Operation *Warp::getOp() const {
  if (stack.empty())
    return nullptr;
  const Activation &top = stack.back();
  return top.next == top.block->end() ? top.block->getParentOp() : &*top.next;
}

std::string Warp::str() const {
  std::string text = "warp " + std::to_string(number);
  if (role)
    text += " (role '" + sm::RoleOp(role).getName().str() + "')";
  return text;
}

const Fragment &Warp::getFragment(Type tile) {
  return cta.getSimulation().tables.getDistribution(
      cast<RankedTensorType>(tile))[getRank()];
}

//===----------------------------------------------------------------------===//
// Values and reports
//===----------------------------------------------------------------------===//

Tile Warp::makeOwn(Type type) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return makeWhole(type);
  const Fragment &fragment =
      cta.getSimulation().tables.getDistribution(tensor)[getRank()];
  return Tile(*interp::getElementType(tensor.getElementType()),
              {fragment.registers, kLanes});
}

Tile Warp::getOwnPart(Type type, const Tile &whole) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return whole;
  Tile own = makeOwn(type);
  const Fragment &fragment =
      cta.getSimulation().tables.getDistribution(tensor)[getRank()];
  auto pick = [&](auto from, auto to) {
    for (auto [i, element] : llvm::enumerate(fragment.elements))
      to[i] = from[element];
  };
  interp::visitNumbers(own.getType(), [&](auto number) {
    using T = decltype(number);
    pick(whole.get<T>(), own.getMutable<T>());
  });
  return own;
}

LogicalResult Warp::report(Operation *op, const Twine &message) {
  return report(op, message, ArrayRef<Note>());
}

LogicalResult Warp::report(Operation *op, const Twine &message,
                           ArrayRef<Note> notes) {
  InFlightDiagnostic diagnostic = emitError(op->getLoc()) << message;
  for (const Note &note : notes)
    diagnostic.attachNote(note.op->getLoc()) << note.text;
  sm::KernelOp kernel = cta.getSimulation().kernel;
  diagnostic.attachNote(kernel.getLoc())
      << "in " << str() << " of CTA " << cta.getNumber() << " of kernel '"
      << kernel.getSymName() << "'";
  return diagnostic;
}

LogicalResult Warp::reportNotHeld(Operation *op) {
  return report(op, "the warp does not hold all elements of its operands that "
                    "it needs");
}

Outcome Warp::fail(Operation *op, const Twine &message) {
  (void)report(op, message);
  return Outcome::Failed;
}

Outcome Warp::block(Waiting reason) {
  waiting = std::move(reason);
  return Outcome::Blocked;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Records the outcome of a visible op in the trace.
Outcome Warp::trace(Operation *op, Outcome outcome) {
  Tracer *tracer = cta.getSimulation().tracer.get();
  if (tracer && outcome == Outcome::Done)
    tracer->finish(*this, op);
  if (tracer && outcome == Outcome::Blocked)
    tracer->wait(*this, op);
  if (outcome == Outcome::Blocked && !isQuiet(op))
    blockedAt = cta.getSimulation().changes;
  return outcome;
}

LogicalResult Warp::runPrivateOps() {
  Simulation &simulation = cta.getSimulation();
  while (!stack.empty()) {
    Activation &top = stack.back();
    if (simulation.options.stepLimit.isReached(simulation.steps))
      return report(getOp(),
                    simulation.options.stepLimit.describe("operations"));
    if (top.next == top.block->end())
      return success();
    Operation *op = &*top.next;
    if (op->hasTrait<OpTrait::IsTerminator>()) {
      ++simulation.steps;
      if (failed(leave(op)))
        return failure();
      continue;
    }
    const Behaviour *behaviour = findBehaviour(op, simulation.isFenced());
    if (!behaviour) {
      ++simulation.steps;
      if (failed(op->getNumRegions() ? enter(op) : execute(op)))
        return failure();
      continue;
    }
    if (behaviour->isVisible)
      return success();
    if (runStage(op, *behaviour) == Outcome::Failed)
      return failure();
  }
  return success();
}

Outcome Warp::runStage(Operation *op, const Behaviour &behaviour) {
  size_t depth = stack.size() - 1;
  Outcome outcome = behaviour.stages[stage](op, *this);
  if (outcome == Outcome::Failed || outcome == Outcome::Blocked)
    return outcome;
  ++cta.getSimulation().steps;
  if (behaviour.isVisible && !isQuiet(op))
    ++cta.getSimulation().changes;
  if (outcome == Outcome::Done && ++stage == behaviour.stages.size()) {
    stage = 0;
    ++stack[depth].next;
  }
  return Outcome::Done;
}

Outcome Warp::runStage() {
  if (stack.empty())
    return Outcome::Done;
  Operation *op = getOp();
  if (stack.back().next == stack.back().block->end())
    return trace(op, endRole());
  return trace(
      op, runStage(op, *findBehaviour(op, cta.getSimulation().isFenced())));
}

Outcome Warp::step() {
  return failed(runPrivateOps()) ? Outcome::Failed : runStage();
}

const Stage *Warp::getStage() {
  if (stack.back().next == stack.back().block->end())
    return nullptr;
  return &findBehaviour(getOp(), cta.getSimulation().isFenced())->stages[stage];
}

FailureOr<bool> Warp::isReady() {
  const Stage *next = getStage();
  if (next && !next->mayWait())
    return true;
  asking = true;
  Outcome outcome = next ? (*next)(getOp(), *this) : endRole();
  asking = false;
  if (outcome == Outcome::Failed)
    return failure();
  if (outcome == Outcome::Blocked)
    trace(getOp(), outcome);
  return outcome != Outcome::Blocked;
}

bool Warp::isContended() {
  const Stage *next = getStage();
  return next && next->isContended(getOp(), *this);
}

LogicalResult Warp::execute(Operation *op) {
  ++stack.back().next;
  if (failed((*findSemantics(op))(op, *this)))
    return failure();
  cutToMachineWidth(op, *this);
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void Warp::push(Region &region, ArrayRef<RuntimeValue> arguments) {
  Block &block = region.front();
  for (auto [argument, contents] : llvm::zip(block.getArguments(), arguments))
    set(argument, contents);
  Activation &activation = stack.emplace_back();
  activation.block = &block;
  activation.next = block.begin();
}

SmallVector<RuntimeValue> Warp::getAll(ValueRange operands) {
  SmallVector<RuntimeValue> values;
  for (Value operand : operands)
    values.push_back(get(operand));
  return values;
}

/// Sets the results of `op` to `values`, and continues after it.
void Warp::finish(Operation *op, ArrayRef<RuntimeValue> values) {
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    set(result, value);
  ++stack.back().next;
}

LogicalResult Warp::enter(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    FailureOr<interp::LoopRange> range = interp::LoopRange::get(op, *this);
    if (failed(range))
      return failure();
    SmallVector<RuntimeValue> carried = getAll(loop.getInitArgs());
    if (range->trips == 0) {
      finish(op, carried);
      return success();
    }
    carried.insert(carried.begin(), range->at(0));
    push(loop.getRegion(), carried);
    stack.back().range = *range;
    stack.back().runs = tile::findEarlyExit(loop);
    stack.back().mayWait = range->mayWait<sm::AtomicOp>(loop);
    stack.back().changes = cta.getSimulation().changes;
    return success();
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    push(loop.getBefore(), getAll(loop.getInits()));
    return success();
  }
  Region *region = nullptr;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    region = getInteger(branch.getCondition()) ? &branch.getThenRegion()
                                               : &branch.getElseRegion();
  } else if (auto choice = dyn_cast<scf::IndexSwitchOp>(op)) {
    int64_t selector = getInteger(choice.getArg());
    region = &choice.getDefaultRegion();
    for (auto [value, other] :
         llvm::zip(choice.getCases(), choice.getCaseRegions()))
      if (value == selector)
        region = &other;
  } else {
    region = &op->getRegion(0);
  }
  if (region->empty())
    finish(op, {});
  else
    push(*region, {});
  return success();
}

LogicalResult Warp::leave(Operation *terminator) {
  Operation *parent = terminator->getParentOp();
  SmallVector<RuntimeValue> values = getAll(terminator->getOperands());
  if (isa<scf::ForOp>(parent)) {
    Activation &top = stack.back();
    bool goesOn = !top.runs || std::get<Tile>(values[*top.runs]).getInteger();
    if (top.mayWait && goesOn && failed(noteIteration(parent, values)))
      return failure();
    if (top.mayWait && !goesOn)
      ++cta.getSimulation().changes;
    if (++top.trip < top.range.trips && goesOn) {
      set(top.block->getArgument(0), top.range.at(top.trip));
      for (auto [argument, value] :
           llvm::zip(top.block->getArguments().drop_front(), values))
        set(argument, std::move(value));
      top.next = top.block->begin();
      return success();
    }
  }
  stack.pop_back();
  if (stack.empty())
    return success();
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (!isa<scf::ConditionOp>(terminator)) {
      push(loop.getBefore(), values);
      return success();
    }
    // The first operand of scf.condition is the condition of the loop.
    ArrayRef<RuntimeValue> passed = ArrayRef(values).drop_front();
    if (std::get<Tile>(values.front()).getInteger())
      push(loop.getAfter(), passed);
    else
      finish(parent, passed);
    return success();
  }
  finish(parent, values);
  return success();
}

void Warp::startRole(sm::RoleOp op) {
  role = op;
  firstWarp = op.getFirstWarp();
  roleWarps = op.getWarps();
  push(op.getBody(), {});
}

Outcome Warp::endRole() {
  // Shared memory must outlive the copies that read it.
  if (Outcome outcome = awaitStores(*this, /*leave=*/0);
      outcome != Outcome::Done)
    return outcome;
  role = nullptr;
  firstWarp = 0;
  roleWarps = cta.getNumWarps();
  stack.pop_back();
  return Outcome::Done;
}
