//===- Cta.h - One CTA while it runs ----------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CTA_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CTA_H

#include "Kernel.h"
#include "Warp.h"

#include "tessera/Simulator/Barriers.h"
#include "tessera/Simulator/SharedMemory.h"

#include <deque>

namespace tessera::sim {

class Cluster;

/// One group of MMAs of the tensor cores of a warpgroup.
struct Product {
  /// The operands and the accumulator of one warp.
  struct Part {
    interp::Tile a, accumulator;
    /// Index of the product whose result is the accumulator, or -1.
    int64_t previous = -1;
    bool isConsumed = false;
    Warp *warp = nullptr;
  };

  uint32_t number;
  Operation *op;
  /// The addresses of operands in shared memory.
  int64_t a = 0, b = 0;
  std::array<Part, 4> parts;
  unsigned arrived = 0;
  bool isDone = false;
};

/// The tensor cores of one warpgroup.
struct TensorCores {
  std::deque<Product> products;
  /// Index of the first product that is not done.
  size_t next = 0;
};

/// A tile that warps exchange: the fragment of each warp of the role.
struct Exchange {
  struct Operand {
    std::vector<interp::Tile> fragments;
    /// The whole tile, assembled on the first request.
    interp::Tile whole;
  };
  std::vector<Operand> operands;
};

/// A ring between roles; a stage is a slot. A queue is a ring of words.
struct Ring {
  int64_t stages = 0;
  /// Addresses of the tiles (or words) of slot 0, and their sizes.
  SmallVector<int64_t> tiles, bytes;
  /// Indices of the first full and the first empty barrier.
  int64_t full = 0, empty = 0;
  /// Whether other CTAs copy into this ring as well, and therefore need the
  /// releases of this CTA.
  bool isShared = false;
  /// Whether each warp releases slots by itself.
  bool isReleasedPerWarp = false;
  /// Whether threads fill slots with computed values, and with fetches.
  bool holdsValues = false, holdsFetches = false;
  /// By slot, the bytes that copies will deliver.
  SmallVector<int64_t> announced;
  /// For roles in ping-pong: the number of slots taken when each role got its
  /// turn.
  std::map<unsigned, int64_t> takenBefore;
};

class Cta {
public:
  Cta(Cluster &cluster, uint32_t rank);

  Simulation &getSimulation() { return simulation; }
  Cluster &getCluster() { return cluster; }
  /// Number in the launch, and rank in the cluster.
  uint32_t getNumber() const { return number; }
  uint32_t getRank() const { return rank; }
  SharedMemory &getMemory() { return memory; }

  unsigned getNumWarps() const { return warps.size(); }
  Warp &getWarp(unsigned index) { return *warps[index]; }
  /// Checks whether a warp of the CTA knows this moment.
  bool hasSeen(Moment moment) const;

  //===--------------------------------------------------------------------===//
  // Barriers
  //===--------------------------------------------------------------------===//

  /// Returns the barrier of the warps of a role; of all warps if `role` is
  /// null.
  NamedBarrier &getRoleBarrier(sm::RoleOp role);
  /// Returns the barrier of a warpgroup of a role. Turns and stores have
  /// separate barriers.
  enum class GroupBarrier { Turn, Store };
  NamedBarrier &getGroupBarrier(GroupBarrier kind, unsigned firstWarp,
                                unsigned warpgroup);

  /// Returns the index of the first barrier of `op`. The barriers are created
  /// when the first warp arrives there.
  int64_t getMbarriers(Operation *op, int64_t count, int64_t arrivals);
  /// Returns null if no warp of this CTA has arrived at the op.
  Mbarrier *findMbarrier(int64_t index) {
    return index < int64_t(mbarriers.size()) ? &mbarriers[index] : nullptr;
  }
  Mbarrier &getMbarrier(int64_t index) { return mbarriers[index]; }
  /// Records that a warp of another CTA arrives here, which is valid only while
  /// this CTA runs.
  void noteArrival(const Warp &warp, Operation *op);

  /// Returns the index of the ring of `op`, created when the first warp arrives
  /// there.
  int64_t getRingNumber(sm::RingAllocOp op);
  int64_t getRingNumber(sm::QueueAllocOp op);
  Ring &getRing(int64_t index) { return rings[index]; }

  //===--------------------------------------------------------------------===//
  // Shared by warps
  //===--------------------------------------------------------------------===//

  Exchange &getExchange(Operation *op) { return exchanges[op]; }
  TensorCores &getTensorCores(unsigned firstWarp, unsigned warpgroup) {
    return cores[firstWarp + 4 * warpgroup];
  }
  std::map<unsigned, TensorCores> &getAllTensorCores() { return cores; }

  /// Checks that a warp has waited for each operation that was started here.
  LogicalResult verifyEnd();

private:
  /// Creates the barriers of `ring`. A full barrier has `fills` arrivals, an
  /// empty barrier `releases`.
  void makeBarriers(Ring &ring, int64_t fills, int64_t releases);

  struct Arrival {
    Moment when;
    Operation *op;
    Warp *warp;
  };

  Cluster &cluster;
  Simulation &simulation;
  uint32_t rank, number;
  SharedMemory memory;
  std::vector<std::unique_ptr<Warp>> warps;
  std::map<unsigned, NamedBarrier> roleBarriers;
  std::map<std::tuple<GroupBarrier, unsigned, unsigned>, NamedBarrier>
      groupBarriers;
  std::deque<Mbarrier> mbarriers;
  DenseMap<Operation *, int64_t> mbarrierNumbers, ringNumbers;
  std::deque<Ring> rings;
  std::map<Operation *, Exchange> exchanges;
  std::map<unsigned, TensorCores> cores;
  /// The last arrival of each warp of other CTAs.
  std::map<unsigned, Arrival> arrivals;
};

/// Computes the product, as the tensor cores of `warpgroup` do.
void multiply(Product &product, TensorCores &cores, Cta &cta);

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CTA_H
