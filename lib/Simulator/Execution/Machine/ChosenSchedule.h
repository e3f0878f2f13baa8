//===- ChosenSchedule.h - A schedule made of choices ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order `program`, with deviations. A choice is made only between steps
// whose place among the others matters; all other steps are made as soon as
// they can. See docs/design/simulator.md, "Exhaustive".
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CHOSENSCHEDULE_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CHOSENSCHEDULE_H

#include "Effects.h"

namespace tessera::sim {

class ChosenSchedule {
public:
  explicit ChosenSchedule(Cluster &cluster);

  /// Runs all agents to their ends.
  LogicalResult run();

private:
  /// A warp, or a copy that completes bytes at a barrier.
  struct Agent {
    Warp *warp = nullptr;
    uint32_t copy = 0;
  };

  /// Makes steps until all agents are at contended ones, wait, or have ended.
  LogicalResult runUncontended();
  FailureOr<bool> runUncontended(Warp &warp);
  /// Puts the copies that have started since before all other agents.
  void addCopies();
  /// Places in `agents` of those that can go on.
  FailureOr<SmallVector<size_t>> findReady();
  LogicalResult runAgent(const Agent &agent);

  Cluster &cluster;
  Effects effects;
  /// By precedence. Copies leave it with their effect.
  std::vector<Agent> agents;
  uint32_t newestCopy = 0;
};

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_CHOSENSCHEDULE_H
