//===- LoopTime.h - Time of a scheduled loop --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPTIME_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPTIME_H

#include "LoopSchedule.h"

namespace tessera::sm {

/// Returns the cycles that the clock predicts for an iteration in the steady
/// state; infinity if warpgroups would wait for each other.
double predictIteration(const LoopSchedule &schedule);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_LOOPTIME_H
