//===- UnorderedPrograms.h - Text of races between programs -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SIMULATOR_UNORDEREDPROGRAMS_H
#define TESSERA_SIMULATOR_UNORDEREDPROGRAMS_H

namespace tessera::sim {

/// Ends the message of a race between programs, with the ways out.
inline constexpr char kUnorderedPrograms[] =
    "; programs of a grid are not ordered (use `barrier(grid)`, atomic "
    "operations with `order`, or two kernels)";

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_UNORDEREDPROGRAMS_H
