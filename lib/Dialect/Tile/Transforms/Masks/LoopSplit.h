//===- LoopSplit.h - A loop split at thresholds -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks whose slack (MaskSlack.h) depends on the induction variable are all
// true between two thresholds, which are computed before the loop:
//
//   for i = lb to min(ub, T')        the masks as they were
//   for i = s1 to min(ub, T + 1)     no masks
//   for i = s2 to ub                 the masks as they were
//
// where s1 and s2 continue the steps of the loop before. Every iteration is
// executed once and in the original order, whatever the bounds are: an empty or
// negative part leaves the start unchanged.
//
// Positions are compared in 32 bits. If a sum of positions may leave 32 bits, a
// test before the loop checks it. If the test fails, the middle loop is empty.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_LOOPSPLIT_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_LOOPSPLIT_H

#include "MaskSlack.h"

namespace tessera::tile {

/// The iterations in which the masks of a loop are all true: at or above all of
/// `lower` and at or below all of `upper`.
struct Split {
  SmallVector<LinearExpr> lower, upper;
  SmallVector<Operation *> masks;
  /// Numbers that must have 32 bits for that.
  SmallVector<ElementBounds, 0> sums;

  /// Checks whether each slack of `mask` is at least that of some threshold.
  bool implies(scf::ForOp loop, const Mask &mask,
               const Iterations &iterations) const;
};

/// Checks whether a split created `loop`.
bool isPartOfSplit(scf::ForOp loop);

/// Returns the largest depth of split loops nested in `loop`.
unsigned getDepthOfSplits(scf::ForOp loop);

/// Replaces `loop` by the loops of `split`. Returns the masks that are now all
/// true.
SmallVector<Operation *>
splitLoop(scf::ForOp loop, const Iterations &iterations, const Split &split);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_LOOPSPLIT_H
