//===- ElementBuilder.h - Arithmetic on held elements -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits arithmetic on a scalar or on a vector of elements. As in the
// interpreter, every float is held as f32, and each result is rounded to its
// element type. Integers are held in their own type.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_TILETOHOST_ELEMENTBUILDER_H
#define TESSERA_LIB_CONVERSION_TILETOHOST_ELEMENTBUILDER_H

#include "tessera/Support/LLVM.h"

#include "mlir/IR/Builders.h"

namespace tessera::host {

/// Returns the type of a held element of `element`, a type of the tile dialect
/// or `index`.
Type getHeldType(Type element);
/// Returns the type of an element of `element` in memory: an integer for
/// narrow floats and i1.
Type getMemoryType(Type element);
/// Returns the type of `lanes` elements: a vector, or a scalar for one lane.
Type getLanesType(Type element, int64_t lanes);

class ElementBuilder {
public:
  ElementBuilder(OpBuilder &builder, Location loc, int64_t lanes)
      : builder(builder), loc(loc), lanes(lanes) {}

  /// Checks whether `emit` supports the operation.
  static bool supports(Operation *op);
  /// Checks whether `emit` may set `failed` for the operation.
  static bool canFail(Operation *op);

  /// Emits an operation of arith or math on held operands, and returns its
  /// held results. If elements can lack a value, sets `failed` to an i1 that
  /// is true if one does; their results are arbitrary.
  SmallVector<Value> emit(Operation *op, ArrayRef<Value> operands,
                          Value &failed);

  /// Converts between elements in memory and held elements.
  Value decode(Type element, Value bits);
  Value encode(Type element, Value held);

  Value getFloat(double value, Type type = {});
  Value getInteger(int64_t value, Type type);
  /// Repeats a scalar in all lanes.
  Value splat(Value scalar);
  /// Converts held values, or f64 values, to the held form of a float type,
  /// rounding once.
  Value round(Type element, Value value);
  Value roundWide(Type element, Value value);
  /// Returns x y + z with one rounding.
  Value multiplyAdd(Type element, Value x, Value y, Value z);
  /// Combines two elements of a reduction; sums are rounded.
  Value maximum(bool takeLess, Value x, Value y);
  /// Returns whether the condition holds in a lane.
  Value anyLane(Value condition);

private:
  Type f32() { return builder.getF32Type(); }
  Type f64() { return builder.getF64Type(); }
  Type i32() { return builder.getI32Type(); }
  Type i64() { return builder.getI64Type(); }
  Type typed(Type element) { return getLanesType(element, lanes); }
  Value bitcast(Type element, Value value);
  Value widen(Value value);
  Value select(Value condition, Value x, Value y);
  Value compare(int predicate, Value x, Value y);
  Value compareFloats(int predicate, Value x, Value y);
  Value roundToOdd(Value wide);
  Value raise(Value power, Value fraction);
  Value exp(Value wide);
  Value exp2(Value wide);
  Value callFunction(StringRef name, ArrayRef<Value> wide);
  Value emitFunction(Operation *op, ArrayRef<Value> wide);
  Value emitFloat(Operation *op, ArrayRef<Value> x);
  Value emitInteger(Operation *op, ArrayRef<Value> x, Value &failed);
  Value emitDivision(Operation *op, Value x, Value y, Value &failed);
  Value emitCast(Operation *op, Value x);
  Value toInteger(bool isSigned, Type element, Value x);
  Value toFloat(bool isSigned, Type element, Value x);

  OpBuilder &builder;
  Location loc;
  int64_t lanes;
};

} // namespace tessera::host

#endif // TESSERA_LIB_CONVERSION_TILETOHOST_ELEMENTBUILDER_H
