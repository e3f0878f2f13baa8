//===- PlannedLoop.h - A loop with its ops in place -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_PLANNEDLOOP_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_PLANNEDLOOP_H

#include "DependenceGraph.h"

namespace tessera::sm {

/// Rewrites the loop of `graph` so that its ops run as their schedules say. The
/// schedules must be legal.
void applySchedule(const DependenceGraph &graph);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_PLANNEDLOOP_H
