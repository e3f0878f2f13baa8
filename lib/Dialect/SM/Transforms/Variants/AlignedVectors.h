//===- AlignedVectors.h - Accesses whose vectors are aligned ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread accesses some elements of a row together, as a vector. Vectors are
// aligned, and valid as a whole or not at all, under two conditions. The tensor
// begins at a multiple of 16 bytes, which a launch can see. Rows, starts and
// limits are multiples of a vector.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_VARIANTS_ALIGNEDVECTORS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_VARIANTS_ALIGNEDVECTORS_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Marks the accesses of `kernel` whose vectors are aligned wherever sizes are
/// multiples (kAlignedAttrName), adds that as conditions, and says how many
/// these accesses are.
unsigned alignVectors(KernelOp kernel);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_VARIANTS_ALIGNEDVECTORS_H
