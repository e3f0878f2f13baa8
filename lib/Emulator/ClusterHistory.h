//===- ClusterHistory.h - Accesses of clusters to global memory -*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters run one after the other here and side by side on a machine: nothing
// orders what two of them do to one byte. For each byte of an allocation: which
// cluster has written it, and which one has read it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_CLUSTERHISTORY_H
#define TESSERA_LIB_EMULATOR_CLUSTERHISTORY_H

#include "tessera/Emulator/GlobalMemory.h"

#include <optional>
#include <string>

namespace tessera::emu {

class ClusterHistory {
public:
  /// Without other clusters there is nothing to find.
  explicit ClusterHistory(bool hasOneCluster) : hasOneCluster(hasOneCluster) {}

  /// What another cluster has done to bytes of the allocation from `first` on,
  /// if cluster `cluster` races with it. A write that changes nothing, and two
  /// atomic ones, are no race. `values` are the bytes that are written.
  std::optional<std::string> find(const Allocation &allocation, uint64_t first,
                                  uint64_t count, uint32_t cluster,
                                  bool isWrite, bool isAtomic,
                                  const uint8_t *values);
  /// Finds, and records what the cluster does.
  std::optional<std::string> record(const Allocation &allocation,
                                    uint64_t first, uint64_t count,
                                    uint32_t cluster, bool isWrite,
                                    bool isAtomic, const uint8_t *values);

private:
  static constexpr uint32_t kMany = ~uint32_t(0);
  struct Byte {
    /// Numbers of clusters from 1 on; 0 is none.
    uint32_t writer = 0, reader = 0;
    bool isAtomic = false;
  };
  std::vector<Byte> &getBytes(const Allocation &allocation);

  bool hasOneCluster;
  std::map<const Allocation *, std::vector<Byte>> histories;
};

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_CLUSTERHISTORY_H
