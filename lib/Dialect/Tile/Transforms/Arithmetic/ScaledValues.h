//===- ScaledValues.h - Values times a constant -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes `factor * v` for values v of a kernel and a constant factor, with
// products where they cost least. The factor passes through operations that
// commute with a positive factor (sums, maxima, selections, shapes, products,
// quotients, loops, branches). It ends at a constant or a scalar, where it is
// free, or at a value that is multiplied.
//
// First, a ScalePlan decides for every value that will be requested. Then `get`
// builds. A scaled loop-carried value keeps its position in the loop, so that
// its running maximum is compared and subtracted in one unit. Other users of
// the value get a product by 1/factor, outside the loop where possible.
//
// A product overflows if the number is huge (Magnitude.h). At an argument of
// exp the overflow is harmless. Anywhere else, products of numbers from memory
// saturate: a finite number stays finite. Constants that would overflow and
// sums that may be exact are not scaled (MagnitudeCache::mayScaleOperands).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_SCALEDVALUES_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_SCALEDVALUES_H

#include "ScalePlan.h"
#include "UniformScalars.h"

namespace tessera::tile {

class ScaledValues {
public:
  /// Destination of the factor: `op` holds it, and `what` describes it.
  struct Sink {
    Operation *op;
    std::string what;
  };

  /// Plans `factor * value` for each of `values`, the arguments of exp.
  ScaledValues(UniformBuilder &uniforms, double factor, ArrayRef<Value> values)
      : uniforms(uniforms), factor(factor), plan(values) {}

  /// Returns `factor * value`. Builds it once for each value.
  Value get(Value value);

  /// Makes comparisons with 0 and the infinities, whose results a positive
  /// factor does not change, read scaled values. The unscaled values may then
  /// become dead. Call it after the last `get`.
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
