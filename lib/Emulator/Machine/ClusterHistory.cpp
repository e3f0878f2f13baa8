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
namespace sim = tessera::sim;

std::vector<ClusterHistory::Byte> &
ClusterHistory::getBytes(const Allocation &allocation) {
  std::vector<Byte> &bytes = histories[&allocation];
  if (bytes.empty())
    bytes.resize(allocation.bytes.size());
  return bytes;
}

std::string ClusterHistory::tell(uint32_t other, const char *verb) const {
  return other == kMany ? "several other " + noun + "s " + verb
                        : getName(other - 1) + " " + verb + "s";
}

/// Checks whether `access` may change the byte number `i` of those from `first`
/// on.
static bool mayChange(const ClusterHistory::Access &access,
                      const Allocation &allocation, uint64_t first,
                      uint64_t i) {
  return !access.values || access.isAtomic ||
         access.values[i] != allocation.bytes[first + i];
}

/// Returns the access to one byte in the order between clusters.
static sim::ProgramOrder::Access
getEntry(const ClusterHistory::Access &access) {
  using Kind = sim::ProgramOrder::Kind;
  return {access.cluster, access.when,
          access.isAtomic  ? Kind::Atomic
          : access.isWrite ? Kind::Write
                           : Kind::Read};
}

std::optional<std::string>
ClusterHistory::findUnordered(const Allocation &allocation, uint64_t first,
                              uint64_t count, const Access &access) const {
  for (uint64_t i = 0; i < count; ++i)
    if (!access.isWrite || mayChange(access, allocation, first, i))
      if (auto other = order->find(&allocation, first + i, getEntry(access),
                                   access.clocks))
        return tell(other->program + 1,
                    other->kind == sim::ProgramOrder::Kind::Read ? "read"
                                                                 : "write");
  return std::nullopt;
}

std::optional<std::string> ClusterHistory::find(const Allocation &allocation,
                                                uint64_t first, uint64_t count,
                                                const Access &access) {
  if (hasOneCluster)
    return std::nullopt;
  if (order)
    return findUnordered(allocation, first, count, access);
  const Byte *states = &getBytes(allocation)[first];
  uint32_t own = access.cluster + 1;
  for (uint64_t i = 0; i < count; ++i) {
    const Byte &state = states[i];
    bool isOther = state.writer && state.writer != own;
    if (!access.isWrite) {
      if (isOther)
        return tell(state.writer, "write");
      continue;
    }
    bool isRead = state.reader && state.reader != own;
    if (!isOther && !isRead)
      continue;
    bool changes = mayChange(access, allocation, first, i);
    if (isOther && changes && !(access.isAtomic && state.isAtomic))
      return tell(state.writer, "write");
    if (isRead && changes)
      return tell(state.reader, "read");
  }
  return std::nullopt;
}

std::optional<std::string> ClusterHistory::record(const Allocation &allocation,
                                                  uint64_t first,
                                                  uint64_t count,
                                                  const Access &access) {
  if (hasOneCluster)
    return std::nullopt;
  std::optional<std::string> conflict = find(allocation, first, count, access);
  if (order) {
    for (uint64_t i = 0; i < count; ++i)
      order->record(&allocation, first + i, getEntry(access), access.clocks);
    return conflict;
  }
  Byte *states = &getBytes(allocation)[first];
  uint32_t own = access.cluster + 1;
  for (uint64_t i = 0; i < count; ++i) {
    Byte &state = states[i];
    if (access.isWrite) {
      // A store stays one although the cluster then changes the byte
      // atomically, and an atomic change does not hide those of others.
      bool areAtomic = access.isAtomic && (!state.writer || state.isAtomic);
      bool isOther = state.writer && state.writer != own;
      state.writer = areAtomic && isOther ? kMany : own;
      state.isAtomic = areAtomic;
    } else {
      state.reader = !state.reader || state.reader == own ? own : kMany;
    }
  }
  return conflict;
}
