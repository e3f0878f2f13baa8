//===- MaskSlack.h - When a mask is all true --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask in a loop is all true where its slack, a linear expression in the
// induction variable i, is at least 0:
//
//   tile.valid of a range from i to L of extent E     slack = L - E - i
//   positions of m + c >= positions of i              slack = m + c - (i + E-1)
// This file finds masks with their slacks, and bounds a slack over the
// iterations of a loop.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_MASKSLACK_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_MASKSLACK_H

#include "tessera/Dialect/Tile/Analysis/PositionBounds.h"

namespace tessera::tile {

/// An operation of a loop that is all true where all its slacks are at least 0:
/// a tile.range that is full, or a comparison.
struct Mask {
  Operation *op;
  SmallVector<LinearExpr, 2> slacks;
  /// The tiles that the comparison reads are sums of 32 bits. The slacks are
  /// valid only if none of the sums wraps around.
  SmallVector<ElementBounds, 0> sums;
  /// Whether the mask selects elements, rather than only limiting loads and
  /// stores.
  bool isValueMask;
  /// Whether a test before the loop can tell that no sum wraps around.
  bool canTest = true;
};

/// The iterations lb, lb + step, … below ub of a loop. The last one is at most
/// `last`.
struct Iterations {
  Value inductionVar;
  int64_t step;
  LinearExpr first, last;
};

/// Returns the numbers of `sums` that may not have 32 bits in some iteration,
/// each at its least and at its largest, as far as is known before the loop.
/// Fails if one of them is computed in the loop, or is too large for
/// arithmetic.
FailureOr<SmallVector<ElementBounds>>
getUnsafeSums(scf::ForOp loop, const Mask &mask, const Iterations &iterations,
              PositionBounds &bounds);

/// Returns the mask that `op` computes, if its slack is known and may be
/// negative.
std::optional<Mask> getMask(Operation *op);

/// Checks whether `op` is an order comparison of tiles, like masks of
/// positions.
bool isOrderOfTiles(Operation *op);

/// Checks whether `op` selects elements of a tile by a mask. Vectors do not
/// count: they are short, and may be computed where they are fetched.
bool isSelectionOfTiles(Operation *op);

/// Checks whether `op` selects elements of a tile that a product of its block
/// computes. Another role may select operands of a product.
bool isSelectionOfProduct(Operation *op);

Iterations getIterations(scf::ForOp loop, int64_t step);

/// Checks whether the loop does not change the terms of `expr`.
bool isInvariant(scf::ForOp loop, const LinearExpr &expr);

/// Checks whether `slack` is at least 0 in every iteration.
bool holdsAlways(const LinearExpr &slack, const Iterations &iterations);

/// Checks whether `slack` is known to be negative in every iteration.
bool holdsNever(const LinearExpr &slack, const Iterations &iterations);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_MASKSLACK_H
