//===- SharedMemory.h - The shared memory of one CTA ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes, and beside each byte who wrote it last and who read it since. Accesses
// are recorded in one call for the bytes of one op, and give the first
// conflict. Bytes and records are separate, since an asynchronous operation
// takes its place in the order at issue and has its effect later.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SIMULATOR_SHAREDMEMORY_H
#define TESSERA_SIMULATOR_SHAREDMEMORY_H

#include "tessera/Simulator/Clock.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <optional>
#include <vector>

namespace tessera::sim {

enum class Proxy : uint8_t { Generic, Async };

/// One op of one agent that touches shared memory.
struct Access {
  Operation *op = nullptr;
  Moment when;
  Proxy proxy = Proxy::Generic;
  bool isWrite = false;
};

/// What is wrong with an access, and with whom.
struct Conflict {
  enum Kind {
    Race,         // not ordered with the other side
    MissingFence, // ordered, but the other side's generic write is not fenced
    Unwritten,    // reads a byte that nobody wrote
    OutOfBounds,
  };
  Kind kind;
  /// The first such byte.
  int64_t byte = 0;
  /// The other side; no op for Unwritten and OutOfBounds.
  Access other;
};

class SharedMemory {
public:
  /// Bytes are poisoned: nobody has written them.
  explicit SharedMemory(int64_t bytes);
  ~SharedMemory();
  SharedMemory(SharedMemory &&);

  int64_t getSize() const { return contents.size(); }

  /// Records that the op `access` of an agent with these clocks touches `count`
  /// bytes from each of `starts` on. All are recorded even if there is a
  /// conflict, but for those out of bounds. Accesses of one moment do not
  /// conflict with each other. An asynchronous operation brings the clocks that
  /// its issuer has when it issues it.
  std::optional<Conflict> record(const Access &access, const Clocks &clocks,
                                 ArrayRef<int64_t> starts, int64_t count);

  /// The bytes, for effects. Whoever reads or writes has recorded it.
  ArrayRef<uint8_t> read(int64_t byte, int64_t count) const;
  void write(int64_t byte, ArrayRef<uint8_t> bytes);

  /// All of [byte, byte + count) is unwritten again (a buffer ends its life),
  /// and nobody has touched it: for the time when no agent is at work.
  void poison(int64_t byte, int64_t count);

private:
  class Shadow;
  std::vector<uint8_t> contents;
  std::unique_ptr<Shadow> shadow;
};

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_SHAREDMEMORY_H
