//===- RingTurns.h - Rings that roles use in turn ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_RINGTURNS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_RINGTURNS_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// The rings of a kernel that roles use in turn, and these in their order; both
/// are empty if there are none.
struct RingTurns {
  SmallVector<RoleOp> roles;
  SmallVector<Value> rings;

  bool contains(Value ring) const { return llvm::is_contained(rings, ring); }
  /// Returns the place of `role` in the order.
  int64_t getNumber(RoleOp role) const {
    return llvm::find(roles, role) - roles.begin();
  }
};

/// Checks that on each path of a role takes and passes of these rings
/// alternate, and that it waits for their slots only in between.
FailureOr<RingTurns> verifyRingTurns(KernelOp kernel);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_RINGTURNS_H
