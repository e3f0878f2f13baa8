//===- ProgramLengths.h - Trends of program lengths -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long a program takes is told by the bounds of its loops: whether their
// distance rises or falls with a coordinate, by the signs of the operations
// between.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PROGRAMS_PROGRAMLENGTHS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PROGRAMS_PROGRAMLENGTHS_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// How something changes while something else rises.
enum class Trend { Constant, Rising, Falling, Unknown };

/// Returns how the iterations of loops of `kernel` change while `coordinate`
/// rises. Loops with an unknown trend are ignored: where a mask is peeled off,
/// the loop over the rest is one of them.
Trend getLength(KernelOp kernel, Value coordinate);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PROGRAMS_PROGRAMLENGTHS_H
