//===- SharedMemory.h - The shared memory of one CTA ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes, and beside them their history. The two are separate, since an
// asynchronous operation takes its place in the order at issue and has its
// effect later.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SIMULATOR_SHAREDMEMORY_H
#define TESSERA_SIMULATOR_SHAREDMEMORY_H

#include "tessera/Simulator/AccessHistory.h"

#include <algorithm>

namespace tessera::sim {

class SharedMemory {
public:
  /// Bytes are poisoned: nobody has written them.
  explicit SharedMemory(int64_t bytes)
      : contents(bytes, 0), history(bytes, AccessHistory::Rules()) {}

  int64_t getSize() const { return contents.size(); }

  /// As AccessHistory::record, by bytes.
  std::optional<Conflict> record(const Access &access, const Clocks &clocks,
                                 ArrayRef<int64_t> starts, int64_t count) {
    return history.record(access, clocks, starts, count);
  }

  /// The bytes, for effects. Whoever reads or writes has recorded it.
  ArrayRef<uint8_t> read(int64_t byte, int64_t count) const {
    return ArrayRef(contents).slice(byte, count);
  }
  void write(int64_t byte, ArrayRef<uint8_t> bytes) {
    std::copy(bytes.begin(), bytes.end(), contents.begin() + byte);
  }

  /// All of [byte, byte + count) is unwritten again (a buffer ends its life),
  /// and nobody has touched it: for the time when no agent is at work.
  void poison(int64_t byte, int64_t count) { history.forget(byte, count); }

private:
  std::vector<uint8_t> contents;
  AccessHistory history;
};

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_SHAREDMEMORY_H
