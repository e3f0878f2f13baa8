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

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_PINGPONG_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_PINGPONG_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Support/Reason.h"

namespace tessera::sm {

/// How many roles compute in turn where the schedule wants it: while one
/// multiplies, one does what comes after. More would have to share the
/// registers.
inline constexpr int64_t kRolesInTurn = 2;

/// Why roles cannot compute the programs of `kernel`, which has none yet, in
/// turn; none if they can.
Reason getPingPongObstacle(KernelOp kernel);

/// Makes `count` roles of `math`, the last role of a kernel that can be
/// computed in turn.
void computeInTurn(RoleOp math, int64_t count);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_PINGPONG_H
