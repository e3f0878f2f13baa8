//===- Recurrence.h - Loops that wait for other programs --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_MACHINE_RECURRENCE_H
#define TESSERA_LIB_EMULATOR_MACHINE_RECURRENCE_H

#include "Warp.h"

namespace tessera::emu {

/// Finds loops that poll for a change that no agent of the cluster makes; see
/// Recurrence.cpp.
class Recurrence {
public:
  explicit Recurrence(Cluster &cluster) : cluster(cluster) {}

  /// Called at a branch back, before it. Returns the instruction that polls if
  /// the cluster repeats itself, else null.
  const Op *note(Warp &warp, const Op &branch);
  /// Called after an instruction that polls.
  void notePoll(const Op &op) { poll = &op; }

private:
  void keep();
  bool isKept() const;

  Cluster &cluster;
  /// The branch at which states are compared, and its warp.
  const Warp *leader = nullptr;
  const Op *place = nullptr;
  /// `Run::changes` when the leader began there.
  uint64_t changes = 0;
  /// The last instruction that polled since.
  const Op *poll = nullptr;
  /// Number of executions of the branch since, and the number of those in the
  /// kept state.
  uint64_t executions = 0, equal = 0;
  /// Number of other branches back since the last execution.
  uint64_t others = 0;
  std::vector<WarpState> warps;
  std::vector<std::vector<uint8_t>> memories;
};

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_MACHINE_RECURRENCE_H
