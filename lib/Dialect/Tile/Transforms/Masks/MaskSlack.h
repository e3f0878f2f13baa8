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
//
// This file finds masks with their slacks and tells what is known about a slack
// over the iterations of a loop.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_MASKSLACK_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_MASKSLACK_H

#include "tessera/Dialect/Tile/Analysis/PositionBounds.h"

namespace tessera::tile {

/// An operation of a loop that says no more than "true" where all its slacks
/// are at least 0: a tile.range that is full, or a comparison.
struct Mask {
  Operation *op;
  SmallVector<LinearExpr, 2> slacks;
  /// The tiles that it compares are sums of 32 bits. The slacks count only
  /// where none of these wraps around.
  SmallVector<ElementBounds, 0> sums;
  /// Elements are chosen by it, rather than only loaded and stored.
  bool isValueMask;
  /// Whether a test before the loop can tell that none does.
  bool canTest = true;
};

/// The iterations lb, lb + step, … below ub of a loop, the last one at most at
/// `last`.
struct Iterations {
  Value inductionVar;
  int64_t step;
  LinearExpr first, last;
};

/// The numbers of `sums` that may not have 32 bits in some iteration, as far as
/// is known before the loop: each at its least and at its largest. Failure if
/// one of them is computed in the loop, or too large to compute with.
FailureOr<SmallVector<ElementBounds>>
getUnsafeSums(scf::ForOp loop, const Mask &mask, const Iterations &iterations,
              PositionBounds &bounds);

/// The mask that `op` makes, if its slack is known and may be negative.
std::optional<Mask> getMask(Operation *op);

/// Whether `op` compares tiles by their order, as masks of positions do.
bool isOrderOfTiles(Operation *op);

/// Checks whether `op` selects elements of a tile by a mask. Vectors do not
/// count: they are short, and may be computed where they are fetched.
bool isSelectionOfTiles(Operation *op);

/// Checks whether `op` selects elements of a tile that a product of its block
/// computes. Another role may select operands of a product.
bool isSelectionOfProduct(Operation *op);

Iterations getIterations(scf::ForOp loop, int64_t step);

/// Whether the loop does not change what `expr` is made of.
bool isInvariant(scf::ForOp loop, const LinearExpr &expr);

/// Whether `slack` is at least 0 in every iteration.
bool holdsAlways(const LinearExpr &slack, const Iterations &iterations);

/// Whether `slack` is known to be negative in every iteration.
bool holdsNever(const LinearExpr &slack, const Iterations &iterations);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_MASKSLACK_H
