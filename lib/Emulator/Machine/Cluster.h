//===- Cluster.h - CTAs that run together -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_MACHINE_CLUSTER_H
#define TESSERA_LIB_EMULATOR_MACHINE_CLUSTER_H

#include "ClusterHistory.h"
#include "Decoder.h"
#include "Recurrence.h"
#include "Warp.h"

#include "tessera/Emulator/Emulator.h"
#include "tessera/Emulator/MatrixProduct.h"
#include "tessera/Simulator/Barriers.h"
#include "tessera/Simulator/SharedMemory.h"

#include "llvm/ADT/DenseSet.h"

#include <array>
#include <set>

namespace tessera::emu {

class Cluster;

/// The state of a running launch.
struct Run {
  const Program &program;
  const DecodedKernel &kernel;
  const LaunchConfig &config;
  const Options &options;
  GlobalMemory &memory;
  std::vector<Finding> &findings;
  /// The bytes of the parameter space.
  std::vector<uint8_t> parameters;
  /// Addresses of the module's variables in global memory.
  std::map<const Variable *, uint64_t> globals;
  sim::Chooser chooser;
  uint64_t steps = 0;
  /// Number of effects of agents apart from registers, shared memory and waits
  /// at barriers of a CTA.
  uint64_t changes = 0;
  ClusterHistory history;

  /// Registers of ended warps, and completely written pages of allocations.
  /// Later clusters reuse both.
  std::vector<std::vector<uint64_t>> spareRegisters;
  llvm::DenseSet<std::pair<const Allocation *, uint64_t>> writtenPages;

  /// Returns registers that hold zero.
  std::vector<uint64_t> takeRegisters(size_t count) {
    std::vector<uint64_t> registers;
    if (!spareRegisters.empty()) {
      registers = std::move(spareRegisters.back());
      spareRegisters.pop_back();
    }
    registers.assign(count, 0);
    return registers;
  }
  unsigned countClusterCtas() const {
    return config.cluster[0] * config.cluster[1] * config.cluster[2];
  }
  unsigned countThreads() const {
    return config.block[0] * config.block[1] * config.block[2];
  }
};

/// One instruction of the tensor cores, issued by the four warps of a
/// warpgroup.
struct Product {
  uint32_t number = 0;
  const Op *op = nullptr;
  const struct ProductOp *form = nullptr;
  uint64_t a = 0, b = 0;
  bool keepsD = true;
  std::array<Warp *, 4> warps{};
  unsigned arrived = 0;
  bool isDone = false;
};

struct TensorCores {
  /// The products from number `first` on.
  std::deque<Product> products;
  uint64_t first = 0, next = 0;

  Product &get(uint64_t index) { return products[index - first]; }
  uint64_t getEnd() const { return first + products.size(); }
};

/// Numbers of threads that have arrived at a barrier, and of those whose
/// predicate holds.
struct BarrierVotes {
  uint64_t voters = 0, agree = 0;
};

class Cta {
public:
  Cta(Cluster &cluster, uint32_t rank, uint32_t number);

  Cluster &getCluster() { return cluster; }
  uint32_t getRank() const { return rank; }
  /// The number in the launch.
  uint32_t getNumber() const { return number; }
  uint64_t getSpecial(Special special, unsigned thread) const;
  uint64_t getSharedBytes() const { return memory.getSize(); }
  sim::SharedMemory &getMemory() { return memory; }
  llvm::ArrayRef<std::unique_ptr<Warp>> getWarps() const { return warps; }
  bool isFinished() const;

  /// The mbarriers by address in shared memory.
  std::map<uint32_t, sim::Mbarrier> mbarriers;
  /// Number of changes of any mbarrier: a waiting warp need not check again
  /// before the next change.
  uint64_t mbarrierChanges = 0;
  /// The mbarriers whose maker has not executed a fence since, with the maker's
  /// number.
  std::map<uint32_t, unsigned> unfencedMbarriers;
  /// The barriers by number and threads.
  std::map<std::pair<unsigned, unsigned>, sim::NamedBarrier> barriers;
  /// The votes of the last two rounds of a barrier that reduces (`bar.red`).
  std::map<std::pair<unsigned, unsigned>, std::array<BarrierVotes, 2>> votes;
  /// The tensor cores of each warpgroup.
  std::vector<TensorCores> cores;
  /// Registers that no warp owns (`setmaxnreg`).
  int64_t freeRegisters = 0;
  /// Whether a thread has waited for the previous launch
  /// (`griddepcontrol.wait`), and the first access to global memory.
  bool hasWaitedForPrevious = false;
  const Op *firstGlobal = nullptr;
  /// The last arrival of each warp of other CTAs at a barrier of this CTA.
  std::map<unsigned, std::pair<sim::Moment, const Op *>> remoteArrivals;

private:
  Cluster &cluster;
  uint32_t rank, number;
  std::array<uint32_t, 3> index{};
  sim::SharedMemory memory;
  std::vector<std::unique_ptr<Warp>> warps;
};

/// An asynchronous operation that has not taken effect.
struct Async {
  uint32_t number = 0;
  const Op *op = nullptr;
  Warp *issuer = nullptr;
  std::function<Outcome()> take;
};

/// Bytes that an instruction accesses.
struct Piece {
  uint64_t address = 0;
  uint32_t bytes = 0;
};

class Cluster {
public:
  Cluster(Run &run, uint32_t number);

  /// Runs all CTAs until they end. In a cooperative launch, returns
  /// Outcome::Blocked if they wait for other clusters; they then go on at the
  /// next call.
  Outcome execute();
  /// Called at `poll`, an instruction of `warp` in a loop that waits for
  /// another cluster. Returns the outcome of the warp's step.
  Outcome waitForOthers(Warp &warp, const Op &poll);
  /// Whether the cluster has waited for others in a loop whose state recurs.
  bool waitsForOthers() const { return wait.has_value(); }
  /// Reports a deadlock at that loop.
  void reportWait();
  Run &getRun() { return run; }
  uint32_t getNumber() const { return number; }
  /// Returns the name in findings: "CTA 3" for a cluster of one CTA.
  std::string getName() const;
  llvm::ArrayRef<std::unique_ptr<Cta>> getCtas() const { return ctas; }
  llvm::ArrayRef<Warp *> getWarps() const { return warps; }
  unsigned countWarps() const { return clockSize; }
  sim::NamedBarrier &getBarrier() { return barrier; }
  /// Arrives at the cluster's barrier for ended warps: they count as arrived
  /// once another warp has arrived (PTX ISA, "barrier.cluster").
  void arriveForEnded();
  /// Returns the CTA and the offset of an address in shared memory as seen by
  /// `cta`; null if there is none.
  Cta *findShared(Cta &cta, uint32_t address, uint32_t &offset);

  //===--------------------------------------------------------------------===//
  // Asynchronous operations
  //===--------------------------------------------------------------------===//

  uint32_t startAsync() { return ++asyncCount; }
  void start(Async async) {
    ++run.changes;
    inFlight.insert(async.number);
    asyncs.push_back(std::move(async));
  }
  bool isInFlight(uint32_t number) const { return inFlight.contains(number); }
  /// Makes the operation with this number take effect now if it is in flight.
  Outcome complete(uint32_t number);
  /// Returns a number for an operation that no agent can wait for; it is in no
  /// clock.
  uint32_t startUnawaited() { return --unawaited; }
  /// Records that a warp of `target` must wait for this operation before that
  /// CTA ends.
  void expectWait(uint32_t number, const Op *op, Cta &target) {
    expected.push_back({number, op, &target});
  }
  Recurrence &getRecurrence() { return recurrence; }
  size_t countEffects() const;
  Outcome takeEffect(size_t index);

  //===--------------------------------------------------------------------===//
  // Accesses. They are recorded under `when`. Their defects are reported, and
  // they fail if they cannot take effect.
  //===--------------------------------------------------------------------===//

  struct Kind {
    sim::Moment when;
    sim::Proxy proxy = sim::Proxy::Generic;
    bool isWrite = false, isAtomic = false;
  };
  /// Records an access to the shared memory of `target`. `values` are the
  /// written bytes, piece after piece, which decide whether a write changes
  /// anything. Warps that hold copies of an element may write the element
  /// concurrently.
  Outcome recordShared(Warp &warp, Cta &target, const Kind &kind,
                       llvm::ArrayRef<Piece> pieces,
                       const uint8_t *values = nullptr);
  Outcome recordGlobal(Warp &warp, const Kind &kind,
                       llvm::ArrayRef<Piece> pieces,
                       const uint8_t *values = nullptr);

  /// Applies the order of an atomic instruction on bytes of an allocation from
  /// `first` on, which has changed their value or not.
  void synchronize(Warp &warp, const Allocation &allocation, uint64_t first,
                   sim::AtomicOrder order, bool changes);

  void report(Finding finding, const Op *op, const Op *other, int kind);
  bool hasFindings() const { return foundAny; }

private:
  Outcome finish();
  Outcome reportDeadlock();
  Outcome reportConflict(Warp &warp, const sim::Conflict &conflict,
                         const llvm::Twine &what,
                         std::optional<uint64_t> sharedByte = std::nullopt);
  std::string describe(const sim::Access &access) const;
  /// Describes an access to a byte of an allocation.
  std::string describe(const sim::Access &access, const Allocation &allocation,
                       uint64_t byte) const;

  struct Expected {
    uint32_t number;
    const Op *op;
    Cta *target;
  };

  /// History of a part of an allocation. A cluster accesses few bytes of an
  /// allocation, and a history needs memory and time for all its bytes.
  struct Page {
    static constexpr uint64_t kBytes = 4096;
    Page(Run &run, const Allocation &allocation, uint64_t number);

    sim::AccessHistory history;
    /// All bytes were written before the cluster accessed the page.
    bool isWritten;
  };
  Page &getPage(const Allocation &allocation, uint64_t number);
  /// Returns the first of these bytes of an allocation that was never written.
  std::optional<uint64_t> findUnwritten(const Allocation &allocation,
                                        uint64_t first, uint64_t count);
  /// Returns an access for the history of clusters.
  ClusterHistory::Access getClusterAccess(const Warp &warp, const Kind &kind,
                                          const uint8_t *values) const;
  /// Records an access to bytes of an allocation from its byte `first` on.
  std::optional<sim::Conflict> recordBytes(const sim::Access &access,
                                           const Warp &warp,
                                           const Allocation &allocation,
                                           uint64_t first, uint64_t count);
  /// Records one piece in global memory.
  Outcome recordPiece(Warp &warp, const Kind &kind, const Piece &piece,
                      const uint8_t *values);
  /// Records consecutive pieces, which form `all`. Returns null, without
  /// recording anything, if a piece has a defect other than a conflict.
  std::optional<Outcome> recordNeighbours(Warp &warp, const Kind &kind,
                                          llvm::ArrayRef<Piece> pieces,
                                          const Piece &all,
                                          const uint8_t *values);

  Run &run;
  uint32_t number;
  unsigned clockSize;
  sim::NamedBarrier barrier;
  std::vector<std::unique_ptr<Cta>> ctas;
  std::vector<Warp *> warps;
  uint32_t asyncCount = 0, unawaited = 0;
  std::deque<Async> asyncs;
  /// The numbers of `asyncs`, since a wait looks up each copy of its threads.
  llvm::DenseSet<uint32_t> inFlight;
  std::vector<Expected> expected;
  /// Pages that the cluster has accessed, and the most recent one.
  using Pages = std::map<std::pair<const Allocation *, uint64_t>, Page>;
  Pages pages;
  Pages::value_type *lastPage = nullptr;
  std::set<std::tuple<const Op *, const Op *, int>> reported;
  bool foundAny = false;
  /// The last loop that waits for another cluster, if one does.
  std::optional<std::pair<const Warp *, const Op *>> wait;
  Recurrence recurrence;
};

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_MACHINE_CLUSTER_H
