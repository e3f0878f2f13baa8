//===- Cluster.h - CTAs that run together -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CTA alone is a cluster of one. Warps are numbered, and asynchronous
// operations counted, through the cluster.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CLUSTER_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CLUSTER_H

#include "Cta.h"

#include <map>
#include <set>

namespace tessera::sim {

/// What is in flight: a tensor copy, a warp's part of a fetch, or its arrival
/// at a barrier once such parts are complete.
struct Copy {
  uint32_t number;
  Operation *op;
  /// Who has started it.
  Cta *issuer;
  std::function<LogicalResult()> takeEffect;
  /// Whether it completes bytes at a barrier, or arrives there.
  bool signals = false;
};

class Cluster {
public:
  Cluster(Simulation &simulation, uint32_t number);

  /// Runs all CTAs to their ends.
  LogicalResult run();

  Simulation &getSimulation() { return simulation; }
  uint32_t getNumber() const { return number; }
  ArrayRef<std::unique_ptr<Cta>> getCtas() const { return ctas; }
  /// Of all CTAs.
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
  /// Somebody of `target` must wait for the copy before that CTA ends.
  void noteTarget(const Copy &copy, Cta &target) {
    loads.push_back({copy.number, copy.op, &target});
  }
  bool isInFlight(uint32_t copy) const;
  /// Lets the copy of this number take effect now if it is in flight.
  LogicalResult complete(uint32_t copy);
  /// For what nobody in the kernel can wait for: what a copy to global memory
  /// writes there. Such numbers are in no clock.
  uint32_t startUnawaited() { return --unawaited; }

  //===--------------------------------------------------------------------===//
  // Defects
  //===--------------------------------------------------------------------===//

  /// Records an access to the shared memory of `target`; reports what is wrong
  /// with it. Fails if it cannot have its effect. Holders of one element may
  /// write it side by side, if all write what is there already
  /// (`changesNothing`).
  LogicalResult record(Warp &warp, Cta &target, const Access &access,
                       ArrayRef<int64_t> starts, int64_t count,
                       bool changesNothing = false);
  /// The same for elements of a tensor that the kernel writes, at `offsets`,
  /// within the cluster; what it has to do with others is the tensor's to tell.
  LogicalResult record(Warp &warp, const interp::GlobalTensor &tensor,
                       const Access &access, ArrayRef<int64_t> offsets,
                       bool changesNothing = false);
  /// Other clusters are programs of their own to the tensor, and what happens
  /// in this one is judged by clocks.
  interp::AccessStamp beginAccess() {
    uint64_t time = ++simulation.time;
    return {number, time, time};
  }
  /// Reports a conflict with another cluster.
  LogicalResult report(Operation *op, Warp &warp,
                       const interp::GlobalTensor &tensor, int64_t offset,
                       const interp::Conflict &conflict);
  /// Nothing can happen any more: this is the end, or a deadlock.
  LogicalResult finish();
  /// "CTA 3", or "CTAs 2 to 3".
  std::string str() const;

private:
  friend class Effects;

  LogicalResult reportDeadlock();
  std::string describe(const Warp &warp) const;
  std::string describe(const Access &access) const;
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
  /// Of the tensors that the kernel writes, as far as they were touched.
  std::map<const interp::GlobalTensor *, AccessHistory> histories;
  std::deque<Copy> copies;
  /// All copies to shared memory so far.
  std::vector<Load> loads;
  /// Pairs of ops whose conflict was reported.
  std::set<std::tuple<Operation *, Operation *, int>> reported;
  bool hasDefects = false;
};

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CLUSTER_H
