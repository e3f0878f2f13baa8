//===- LoopMasks.h - The masks of a loop ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conditions of the masks of a loop. Conditions that depend on no iteration
// are invariant. Each other condition compares a linear function of the
// iteration, its slack, with 0, so it begins or ceases to hold with one
// iteration.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_ITERATIONS_LOOPMASKS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_ITERATIONS_LOOPMASKS_H

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::sm {

/// The masks of a loop of MMAs whose conditions hold in all iterations from one
/// of them on, or up to one of them.
class LoopMasks {
public:
  /// Moves the invariant conditions before the loop.
  explicit LoopMasks(scf::ForOp loop);

  scf::ForOp getLoop() const { return loop; }
  ArrayRef<scf::IfOp> getMasks() const { return masks; }
  /// Checks whether a condition begins to hold in some iteration.
  bool begins() const { return !rising.empty(); }
  /// Checks whether no condition depends on the iteration.
  bool areInvariant() const { return rising.empty() && falling.empty(); }

  /// Returns the condition that all iterations have in common; null if none.
  /// If a condition begins to hold, one that ceases to hold has to hold up to
  /// the last iteration.
  Value makeCommonCondition(OpBuilder &builder);

  /// Returns the first iteration from which on all conditions hold, if one
  /// begins to; otherwise the first one in which some condition does not hold.
  /// It is at most the upper bound of the loop. If `common`, unless it is null,
  /// does not hold, no iteration is without masks.
  Value makeThreshold(OpBuilder &builder, Value common);

private:
  /// Adds the conditions that hold together where `condition` does; false if
  /// one of them neither is the same in all iterations nor compares a linear
  /// function of them.
  bool add(Value condition);

  /// Returns the bounds of the loop in 64 bits, the upper one at least the
  /// lower one. A slack may leave 32 bits.
  std::pair<Value, Value> makeWideBounds(OpBuilder &builder);

  /// Returns the first value of the induction variable from which on all
  /// conditions hold.
  Value makeBegin(OpBuilder &builder);

  /// Returns a value of the induction variable up to which all conditions hold.
  Value makeEnd(OpBuilder &builder);

  /// Returns the first iteration from `start` on, at most the upper bound.
  Value roundUp(OpBuilder &builder, Value start);

  scf::ForOp loop;
  SmallVector<scf::IfOp> masks;
  llvm::SetVector<Value> invariants;
  /// A condition holds where its slack is not negative.
  SmallVector<tile::LinearExpr> rising, falling;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_ITERATIONS_LOOPMASKS_H
