//===- Cta.h - One CTA while it runs ----------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_CTA_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_CTA_H

#include "Kernel.h"
#include "Warp.h"

#include "tessera/Simulator/Barriers.h"
#include "tessera/Simulator/SharedMemory.h"

#include <deque>
#include <set>

namespace tessera::sim {

/// What is in flight: a tensor copy.
struct Copy {
  uint32_t number;
  Operation *op;
  std::function<LogicalResult()> takeEffect;
};

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

/// A barrier between warps; remembers when it was passed.
struct Meeting {
  Meeting(int64_t threads, unsigned warps) : barrier(threads, warps) {}

  NamedBarrier barrier;
  uint64_t passed = 0;
};

/// A tile that changes hands: what each warp of the role holds of it.
struct Exchange {
  std::vector<interp::Tile> fragments;
  /// All of it, when the first warp has asked.
  interp::Tile whole;
};

/// A ring between roles: a slot is a stage.
struct Ring {
  int64_t stages = 0;
  /// Addresses of the tiles of stage 0, and their sizes.
  SmallVector<int64_t> tiles, bytes;
  /// Numbers of the first barriers.
  int64_t full = 0, empty = 0;
  /// By stage, what copies will bring.
  SmallVector<int64_t> announced;
};

class Cta {
public:
  Cta(Simulation &simulation, uint32_t number);

  LogicalResult run();

  Simulation &getSimulation() { return simulation; }
  uint32_t getNumber() const { return number; }
  unsigned getNumWarps() const { return warps.size(); }
  const Warp &getWarp(unsigned index) const { return *warps[index]; }
  SharedMemory &getMemory() { return memory; }

  /// Records an access to shared memory; reports what is wrong with it. Fails
  /// if it cannot have its effect. Holders of one element may write it side by
  /// side, if all write what is there already (`changesNothing`).
  LogicalResult record(Warp &warp, const Access &access,
                       ArrayRef<int64_t> starts, int64_t count,
                       bool changesNothing = false);

  //===--------------------------------------------------------------------===//
  // Barriers
  //===--------------------------------------------------------------------===//

  /// Of the warps of a role (of all, without role).
  Meeting &getRoleBarrier(sm::RoleOp role);
  /// Of a warpgroup of the role; turns have others than stores.
  enum class GroupBarrier { Turn, Store };
  Meeting &getGroupBarrier(GroupBarrier kind, unsigned firstWarp,
                           unsigned warpgroup);

  /// The numbers of the barriers of `op`, made when the first warp comes.
  int64_t getMbarriers(Operation *op, int64_t count, int64_t arrivals);
  Mbarrier &getMbarrier(int64_t index) { return mbarriers[index]; }
  int64_t getNumMbarriers() const { return mbarriers.size(); }

  /// The number of the ring of `op`, made when the first warp comes.
  int64_t getRingNumber(sm::RingAllocOp op);
  Ring &getRing(int64_t index) { return rings[index]; }

  Exchange &getExchange(Operation *op) { return exchanges[op]; }

  //===--------------------------------------------------------------------===//
  // Asynchronous operations
  //===--------------------------------------------------------------------===//

  uint32_t startAsync() { return ++asyncCount; }
  void start(Copy copy) {
    if (simulation.tracer)
      simulation.tracer->start(number, copy.number, copy.op);
    copies.push_back(std::move(copy));
  }
  /// Somebody must wait for the copy before the CTA ends.
  void startLoad(Copy copy) {
    loads.emplace_back(copy.number, copy.op);
    start(std::move(copy));
  }
  bool isInFlight(uint32_t copy) const;
  TensorCores &getTensorCores(unsigned firstWarp, unsigned warpgroup) {
    return cores[firstWarp + 4 * warpgroup];
  }

  //===--------------------------------------------------------------------===//
  // Global memory
  //===--------------------------------------------------------------------===//

  interp::AccessStamp beginAccess(const Warp &warp) {
    return {number, ++simulation.time, warp.lastBarrier};
  }
  LogicalResult reportConflict(Operation *op, Warp &warp,
                               const interp::GlobalTensor &tensor,
                               int64_t offset,
                               const interp::Conflict &conflict);

private:
  friend class Schedule;

  std::string describe(const Access &access) const;
  LogicalResult reportDeadlock();
  LogicalResult verifyEnd();

  Simulation &simulation;
  uint32_t number;
  SharedMemory memory;
  std::vector<std::unique_ptr<Warp>> warps;
  std::map<unsigned, Meeting> roleBarriers;
  std::map<std::tuple<GroupBarrier, unsigned, unsigned>, Meeting> groupBarriers;
  std::deque<Mbarrier> mbarriers;
  DenseMap<Operation *, int64_t> mbarrierNumbers, ringNumbers;
  std::deque<Ring> rings;
  std::map<Operation *, Exchange> exchanges;
  uint32_t asyncCount = 0;
  std::deque<Copy> copies;
  /// All copies to shared memory so far.
  std::vector<std::pair<uint32_t, Operation *>> loads;
  std::map<unsigned, TensorCores> cores;
  /// Pairs of ops whose conflict was reported.
  std::set<std::tuple<Operation *, Operation *, int>> reported;
  bool hasDefects = false;
};

/// Computes the product: what `warpgroup`'s tensor cores do with it.
void multiply(Product &product, TensorCores &cores, Cta &cta);

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_CTA_H
