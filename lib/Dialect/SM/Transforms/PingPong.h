//===- PingPong.h - Roles that compute programs in turn ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two roles of one warpgroup each compute every other program, alone: what one
// does after its products runs while the other one multiplies. One role loads
// for both, into rings that they use in turn.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PINGPONG_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PINGPONG_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Roles that the schedule of a planned kernel wants to compute in turn; 1 if
/// one role computes all programs.
int64_t countComputingRoles(KernelOp kernel);

/// Makes `count` roles of `math`, the last role of a kernel. If it returns
/// failure, nothing has changed, and `why` says what is in the way.
LogicalResult computeInTurn(RoleOp math, int64_t count, std::string &why);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PINGPONG_H
