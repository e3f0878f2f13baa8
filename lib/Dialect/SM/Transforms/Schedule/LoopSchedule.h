//===- LoopSchedule.h - List scheduling of a loop ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order in which products are issued, and which of them run an iteration
// late, decide when all other ops run: what a product needs before it, and what
// needs a product after its await, which comes as late as possible.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPSCHEDULE_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPSCHEDULE_H

#include "DependenceGraph.h"

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

class LoopSchedule {
public:
  /// Returns a plan in which products are issued as `products` says; `late` are
  /// other ops that run an iteration late. With `readsRowsBeside`, rows that
  /// arrive through rings are read before the first product is awaited. Fails,
  /// and says why, if there is none.
  static FailureOr<LoopSchedule> get(const DependenceGraph &graph,
                                     ArrayRef<PlannedProduct> products,
                                     ArrayRef<Operation *> late,
                                     std::string &why,
                                     bool readsRowsBeside = false);

  /// The same if the products of stage 1 are only stored: the first of the
  /// others is issued with them, and in one turn if warpgroups take turns.
  static FailureOr<LoopSchedule>
  getLateStores(const DependenceGraph &graph, ArrayRef<PlannedProduct> products,
                ArrayRef<Operation *> late, bool takesTurns, std::string &why);

  /// Returns an order of the products, all in their own iteration. With
  /// `isEarly`, the products that need the fewest awaits come first; otherwise
  /// those that add to carried values, which takes the fewest registers. Among
  /// products that need the same awaits, those whose results the iteration uses
  /// come before those that are only carried. The latter then overlap that use.
  static SmallVector<PlannedProduct> chooseOrder(const DependenceGraph &graph,
                                                 bool isEarly);

  /// Checks whether `op` of the body runs an iteration late.
  bool isLate(Operation *op) const {
    return op->getBlock() == getBody() && !runsAfterLoop(op) &&
           stages[graph.getNumber(op)] > 0;
  }

  /// Checks whether anything runs between the issue of a product and its await.
  bool overlaps() const;

  /// Sets the ops of the ops.
  void annotate() const;

private:
  explicit LoopSchedule(const DependenceGraph &graph)
      : graph(graph), stages(graph.getOps().size()) {}

  /// Returns a plan whose ops have stages and no orders yet.
  static FailureOr<LoopSchedule> getStaged(const DependenceGraph &graph,
                                           ArrayRef<PlannedProduct> products,
                                           ArrayRef<Operation *> late,
                                           std::string &why);

  Block *getBody() const {
    scf::ForOp loop = graph.getLoop();
    return loop.getBody();
  }
  void assignStages(ArrayRef<PlannedProduct> products);
  LogicalResult assignOrders(ArrayRef<PlannedProduct> products,
                             bool readsRowsBeside, std::string &why);
  llvm::SmallSetVector<unsigned, 16> getNeeded(unsigned node) const;
  LogicalResult assignOrdersOfLateStores(ArrayRef<PlannedProduct> products,
                                         bool takesTurns, std::string &why);
  bool placeNeeds(ArrayRef<MmaIssueOp> issues);
  void placeOwnWork(ArrayRef<MmaIssueOp> issues);
  SmallVector<MmaIssueOp>
  takeNextGroup(SmallVectorImpl<MmaIssueOp> &left) const;
  bool isReady(unsigned node) const;
  bool place(llvm::SmallSetVector<unsigned, 16> needed);
  bool drain();
  bool isReadInUse(RingReleaseOp release) const;
  void placeReleases();
  unsigned countAwaits(MmaIssueOp product) const;
  void placeTurns(bool isTaken);
  bool placeAwait();
  bool placeReady();
  void placeRows();
  LogicalResult placeRest(std::string &why);
  LogicalResult verify(std::string &why) const;

  const DependenceGraph &graph;
  SmallVector<int64_t> stages;
  /// The ops in the order in which they run, as far as they are placed.
  llvm::SetVector<unsigned> placed;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPSCHEDULE_H
