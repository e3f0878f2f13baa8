//===- Placement.h - Order of the ops of a loop -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of list scheduling. An op is placed after all ops on which it
// depends in its iteration of the planned loop. Awaits that an op needs are
// placed right before it, others by request. Releases of slots are placed as
// early as possible, since another role waits for them.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_PLACEMENT_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_PLACEMENT_H

#include "DependenceGraph.h"
#include "tessera/Support/Reason.h"

#include "llvm/ADT/SetVector.h"

namespace tessera::sm {

/// The ops of a loop in the order in which they run, as far as they are placed.
/// Ops are named by their numbers in the dependence graph.
class Placement {
public:
  using Nodes = llvm::SmallSetVector<unsigned, 16>;

  Placement(const DependenceGraph &graph, ArrayRef<int64_t> stages)
      : graph(graph), stages(stages) {}

  const DependenceGraph &getGraph() const { return graph; }
  ArrayRef<int64_t> getStages() const { return stages; }
  ArrayRef<unsigned> getOrder() const { return placed.getArrayRef(); }
  bool contains(unsigned node) const { return placed.contains(node); }

  /// Checks whether all ops that `node` needs are placed.
  bool isReady(unsigned node) const;
  /// Returns `node` and all ops that have to run before it in an iteration of
  /// the planned loop, except those that are placed already.
  Nodes getNeeded(unsigned node) const;
  /// Returns the number of awaits that `product` needs and that are not placed.
  unsigned countAwaits(MmaIssueOp product) const;

  /// Places `node` alone.
  void add(unsigned node) { placed.insert(node); }
  /// Places the ops of `needed`, which keep the order of the body where they
  /// can; false if they wait for each other.
  bool place(Nodes needed);
  /// Places the awaits of all products that are issued; false if they need one
  /// that is not.
  bool drain();
  /// Places the await of the oldest product that is in flight; false if there
  /// is none.
  bool placeAwait();
  /// Places all ops that need no await, operands of products before others.
  /// False if there are none.
  bool placeReady();
  /// Places all ops that are computed from products and need no await, and what
  /// they need; with `isOwn` only those in which no warpgroup waits for another
  /// one. Reads for which only later ops wait would take registers until then.
  void placeComputed(bool isOwn);
  /// Places the reads of vectors that wait for nothing but their ring.
  void placeVectors();
  /// Places the op that takes the turn of a warpgroup, or the op that passes
  /// it.
  void placeTurns(bool isTaken);
  /// Places what no product needs, as soon as the oldest one in flight permits.
  Reason placeRest();

private:
  /// Checks whether `node` is no issue, no await and no release.
  bool isWork(unsigned node) const;
  bool isComputed(unsigned node) const;
  bool isReadInUse(RingReleaseOp release) const;
  void placeReleases();

  const DependenceGraph &graph;
  SmallVector<int64_t> stages;
  llvm::SetVector<unsigned> placed;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_PLACEMENT_H
