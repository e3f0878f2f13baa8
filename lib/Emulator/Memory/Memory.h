//===- Memory.h - Memory accesses of instructions ---------------*- C++ -*-===//
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

/// Returns the space that the name of an instruction contains.
Space getSpace(const Instruction &instruction);

/// A location of bytes in one of the memories.
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

/// Resolves `bytes` at an address of a thread. Reports defects: no memory
/// there, or not aligned to `alignment`.
Outcome locate(Warp &warp, Space space, uint64_t address, uint32_t bytes,
               uint32_t alignment, int lane, Located &located);

/// Resolves the address `base` + `offset` of each of these threads. `bytes` is
/// a power of two, and addresses are multiples of it.
Outcome locateAll(Warp &warp, Lanes lanes, Space space, Slot base,
                  int64_t offset, uint32_t bytes,
                  llvm::SmallVectorImpl<Located> &pieces);

/// Records the access of one instruction to all of these pieces of `bytes`
/// each. `values` are the written bytes, piece after piece.
Outcome record(Warp &warp, const Cluster::Kind &kind,
               llvm::ArrayRef<Located> pieces, uint32_t bytes,
               const uint8_t *values = nullptr);

/// Writes `values` to these pieces of `bytes` each, by threads of the warp.
/// Reports two threads that write different values to one address.
Outcome writeAll(Warp &warp, llvm::ArrayRef<Located> pieces, uint32_t bytes,
                 llvm::ArrayRef<uint8_t> values);

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_MEMORY_MEMORY_H
