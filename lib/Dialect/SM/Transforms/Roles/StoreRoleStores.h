//===- StoreRoleStores.h - Stores that another role does --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_STOREROLESTORES_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_STOREROLESTORES_H

#include "RoleSlice.h"

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Adds a store, or an addition, to what a role that stores executes: the
/// position and the limits of its tile, and the control flow around it. Returns
/// why that role cannot know them.
Reason addHandedStore(RoleSlice &slice, Operation *store);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_STOREROLESTORES_H
