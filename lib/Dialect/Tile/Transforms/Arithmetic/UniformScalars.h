//===- UniformScalars.h - Scalars equal for a tile --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A uniform is a number that multiplies a whole tile: a constant or a run-time
// scalar. This file finds uniforms, determines their signs, and creates new
// ones. Constants are created at the start of the kernel. Scalar arithmetic is
// hoisted out of the loops on which it does not depend, so scaling a scalar
// costs nothing per iteration.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_UNIFORMSCALARS_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_UNIFORMSCALARS_H

#include "tessera/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

namespace tessera::tile {

/// A constant, or a run-time scalar if `scalar` is set.
struct Uniform {
  Value scalar;
  double constant = 0;

  bool isConstant() const { return !scalar; }
};

enum class Sign { Unknown, Negative, NonNegative, Positive };

/// Returns the uniform that `value` repeats: a scalar, a splat or a splat
/// constant.
std::optional<Uniform> getUniform(Value value);

/// Returns the sign of `uniform` according to its defining operations, NaN
/// aside.
Sign getSign(const Uniform &uniform);

/// Returns the splat value of a float constant.
std::optional<double> getConstantFloat(Value value);

/// Returns the element type of a tile or of a scalar.
Type getElementType(Value value);

/// Creates constants and uniforms of one kernel.
class UniformBuilder {
public:
  explicit UniformBuilder(KernelOp kernel) : kernel(kernel) {}

  /// Returns a constant of `type` (a float or a tile of floats) at the kernel's
  /// start.
  Value constant(Type type, double value);

  /// Returns `uniform` as a value of `type`. A splat is created at the
  /// builder's insertion point.
  Value materialize(OpBuilder &builder, Location loc, const Uniform &uniform,
                    Type type);

  /// Returns the product and the quotient of two uniforms of f32.
  Uniform multiply(OpBuilder &builder, Location loc, const Uniform &lhs,
                   const Uniform &rhs);
  Uniform divide(OpBuilder &builder, Location loc, const Uniform &lhs,
                 const Uniform &rhs);

  /// Moves `op` out of the loops that it does not depend on.
  static Value hoist(Operation *op);

private:
  KernelOp kernel;
  DenseMap<std::pair<Type, uint64_t>, Value> constants;
};

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_UNIFORMSCALARS_H
