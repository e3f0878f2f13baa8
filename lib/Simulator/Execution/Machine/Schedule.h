//===- Schedule.h - Schedules without search --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedules that need no search; see docs/design/simulator.md, "Schedules".
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_SCHEDULE_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_SCHEDULE_H

#include "Effects.h"

#include "tessera/Array/Generator.h"

namespace tessera::sim {

class Schedule {
public:
  explicit Schedule(Cluster &cluster);

  /// Runs all agents until they end.
  LogicalResult run();

private:
  /// Whether an agent made a step.
  using Progress = FailureOr<bool>;

  Progress runFirstWarp(bool fromLast);
  Progress runRandomAgent();
  Cluster &cluster;
  Effects effects;
  Order order;
  array::Generator generator;
};

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_SCHEDULE_H
