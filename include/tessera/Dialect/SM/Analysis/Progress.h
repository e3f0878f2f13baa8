//===- Progress.h - Proof of progress ---------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A proof, for all numbers of iterations, that the roles of a kernel come to
// their ends: no cycle of roles waits at rings, queues, turns and barriers.
//
// Method: the operations of roles on rings, queues, turns and barriers form a
// marked graph. An operation runs when each of its predecessors has left a
// token, and no two operations compete for a token. In a marked graph the
// result does not depend on the interleaving: if one interleaving completes,
// all do. If each operation of a loop runs once and leaves the tokens
// unchanged, the loop may run any number of times.
//
// So the analysis executes one interleaving, in which each role runs as far as
// it can, with symbolic numbers of iterations. Where all roles wait for an
// unknown number, the analysis follows both answers. A path ends where the
// roles are in the state of an iteration before.
//
// Roles answer alike where they test the same number (ScalarSums.h). Loops that
// are peeled in one role and not in another, or that share programs out, test
// the same numbers at other places.
//
// Not proven are kernels whose roles have conditions of their own, and those in
// which the CTAs of a cluster may go different ways. Asynchronous copies,
// products and stores are assumed to complete.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_ANALYSIS_PROGRESS_H
#define TESSERA_DIALECT_SM_ANALYSIS_PROGRESS_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

struct Progress {
  enum class Kind {
    /// No role waits for another one.
    Independent,
    /// All roles end, whatever the numbers of iterations are.
    Proven,
    /// Nothing is known.
    Open,
    /// Roles wait for each other as soon as the loops around them run.
    Deadlock
  };
  /// A role that waits at `op` for another one. Without `op` it has ended.
  struct Wait {
    RoleOp role;
    Operation *op;
  };

  Kind kind = Kind::Independent;
  /// Where roles wait, each for the next one, in a deadlock or what may be one.
  SmallVector<Wait> waits;
  /// The last condition on the way there, or what else keeps from a proof.
  Operation *condition = nullptr;
  std::string reason;
  /// How many places with all roles at rest the proof has.
  int64_t numStates = 0;
};

/// `kernel` has rings, and its ops are where they run.
Progress analyzeProgress(KernelOp kernel);

/// Emits an error where roles certainly wait for each other. Otherwise stores
/// the result on `kernel` (ProgressAttr.h), for reports after the rings are
/// expanded.
LogicalResult proveProgress(KernelOp kernel);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_ANALYSIS_PROGRESS_H
