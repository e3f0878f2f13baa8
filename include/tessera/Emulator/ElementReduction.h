//===- ElementReduction.h - Reductions of elements in memory ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_ELEMENTREDUCTION_H
#define TESSERA_EMULATOR_ELEMENTREDUCTION_H

#include "tessera/Emulator/Module.h"

#include "llvm/Support/Error.h"

namespace tessera::emu {

/// Computes target = target op source for elements of the types of
/// cp.reduce.async.bulk (PTX ISA, 9.7.9.27, the table for global memory). Fails
/// for a pair of operation and type that is not in that table.
///
/// With `flushes`, subnormal f32 operands and sums become zeros of their sign.
/// The ISA specifies this for cp.reduce.async.bulk.add.f32. f16 and bf16 are
/// never flushed (they are written `.add.noftz`).
llvm::Error reduceElements(StringRef operation, Type type, bool flushes,
                           llvm::MutableArrayRef<uint8_t> target,
                           ArrayRef<uint8_t> source);

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_ELEMENTREDUCTION_H
