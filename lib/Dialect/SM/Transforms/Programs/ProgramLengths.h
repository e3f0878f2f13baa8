//===- ProgramLengths.h - How long programs take ----------------*- C++ -*-===//
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

/// How often loops of `kernel` run while `coordinate` rises. Loops of which
/// that is not known have no say: where a mask is peeled off, the loop over the
/// rest is one of them.
Trend getLength(KernelOp kernel, Value coordinate);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PROGRAMS_PROGRAMLENGTHS_H
