//===- SMProductAttrs.cpp - Plans of products -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Keywords.h"

#include "tessera/Dialect/SM/IR/SM.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Swizzle;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void PlannedOperandAttr::printPlace(AsmPrinter &os) const {
  os << stringifyOperandPlace(getPlace());
  if (getSwizzle() != Swizzle::None)
    os << ' ' << static_cast<int64_t>(getSwizzle());
}

static PlannedOperandAttr parsePlace(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  OperandPlace place;
  if (parseEnum<OperandPlace>(parser, "'registers', 'shared' or 'transposed'",
                              symbolizeOperandPlace, place))
    return {};
  SMLoc bytesLoc = parser.getCurrentLocation();
  int64_t bytes;
  Swizzle swizzle = Swizzle::None;
  OptionalParseResult number = parser.parseOptionalInteger(bytes);
  if (number.has_value() &&
      (failed(*number) || readSwizzle(parser, bytesLoc, bytes, swizzle)))
    return {};
  return parser.getChecked<PlannedOperandAttr>(loc, parser.getContext(), place,
                                               swizzle);
}

void PlannedOperandAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printPlace(printer);
  printer << ">";
}

Attribute PlannedOperandAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  PlannedOperandAttr operand = parsePlace(parser);
  if (!operand || parser.parseGreater())
    return {};
  return operand;
}

void PlannedProductAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyProductUnit(getUnit()) << ", a = ";
  getA().printPlace(printer);
  printer << ", b = ";
  getB().printPlace(printer);
  printer << ">";
}

Attribute PlannedProductAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  ProductUnit unit;
  PlannedOperandAttr a, b;
  auto parseOperand = [&](StringRef name,
                          PlannedOperandAttr &operand) -> ParseResult {
    if (parser.parseComma() || parser.parseKeyword(name) || parser.parseEqual())
      return failure();
    operand = parsePlace(parser);
    return success(static_cast<bool>(operand));
  };
  if (parser.parseLess() ||
      parseEnum<ProductUnit>(parser, "'tensor_cores' or 'threads'",
                             symbolizeProductUnit, unit) ||
      parseOperand("a", a) || parseOperand("b", b) || parser.parseGreater())
    return {};
  return parser.getChecked<PlannedProductAttr>(loc, parser.getContext(), unit,
                                               a, b);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult
PlannedOperandAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           OperandPlace place, Swizzle swizzle) {
  // C1
  if (place == OperandPlace::Registers && swizzle != Swizzle::None)
    return emitError() << "an operand in registers has no swizzle";
  return success();
}

LogicalResult
PlannedProductAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           ProductUnit unit, PlannedOperandAttr a,
                           PlannedOperandAttr b) {
  // C1
  if (b.isInRegisters())
    return emitError() << "operand b of a product lies in shared memory";
  // C2
  if (unit == ProductUnit::Threads && (a.getPlace() != OperandPlace::Shared ||
                                       b.getPlace() != OperandPlace::Shared))
    return emitError() << "threads read the operands of a product in shared "
                          "memory, as they are written";
  return success();
}
