//===- Schedule.h - Selects the next warp -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_MACHINE_SCHEDULE_H
#define TESSERA_LIB_EMULATOR_MACHINE_SCHEDULE_H

#include "Cluster.h"

#include "tessera/Array/Generator.h"

namespace tessera::emu {

/// Runs the warps of a cluster in an order; see docs/design/emulator.md. A warp
/// that polls yields until another agent has acted.
class Schedule {
public:
  explicit Schedule(Cluster &cluster);

  /// Runs until no agent can continue. Fails after a report.
  Outcome run();

private:
  enum class Progress { None, Some, Failed };

  Progress runWarps(bool fromLast);
  Progress runRandomAgent();
  Progress runChosenAgent();
  Progress step(Warp &warp);
  Progress takeEffect(size_t index);

  Cluster &cluster;
  sim::Order order;
  array::Generator generator;
  /// Warps that have polled since another agent has acted.
  std::set<Warp *> polling;
  /// For Order::Chosen: warps in order of precedence.
  std::vector<Warp *> agents;
};

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_MACHINE_SCHEDULE_H
