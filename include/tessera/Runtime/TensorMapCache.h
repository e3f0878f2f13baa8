//===- TensorMapCache.h - Tensor maps by their addresses --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program passes tensors at few different addresses to a kernel: those of its
// layers, and those that its allocator reuses for results. The maps of a
// prepared launch differ only by the address, so each map is encoded once (a
// direct-mapped cache).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_TENSORMAPCACHE_H
#define TESSERA_RUNTIME_TENSORMAPCACHE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::rt {

/// Each address has one slot for each map. The slot holds the map of the last
/// address that used it.
class TensorMapCache {
public:
  /// 128 bytes, aligned to 64 as the driver requires.
  struct alignas(64) TensorMap {
    uint8_t bytes[128];
  };

  explicit TensorMapCache(size_t numMaps) : numMaps(numMaps) {}

  /// Returns map number `index` over `address`, or null.
  const TensorMap *find(size_t index, uint64_t address) {
    if (slots.empty())
      return nullptr;
    const Slot &slot = getSlot(index, address);
    return slot.isFull && slot.address == address ? &slot.map : nullptr;
  }

  void keep(size_t index, uint64_t address, const TensorMap &map) {
    // Most prepared launches use one address only.
    if (slots.empty())
      slots.resize(numMaps * kSlots);
    getSlot(index, address) = {map, address, true};
  }

private:
  static constexpr unsigned kSlotBits = 5;
  static constexpr size_t kSlots = size_t(1) << kSlotBits;

  struct Slot {
    TensorMap map;
    uint64_t address = 0;
    bool isFull = false;
  };

  Slot &getSlot(size_t index, uint64_t address) {
    // Fibonacci hashing: allocators return multiples of large powers of two.
    uint64_t hash = (address * 0x9E3779B97F4A7C15u) >> (64 - kSlotBits);
    return slots[index * kSlots + hash];
  }

  size_t numMaps;
  std::vector<Slot> slots;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_TENSORMAPCACHE_H
