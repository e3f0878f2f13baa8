//===- WholeRows.h - Rows of one tile stay in registers ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that walks a row several times, in tiles, loads it as often. Where
// the row is one tile, loops are their bodies, and what was loaded once is
// there still.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_VARIANTS_WHOLEROWS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_VARIANTS_WHOLEROWS_H

#include "tessera/Dialect/SM/IR/SM.h"

#include <optional>

namespace tessera::sm {

/// A size that several loops walk in tiles of the same extent.
struct WalkedSize {
  StringAttr name;
  int64_t extent;
};

/// Returns the first of them, if the tiles that are loaded on the way may stay
/// in registers.
std::optional<WalkedSize> findWalkedSize(KernelOp kernel);

/// Makes the size that extent, with a condition. Loops are left to folds.
void fixSize(KernelOp kernel, const WalkedSize &walked);

/// Says of accesses from a number to a number what is in bounds.
void markInBounds(KernelOp kernel);

/// Lets loads of what has been loaded take that, and says how many did.
unsigned mergeLoads(KernelOp kernel);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_VARIANTS_WHOLEROWS_H
