//===- LoadRoles.h - Roles that fill rings ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_LOADROLES_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_LOADROLES_H

#include "RingPlan.h"
#include "ScalarSlice.h"

namespace tessera::sm {

/// Lets `role` fill those of `rings`, which are in the order of `plan`, that
/// are its own to fill: by tensor copies of one thread, or by its threads.
void cloneLoading(RoleOp role, const RingPlan &plan, ArrayRef<Value> rings,
                  const IsGiven &isGiven);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_LOADROLES_H
