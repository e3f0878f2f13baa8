//===- EntityText.cpp - Entities in editors ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The description of a name in an editor. It is longer than the description in
// a message.
//
//===----------------------------------------------------------------------===//

#include "Entity.h"

#include "llvm/ADT/StringExtras.h"

using namespace tessera;
using namespace tessera::frontend;

static std::string printGlobal(tile::GlobalType type) {
  std::string text = printType(type.getDeclaredType()) + "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(type.getShape(), os,
                        [&](tile::SizeAttr size) { size.printExpression(os); });
  return text + "]";
}

std::string Entity::getTypeText() const {
  switch (kind) {
  case Kind::Integer:
    return "int = " + std::to_string(integerValue);
  case Kind::Float:
    return "float = " + printNumber(floatValue);
  case Kind::Bool:
    return getBool() ? "bool = true" : "bool = false";
  case Kind::Type:
    return "type = " + frontend::printType(type);
  case Kind::Scalar:
  case Kind::Tile:
    return frontend::printType(value.getType());
  case Kind::Range:
    return "range of " + std::to_string(getRangeType().getExtent());
  case Kind::Global:
    return printGlobal(getGlobalType());
  case Kind::Function:
    return (fn ? "fn " : "function ") + name.str();
  case Kind::Error:
  case Kind::Nothing:
  case Kind::Absent:
  case Kind::Several:
    break;
  }
  return "";
}

std::string Entity::getDimensionText() const {
  if (is(Kind::Range)) {
    StringAttr dimension = getRangeType().getDimension();
    return dimension ? dimension.str() : "";
  }
  if (llvm::none_of(axisNames, [](StringAttr name) { return name; }))
    return "";
  std::string text;
  llvm::ListSeparator separator;
  for (StringAttr name : axisNames) {
    text += StringRef(separator);
    text += name ? name.getValue() : "_";
  }
  return text;
}
