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
// First a ScalePlan decides for every value that will be asked for. Then `get`
// builds. A scaled loop-carried value keeps its place in the loop, so that its
// running maximum is compared and subtracted in one unit; who still needs it
// unscaled gets a product by 1/factor, outside the loop where possible.
//
// A product overflows where the number is huge (Magnitude.h). At an argument of
// exp that does no harm. Anywhere else products of numbers from memory
// saturate: a finite number stays finite. Constants that would overflow, and
// sums that may be exact, are not scaled (MagnitudeCache::mayScaleOperands).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_SCALEDVALUES_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_SCALEDVALUES_H

#include "ScalePlan.h"
#include "UniformScalars.h"

namespace tessera::tile {

class ScaledValues {
public:
  /// Where the factor went: `op` holds it, `what` says how.
  struct Sink {
    Operation *op;
    std::string what;
  };

  /// Plans `factor * value` for each of `values`, the arguments of exp.
  ScaledValues(UniformBuilder &uniforms, double factor, ArrayRef<Value> values)
      : uniforms(uniforms), factor(factor), plan(values) {}

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
  Value build(Value value);
  Value buildProduct(Value value);
  Value buildScaledOp(Operation *op, ArrayRef<unsigned> operands);
  Value buildCarried(scf::ForOp loop, unsigned index, Value value);
  Value buildBranch(scf::IfOp branch, unsigned index);
  Value recover(OpBuilder &builder, Value scaled);
  void finishYields();

  UniformBuilder &uniforms;
  double factor;
  ScalePlan plan;
  DenseMap<Value, Value> scaled;
  SmallVector<std::pair<scf::ForOp, unsigned>> openYields;
  SmallVector<Sink> sinks;
  unsigned numCarried = 0, numProducts = 0;
};

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_SCALEDVALUES_H
