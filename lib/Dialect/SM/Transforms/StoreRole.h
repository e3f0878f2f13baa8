//===- StoreRole.h - Stores by a role of their own --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_STOREROLE_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_STOREROLE_H

#include "ScalarSlice.h"

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Hands tiles of stores over to `role`, as the plan of `kernel` says: a ring
/// in the other direction, of which one thread of the role takes the slots and
/// starts their copies. An error at a store whose position it cannot know.
LogicalResult handOverStores(KernelOp kernel, RoleOp role,
                             const IsGiven &isGiven);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_STOREROLE_H
