//===- DependenceGraph.h - Dependence graph of a loop -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of a loop body as nodes, their dependences as edges. The pass that
// schedules a loop and the pass that applies the schedule use the same graph:
// a schedule is legal or refused, and never repaired.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_DEPENDENCEGRAPH_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_DEPENDENCEGRAPH_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// `after` of an iteration runs after `before` of the one `distance` earlier.
/// Both are numbers of ops.
struct Dependence {
  unsigned before, after;
  int64_t distance;
};

/// The ops of one loop, numbered as its body lists them.
class DependenceGraph {
public:
  /// Returns the graph of `loop`. Fails, and calls `fail` with an op and a
  /// reason, if the order of the body cannot be changed. That holds for bodies
  /// with `sm.mma`, with products in loops or conditions, and with products
  /// that do not complete in their iteration.
  static FailureOr<DependenceGraph>
  get(scf::ForOp loop, function_ref<void(Operation *, Twine)> fail);

  scf::ForOp getLoop() const { return loop; }
  ArrayRef<Operation *> getOps() const { return ops; }
  ArrayRef<Dependence> getDependences() const { return dependences; }

  /// Returns the dependences whose `after` is `node`.
  ArrayRef<Dependence> getDependences(unsigned node) const {
    return ofNodes[node];
  }

  /// Returns the node that `op` is, or is part of.
  unsigned getNumber(Operation *op) const {
    scf::ForOp inner = loop;
    return numbers.lookup(inner.getBody()->findAncestorOpInBlock(*op));
  }

  /// Where `issue` is known to be complete: its await, or the first
  /// `sm.mma.retire` after it.
  Operation *getCompletion(MmaIssueOp issue) const {
    return completions.lookup(issue);
  }

  /// Checks whether `node` makes registers that a product reads while it is in
  /// flight.
  bool isOperandInFlight(unsigned node) const {
    return operandsInFlight.contains(node);
  }

  /// How many iterations of the scheduled loop `after` runs later than
  /// `before`. At 0 their orders decide; below 0 it runs too early.
  static int64_t getSlack(const Dependence &dependence,
                          ArrayRef<int64_t> stages) {
    return stages[dependence.after] + dependence.distance -
           stages[dependence.before];
  }

private:
  explicit DependenceGraph(scf::ForOp loop) : loop(loop) {}

  /// Returns the operands of `op` and of the ops within it that are defined
  /// outside.
  static SmallVector<Value> getOperandsWithin(Operation *op);
  void depend(Operation *before, Operation *after, int64_t distance);
  LogicalResult findCompletions(function_ref<void(Operation *, Twine)> fail);
  void addProducts();
  void addValues();
  void addOperandsInFlight();
  void addTiles();
  void addEffects();
  void addRings();
  void addNestedRings();

  scf::ForOp loop;
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::DenseMap<Operation *, Operation *> completions;
  llvm::DenseSet<unsigned> operandsInFlight;
  SmallVector<Dependence> dependences;
  /// The dependences by their `after`.
  SmallVector<SmallVector<Dependence, 4>> ofNodes;
};

/// Returns the schedule of `op`, or null.
OpScheduleAttr getSchedule(Operation *op);

/// Checks whether no warpgroup waits for another one in `op`.
bool isOfOneWarpgroup(Operation *op);

/// Checks whether `op` is an await that runs once, after the loop.
bool runsAfterLoop(Operation *op);

/// Returns the op of the body that computes `argument` for the next iteration,
/// or null if none does. Of a sum that is awaited after the loop it is the
/// product.
Operation *getCarriedFrom(scf::ForOp loop, BlockArgument argument);

/// If the loop around `issue` carries its left operand, the op of the body that
/// computes that of the next iteration. It writes the registers that this
/// product reads. Null if there is none.
Operation *getNextOperand(MmaIssueOp issue);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_DEPENDENCEGRAPH_H
