//===- Atomics.h - Atomic operations on elements ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_MEMORY_ATOMICS_H
#define TESSERA_LIB_EMULATOR_MEMORY_ATOMICS_H

#include "tessera/Emulator/Module.h"

namespace tessera::emu {

/// PTX ISA, "atom" and "red".
struct AtomicOperation {
  enum Kind : uint8_t {
    Add,
    Exchange,
    CompareAndSwap,
    Min,
    Max,
    And,
    Or,
    Xor,
    Increment,
    Decrement
  };
  Kind kind;
  Type type;

  /// Returns the new contents of memory. Additions of f32 in global memory
  /// flush subnormal numbers.
  uint64_t apply(uint64_t old, uint64_t operand, uint64_t swap,
                 bool isGlobal) const;
};

/// Returns the operation of a part of the name: "add". Returns none for other
/// parts, and for types that the operation does not support.
std::optional<AtomicOperation> getAtomicOperation(StringRef part, Type type);

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_MEMORY_ATOMICS_H
