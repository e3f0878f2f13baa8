//===- ScaleRules.h - Ops that commute with a factor ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules that ScalePlan and ScaledValues share: the operations that commute
// with a positive factor, the operands that are scaled, and the cost of a
// product of a value.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_SCALERULES_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_SCALERULES_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::tile {

/// How an operation commutes with a positive factor.
enum class ScaleRule {
  None,
  All,     // Every float operand is scaled: sums, maxima, shapes, selections.
  One,     // One of two factors is scaled.
  Divide,  // The dividend is scaled, or a uniform divisor inversely.
  Fma,     // The addend and one of the factors are scaled.
  Constant // A new constant is created.
};

ScaleRule getScaleRule(Operation *op);

/// Checks whether `value` is a scalar or a tile of f32.
bool isScalable(Value value);

/// Returns the operands that ScaleRule::All scales.
SmallVector<unsigned> getScaledOperands(Operation *op);

/// Returns the number of elements of a value, weighted by the loops around its
/// definition.
double getWeight(Value value);

/// Returns the loop and the position of a value that an scf.for carries: its
/// region argument or its result.
std::pair<scf::ForOp, unsigned> getCarried(Value value);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_SCALERULES_H
