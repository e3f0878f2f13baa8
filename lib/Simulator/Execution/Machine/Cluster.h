//===- Cluster.h - CTAs that run together -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The CTAs of a cluster; a CTA without a cluster is a cluster of one. Warps and
// asynchronous operations are numbered within the cluster.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CLUSTER_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CLUSTER_H

#include "Cta.h"

#include <map>
#include <set>

namespace tessera::sim {

/// An operation in flight: a tensor copy, a warp's part of a fetch, or an
/// arrival at a barrier that follows the completion of such parts.
struct Copy {
  uint32_t number;
  Operation *op;
  /// The CTA that issued the copy.
  Cta *issuer;
  std::function<LogicalResult()> takeEffect;
  /// Whether the copy completes bytes at a barrier, or arrives there.
  bool signals = false;
};

class Cluster {
public:
  Cluster(Simulation &simulation, uint32_t number);

  /// Runs all CTAs until they end, or wait at a barrier of the grid.
  LogicalResult run();
  /// Whether the last run ended at a barrier of the grid.
  bool waitsForGrid() const { return waiting; }
  /// Called by a warp that waits at a barrier of the grid.
  void waitForGrid() { waiting = true; }
  /// Reports that the cluster waits for others, which have ended.
  LogicalResult reportDeadlock();

  Simulation &getSimulation() { return simulation; }
  uint32_t getNumber() const { return number; }
  ArrayRef<std::unique_ptr<Cta>> getCtas() const { return ctas; }
  /// The warps of all CTAs.
  ArrayRef<Warp *> getWarps() const { return warps; }
  unsigned countWarps() const { return clockSize; }
  NamedBarrier &getBarrier() { return barrier; }

  //===--------------------------------------------------------------------===//
  // Asynchronous operations
  //===--------------------------------------------------------------------===//

  uint32_t startAsync() { return ++asyncCount; }
  void start(Copy copy) {
    if (simulation.tracer)
      simulation.tracer->start(copy.issuer->getNumber(), copy.number, copy.op);
    copies.push_back(std::move(copy));
  }
  /// Records that a warp of `target` must wait for the copy before that CTA
  /// ends.
  void noteTarget(const Copy &copy, Cta &target) {
    loads.push_back({copy.number, copy.op, &target});
  }
  bool isInFlight(uint32_t copy) const;
  /// Makes the copy with this number take effect now if it is in flight.
  LogicalResult complete(uint32_t copy);
  /// Returns a number for an operation that no agent can wait for: the write of
  /// a copy to global memory. Such numbers are in no clock.
  uint32_t startUnawaited() { return --unawaited; }

  //===--------------------------------------------------------------------===//
  // Defects
  //===--------------------------------------------------------------------===//

  /// Records an access to the shared memory of `target`, and reports its
  /// defect. Fails if the access cannot take effect. Holders of one element may
  /// write the element concurrently if all write the present value
  /// (`changesNothing`).
  LogicalResult record(Warp &warp, Cta &target, const Access &access,
                       ArrayRef<int64_t> starts, int64_t count,
                       bool changesNothing = false);
  /// Records an access to elements, at `offsets`, of a tensor that the kernel
  /// writes. This covers conflicts within the cluster; the tensor itself
  /// detects conflicts with other clusters.
  LogicalResult record(Warp &warp, const interp::GlobalTensor &tensor,
                       const Access &access, ArrayRef<int64_t> offsets,
                       bool changesNothing = false);
  /// Returns the stamp of an access for the tensor. A cluster is a program of
  /// its own to the tensor; clocks judge accesses within the cluster.
  interp::AccessStamp beginAccess(const Warp &warp, Moment when) {
    uint64_t time = ++simulation.time;
    return {number,           time, time, simulation.order.get(), when,
            &warp.getClocks()};
  }
  /// Applies the order of an atomic operation of `warp` on an element, which
  /// has changed the element or not.
  void synchronize(Warp &warp, const interp::GlobalTensor &tensor,
                   int64_t offset, tile::AtomicOrder order, bool changes);
  /// Reports a conflict with another cluster.
  LogicalResult report(Operation *op, Warp &warp,
                       const interp::GlobalTensor &tensor, int64_t offset,
                       const interp::Conflict &conflict);
  /// Checks whether no agent can change anything: each warp has ended, or is
  /// stuck, and nothing is in flight.
  bool isStuck();
  /// Called when no agent can continue: checks the end, or reports a deadlock.
  LogicalResult finish();
  /// "CTA 3", or "CTAs 2 to 3".
  std::string str() const;

private:
  friend class Effects;

  std::string describe(const Warp &warp) const;
  std::string describe(const Access &access) const;
  void noteBuffers(int64_t byte, SmallVectorImpl<Warp::Note> &notes);
  LogicalResult report(Warp &warp, const Access &access, StringRef place,
                       const Conflict &conflict, bool isShared);
  LogicalResult verifyEnd();

  struct Load {
    uint32_t number;
    Operation *op;
    Cta *target;
  };

  Simulation &simulation;
  uint32_t number;
  unsigned clockSize;
  NamedBarrier barrier;
  std::vector<std::unique_ptr<Cta>> ctas;
  SmallVector<Warp *> warps;
  uint32_t asyncCount = 0, unawaited = 0;
  /// Histories of the tensors that the kernel writes, created on first access.
  std::map<const interp::GlobalTensor *, AccessHistory> histories;
  std::deque<Copy> copies;
  /// All copies to shared memory so far.
  std::vector<Load> loads;
  /// Pairs of ops whose conflict was reported.
  std::set<std::tuple<Operation *, Operation *, int>> reported;
  bool hasDefects = false;
  bool waiting = false;
};

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CLUSTER_H
