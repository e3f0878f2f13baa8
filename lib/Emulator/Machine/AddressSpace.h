//===- AddressSpace.h - Windows of generic addresses ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Generic Addressing": windows for shared memory, for parameters, and
// for local memory, which is separate in each thread. Addresses outside of the
// windows are global. Shared memory of the own CTA begins after the first KiB
// of its window, which Hopper reserves. That of CTA r of the cluster (`mapa`)
// has the same offsets, with r + 1 in the uppermost byte.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_MACHINE_ADDRESSSPACE_H
#define TESSERA_LIB_EMULATOR_MACHINE_ADDRESSSPACE_H

#include <cstdint>

namespace tessera::emu {

enum class Space : uint8_t { Generic, Global, Shared, Param, Local };

inline constexpr uint64_t kSharedWindow = uint64_t(0x7f) << 40;
inline constexpr uint64_t kParamWindow = uint64_t(0x7e) << 40;
inline constexpr uint64_t kLocalWindow = uint64_t(0x7d) << 40;
inline constexpr uint64_t kWindowBytes = uint64_t(1) << 32;
inline constexpr uint32_t kFirstSharedByte = 1024;
inline constexpr unsigned kRankShift = 24;

/// Converts `address` to an address of a specific space, which is returned.
inline Space resolveGeneric(uint64_t &address) {
  if (address - kSharedWindow < kWindowBytes) {
    address -= kSharedWindow;
    return Space::Shared;
  }
  if (address - kParamWindow < kWindowBytes) {
    address -= kParamWindow;
    return Space::Param;
  }
  if (address - kLocalWindow < kWindowBytes) {
    address -= kLocalWindow;
    return Space::Local;
  }
  return Space::Global;
}

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_MACHINE_ADDRESSSPACE_H
