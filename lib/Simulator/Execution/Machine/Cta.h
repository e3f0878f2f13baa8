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

/// One group of the tensor cores of a warpgroup.
struct Product {
  /// What one warp has brought, and gets.
  struct Part {
    interp::Tile a, accumulator;
    /// The product that accumulator is the result of, or -1.
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
  /// The first that is not done.
  size_t next = 0;
};

/// A tile that changes hands: what each warp of the role holds of it.
struct Exchange {
  std::vector<interp::Tile> fragments;
  /// All of it, when the first warp has asked.
  interp::Tile whole;
};

/// A ring between roles: a slot is a stage. A queue is one of words.
struct Ring {
  int64_t stages = 0;
  /// Addresses of the tiles (of the words) of stage 0, and their sizes.
  SmallVector<int64_t> tiles, bytes;
  /// Numbers of the first barriers.
  int64_t full = 0, empty = 0;
  /// Whether copies come from other CTAs too, which must know of free slots.
  bool isShared = false;
  /// Whether each warp gives slots back by itself.
  bool isGivenByWarps = false;
  /// Whether threads fill it with what they have computed, and with what they
  /// fetch.
  bool holdsValues = false, holdsFetches = false;
  /// By stage, what copies will bring.
  SmallVector<int64_t> announced;
  /// If roles use it in turn: how many slots had been taken when each of them
  /// was given the turn.
  std::map<unsigned, int64_t> takenBefore;
};

class Cta {
public:
  Cta(Cluster &cluster, uint32_t rank);

  Simulation &getSimulation() { return simulation; }
  Cluster &getCluster() { return cluster; }
  /// In the launch, and in its cluster.
  uint32_t getNumber() const { return number; }
  uint32_t getRank() const { return rank; }
  SharedMemory &getMemory() { return memory; }

  unsigned getNumWarps() const { return warps.size(); }
  Warp &getWarp(unsigned index) { return *warps[index]; }
  /// Whether a warp knows of this moment.
  bool hasSeen(Moment moment) const;

  //===--------------------------------------------------------------------===//
  // Barriers
  //===--------------------------------------------------------------------===//

  /// Of the warps of a role (of all, without role).
  NamedBarrier &getRoleBarrier(sm::RoleOp role);
  /// Of a warpgroup of the role; turns have others than stores.
  enum class GroupBarrier { Turn, Store };
  NamedBarrier &getGroupBarrier(GroupBarrier kind, unsigned firstWarp,
                                unsigned warpgroup);

  /// The numbers of the barriers of `op`, made when the first warp comes.
  int64_t getMbarriers(Operation *op, int64_t count, int64_t arrivals);
  /// Null if no warp of this CTA has come there.
  Mbarrier *findMbarrier(int64_t index) {
    return index < int64_t(mbarriers.size()) ? &mbarriers[index] : nullptr;
  }
  Mbarrier &getMbarrier(int64_t index) { return mbarriers[index]; }
  /// A warp of another CTA arrives here, which is only good while the CTA
  /// lives.
  void noteArrival(const Warp &warp, Operation *op);

  /// The number of the ring of `op`, made when the first warp comes.
  int64_t getRingNumber(sm::RingAllocOp op);
  int64_t getRingNumber(sm::QueueAllocOp op);
  Ring &getRing(int64_t index) { return rings[index]; }

  //===--------------------------------------------------------------------===//
  // What warps do together
  //===--------------------------------------------------------------------===//

  Exchange &getExchange(Operation *op) { return exchanges[op]; }
  TensorCores &getTensorCores(unsigned firstWarp, unsigned warpgroup) {
    return cores[firstWarp + 4 * warpgroup];
  }
  std::map<unsigned, TensorCores> &getAllTensorCores() { return cores; }

  /// Checks that what was started here was waited for.
  LogicalResult verifyEnd();

private:
  /// Makes the barriers of `ring`, to which users that free a stage arrive
  /// `arrivals` times.
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
  /// The last arrival of each warp of another CTA.
  std::map<unsigned, Arrival> arrivals;
};

/// Computes the product: what `warpgroup`'s tensor cores do with it.
void multiply(Product &product, TensorCores &cores, Cta &cta);

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CTA_H
