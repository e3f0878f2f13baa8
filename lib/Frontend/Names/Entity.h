//===- Entity.h - Results of expressions ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of an expression:
//
//   compile-time value   a number, a truth value, a type
//   function             a fn or a built-in function, by its name
//   run-time value       a scalar, a tile, a range, a tensor in global memory
//   absent parameter     an argument whose condition is false
//   nothing              a call of a fn without `return`
//   several values       a call of a fn that returns them
//   error                was reported already
//
// An operation on an error entity reports nothing and returns an error entity,
// so one mistake yields one message.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_ENTITY_H
#define TESSERA_FRONTEND_ENTITY_H

#include "Parser/Token.h"

#include "tessera/Dialect/Tile/IR/SourceType.h"
#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::frontend {

struct FnDecl;

/// The sizes that the axes of a tile walk, null where that is not known: one
/// for each axis, or none at all. See AxisNames.cpp.
using AxisNames = SmallVector<StringAttr, 2>;

/// A quotient of integers that is rounded down, or may be.
struct InexactQuotient {
  /// The numbers, if both are known.
  int64_t dividend = 0, divisor = 0;
  SourcePlace place;
  /// The location of the division at run time; none if the numbers are known.
  std::optional<Location> division;
  /// Whether the dividend is written as a number.
  bool isLiteral = false;
};

/// A `var` whose first value is a number without a type.
struct UntypedVar {
  StringRef name;
  SourcePlace place;
};

class Entity {
public:
  enum class Kind : uint8_t {
    Error,
    Nothing,
    Integer,
    Float,
    Bool,
    Type,
    Scalar,
    Tile,
    Range,
    Global,
    Function,
    Absent,
    Several
  };

  /// An error.
  Entity() = default;

  static Entity nothing() { return Entity(Kind::Nothing); }
  static Entity integer(int64_t value);
  static Entity floating(double value);
  static Entity boolean(bool value);
  static Entity typed(mlir::Type type);
  /// A function that a name denotes. `fn` is null for a built-in function.
  static Entity function(StringRef name, const FnDecl *fn);
  /// A parameter whose condition is false, which a fn takes.
  static Entity absent() { return Entity(Kind::Absent); }
  /// The values of one call, at least two. Only a declaration of as many names
  /// and `return` take them; no expression has several values.
  static Entity several(std::vector<Entity> values);
  /// Derives the kind of a run-time value from its type; null makes an error.
  static Entity runtime(Value value);

  Kind getKind() const { return kind; }
  bool is(Kind other) const { return kind == other; }
  bool isError() const { return kind == Kind::Error; }
  /// Checks for a compile-time integer or float, which takes the type of the
  /// other operand.
  bool isNumber() const { return is(Kind::Integer) || is(Kind::Float); }
  bool isCompileTime() const {
    return isNumber() || is(Kind::Bool) || is(Kind::Type);
  }
  /// Checks for an operand of arithmetic: a number, a truth value, a scalar, a
  /// tile.
  bool isOperand() const {
    return isNumber() || is(Kind::Bool) || is(Kind::Scalar) || is(Kind::Tile);
  }

  int64_t getInteger() const { return integerValue; }
  /// The value of a number as a float.
  double getFloat() const {
    return is(Kind::Integer) ? static_cast<double>(integerValue) : floatValue;
  }
  /// The inexact quotient that a known integer or a scalar was computed from,
  /// if any. Where the program asks for an `int`, rounding down is meant, and
  /// there is none.
  const std::optional<InexactQuotient> &getInexactQuotient() const {
    return quotient;
  }
  Entity withInexactQuotient(std::optional<InexactQuotient> other) const {
    Entity result = *this;
    result.quotient = other;
    return result;
  }
  /// The `var` that the entity is the value of, if the default type of a number
  /// became the type of the `var`.
  const std::optional<UntypedVar> &getUntypedVar() const { return untypedVar; }
  Entity withUntypedVar(UntypedVar other) const {
    Entity result = *this;
    result.untypedVar = other;
    return result;
  }
  bool getBool() const { return integerValue != 0; }
  /// The name of a function, and its fn; null for a built-in function.
  StringRef getFunctionName() const { return name; }
  const FnDecl *getFn() const { return fn; }
  ArrayRef<Entity> getSeveral() const { return values; }
  mlir::Type getTypeValue() const { return type; }

  Value getValue() const { return value; }
  /// The element type of a scalar or a tile; `index` for the language's `int`.
  mlir::Type getElementType() const;
  /// The extents of a tile; empty for everything else.
  ArrayRef<int64_t> getShape() const;
  /// The size that an axis of a tile walks; null if that is not known.
  StringAttr getAxisName(unsigned axis) const {
    return axis < axisNames.size() ? axisNames[axis] : StringAttr();
  }
  const AxisNames &getAxisNames() const { return axisNames; }
  /// The same with other names of its axes.
  Entity withAxisNames(AxisNames names) const;
  /// A value made of this one element by element, with the same axes.
  Entity withValue(Value other) const {
    return runtime(other).withAxisNames(axisNames);
  }
  tile::RangeType getRangeType() const;
  tile::GlobalType getGlobalType() const;

  /// Describes the entity in a message: "`f32[64]`", "the number 2", "a range
  /// over `M`".
  std::string describe() const;

  /// Describe the entity and the sizes that its axes walk to an editor. Empty
  /// if unknown. See ObservedName.
  std::string getTypeText() const;
  std::string getDimensionText() const;

private:
  explicit Entity(Kind kind) : kind(kind) {}

  Kind kind = Kind::Error;
  int64_t integerValue = 0;
  double floatValue = 0;
  mlir::Type type;
  Value value;
  AxisNames axisNames;
  std::optional<InexactQuotient> quotient;
  std::optional<UntypedVar> untypedVar;
  std::vector<Entity> values;
  StringRef name;
  const FnDecl *fn = nullptr;
};

/// The type that the language calls `name`, `int` included; null if none.
Type lookupTypeName(MLIRContext *context, StringRef name);

/// Whether `name` is a word of the language for types: those above, `float` and
/// `type`. No declaration may take it.
bool isReservedTypeName(StringRef name);

using tile::printType;

/// A number as the language writes it.
std::string printNumber(double value);
/// Returns the least or the greatest number of a type of numbers: an infinity
/// if the type has it.
std::string printExtremum(mlir::Type type, bool isLeast);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_ENTITY_H
