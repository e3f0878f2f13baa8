//===- AccessHistory.h - History of accesses to a memory --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records the accesses to each place of a memory (a byte, or an element of a
// tensor): the last writer, and the readers and atomic writers since. One call
// records all places that one op touches, and returns the first conflict.
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

/// One access: an op of an agent that touches memory.
struct Access {
  /// The operation (simulator) or the instruction (emulator).
  void *op = nullptr;
  Moment when;
  Proxy proxy = Proxy::Generic;
  bool isWrite = false;
  /// The write is atomic with respect to other atomic writes.
  bool isAtomic = false;
};

/// A defect of an access, with the other access.
struct Conflict {
  enum Kind {
    Race,         // not ordered with the other side
    MissingFence, // ordered, but the other side's generic write is not fenced
    Unwritten,    // reads an unwritten place
    OutOfBounds,
  };
  Kind kind;
  /// First place with the defect.
  int64_t place = 0;
  /// The other access; null op for Unwritten and OutOfBounds.
  Access other;
};

class AccessHistory {
public:
  struct Rules {
    /// Whether unwritten places may be read.
    bool startsWritten = false;
    /// Whether fences exist between generic writes and asynchronous accesses.
    bool hasFences = true;
    /// Whether fences for global memory decide instead of fences for shared
    /// memory.
    bool isGlobal = false;
  };

  AccessHistory(int64_t places, Rules rules);
  ~AccessHistory();
  AccessHistory(AccessHistory &&);

  int64_t getSize() const { return size; }

  /// Records that `access`, by an agent with these clocks, touches `count`
  /// places from each of `starts` on. Returns the first conflict. All places
  /// within bounds are recorded, even after a conflict. Accesses of one moment
  /// do not conflict with each other. For an asynchronous operation, `clocks`
  /// are those of its issuer at issue.
  std::optional<Conflict> record(const Access &access, const Clocks &clocks,
                                 ArrayRef<int64_t> starts, int64_t count);

  /// Marks [place, place + count) as unwritten and untouched. No agent may be
  /// running.
  void forget(int64_t place, int64_t count);

private:
  class Shadow;
  int64_t size;
  std::unique_ptr<Shadow> shadow;
};

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_ACCESSHISTORY_H
