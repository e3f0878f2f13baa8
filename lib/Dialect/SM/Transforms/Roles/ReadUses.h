//===- ReadUses.h - When what was read is in registers ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stage may be given back when what was read of it is in registers. A thread
// that has issued a product of all of that has it there, and need not look.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_READUSES_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_READUSES_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// The first product of the block of `read`, or its issue, that takes from
/// registers what is computed, in each case and element by element, from all
/// that `read` brings, if the stage should be given back after it. It should
/// where warps write tiles for each other in the block: all of them wait for
/// one that waits for its loads. Elsewhere it is given back earlier, while
/// products run, which takes longer than loads do. Null if there is none.
Operation *findReleasing(ReadOp read);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_READUSES_H
