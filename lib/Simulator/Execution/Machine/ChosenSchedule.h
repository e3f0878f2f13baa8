//===- ChosenSchedule.h - A schedule made of choices ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order `program`, with deviations. Only steps whose order among other
// agents matters are choices. All other steps run as soon as possible. See
// docs/design/simulator.md, "Exhaustive".
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CHOSENSCHEDULE_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CHOSENSCHEDULE_H

#include "Effects.h"

namespace tessera::sim {

class ChosenSchedule {
public:
  explicit ChosenSchedule(Cluster &cluster);

  /// Runs all agents until they end.
  LogicalResult run();

private:
  /// A warp, or a copy that completes bytes at a barrier.
  struct Agent {
    Warp *warp = nullptr;
    uint32_t copy = 0;
  };

  /// Runs until each agent is at a contended step, waits, or has ended.
  LogicalResult runUncontended();
  FailureOr<bool> runUncontended(Warp &warp);
  /// Inserts newly issued copies before all other agents.
  void addCopies();
  /// Returns the indices in `agents` of those that can continue.
  FailureOr<SmallVector<size_t>> findReady();
  LogicalResult runAgent(const Agent &agent);

  Cluster &cluster;
  Effects effects;
  /// In order of precedence. A copy is removed when it takes effect.
  std::vector<Agent> agents;
  uint32_t newestCopy = 0;
};

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CHOSENSCHEDULE_H
