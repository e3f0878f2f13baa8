//===- GlobalMemory.h - The memory of the emulated device -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations at distant addresses, so that an access outside of an allocation
// is in no other allocation. Allocations outlive launches, as on a device.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_GLOBALMEMORY_H
#define TESSERA_EMULATOR_GLOBALMEMORY_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tessera::emu {

struct Allocation {
  uint64_t address = 0;
  std::vector<uint8_t> bytes;
  /// For each byte, whether it was written.
  std::vector<bool> isWritten;
  /// The name in findings: "parameter 2"; may be empty.
  std::string name;
  /// Names the element of a byte, "'x[1]'"; null if the memory is no tensor.
  std::function<std::string(uint64_t)> nameElement;

  /// Describes a byte: "'x[1]'", "byte 4 of parameter 2", "byte 4 of an
  /// allocation".
  std::string describeByte(uint64_t byte) const;

  bool contains(uint64_t byte, uint64_t count) const {
    return byte >= address && count <= bytes.size() &&
           byte - address <= bytes.size() - count;
  }
};

class GlobalMemory {
public:
  /// Returns the address of `bytes` new, unwritten bytes, aligned to 512 like
  /// memory of cuMemAlloc; 0 if there is no memory, or for 0 bytes. Addresses
  /// are multiples of 2^20 from 2^40 on, with at least 2^36 bytes between
  /// allocations: an offset without its upper bits is in no other allocation.
  /// Addresses start again when nothing is allocated, so a repeated launch gets
  /// the same ones. All bits of the bytes are set: NaN in every float type.
  uint64_t allocate(uint64_t bytes);
  /// Returns false if nothing was allocated there.
  bool free(uint64_t address);

  /// Returns the allocation that holds all of these bytes; null if none does.
  Allocation *find(uint64_t byte, uint64_t count);
  const Allocation *find(uint64_t byte, uint64_t count) const;
  /// Returns the allocation that begins there, or null.
  Allocation *findStart(uint64_t address);

  /// Describes an address outside of allocations, or an access that no
  /// allocation holds completely: "4 bytes after an allocation of 4096 bytes",
  /// or "… after parameter 'a', of 4096 bytes".
  std::string describe(uint64_t byte) const;

private:
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations;
  uint64_t next = 0, total = 0;
};

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_GLOBALMEMORY_H
