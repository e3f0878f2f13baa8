//===- AccessHistory.h - Who has touched memory, and when -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each place of a memory (a byte, or an element of a tensor) who wrote it
// last, and who has read it or changed it atomically since. Accesses are
// recorded in one call for all that one op touches, and give the first
// conflict.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SIMULATOR_ACCESSHISTORY_H
#define TESSERA_SIMULATOR_ACCESSHISTORY_H

#include "tessera/Simulator/Clock.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <optional>
#include <vector>

namespace tessera::sim {

enum class Proxy : uint8_t { Generic, Async };

/// One op of one agent that touches memory.
struct Access {
  /// Of the level that is executed: an operation, or an instruction.
  void *op = nullptr;
  Moment when;
  Proxy proxy = Proxy::Generic;
  bool isWrite = false;
  /// A write that is atomic with respect to others of its kind.
  bool isAtomic = false;
};

/// What is wrong with an access, and with whom.
struct Conflict {
  enum Kind {
    Race,         // not ordered with the other side
    MissingFence, // ordered, but the other side's generic write is not fenced
    Unwritten,    // reads what nobody wrote
    OutOfBounds,
  };
  Kind kind;
  /// The first such place.
  int64_t place = 0;
  /// The other side; no op for Unwritten and OutOfBounds.
  Access other;
};

class AccessHistory {
public:
  struct Rules {
    /// Whether places may be read that nobody has written.
    bool startsWritten = false;
    /// Whether there is a fence between generic writes and asynchronous
    /// accesses.
    bool hasFences = true;
    /// Whether it is fences for global memory that count.
    bool isGlobal = false;
  };

  AccessHistory(int64_t places, Rules rules);
  ~AccessHistory();
  AccessHistory(AccessHistory &&);

  int64_t getSize() const { return size; }

  /// Records that the op `access` of an agent with these clocks touches `count`
  /// places from each of `starts` on. All are recorded even if there is a
  /// conflict, but for those out of bounds. Accesses of one moment do not
  /// conflict with each other. An asynchronous operation brings the clocks that
  /// its issuer has when it issues it.
  std::optional<Conflict> record(const Access &access, const Clocks &clocks,
                                 ArrayRef<int64_t> starts, int64_t count);

  /// Nobody has touched [place, place + count): for the time when no agent is
  /// at work.
  void forget(int64_t place, int64_t count);

private:
  class Shadow;
  int64_t size;
  std::unique_ptr<Shadow> shadow;
};

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_ACCESSHISTORY_H
