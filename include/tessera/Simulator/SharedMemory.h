//===- SharedMemory.h - The shared memory of one CTA ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of shared memory and their access history. The two are separate: an
// asynchronous operation is recorded at issue and takes effect later.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SIMULATOR_SHAREDMEMORY_H
#define TESSERA_SIMULATOR_SHAREDMEMORY_H

#include "tessera/Simulator/AccessHistory.h"

#include <algorithm>

namespace tessera::sim {

class SharedMemory {
public:
  /// Creates a memory with all bytes poisoned (unwritten).
  explicit SharedMemory(int64_t bytes)
      : contents(bytes, 0), history(bytes, AccessHistory::Rules()) {}

  int64_t getSize() const { return contents.size(); }

  /// Records an access to bytes; see AccessHistory::record.
  std::optional<Conflict> record(const Access &access, const Clocks &clocks,
                                 ArrayRef<int64_t> starts, int64_t count) {
    return history.record(access, clocks, starts, count);
  }

  /// Returns the bytes without recording an access: the caller has recorded it.
  ArrayRef<uint8_t> read(int64_t byte, int64_t count) const {
    return ArrayRef(contents).slice(byte, count);
  }
  void write(int64_t byte, ArrayRef<uint8_t> bytes) {
    std::copy(bytes.begin(), bytes.end(), contents.begin() + byte);
  }

  /// Marks [byte, byte + count) as unwritten and untouched, at the end of a
  /// buffer's life. No agent may be running.
  void poison(int64_t byte, int64_t count) { history.forget(byte, count); }

private:
  std::vector<uint8_t> contents;
  AccessHistory history;
};

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_SHAREDMEMORY_H
