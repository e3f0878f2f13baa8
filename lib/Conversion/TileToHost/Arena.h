//===- Arena.h - Places of buffers ------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffers of a program share one arena, whose size is known when the code
// is complete: first fit over the free intervals, in the order of emission. A
// buffer is free once no expression refers to it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_TILETOHOST_ARENA_H
#define TESSERA_LIB_CONVERSION_TILETOHOST_ARENA_H

#include "mlir/IR/Value.h"

#include <algorithm>
#include <map>
#include <memory>

namespace tessera::host {

class Arena {
public:
  /// Places are multiples of a cache line.
  static constexpr int64_t kAlignment = 64;

  int64_t allocate(int64_t bytes) {
    bytes = roundUp(bytes);
    for (auto it = taken.begin();; ++it) {
      int64_t begin = it == taken.begin()
                          ? 0
                          : std::prev(it)->first + std::prev(it)->second;
      int64_t end = it == taken.end() ? begin + bytes : it->first;
      if (end - begin < bytes)
        continue;
      taken.emplace(begin, bytes);
      size = std::max(size, begin + bytes);
      return begin;
    }
  }
  void release(int64_t offset) { taken.erase(offset); }
  int64_t getSize() const { return size; }

private:
  static int64_t roundUp(int64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  /// Sizes of the intervals in use, by their offsets.
  std::map<int64_t, int64_t> taken;
  int64_t size = 0;
};

/// A tile in memory: a row-major memref of held elements; i1 takes a byte.
struct Buffer {
  Buffer(Arena &arena, int64_t offset) : arena(arena), offset(offset) {}
  Buffer(const Buffer &) = delete;
  ~Buffer() { arena.release(offset); }

  Arena &arena;
  int64_t offset;
  mlir::Value memref;
  /// Whether a loop keeps the buffer for the next iteration.
  bool isCarried = false;
};
using BufferRef = std::shared_ptr<Buffer>;

} // namespace tessera::host

#endif // TESSERA_LIB_CONVERSION_TILETOHOST_ARENA_H
