//===- ScaleRules.h - What commutes with a factor ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which operations commute with a positive factor, on which operands, and what
// a product costs at a value: the knowledge that ScaledValues plans and builds
// with.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_SCALERULES_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_SCALERULES_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::tile {

/// How an operation commutes with a positive factor.
enum class ScaleRule {
  None,
  All,     // every float operand is scaled: sums, maxima, shapes, selections
  One,     // one of two factors is scaled
  Divide,  // the dividend, or a uniform divisor inversely
  Fma,     // the addend and one of the factors
  Constant // a new constant
};

ScaleRule getScaleRule(Operation *op);

/// Whether `value` is a scalar or a tile of f32.
bool isScalable(Value value);

/// The operands that ScaleRule::All scales.
SmallVector<unsigned> getScaledOperands(Operation *op);

/// Elements of a value, weighted by the loops around its definition.
double getWeight(Value value);

/// The loop and the position, if `value` is carried by an scf.for: its region
/// argument or its result.
std::pair<scf::ForOp, unsigned> getCarried(Value value);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_SCALERULES_H
