//===- ScaledValues.h - Values times a constant -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Given a constant factor, computes `factor * v` for values v of a kernel, with
// the product where it costs least. The factor passes through operations that
// commute with a positive factor (sums, maxima, selections, shapes, products,
// quotients, loops, branches) until it meets a constant or a scalar, where it
// is free, or a value that has to be multiplied.
//
// First every value that will be asked for is planned: the cost of scaling a
// value by pushing the factor into its operands is compared with that of a
// product right there, counting elements and weighing loops. A loop-carried
// value costs what its initial and yielded values cost; in the cycle through
// the loop it is taken to be free. Planning reads the IR only. Then `get`
// builds. A scaled loop-carried value keeps its place in the loop, so that its
// running maximum is compared and subtracted in one unit; who still needs it
// unscaled gets a product by 1/factor, outside the loop where possible.
//
// A product overflows where the number is huge (Magnitude.h). At an argument of
// exp that does no harm. Anywhere else a number that is finite stays finite:
// constants, and products of numbers from memory, saturate.
//
// The product that feeds an addition or subtraction directly counts as free
// once, since the two become one fused multiply-add (see DelayedProducts.h).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_SCALEDVALUES_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_SCALEDVALUES_H

#include "UniformScalars.h"

namespace tessera::tile {

class ScaledValues {
public:
  /// Where the factor went: `op` holds it, `what` says how.
  struct Sink {
    Operation *op;
    std::string what;
  };

  ScaledValues(UniformBuilder &uniforms, double factor)
      : uniforms(uniforms), factor(factor) {}

  /// Plans `factor * value` for each of `values`, the arguments of exp. To be
  /// called once, before any get.
  void plan(ArrayRef<Value> values);

  /// `factor * value`; built once for each value.
  Value get(Value value);

  /// Lets comparisons with 0 and the infinities, which a positive factor does
  /// not change, read scaled values, so that the unscaled ones may die. To be
  /// called after the last get.
  void rewriteComparisons();

  ArrayRef<Sink> getSinks() const { return sinks; }
  unsigned getNumCarried() const { return numCarried; }
  unsigned getNumProducts() const { return numProducts; }

private:
  struct Plan {
    double cost = 0;
    bool push = false;
  };

  void collectCone(Value value);
  bool staysUnscaled(Value value);
  bool usesUnscaled(OpOperand &use);
  double getRecoveryCost(Value value);
  bool needsSaturation(Value value);
  Plan getPlan(Value value);
  Plan computePlan(Value value);
  void collectPaid(Value value, DenseSet<Value> &seen);
  SmallVector<Value> getSources(Value value);
  bool scalesDividend(Operation *op);
  unsigned getCheaperFactor(Operation *op);

  Value build(Value value);
  Value buildProduct(Value value);
  Value buildScaledOp(Operation *op, ArrayRef<unsigned> operands);
  Value buildCarried(scf::ForOp loop, unsigned index, Value value);
  Value buildBranch(scf::IfOp branch, unsigned index);
  Value recover(OpBuilder &builder, Value scaled);
  void finishYields();

  UniformBuilder &uniforms;
  double factor;
  DenseSet<Value> cone;
  DenseMap<Value, bool> unscaled;
  DenseMap<Value, bool> saturations;
  DenseMap<Value, double> recoveryCosts;
  DenseMap<Value, Plan> plans;
  /// Values of which a product is made in any case.
  SetVector<Value> paid;
  DenseMap<Value, Value> scaled;
  SmallVector<std::pair<scf::ForOp, unsigned>> openYields;
  SmallVector<Sink> sinks;
  unsigned numCarried = 0, numProducts = 0;
};

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_SCALEDVALUES_H
