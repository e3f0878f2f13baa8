//===- DeadTiles.h - Tiles that nobody uses any more ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PARTITION_DEADTILES_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PARTITION_DEADTILES_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Erases values that `scope`, a role or a kernel without roles, computes or
/// reads without using them, and the parts of them that its loops carry. Erases
/// its waits for slots of rings that it does not use and another role does.
void eraseDeadTiles(Operation *scope);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PARTITION_DEADTILES_H
