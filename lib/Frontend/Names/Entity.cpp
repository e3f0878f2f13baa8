//===- Entity.cpp - Results of expressions ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors and descriptions of entities, and the names of types.
//
//===----------------------------------------------------------------------===//

#include "Entity.h"

#include "tessera/Frontend/Vocabulary.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <charconv>

using namespace tessera;
using namespace tessera::frontend;

Entity Entity::integer(int64_t value) {
  Entity entity(Kind::Integer);
  entity.integerValue = value;
  return entity;
}

Entity Entity::floating(double value) {
  Entity entity(Kind::Float);
  entity.floatValue = value;
  return entity;
}

Entity Entity::boolean(bool value) {
  Entity entity(Kind::Bool);
  entity.integerValue = value;
  return entity;
}

Entity Entity::typed(mlir::Type type) {
  Entity entity(Kind::Type);
  entity.type = type;
  return entity;
}

Entity Entity::function(StringRef name, const FnDecl *fn) {
  Entity entity(Kind::Function);
  entity.name = name;
  entity.fn = fn;
  return entity;
}

Entity Entity::several(std::vector<Entity> values) {
  Entity entity(Kind::Several);
  entity.values = std::move(values);
  return entity;
}

Entity Entity::runtime(Value value) {
  if (!value)
    return Entity();
  Kind kind = Kind::Scalar;
  if (isa<RankedTensorType>(value.getType()))
    kind = Kind::Tile;
  else if (isa<tile::RangeType>(value.getType()))
    kind = Kind::Range;
  else if (isa<tile::GlobalType>(value.getType()))
    kind = Kind::Global;
  Entity entity(kind);
  entity.value = value;
  return entity;
}

Entity Entity::withAxisNames(AxisNames names) const {
  Entity entity = *this;
  entity.axisNames = is(Kind::Tile) ? std::move(names) : AxisNames();
  return entity;
}

mlir::Type Entity::getElementType() const {
  return getElementTypeOrSelf(value.getType());
}

ArrayRef<int64_t> Entity::getShape() const {
  if (!is(Kind::Tile))
    return {};
  return cast<RankedTensorType>(value.getType()).getShape();
}

tile::RangeType Entity::getRangeType() const {
  return cast<tile::RangeType>(value.getType());
}

tile::GlobalType Entity::getGlobalType() const {
  return cast<tile::GlobalType>(value.getType());
}

std::string Entity::describe() const {
  switch (kind) {
  case Kind::Error:
    return "an invalid value";
  case Kind::Nothing:
    return "nothing";
  case Kind::Integer:
    return "the number " + std::to_string(integerValue);
  case Kind::Float: {
    std::string text = printNumber(floatValue);
    // A whole number is no integer.
    bool isWhole = text.find_first_not_of("-0123456789") == std::string::npos;
    return isWhole ? "the float " + text + ".0" : "the number " + text;
  }
  case Kind::Bool:
    return getBool() ? "`true`" : "`false`";
  case Kind::Type:
    return "the type `" + printType(type) + "`";
  case Kind::Scalar:
  case Kind::Tile:
    return "`" + printType(value.getType()) + "`";
  case Kind::Range:
    if (StringAttr dimension = getRangeType().getDimension())
      return ("a range over `" + dimension.getValue() + "`").str();
    return "a range";
  case Kind::Global:
    return "a tensor in global memory";
  case Kind::Function:
    return ((fn ? "the fn `" : "the function `") + name + "`").str();
  case Kind::Absent:
    return "an absent parameter";
  case Kind::Several:
    return std::to_string(values.size()) + " values";
  }
  return "a value";
}

Type tessera::frontend::lookupTypeName(MLIRContext *context, StringRef name) {
  Builder builder(context);
  return llvm::StringSwitch<function_ref<Type()>>(name)
      .Case("int", [&]() -> Type { return builder.getIndexType(); })
      .Case("bool", [&]() -> Type { return builder.getI1Type(); })
      .Case("i8", [&]() -> Type { return builder.getI8Type(); })
      .Case("i16", [&]() -> Type { return builder.getIntegerType(16); })
      .Case("u8", [&]() -> Type { return builder.getIntegerType(8, false); })
      .Case("u16", [&]() -> Type { return builder.getIntegerType(16, false); })
      .Case("u32", [&]() -> Type { return builder.getIntegerType(32, false); })
      .Case("u64", [&]() -> Type { return builder.getIntegerType(64, false); })
      .Case("i32", [&]() -> Type { return builder.getI32Type(); })
      .Case("i64", [&]() -> Type { return builder.getI64Type(); })
      .Case("f16", [&]() -> Type { return builder.getF16Type(); })
      .Case("bf16", [&]() -> Type { return builder.getBF16Type(); })
      .Case("f32", [&]() -> Type { return builder.getF32Type(); })
      .Case("f64", [&]() -> Type { return builder.getF64Type(); })
      .Case("tf32", [&]() -> Type { return FloatTF32Type::get(context); })
      .Case("f8e4m3", [&]() -> Type { return Float8E4M3FNType::get(context); })
      .Case("f8e5m2", [&]() -> Type { return Float8E5M2Type::get(context); })
      .Default([]() -> Type { return {}; })();
}

static constexpr StringRef typeNames[] = {
    "bf16",  "bool", "f16", "f32", "f64", "f8e4m3", "f8e5m2",
    "float", "i16",  "i32", "i64", "i8",  "int",    "tf32",
    "type",  "u16",  "u32", "u64", "u8"};

ArrayRef<StringRef> tessera::frontend::getTypeNames() { return typeNames; }

bool tessera::frontend::isReservedTypeName(StringRef name) {
  return llvm::is_contained(typeNames, name);
}

std::string tessera::frontend::printNumber(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  // The shortest digits, without a point that floats: `70000`, `1e-9`.
  char buffer[40];
  auto write = [&](std::chars_format format) {
    return StringRef(
        buffer,
        std::to_chars(buffer, std::end(buffer), value, format).ptr - buffer);
  };
  auto [digits, power] = write(std::chars_format::scientific).split('e');
  int exponent = 0;
  power.consume_front("+");
  bool isLong =
      power.getAsInteger(10, exponent) || exponent < -4 || exponent > 15;
  return isLong ? (digits + "e" + Twine(exponent)).str()
                : write(std::chars_format::fixed).str();
}

std::string tessera::frontend::printExtremum(Type type, bool isLeast) {
  if (auto number = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = number.getFloatSemantics();
    if (llvm::APFloat::semanticsHasInf(semantics))
      return isLeast ? "-inf" : "inf";
    return printNumber(
        llvm::APFloat::getLargest(semantics, isLeast).convertToDouble());
  }
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger();
  llvm::APInt number =
      isLeast ? (isUnsigned ? llvm::APInt::getMinValue(width)
                            : llvm::APInt::getSignedMinValue(width))
              : (isUnsigned ? llvm::APInt::getMaxValue(width)
                            : llvm::APInt::getSignedMaxValue(width));
  return llvm::toString(number, 10, !isUnsigned);
}
