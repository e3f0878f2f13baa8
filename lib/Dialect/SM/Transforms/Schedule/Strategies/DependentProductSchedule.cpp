//===- DependentProductSchedule.cpp - A product of another one --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second product multiplies what threads compute from the first one. In
// attention, s = q k', then work on s in registers ends in p, then
// o = p v + f(o). The second product runs an iteration late:
//
//   iteration j: wait for k(j), v(j-1); issue s = q k(j) and o = p(j-1) v(j-1);
//   read rows, such as gates; await s; work on s, while o goes on; await o;
//   pack p(j), f(o)
//
// Both waits come before both products: a warpgroup whose turn it is has all it
// needs, and does not wait for another one, which may be waiting for its turn.
//
//===----------------------------------------------------------------------===//

#include "ScheduleStrategy.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tessera;
using namespace tessera::sm;

/// Checks whether `op` takes something that is computed from the result of
/// `start`, in their iteration.
static bool dependsOn(Operation *op, Operation *start) {
  llvm::DenseSet<Value> values;
  for (Operation *at = start; at != op; at = at->getNextNode()) {
    bool isDependent = at == start;
    at->walk([&](Operation *inner) {
      isDependent |= llvm::any_of(inner->getOperands(), [&](Value operand) {
        return values.contains(operand);
      });
    });
    if (isDependent)
      values.insert_range(at->getResults());
  }
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return values.contains(operand); });
}

/// Scalars of the loop that `value` is computed from, with it, each after those
/// it needs; false if something else is among them.
static bool findScalars(scf::ForOp loop, Value value,
                        llvm::SetVector<Operation *> &scalars) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || scalars.contains(op))
    return op || value == loop.getInductionVar() ||
           loop.isDefinedOutsideOfLoop(value);
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
      !value.getType().isIntOrIndexOrFloat())
    return false;
  if (!llvm::all_of(op->getOperands(), [&](Value operand) {
        return findScalars(loop, operand, scalars);
      }))
    return false;
  scalars.insert(op);
  return true;
}

/// Computes the scalars that late ops take once more, from the position of
/// their iteration, so that this alone is carried.
static void repeatScalars(scf::ForOp loop, const LoopSchedule &plan) {
  Operation *first = nullptr;
  IRMapping mapping;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!plan.isLate(&op))
      continue;
    if (!first)
      first = &op;
    OpBuilder builder(first);
    for (OpOperand &operand : op.getOpOperands()) {
      llvm::SetVector<Operation *> scalars;
      Operation *definition = operand.get().getDefiningOp();
      if (!definition || definition->getBlock() != loop.getBody() ||
          plan.isLate(definition) || !findScalars(loop, operand.get(), scalars))
        continue;
      for (Operation *scalar : scalars)
        if (!mapping.contains(scalar->getResult(0)))
          builder.clone(*scalar, mapping);
      operand.set(mapping.lookup(operand.get()));
    }
  }
}

Proposals sm::proposeDependentProduct(SplitLoop &split,
                                      const LoopHints &hints) {
  ArrayRef<MmaIssueOp> products = split.products;
  if (products.size() != 2 || !dependsOn(products[1], products[0]))
    return "there are not two products where the second depends on the first";
  MmaIssueOp first = products[0], second = products[1];
  Operation *yield = split.loop.getBody()->getTerminator();
  if (!llvm::all_of(getAwait(second)->getUsers(),
                    [&](Operation *user) { return user == yield; }))
    return "the second product is used in the loop";
  OpBuilder builder(first);
  if (hints.takesTurns) {
    PingPongWaitOp::create(builder, first.getLoc());
    // The schedule puts the second product between the two.
    builder.setInsertionPointAfter(first);
    PingPongPassOp::create(builder, second.getLoc());
  }
  OrReason<DependenceGraph> graph = split.getGraph();
  if (!graph)
    return graph.getReason();
  Proposal plain, early;
  plain.order.products = {{first}, {second, kLastStage}};
  OrReason<LoopSchedule> draft = LoopSchedule::get(*graph, plain.order);
  if (!draft)
    return draft.getReason();
  repeatScalars(split.loop, *draft);
  early.order = plain.order;
  early.order.readsVectorsEarly = true;
  plain.limit = std::nullopt;
  return SmallVector<Proposal>{early, plain};
}
