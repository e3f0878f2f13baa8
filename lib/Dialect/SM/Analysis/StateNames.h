//===- StateNames.h - Canonical names of states -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two states go on in the same way if they differ only in how many iterations
// have run: all agents are at the same ops, and their loops are as far apart.
// Such states get one name. In it, indices of loops are distances from each
// other, slots are counted from the last one taken, and what ops of one
// iteration found is numbered as it occurs.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_ANALYSIS_STATENAMES_H
#define TESSERA_LIB_DIALECT_SM_ANALYSIS_STATENAMES_H

#include "RoleInterpreter.h"

namespace tessera::sm {

/// Drops from `state` what is known of iterations that no agent is in, and
/// returns its name.
std::string nameState(RoleInterpreter &machine, MachineState &state);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_ANALYSIS_STATENAMES_H
