//===- PlannedLoop.h - A loop with its events in place ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_PLANNEDLOOP_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_PLANNEDLOOP_H

#include "LoopEvents.h"

namespace tessera::sm {

/// Rewrites the loop of `events` such that its ops run when their events say.
/// These must be a legal plan.
void placeEvents(const LoopEvents &events);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_PLANNEDLOOP_H
