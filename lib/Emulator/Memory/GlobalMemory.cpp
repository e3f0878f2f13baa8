//===- GlobalMemory.cpp - The memory of the emulated device -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations in a map ordered by address. The gap between allocations exceeds
// the error of a truncated 32-bit index. A wrong address is therefore in no
// other allocation, and is described relative to the nearest one. New bytes are
// poisoned and marked as unwritten. A probe of the host's memory refuses
// allocations that would not fit.
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/GlobalMemory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <unistd.h>

using namespace tessera::emu;

static constexpr uint64_t kFirst = uint64_t(1) << 40;
/// The address space of devices has 57 bits, including the sign.
static constexpr uint64_t kEnd = uint64_t(1) << 56;
static constexpr uint64_t kAlignment = uint64_t(1) << 20;
/// An index that is truncated to 32 bits is wrong by multiples of 2^32 elements
/// of at most 8 bytes.
static constexpr uint64_t kGap = uint64_t(1) << 36;
static constexpr uint8_t kPoison = 0xff;

/// Checks whether the host has this memory, and some for the rest of the
/// process.
static bool isAvailable(uint64_t total, uint64_t bytes) {
  static const uint64_t physical =
      uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  uint64_t most = physical - physical / 8;
  // A byte takes nine bits here, and 12 bytes in the history of accesses
  // (ClusterHistory). Requests above `most` skip the probe.
  auto withMarks = [](uint64_t count) { return 13 * count + count / 8 + 64; };
  if (bytes > most || withMarks(total) + withMarks(bytes) > most)
    return false;
  void *probe = std::malloc(withMarks(bytes));
  std::free(probe);
  return probe;
}

uint64_t GlobalMemory::allocate(uint64_t bytes) {
  if (bytes == 0 || !isAvailable(total, bytes))
    return 0;
  if (allocations.empty())
    next = kFirst;
  if (next >= kEnd - kGap)
    return 0;
  auto allocation = std::make_unique<Allocation>();
  allocation->address = next;
  allocation->bytes.assign(bytes, kPoison);
  allocation->isWritten.assign(bytes, false);
  next = llvm::alignTo(next + bytes + kGap, kAlignment);
  total += bytes;
  uint64_t address = allocation->address;
  allocations[address] = std::move(allocation);
  return address;
}

bool GlobalMemory::free(uint64_t address) {
  auto it = allocations.find(address);
  if (it == allocations.end())
    return false;
  total -= it->second->bytes.size();
  allocations.erase(it);
  return true;
}

const Allocation *GlobalMemory::find(uint64_t byte, uint64_t count) const {
  auto after = allocations.upper_bound(byte);
  if (after == allocations.begin())
    return nullptr;
  const Allocation *before = std::prev(after)->second.get();
  return before->contains(byte, count) ? before : nullptr;
}

Allocation *GlobalMemory::find(uint64_t byte, uint64_t count) {
  return const_cast<Allocation *>(
      static_cast<const GlobalMemory *>(this)->find(byte, count));
}

Allocation *GlobalMemory::findStart(uint64_t address) {
  auto it = allocations.find(address);
  return it == allocations.end() ? nullptr : it->second.get();
}

std::string Allocation::describeByte(uint64_t byte) const {
  if (nameElement)
    return nameElement(byte);
  return "byte " + llvm::utostr(byte) + " of " +
         (name.empty() ? "an allocation" : name);
}

static std::string countBytes(uint64_t count) {
  return llvm::utostr(count) + (count == 1 ? " byte" : " bytes");
}

static std::string getName(const Allocation &allocation) {
  std::string size = "of " + countBytes(allocation.bytes.size());
  return allocation.name.empty() ? "an allocation " + size
                                 : allocation.name + ", " + size;
}

std::string GlobalMemory::describe(uint64_t byte) const {
  auto after = allocations.upper_bound(byte);
  const Allocation *lower = nullptr, *upper = nullptr;
  if (after != allocations.begin())
    lower = std::prev(after)->second.get();
  if (after != allocations.end())
    upper = after->second.get();
  uint64_t pastLower = ~uint64_t(0), beforeUpper = ~uint64_t(0);
  if (lower) {
    uint64_t end = lower->address + lower->bytes.size();
    // The access begins inside and ends outside of the allocation.
    if (byte < end)
      return countBytes(end - byte) + " before the end of " + getName(*lower);
    pastLower = byte - end;
  }
  if (upper)
    beforeUpper = upper->address - byte;
  if (std::min(pastLower, beforeUpper) >= kGap)
    return "far from every allocation";
  if (pastLower == 0)
    return "right after " + getName(*lower);
  return pastLower <= beforeUpper
             ? countBytes(pastLower) + " after " + getName(*lower)
             : countBytes(beforeUpper) + " before " + getName(*upper);
}
