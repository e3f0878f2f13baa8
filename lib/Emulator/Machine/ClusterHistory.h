//===- ClusterHistory.h - Races between clusters ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator runs clusters one after the other, but a machine runs them
// concurrently: two accesses of different clusters to a byte are not ordered.
// The history records, for each byte of an allocation, the cluster that has
// written it and the cluster that has read it.
//
// Atomic instructions that acquire or release order clusters. A kernel with
// such instructions has a ProgramOrder instead, whose programs are clusters and
// whose places are bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_MACHINE_CLUSTERHISTORY_H
#define TESSERA_LIB_EMULATOR_MACHINE_CLUSTERHISTORY_H

#include "tessera/Emulator/GlobalMemory.h"
#include "tessera/Simulator/ProgramOrder.h"

#include <optional>
#include <string>

namespace tessera::emu {

class ClusterHistory {
public:
  /// A single cluster cannot race with another one. `noun` names a cluster in
  /// findings: "CTA" if each cluster has one. `isOrdered` states that the
  /// kernel acquires or releases.
  ClusterHistory(bool hasOneCluster, bool isOrdered, std::string noun)
      : hasOneCluster(hasOneCluster), noun(std::move(noun)) {
    if (isOrdered)
      order.emplace();
  }

  /// An access of an agent.
  struct Access {
    uint32_t cluster;
    bool isWrite, isAtomic;
    /// The written bytes; may be null.
    const uint8_t *values;
    sim::Moment when;
    const sim::Clocks &clocks;
  };

  /// Returns the name of a cluster in findings: "CTA 3".
  std::string getName(uint32_t cluster) const {
    return noun + " " + std::to_string(cluster);
  }

  /// Returns the access of another cluster that races with `access` at bytes
  /// of the allocation from `first` on. A write that changes nothing is not a
  /// race, and neither are two atomic writes.
  std::optional<std::string> find(const Allocation &allocation, uint64_t first,
                                  uint64_t count, const Access &access);
  /// Finds a race, and records the access of the cluster.
  std::optional<std::string> record(const Allocation &allocation,
                                    uint64_t first, uint64_t count,
                                    const Access &access);

  /// Applies the order of an atomic instruction on bytes from `first` on.
  void synchronize(const Allocation &allocation, uint64_t first,
                   sim::AtomicOrder atomic, bool changes, uint32_t cluster,
                   const sim::Clocks &clocks, sim::OtherPrograms &acquired) {
    if (order)
      order->synchronize(&allocation, first, atomic, changes, cluster, clocks,
                         acquired);
  }

private:
  static constexpr uint32_t kMany = ~uint32_t(0);
  struct Byte {
    /// Numbers of clusters from 1 on; 0 is none.
    uint32_t writer = 0, reader = 0;
    bool isAtomic = false;
  };
  std::vector<Byte> &getBytes(const Allocation &allocation);
  /// Names another cluster with its action: "CTA 3 writes".
  std::string tell(uint32_t other, const char *verb) const;
  std::optional<std::string> findUnordered(const Allocation &allocation,
                                           uint64_t first, uint64_t count,
                                           const Access &access) const;

  bool hasOneCluster;
  std::string noun;
  std::map<const Allocation *, std::vector<Byte>> histories;
  std::optional<sim::ProgramOrder> order;
};

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_MACHINE_CLUSTERHISTORY_H
