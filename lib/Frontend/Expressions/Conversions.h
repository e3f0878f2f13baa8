//===- Conversions.h - Conversions of operands ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implicit conversions (Conversions.cpp) and the conversion `as` (Casts.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_CONVERSIONS_H
#define TESSERA_FRONTEND_CONVERSIONS_H

#include "Names/EntryValues.h"

namespace tessera::frontend {

bool isFloat8(Type type);

class Conversions : KernelPart {
public:
  Conversions(KernelContext &context, EntryValues &values)
      : KernelPart(context), values(values) {}

  // `what` names the use of a value in errors: "the value of `acc`", "`+`".

  /// Checks for an operand of arithmetic: a number, a scalar or a tile.
  bool checkOperand(const Entity &entity, SourcePlace place, StringRef what);
  bool checkTile(const Entity &entity, SourcePlace place, StringRef what);

  /// Converts an `int` to an `index`; null after an error.
  Value toIndex(const Entity &entity, SourcePlace place, StringRef what);
  /// Converts a tile of integers to positions, tiles of i32. A number beyond 32
  /// bits becomes -1, which no tensor has. Returns an error for other entities.
  Entity toPositions(const Entity &entity, SourcePlace place);
  /// Converts a value where exactly `type` is needed: numbers adapt, scalars
  /// repeat. Null after an error.
  Value coerce(const Entity &entity, Type type, SourcePlace place,
               StringRef what);

  /// Returns the common element type of the operands; null, after an error, if
  /// there is none.
  Type findCommonElement(ArrayRef<Entity> operands, SourcePlace place,
                         StringRef what, bool forTile);
  /// Converts an operand to `element` and repeats it to `shape` if there is
  /// one.
  Value materialize(const Entity &operand, Type element,
                    std::optional<ArrayRef<int64_t>> shape, SourcePlace place);
  /// Converts the operands to one element type, shape and list of axis names.
  /// Returns false after an error.
  bool unify(MutableArrayRef<Entity> operands, SourcePlace place,
             StringRef what);

  /// Converts the elements as `as` does.
  Entity castTo(const Entity &entity, Type element, SourcePlace place);

private:
  /// Adds a note if `entity` is the value of an untyped `var` that could begin
  /// as an `element`, a type without loss. Returns whether it does.
  bool noteUntypedVar(InFlightDiagnostic &diagnostic, const Entity &entity,
                      Type element);
  /// Notes a quotient of integers in `scalar`, which becomes a float without
  /// `as`. Returns false after an error if known integers divide inexactly.
  bool checkQuotient(const Entity &scalar, Type element);
  /// Checks whether all known numbers among the operands can become an
  /// `element`. Reports an error if a float would become an integer.
  bool checkFloats(ArrayRef<Entity> operands, Type element, SourcePlace place,
                   StringRef what);

  Entity castNumber(const Entity &entity, Type element, SourcePlace place);
  Value castFloatToFloat(Value value, Type element, SourcePlace place);
  /// Truncates floats of f64 to f32, and sets the last bit of inexact ones.
  /// Rounding the result to a narrower type is rounding the f64 once.
  Value roundToOdd(Value value, SourcePlace place);
  Value castFloatToInteger(Value value, Type element, SourcePlace place);
  Value castIntegerToFloat(Value value, Type element, SourcePlace place);
  Value castIntegerToInteger(Value value, Type element, SourcePlace place);
  Value clampFloat(Value value, double low, double high, SourcePlace place);

  EntryValues &values;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_CONVERSIONS_H
