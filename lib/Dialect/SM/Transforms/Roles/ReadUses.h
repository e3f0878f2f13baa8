//===- ReadUses.h - When what was read is in registers ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slot may be released when the values read of it are in registers. A thread
// that has issued a product of all of them has them there, and need not wait.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_READUSES_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_READUSES_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Returns the first product, or its issue, in the block of `read` that takes
/// from registers a tile computed from all that `read` brings, always and
/// element by element. Returns it only if the slot should be released after
/// it. That is so where warps write tiles for each other in the block: all of
/// them wait for one that waits for its loads. Elsewhere the slot is released
/// earlier, while products run, which takes longer than loads do. Null if there
/// is none.
Operation *findReleasing(SmemLoadOp read);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_READUSES_H
