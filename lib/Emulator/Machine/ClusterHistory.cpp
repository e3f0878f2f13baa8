//===- ClusterHistory.cpp - Races between clusters ------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Race detection between clusters, whose accesses no barrier orders. Each byte
// of an allocation records its last writer and its reader among clusters, or
// that there are several readers. A read of a byte that another cluster has
// written is a race. So is a write that changes a byte that another cluster has
// read or written, unless both are atomic.
//
//===----------------------------------------------------------------------===//

#include "ClusterHistory.h"

using namespace tessera::emu;

std::vector<ClusterHistory::Byte> &
ClusterHistory::getBytes(const Allocation &allocation) {
  std::vector<Byte> &bytes = histories[&allocation];
  if (bytes.empty())
    bytes.resize(allocation.bytes.size());
  return bytes;
}

std::optional<std::string> ClusterHistory::find(const Allocation &allocation,
                                                uint64_t first, uint64_t count,
                                                uint32_t cluster, bool isWrite,
                                                bool isAtomic,
                                                const uint8_t *values) {
  if (hasOneCluster)
    return std::nullopt;
  const Byte *states = &getBytes(allocation)[first];
  uint32_t own = cluster + 1;
  auto tell = [&](uint32_t other, const char *verb) {
    return other == kMany ? "several other " + noun + "s " + verb
                          : getName(other - 1) + " " + verb + "s";
  };
  for (uint64_t i = 0; i < count; ++i) {
    const Byte &state = states[i];
    bool isOther = state.writer && state.writer != own;
    if (!isWrite) {
      if (isOther)
        return tell(state.writer, "write");
      continue;
    }
    bool isRead = state.reader && state.reader != own;
    if (!isOther && !isRead)
      continue;
    bool changes =
        !values || isAtomic || values[i] != allocation.bytes[first + i];
    if (isOther && changes && !(isAtomic && state.isAtomic))
      return tell(state.writer, "write");
    if (isRead && changes)
      return tell(state.reader, "read");
  }
  return std::nullopt;
}

std::optional<std::string>
ClusterHistory::record(const Allocation &allocation, uint64_t first,
                       uint64_t count, uint32_t cluster, bool isWrite,
                       bool isAtomic, const uint8_t *values) {
  if (hasOneCluster)
    return std::nullopt;
  std::optional<std::string> conflict =
      find(allocation, first, count, cluster, isWrite, isAtomic, values);
  Byte *states = &getBytes(allocation)[first];
  uint32_t own = cluster + 1;
  for (uint64_t i = 0; i < count; ++i) {
    Byte &state = states[i];
    if (isWrite) {
      state.writer = own;
      state.isAtomic = isAtomic;
    } else {
      state.reader = !state.reader || state.reader == own ? own : kMany;
    }
  }
  return conflict;
}
