//===- TileSyntax.cpp - Generated definitions -----------------*- C++ -*-===//
//
// Part of the Tessera project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generated op definitions, with the custom directives that their assembly
// formats call.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/Tile.h"

using namespace tessera;
using namespace tessera::tile;

static ParseResult parseSizeExpression(OpAsmParser &parser, SizeAttr &size) {
  FailureOr<SizeAttr> parsed = SizeAttr::parseExpression(parser);
  if (failed(parsed))
    return failure();
  size = *parsed;
  return success();
}

static void printSizeExpression(OpAsmPrinter &printer, SizeOp, SizeAttr size) {
  size.printExpression(printer.getStream());
}

/// Prints `, type` for each index operand, so that a type list may be empty.
static void printIndexTypes(OpAsmPrinter &printer, Operation *,
                            TypeRange types) {
  for (Type type : types)
    printer << ", " << type;
}

static ParseResult parseIndexTypes(OpAsmParser &parser,
                                   SmallVectorImpl<Type> &types) {
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseType(types.emplace_back()))
      return failure();
  return success();
}

/// `axis` as a bare number; an I64Attr would print its type.
static ParseResult parsePlainInteger(OpAsmParser &parser, IntegerAttr &value) {
  int64_t integer;
  if (parser.parseInteger(integer))
    return failure();
  value = parser.getBuilder().getI64IntegerAttr(integer);
  return success();
}

static void printPlainInteger(OpAsmPrinter &printer, Operation *,
                              IntegerAttr value) {
  printer << value.getInt();
}

#define GET_OP_CLASSES
#include "dialects/Tile/IR/TileOps.cpp.inc"
