//===- MachineFixture.h - Agents for tests of the machine -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_UNITTESTS_SIMULATOR_MACHINEFIXTURE_H
#define TESSERA_UNITTESTS_SIMULATOR_MACHINEFIXTURE_H

#include "tessera/Simulator/SharedMemory.h"

#include "gtest/gtest.h"

namespace tessera::sim {

/// A warp with its clocks; each access is a step of its own.
struct Agent {
  Agent(SharedMemory &memory, unsigned warp, unsigned warps)
      : memory(memory), warp(warp), clocks(warps) {}

  void advance() { clocks.seen.setStep(warp, ++step); }

  std::optional<Conflict> access(bool isWrite, ArrayRef<int64_t> starts,
                                 int64_t count) {
    advance();
    return memory.record(
        {nullptr, Moment::step(warp, step), Proxy::Generic, isWrite}, clocks,
        starts, count);
  }
  std::optional<Conflict> write(int64_t start, int64_t count) {
    return access(true, start, count);
  }
  std::optional<Conflict> read(int64_t start, int64_t count) {
    return access(false, start, count);
  }

  /// Starts an asynchronous operation of this number.
  std::optional<Conflict> issue(uint32_t async, bool isWrite,
                                ArrayRef<int64_t> starts, int64_t count) {
    advance();
    return memory.record({nullptr, Moment::async(async), Proxy::Async, isWrite},
                         clocks, starts, count);
  }
  std::optional<Conflict> issueWrite(uint32_t async, int64_t start,
                                     int64_t count) {
    return issue(async, true, start, count);
  }
  std::optional<Conflict> issueRead(uint32_t async, int64_t start,
                                    int64_t count) {
    return issue(async, false, start, count);
  }

  SharedMemory &memory;
  unsigned warp;
  Clocks clocks;
  uint32_t step = 0;
};

} // namespace tessera::sim

#endif // TESSERA_UNITTESTS_SIMULATOR_MACHINEFIXTURE_H
