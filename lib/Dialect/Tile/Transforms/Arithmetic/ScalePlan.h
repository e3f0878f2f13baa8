//===- ScalePlan.h - The cheapest place of a factor -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans products of values by a constant factor. For each value from which the
// given values are computed, the plan decides between two forms: the factor is
// pushed into the operands, or the value itself is multiplied. Costs are
// numbers of elements, weighted by loops. The cost of a loop-carried value is
// that of its initial and yielded values. In the cycle through the loop, the
// value counts as free.
//
// The first product that directly feeds an addition or subtraction is free,
// since the two become one fused multiply-add (see DelayedProducts.h).
//
// Planning does not change the IR.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_SCALEPLAN_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_SCALEPLAN_H

#include "Magnitude.h"

#include "llvm/ADT/SetVector.h"

namespace tessera::tile {

class ScalePlan {
public:
  /// Plans the products of `values`, the arguments of exp.
  explicit ScalePlan(ArrayRef<Value> values);

  /// Checks whether `value` was planned, and its operands are scaled.
  bool isPushed(Value value) const;
  /// Checks whether `value` was planned, and is multiplied itself.
  bool isProduct(Value value) const;

  /// Checks whether the product of `value` must not overflow. An argument of
  /// exp alone may overflow: exp of an infinity and of a huge number are equal.
  bool needsSaturation(Value value);

  /// Checks whether the dividend of `op` is scaled, rather than the inverse of
  /// a uniform divisor.
  bool scalesDividend(Operation *op);

  /// Returns which of the first two operands of `op` is scaled.
  unsigned getCheaperFactor(Operation *op);

private:
  struct Choice {
    double cost = 0;
    bool push = false;
  };

  void collectCone(Value value);
  bool staysUnscaled(Value value);
  bool usesUnscaled(OpOperand &use);
  double getRecoveryCost(Value value);
  bool mayRecover(Value value);
  Choice getChoice(Value value);
  Choice computeChoice(Value value);
  void collectPaid(Value value, DenseSet<Value> &seen);
  /// Returns the values that are scaled for `value`, if it is not multiplied
  /// itself.
  SmallVector<Value> getSources(Value value);

  MagnitudeCache magnitudes;
  DenseSet<Value> cone;
  DenseMap<Value, bool> unscaled;
  DenseMap<Value, bool> saturations;
  DenseMap<Value, double> recoveryCosts;
  DenseMap<Value, Choice> choices;
  /// Values that are multiplied in any case.
  SetVector<Value> paid;
};

/// Checks whether `value` is 0 or infinite, which a positive factor does not
/// change.
bool isUnchangedByFactor(Value value);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_SCALEPLAN_H
