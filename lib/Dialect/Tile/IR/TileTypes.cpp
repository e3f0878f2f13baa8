//===- TileTypes.cpp - Types of the tile dialect ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/Tile.h"

using namespace tessera;
using namespace tessera::tile;

//===----------------------------------------------------------------------===//
// GlobalType
//===----------------------------------------------------------------------===//

LogicalResult GlobalType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<SizeAttr> shape, Type declaredType,
                                 Access access) {
  if (!isElementType(withoutSign(declaredType)))
    return emitError()
           << "expected an element type (f64, f32, f16, bf16, f8E4M3FN, "
              "f8E5M2, i1, i8, i16, i32, i64), got "
           << declaredType;
  if (shape.empty())
    return emitError() << "expected a global tensor to have at least one "
                          "dimension";
  for (SizeAttr size : shape)
    if (std::optional<int64_t> value = size.getConstantValue())
      if (*value < 0)
        return emitError() << "expected a dimension of at least 0, got "
                           << *value;
  return success();
}

Type GlobalType::getElementType() const {
  return withoutSign(getDeclaredType());
}

void GlobalType::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getShape(), printer.getStream(), [&](SizeAttr size) {
    size.printExpression(printer.getStream());
  });
  printer << "] x " << getDeclaredType();
  if (getAccess() != Access::In)
    printer << ", " << stringifyAccess(getAccess());
  printer << ">";
}

Type GlobalType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<SizeAttr> shape;
  auto parseSize = [&]() -> ParseResult {
    FailureOr<SizeAttr> size = SizeAttr::parseExpression(parser);
    if (failed(size))
      return failure();
    shape.push_back(*size);
    return success();
  };
  Type elementType;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseSize) ||
      parser.parseKeyword("x") || parser.parseType(elementType))
    return {};
  Access access = Access::In;
  if (succeeded(parser.parseOptionalComma())) {
    SMLoc accessLoc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return {};
    std::optional<Access> parsed = symbolizeAccess(keyword);
    if (!parsed) {
      parser.emitError(accessLoc)
          << "expected 'in', 'out' or 'inout', got '" << keyword << "'";
      return {};
    }
    access = *parsed;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<GlobalType>(
      loc, parser.getContext(), ArrayRef<SizeAttr>(shape), elementType, access);
}

//===----------------------------------------------------------------------===//
// RangeType
//===----------------------------------------------------------------------===//

LogicalResult RangeType::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t extent, StringAttr dimension) {
  return verifyTileShape(emitError, extent);
}

void RangeType::print(AsmPrinter &printer) const {
  printer << "<" << getExtent();
  if (getDimension()) {
    printer << " of ";
    printer.printKeywordOrString(getDimension().getValue());
  }
  printer << ">";
}

Type RangeType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t extent;
  if (parser.parseLess() || parser.parseInteger(extent))
    return {};
  StringAttr dimension;
  if (succeeded(parser.parseOptionalKeyword("of"))) {
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return {};
    dimension = StringAttr::get(parser.getContext(), name);
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RangeType>(loc, parser.getContext(), extent,
                                      dimension);
}
