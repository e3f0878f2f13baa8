//===- EmptyRole.h - Roles that have nothing to do yet ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_EMPTYROLE_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_EMPTYROLE_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// The role `name` of `kernel`, of one thread if it is `elected`, that has
/// nothing to do yet; null if there is none.
inline RoleOp findEmptyRole(KernelOp kernel, StringRef name, bool elected) {
  for (RoleOp role : kernel.getBody().getOps<RoleOp>())
    if (role.getName() == name && role.getElected() == elected &&
        role.getBody().front().without_terminator().empty())
      return role;
  return nullptr;
}

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_EMPTYROLE_H
