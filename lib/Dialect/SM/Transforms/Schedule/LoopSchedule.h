//===- LoopSchedule.h - List scheduling of a loop ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order and the stages of the products decide when all other ops run. An op
// that a product needs runs before the product. An op that needs a product runs
// after its await, which comes as late as possible.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPSCHEDULE_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPSCHEDULE_H

#include "DependenceGraph.h"
#include "tessera/Support/Reason.h"

namespace tessera::sm {

struct PlannedProduct {
  MmaIssueOp issue;
  int64_t stage = 0;
  /// Whether all products before it are awaited first, for their registers.
  bool startsAlone = false;
  /// Whether what it multiplies from registers is computed in its iteration
  /// although it runs late.
  bool isComputedAhead = false;
};

/// A step in the order of a loop.
struct OrderStep {
  enum Kind {
    Issue,
    Await,
    /// Executes all other ops that wait for no further product.
    Work,
    /// The same, of ops in which no warpgroup waits for another one.
    OwnWork
  };
  Kind kind;
  MmaIssueOp product;
};

/// The choice from which the rest of a schedule follows.
struct IssueOrder {
  SmallVector<PlannedProduct> products;
  /// If there are any, the issues and awaits in this order.
  SmallVector<OrderStep> steps;
  /// Other ops that run an iteration late.
  SmallVector<Operation *> late;
  /// Whether vectors that arrive through rings are read before the first
  /// product is awaited.
  bool readsVectorsEarly = false;
  /// Whether the products of stage 1 are issued together with the first other
  /// product, in one turn if warpgroups take turns. The remaining products are
  /// issued as soon as their operands are computed.
  bool issuesInGroups = false;
};

class LoopSchedule {
public:
  /// Returns the schedule in which products are issued as `order` says; or why
  /// there is none.
  static OrReason<LoopSchedule> get(const DependenceGraph &graph,
                                    const IssueOrder &order);

  /// Checks whether `op` of the body runs an iteration late.
  bool isLate(Operation *op) const {
    scf::ForOp loop = graph.getLoop();
    return op->getBlock() == loop.getBody() && !runsAfterLoop(op) &&
           stages[graph.getNumber(op)] > 0;
  }

  /// Returns the stage of `op` of the body.
  int64_t getStage(Operation *op) const { return stages[graph.getNumber(op)]; }

  /// Returns the ops in the order in which they run.
  SmallVector<Operation *> getOrder() const {
    return llvm::map_to_vector(
        placed, [&](unsigned node) { return graph.getOps()[node]; });
  }

  /// Returns the op at which `issue` is known to be complete.
  Operation *getCompletion(MmaIssueOp issue) const {
    return graph.getCompletion(issue);
  }

  /// Returns how many products are issued between the last one that
  /// `completion` waits for and `completion`.
  int64_t countLater(Operation *completion) const;

  /// Checks whether anything runs between the issue of a product and its await.
  bool overlaps() const;

  /// Gives the ops of the loop their schedules.
  void annotate() const;

private:
  LoopSchedule(const DependenceGraph &graph, ArrayRef<int64_t> stages,
               ArrayRef<unsigned> placed)
      : graph(graph), stages(stages), placed(placed) {}

  const DependenceGraph &graph;
  SmallVector<int64_t> stages;
  /// The ops in the order in which they run.
  SmallVector<unsigned> placed;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPSCHEDULE_H
