//===- Memory.h - What instructions touch -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_MEMORY_MEMORY_H
#define TESSERA_LIB_EMULATOR_MEMORY_MEMORY_H

#include "Machine/AddressSpace.h"
#include "Machine/Cluster.h"

namespace tessera::emu {

/// The space that the parts of an instruction's name say.
Space getSpace(const Instruction &instruction);

/// Bytes in one of the memories.
struct Located {
  Allocation *allocation = nullptr; // global
  Cta *cta = nullptr;               // shared
  uint8_t *local = nullptr;         // of the thread
  uint64_t offset = 0;              // in either, or in the parameters
  uint64_t address = 0;

  const uint8_t *getData(Run &run) const {
    if (cta)
      return cta->getMemory().read(offset, 0).data();
    if (local)
      return local;
    return (allocation ? allocation->bytes : run.parameters).data() + offset;
  }
  void read(Run &run, llvm::MutableArrayRef<uint8_t> bytes) const {
    std::copy_n(getData(run), bytes.size(), bytes.begin());
  }
  void write(llvm::ArrayRef<uint8_t> bytes) const;
};

/// Finds `bytes` at an address that a thread gives; reports what is wrong with
/// it: no memory there, or not aligned to `alignment`.
Outcome locate(Warp &warp, Space space, uint64_t address, uint32_t bytes,
               uint32_t alignment, int lane, Located &located);

/// Locates the address `base` + `offset` of each of these threads. `bytes` is a
/// power of two, and addresses are multiples of it.
Outcome locateAll(Warp &warp, Lanes lanes, Space space, Slot base,
                  int64_t offset, uint32_t bytes,
                  llvm::SmallVectorImpl<Located> &pieces);

/// Records what one instruction does to all of these pieces of `bytes` each.
/// `values` are what it writes, piece after piece.
Outcome record(Warp &warp, const Cluster::Kind &kind,
               llvm::ArrayRef<Located> pieces, uint32_t bytes,
               const uint8_t *values = nullptr);

/// Writes `values` to these pieces of `bytes` each, as threads of the warp do.
/// Two that write different values to one place are reported.
Outcome writeAll(Warp &warp, llvm::ArrayRef<Located> pieces, uint32_t bytes,
                 llvm::ArrayRef<uint8_t> values);

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_MEMORY_MEMORY_H
