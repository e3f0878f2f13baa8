//===- OrderDependence.cpp - Results that depend on the order ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward slice (taint analysis) from the values that atomic operations
// return: each program gets the value that another one has left, and their
// order is unspecified. The slice follows operands, tensors in memory, and
// conditions of branches. `exchange` and `cas` leave such a value in memory. A
// sum of `atomic_add` is not in the slice, since its terms commute.
//
//===----------------------------------------------------------------------===//

#include "OrderDependence.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tessera;
using namespace tessera::tools;

namespace {
class Slice {
public:
  /// Adds what `op` passes on. Returns whether the slice has grown.
  bool visit(Operation *op);

  bool contains(Value value) const { return values.contains(value); }

private:
  void add(Value value) { hasGrown |= values.insert(value).second; }
  /// Checks whether the slice decides if `op` executes.
  bool isControlled(Operation *op) const;
  void visit(scf::IfOp branch);
  void visit(scf::ForOp loop);

  llvm::DenseSet<Value> values;
  bool hasGrown = false;
};
} // namespace

bool Slice::isControlled(Operation *op) const {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (auto branch = dyn_cast<scf::IfOp>(parent))
      if (contains(branch.getCondition()))
        return true;
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      if (contains(loop.getLowerBound()) || contains(loop.getUpperBound()))
        return true;
  }
  return false;
}

void Slice::visit(scf::IfOp branch) {
  for (OpResult result : branch.getResults()) {
    unsigned number = result.getResultNumber();
    if (contains(branch.getCondition()) ||
        contains(branch.thenYield().getOperand(number)) ||
        contains(branch.elseYield().getOperand(number)))
      add(result);
  }
}

void Slice::visit(scf::ForOp loop) {
  bool hasBounds =
      contains(loop.getLowerBound()) || contains(loop.getUpperBound());
  for (auto [argument, init, yielded, result] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs(),
                       loop.getYieldedValues(), loop.getResults()))
    if (hasBounds || contains(init) || contains(yielded)) {
      add(argument);
      add(result);
    }
  if (contains(loop.getLowerBound()))
    add(loop.getInductionVar());
}

bool Slice::visit(Operation *op) {
  hasGrown = false;
  bool isIn = llvm::any_of(op->getOperands(),
                           [&](Value operand) { return contains(operand); });
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    visit(branch);
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    visit(loop);
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    if (isIn || isControlled(op))
      add(store.getGlobal());
  } else if (auto atomic = dyn_cast<tile::AtomicOp>(op)) {
    bool replaces = atomic.getKind() == tile::AtomicKind::Exchange ||
                    atomic.getKind() == tile::AtomicKind::Cas;
    if (replaces || isIn || isControlled(op))
      add(atomic.getGlobal());
    if (atomic.getOld())
      add(atomic.getOld());
  } else if (isIn) {
    for (Value result : op->getResults())
      add(result);
  }
  return hasGrown;
}

llvm::SmallDenseSet<unsigned>
tessera::tools::findOrderDependent(tile::KernelOp kernel) {
  Slice slice;
  // Values of loops and tensors in memory need several rounds.
  for (bool hasGrown = true; hasGrown;) {
    hasGrown = false;
    kernel.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { hasGrown |= slice.visit(op); });
  }
  llvm::SmallDenseSet<unsigned> found;
  for (auto [number, parameter] : llvm::enumerate(kernel.getParams()))
    if (slice.contains(parameter))
      found.insert(number);
  return found;
}
