//===- DependenceGraph.cpp - Dependence graph of a loop ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the modulo dependence graph of a loop: the nodes are the ops of its
// body, and an edge has the distance in iterations between two ops. Edges come
// from values, registers of operands in flight and side effects; those of
// shared memory are in SharedDependences.cpp.
//
// Invariant: a schedule that respects all edges computes the results of the
// loop.
//
//===----------------------------------------------------------------------===//

#include "DependenceGraph.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tessera;
using namespace tessera::sm;

OpScheduleAttr sm::getSchedule(Operation *op) {
  return op->getAttrOfType<OpScheduleAttr>(kOpScheduleAttrName);
}

bool sm::isOfOneWarpgroup(Operation *op) {
  auto isOwn = [](Operation *inner) {
    return isa<MmaIssueOp, MmaAwaitOp, MmaRetireOp, SlotTileOp, SmemLoadOp,
               ExpandDimsOp, BroadcastOp, IndicesOp>(inner) ||
           (isMemoryEffectFree(inner) && !isa<SMDialect>(inner->getDialect()));
  };
  return !op->walk([&](Operation *inner) {
              return isOwn(inner) ? WalkResult::advance()
                                  : WalkResult::interrupt();
            }).wasInterrupted();
}

bool sm::runsAfterLoop(Operation *op) {
  return isa<MmaAwaitOp>(op) && op->hasAttr(kAfterLoopAttrName);
}

Operation *sm::getCarriedFrom(scf::ForOp loop, BlockArgument argument) {
  Operation *op = loop.getTiedLoopYieldedValue(argument)->get().getDefiningOp();
  if (!op || op->getBlock() != loop.getBody())
    return nullptr;
  return runsAfterLoop(op) ? cast<MmaAwaitOp>(op).getPending().getDefiningOp()
                           : op;
}

/// The result of a transpose is in the registers of its operand.
static Value getTransposed(Value tile) {
  while (auto transpose = tile.getDefiningOp<TransposeOp>())
    tile = transpose.getSource();
  return tile;
}

/// Returns the argument of the body around `issue` that is its left operand in
/// registers, or null.
static BlockArgument getCarriedOperand(MmaIssueOp issue) {
  auto argument = dyn_cast<BlockArgument>(getTransposed(issue.getA()));
  return argument && argument.getOwner() == issue->getBlock() &&
                 isRegisterTile(argument.getType())
             ? argument
             : BlockArgument();
}

Operation *sm::getNextOperand(MmaIssueOp issue) {
  auto loop = dyn_cast<scf::ForOp>(issue->getParentOp());
  BlockArgument argument = getCarriedOperand(issue);
  if (!loop || !argument)
    return nullptr;
  Value next = getTransposed(loop.getTiedLoopYieldedValue(argument)->get());
  Operation *op = next.getDefiningOp();
  return op && op->getBlock() == loop.getBody() ? op : nullptr;
}

//===----------------------------------------------------------------------===//
// Kinds of ops
//===----------------------------------------------------------------------===//

/// Checks whether values and tiles alone say what `op` comes before and after.
/// All other ops keep their order.
static bool isOrderedByValues(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return !load.getGlobalType().isWritable();
  if (op->getNumRegions() > 0 && !isMemoryEffectFree(op))
    return !op->walk([&](Operation *inner) {
                return inner == op || inner->getNumRegions() > 0 ||
                               isOrderedByValues(inner)
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              }).wasInterrupted();
  return isMemoryEffectFree(op) ||
         isa<AnyOp, RingWaitOp, RingReleaseOp, SlotTileOp, SmemStoreOp,
             SmemLoadOp, MmaIssueOp, MmaAwaitOp, MmaRetireOp, PingPongWaitOp,
             PingPongPassOp>(op);
}

SmallVector<Value> DependenceGraph::getOperandsWithin(Operation *op) {
  SmallVector<Value> operands;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
        operands.push_back(operand);
  });
  return operands;
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

void DependenceGraph::depend(Operation *before, Operation *after,
                             int64_t distance) {
  Dependence dependence{numbers.lookup(before), numbers.lookup(after),
                        distance};
  dependences.push_back(dependence);
  ofNodes[dependence.after].push_back(dependence);
}

LogicalResult
DependenceGraph::findCompletions(function_ref<void(Operation *, Twine)> fail) {
  Operation *retire = nullptr;
  for (Operation *op : llvm::reverse(ops)) {
    if (isa<MmaRetireOp>(op))
      retire = op;
    auto issue = dyn_cast<MmaIssueOp>(op);
    if (!issue)
      continue;
    Operation *completion = retire;
    for (Operation *user : issue->getUsers())
      if (isa<MmaIssueOp>(user))
        completion = completions.lookup(user);
      else if (isa<MmaAwaitOp>(user) && user->getBlock() == loop.getBody() &&
               !runsAfterLoop(user))
        completion = user;
    if (!completion) {
      fail(op, "does not complete in its iteration");
      return failure();
    }
    completions[issue] = completion;
  }
  return success();
}

/// A retire waits for all products before it, and a turn is passed after it is
/// taken.
void DependenceGraph::addProducts() {
  SmallVector<Operation *> issues;
  Operation *take = nullptr;
  for (Operation *op : ops) {
    if (isa<MmaIssueOp>(op))
      issues.push_back(op);
    if (isa<MmaRetireOp>(op))
      for (Operation *issue : issues)
        depend(issue, op, 0);
    if (isa<PingPongWaitOp>(op))
      take = op;
    if (isa<PingPongPassOp>(op) && take)
      depend(take, op, 0);
  }
}

/// An op runs after those that compute what it takes, in its own iteration or,
/// if the loop carries it, in the one before.
void DependenceGraph::addValues() {
  Block *body = loop.getBody();
  for (Operation *op : ops)
    for (Value operand : getOperandsWithin(op)) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (argument && argument.getOwner() == body &&
          argument != loop.getInductionVar()) {
        if (Operation *before = getCarriedFrom(loop, argument))
          depend(before, op, 1);
      } else if (Operation *definition = operand.getDefiningOp();
                 definition && definition->getBlock() == body) {
        depend(definition, op, 0);
      }
    }
}

/// Adds dependences for registers that a product in flight reads, which must
/// not be written (ptxas C7513). The op that writes the operand of an iteration
/// runs after the product of the iteration before is complete.
void DependenceGraph::addOperandsInFlight() {
  for (Operation *issue : ops) {
    Operation *completion = completions.lookup(issue);
    if (!completion)
      continue;
    auto product = cast<MmaIssueOp>(issue);
    if (getCarriedOperand(product)) {
      // The next iteration has another tile in the same registers.
      depend(completion, issue, 1);
      Operation *next = getNextOperand(product);
      if (next && next != completion)
        depend(completion, next, 0);
    }
    Value a = product.getA();
    while (Operation *op = a.getDefiningOp()) {
      if (op->getBlock() != loop.getBody() || !isRegisterTile(a.getType()))
        break;
      depend(completion, op, 1);
      operandsInFlight.insert(numbers.lookup(op));
      // The result of a transpose is in the registers of its operand.
      if (isa<TransposeOp>(op)) {
        a = op->getOperand(0);
        continue;
      }
      if (!isa<arith::TruncFOp, ConvertOp>(op))
        break;
      a = op->getOperand(0);
      // The product reads the result of a conversion, not its operand.
      if (!isa_and_present<arith::TruncFOp, ConvertOp>(a.getDefiningOp()))
        break;
    }
  }
}

/// All other ops with effects keep their order. Barriers also keep their place
/// between accesses of threads to tiles, and before the release of a slot.
void DependenceGraph::addEffects() {
  SmallVector<Operation *> effects, reads;
  Operation *barrier = nullptr;
  for (Operation *op : ops) {
    if (barrier && isa<SmemLoadOp, SmemStoreOp, RingReleaseOp>(op))
      depend(barrier, op, 0);
    if (isa<SmemLoadOp, SmemStoreOp>(op))
      reads.push_back(op);
    if (isOrderedByValues(op))
      continue;
    if (isa<BarrierOp>(op)) {
      for (Operation *read : reads)
        depend(read, op, 0);
      barrier = op;
    }
    if (!effects.empty())
      depend(effects.back(), op, 0);
    effects.push_back(op);
  }
  for (Operation *before : effects)
    for (Operation *after : effects)
      depend(before, after, 1);
}

FailureOr<DependenceGraph>
DependenceGraph::get(scf::ForOp loop,
                     function_ref<void(Operation *, Twine)> fail) {
  DependenceGraph graph(loop);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (runsAfterLoop(&op))
      continue;
    bool isOpaque = false;
    op.walk([&](Operation *inner) {
      if (isa<MmaOp>(inner) ||
          (isa<MmaIssueOp, MmaAwaitOp, MmaRetireOp>(inner) && inner != &op))
        isOpaque = true;
    });
    if (isOpaque) {
      fail(&op, isa<MmaOp>(op)
                    ? "is a product that nothing awaits"
                    : "holds products, which have no place of their own");
      return failure();
    }
    graph.numbers[&op] = graph.ops.size();
    graph.ops.push_back(&op);
  }
  if (failed(graph.findCompletions(fail)))
    return failure();
  graph.ofNodes.resize(graph.ops.size());
  graph.addProducts();
  graph.addValues();
  graph.addOperandsInFlight();
  graph.addTiles();
  graph.addEffects();
  graph.addRings();
  graph.addNestedRings();
  return graph;
}
