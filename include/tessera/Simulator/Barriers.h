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

#include "llvm/ADT/BitVector.h"

#include <string>

namespace tessera::sim {

/// PTX ISA, "mbarrier": a phase completes when its arrivals have come and the
/// bytes that were expected are there.
class Mbarrier {
public:
  /// What no later event can mend: the machine would go on with a barrier that
  /// never completes, or whose counts are undefined.
  enum class Defect {
    None,
    TooManyArrivals, // all arrivals of the phase have come; bytes are missing
    TooManyBytes,    // all arrivals have come, and more bytes than announced
  };

  Mbarrier(int64_t arrivals, unsigned warps);

  /// So many threads arrive at once.
  [[nodiscard]] Defect arrive(const Clocks &clocks, int64_t threads = 1) {
    return arriveExpecting(clocks, /*bytes=*/0, threads);
  }
  /// So many more bytes will come in this phase (`mbarrier.expect_tx`).
  void announce(int64_t more) { bytes += more; }
  /// As `arrive`, after announcing `bytes`.
  [[nodiscard]] Defect arriveExpecting(const Clocks &clocks, int64_t bytes,
                                       int64_t threads = 1);
  /// Bytes have come, by the asynchronous operation of this number. They may
  /// come before they are announced, and even in the phase before.
  [[nodiscard]] Defect complete(int64_t bytes, uint32_t asyncNumber);

  /// Whether the phase of this parity is complete, which is so until the next
  /// one completes (`mbarrier.try_wait.parity`).
  bool isComplete(unsigned parity) const { return (phase & 1) != (parity & 1); }
  /// What is known to whoever has waited for the last complete phase.
  const Clocks &getClocks() const { return known; }

  uint64_t getPhase() const { return phase; }
  /// Negative if more have come than were announced so far.
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

/// A barrier of a fixed number of threads (PTX ISA, "barrier"): rounds follow
/// each other, in each of which some arrive and others arrive and wait.
class NamedBarrier {
public:
  NamedBarrier(int64_t threads, unsigned warps);

  /// Whether this warp has come in the round that is not over. The barrier only
  /// counts: if it comes again, it stands for another one that has not come.
  bool hasCome(unsigned warp) const { return come.test(warp); }
  /// The warp comes to the barrier with a number of threads and gets the number
  /// of the round, for `isOver`.
  uint64_t arrive(unsigned warp, const Clocks &clocks, int64_t threads);
  bool isOver(uint64_t round) const { return round < rounds; }
  /// What is known to who waited for this round; the last two rounds are kept.
  const Clocks &getClocks(uint64_t round) const { return known[round % 2]; }

  int64_t getThreads() const { return threads; }
  /// Threads that have come in the round that is not over.
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
