//===- PrepareRole.h - Tiles that a role of its own computes ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PREPAREROLE_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PREPAREROLE_H

#include "ScalarSlice.h"

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Lets `role` compute the tiles that go through channels which it fills: it
/// waits for what they are computed from, and hands them over to the role that
/// multiplies. What that does not need any more is left to `eraseDeadTiles`. An
/// error at a tile that another role cannot compute.
LogicalResult prepareTiles(KernelOp kernel, RoleOp role,
                           const IsGiven &isGiven);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PREPAREROLE_H
