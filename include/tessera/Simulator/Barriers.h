//===- Barriers.h - Barriers of the machine ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The barriers of the machine as state machines. No function blocks: an agent
// asks whether it may continue.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SIMULATOR_BARRIERS_H
#define TESSERA_SIMULATOR_BARRIERS_H

#include "tessera/Simulator/Clock.h"

#include "llvm/ADT/BitVector.h"

#include <string>

namespace tessera::sim {

/// Memory barrier (PTX ISA, "mbarrier"). A phase completes when all of its
/// arrivals and all announced bytes have arrived.
class Mbarrier {
public:
  /// A defect that no later event can repair: the barrier would never complete,
  /// or its counts are undefined.
  enum class Defect {
    None,
    TooManyArrivals, // all arrivals have come; bytes are missing
    TooManyBytes,    // all arrivals have come, and more bytes than announced
  };

  Mbarrier(int64_t arrivals, unsigned warps);

  /// Arrives with `threads` threads at once.
  [[nodiscard]] Defect arrive(const Clocks &clocks, int64_t threads = 1) {
    return arriveExpecting(clocks, /*bytes=*/0, threads);
  }
  /// Announces bytes that will arrive in this phase (`mbarrier.expect_tx`).
  void announce(int64_t more) { bytes += more; }
  /// Announces `bytes`, then arrives.
  [[nodiscard]] Defect arriveExpecting(const Clocks &clocks, int64_t bytes,
                                       int64_t threads = 1);
  /// Counts bytes that the asynchronous operation with this number has
  /// delivered. They may arrive before they are announced, even in the phase
  /// before.
  [[nodiscard]] Defect complete(int64_t bytes, uint32_t asyncNumber);

  /// Checks whether the phase of this parity is complete. The result is stable
  /// until the next phase completes (`mbarrier.try_wait.parity`).
  bool isComplete(unsigned parity) const { return (phase & 1) != (parity & 1); }
  /// Clocks that an agent gets when it has waited for the last complete phase.
  const Clocks &getClocks() const { return known; }

  uint64_t getPhase() const { return phase; }
  /// Bytes announced but not delivered; negative if more were delivered.
  int64_t getBytesToCome() const { return bytes; }
  /// "phase 3: 1 of 2 arrivals have come, 8192 bytes are to come".
  std::string str() const;

private:
  Defect finishPhase();

  int64_t arrivals, pending;
  int64_t bytes = 0;
  uint64_t phase = 0;
  Clocks gathering, known;
};

/// A barrier of a fixed number of threads (PTX ISA, "barrier"). In each round,
/// some threads arrive, and others arrive and wait.
class NamedBarrier {
public:
  NamedBarrier(int64_t threads, unsigned warps);

  /// Checks whether this warp has arrived in the current round. The barrier
  /// only counts threads: a second arrival of a warp counts as the arrival of
  /// another warp.
  bool hasCome(unsigned warp) const { return come.test(warp); }
  /// Arrives with the threads of a warp. Returns the number of the round, for
  /// `isOver`.
  uint64_t arrive(unsigned warp, const Clocks &clocks, int64_t threads);
  bool isOver(uint64_t round) const { return round < rounds; }
  /// Clocks that an agent gets when it has waited for this round. The last two
  /// rounds are kept.
  const Clocks &getClocks(uint64_t round) const { return known[round % 2]; }

  int64_t getThreads() const { return threads; }
  /// Threads that have arrived in the current round.
  int64_t getPresent() const { return present; }
  /// "64 of 128 threads have come".
  std::string str() const;

private:
  int64_t threads, present = 0;
  uint64_t rounds = 0;
  llvm::BitVector come;
  Clocks gathering;
  Clocks known[2];
};

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_BARRIERS_H
