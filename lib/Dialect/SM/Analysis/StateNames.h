//===- StateNames.h - Canonical names of states -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two states continue in the same way if they differ only in the number of
// completed iterations. All agents are then at the same ops, with the same
// distances between their loops. Such states get one name. In it, indices of
// loops are distances from each other, and slots are counted from the last one
// taken. Results of ops of one iteration are numbered as they occur.
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
