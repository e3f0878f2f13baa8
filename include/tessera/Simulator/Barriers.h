//===- Barriers.h - Where agents meet ---------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The barriers of the machine as state machines. Nothing here blocks: an agent
// asks whether it may go on.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SIMULATOR_BARRIERS_H
#define TESSERA_SIMULATOR_BARRIERS_H

#include "tessera/Simulator/Clock.h"

#include <string>

namespace tessera::sim {

/// PTX ISA, "mbarrier": a phase completes when its arrivals have come and the
/// bytes that were expected are there.
class Mbarrier {
public:
  Mbarrier(int64_t arrivals, unsigned warps);

  /// Fails (false) if more arrive than the phase takes.
  [[nodiscard]] bool arrive(const Clocks &clocks);
  /// As `arrive`, after announcing `bytes`.
  [[nodiscard]] bool arriveExpecting(const Clocks &clocks, int64_t bytes);
  /// Bytes have come, by the asynchronous operation of this number. They may
  /// come before they are announced.
  void complete(int64_t bytes, uint32_t asyncNumber);

  /// Whether the phase of this parity is complete, which is so until the next
  /// one completes (`mbarrier.try_wait.parity`).
  bool isComplete(unsigned parity) const { return (phase & 1) != parity; }
  /// What is known to whoever has waited for the last complete phase.
  const Clocks &getClocks() const { return known; }

  uint64_t getPhase() const { return phase; }
  /// "phase 3: 1 of 2 arrivals, 8192 bytes to come".
  std::string str() const;

private:
  void finishPhase();

  int64_t arrivals, pending;
  int64_t bytes = 0;
  uint64_t phase = 0;
  Clocks gathering, known;
};

/// A barrier of a fixed number of threads (PTX ISA, "barrier"): rounds follow
/// each other, in each of which some arrive and others arrive and wait.
class NamedBarrier {
public:
  NamedBarrier(int64_t threads, unsigned warps);

  /// Comes to the barrier with a number of threads and gets the number of the
  /// round, for `isOver`.
  uint64_t arrive(const Clocks &clocks, int64_t threads);
  bool isOver(uint64_t round) const { return round < rounds; }
  /// What is known to who waited for this round; the last two rounds are kept.
  const Clocks &getClocks(uint64_t round) const { return known[round % 2]; }
  /// "64 of 128 threads are there".
  std::string str() const;

private:
  int64_t threads, present = 0;
  uint64_t rounds = 0;
  Clocks gathering;
  Clocks known[2];
};

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_BARRIERS_H
