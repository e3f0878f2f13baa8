//===- ScalePlan.h - Where a factor costs least -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Given values that are to be multiplied by a constant factor, decides for each
// value they are computed from whether the factor is pushed into its operands
// or a product is made right there. The costs of the two are compared, counting
// elements and weighing loops. A loop-carried value costs what its initial and
// yielded values cost; in the cycle through the loop it is taken to be free.
//
// The product that feeds an addition or subtraction directly counts as free
// once, since the two become one fused multiply-add (see DelayedProducts.h).
//
// Planning reads the IR only.
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

  /// Whether `value` was planned, and the factor goes into its operands.
  bool isPushed(Value value) const;
  /// Whether `value` was planned, and is multiplied itself.
  bool isProduct(Value value) const;

  /// Whether the product of `value` must be kept from overflowing. Before exp
  /// alone it need not: there an infinity and a huge number are the same.
  bool needsSaturation(Value value);

  /// Whether the dividend of `op` is scaled, and not the inverse of a uniform
  /// divisor.
  bool scalesDividend(Operation *op);

  /// Which of the first two operands of `op`, one of which is scaled.
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
  /// What is scaled for `value`, where no product is made of it.
  SmallVector<Value> getSources(Value value);

  MagnitudeCache magnitudes;
  DenseSet<Value> cone;
  DenseMap<Value, bool> unscaled;
  DenseMap<Value, bool> saturations;
  DenseMap<Value, double> recoveryCosts;
  DenseMap<Value, Choice> choices;
  /// Values of which a product is made in any case.
  SetVector<Value> paid;
};

/// Whether `value` is 0 or infinite, which a positive factor does not change.
bool isUnchangedByFactor(Value value);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_SCALEPLAN_H
