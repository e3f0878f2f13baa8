//===- RoleExpansion.h - Operations of rings as barriers --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces the operations of one role on rings and queues by waits and arrivals
// at their barriers. Let p be the parity of a side, which starts at 0. The
// consumer waits for phase p of `full`. The producer waits for phase p xor 1 of
// `empty`, which a fresh barrier counts as complete. A slot becomes its index.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_ROLEEXPANSION_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_ROLEEXPANSION_H

#include "RingCursors.h"
#include "RingTurns.h"

namespace tessera::sm {

/// The expansions of rings, and the ring of an operation on a slot or its tile.
struct RingExpansion {
  RingCursors::Machines machines;
  llvm::DenseMap<Operation *, const ExpandedRing *> ofOp;
  /// Acquires that need not wait, and releases that nobody waits for.
  llvm::DenseSet<Operation *> needless;
  RingTurns turns;
  /// The barriers of copies that a role waits for, which are keys of
  /// `machines`.
  llvm::DenseMap<Operation *, Value> landings;
};

/// Expands the rings in `role`, walking over it in program order.
void expandRole(RoleOp role, const RingExpansion &expansion);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_ROLEEXPANSION_H
