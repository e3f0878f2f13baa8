//===- TensorMapCache.h - Tensor maps by their addresses --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program gives a kernel tensors at few different addresses: those of its
// layers, and what its allocator takes in turn for results. The maps of a
// prepared launch differ by the address alone, so each is encoded once.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_TENSORMAPCACHE_H
#define TESSERA_RUNTIME_TENSORMAPCACHE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::rt {

/// Each address has one slot for each map, which the last that came to it has.
class TensorMapCache {
public:
  /// 128 bytes each, aligned to 64 as the driver wants.
  struct alignas(64) TensorMap {
    uint8_t bytes[128];
  };

  explicit TensorMapCache(size_t numMaps) : numMaps(numMaps) {}

  /// Map number `index` over `address`, or null.
  const TensorMap *find(size_t index, uint64_t address) {
    if (slots.empty())
      return nullptr;
    const Slot &slot = getSlot(index, address);
    return slot.isFull && slot.address == address ? &slot.map : nullptr;
  }

  void keep(size_t index, uint64_t address, const TensorMap &map) {
    // Most of what is prepared is launched at one address only.
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
    // Fibonacci hashing: allocators give multiples of large powers of two.
    uint64_t hash = (address * 0x9E3779B97F4A7C15u) >> (64 - kSlotBits);
    return slots[index * kSlots + hash];
  }

  size_t numMaps;
  std::vector<Slot> slots;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_TENSORMAPCACHE_H
