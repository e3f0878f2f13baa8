//===- LoopSplit.h - A loop split at thresholds -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks whose slack (MaskSlack.h) moves with a loop are all true between two
// thresholds, which are computed before the loop:
//
//   for i = lb to min(ub, T')        the masks as they were
//   for i = s1 to min(ub, T + 1)     no masks
//   for i = s2 to ub                 the masks as they were
//
// where s1 and s2 continue the steps of the loop before. Every iteration is run
// once and in the order of the original, whatever the bounds are: an empty or
// negative run of iterations leaves the start where it was.
//
// Positions are compared in 32 bits. Where a sum of them may leave these, a
// test before the loop finds out, and without its consent there is no middle
// loop.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_LOOPSPLIT_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_LOOPSPLIT_H

#include "MaskSlack.h"

namespace tessera::tile {

/// Where the masks of a loop are all true: at or above all of `lower` and at or
/// below all of `upper`.
struct Split {
  SmallVector<LinearExpr> lower, upper;
  SmallVector<Operation *> masks;
  /// What has to have 32 bits for that.
  SmallVector<ElementBounds, 0> sums;

  /// Whether each slack of `mask` is at least that of some threshold.
  bool implies(scf::ForOp loop, const Mask &mask,
               const Iterations &iterations) const;
};

/// Whether `loop` was made by a split.
bool isPartOfSplit(scf::ForOp loop);

/// How many loops that were split are nested in `loop`, at most.
unsigned getDepthOfSplits(scf::ForOp loop);

/// Replaces `loop` by those of `split`, and returns the masks that are all true
/// now.
SmallVector<Operation *>
splitLoop(scf::ForOp loop, const Iterations &iterations, const Split &split);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_LOOPSPLIT_H
