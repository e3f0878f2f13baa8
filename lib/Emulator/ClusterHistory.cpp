//===- ClusterHistory.cpp - Accesses of clusters to global memory ---------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterHistory.h"

using namespace tessera::emu;

std::optional<std::string> ClusterHistory::record(const Allocation &allocation,
                                                  uint64_t byte, uint64_t count,
                                                  uint32_t cluster,
                                                  bool isWrite, bool isAtomic,
                                                  const uint8_t *values) {
  std::vector<Byte> &history = histories[&allocation];
  if (history.empty())
    history.resize(allocation.bytes.size());
  uint32_t own = cluster + 1;
  std::optional<std::string> conflict;
  auto tell = [&](uint32_t other, const char *verb) {
    if (!conflict)
      conflict = other == kMany ? std::string("several other clusters ") + verb
                                : "cluster " + std::to_string(other - 1) + " " +
                                      verb + "s";
  };
  for (uint64_t i = byte - allocation.address, e = i + count; i < e; ++i) {
    Byte &state = history[i];
    bool isOther = state.writer && state.writer != own;
    if (!isWrite) {
      if (isOther)
        tell(state.writer, "write");
      state.reader = !state.reader || state.reader == own ? own : kMany;
      continue;
    }
    bool changes =
        !values || isAtomic ||
        values[i - (byte - allocation.address)] != allocation.bytes[i];
    if (isOther && changes && !(isAtomic && state.isAtomic))
      tell(state.writer, "write");
    if (state.reader && state.reader != own && changes)
      tell(state.reader, "read");
    state.writer = own;
    state.isAtomic = isAtomic;
  }
  return conflict;
}
