//===- LoopClock.h - Steady state of a pipelined loop -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts the cycles of an iteration of a loop from the steps of an iteration,
// without IR, so that many orders of one loop can be compared. The warpgroups
// of a role are equal agents of a Multiprocessor; slots that other roles fill
// are always ready. docs/design/clock.md has the model.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TIMING_LOOPCLOCK_H
#define TESSERA_TIMING_LOOPCLOCK_H

#include "tessera/Timing/Multiprocessor.h"

namespace tessera::timing {

/// A step of an agent in an iteration.
struct LoopStep {
  enum Kind {
    /// Does `work`.
    Compute,
    /// Issues `count` wgmmas of `cycles` each as one group.
    Issue,
    /// Waits until at most `count` groups are in flight.
    Await,
    /// Waits for all agents of the role.
    Meet,
    /// Tells all agents that this one has passed `channel`.
    Signal,
    /// Waits, in the n-th iteration, until `cycles` after all agents have
    /// signalled `channel` n - `count` times.
    Wait,
    /// Lets `cycles` pass.
    Pause
  };
  Kind kind;
  Work work = {};
  double count = 0, cycles = 0;
  const void *channel = nullptr;
};

/// Returns the cycles of an iteration in the steady state of a loop that
/// `agents` execute; infinity if they wait for each other.
double timeIteration(ArrayRef<LoopStep> steps, unsigned agents,
                     const TimingConstants &constants = {});

} // namespace tessera::timing

#endif // TESSERA_TIMING_LOOPCLOCK_H
