//===- TileSyntax.cpp - Generated definitions -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

/// Prints the types of a global tensor and of its indices, as one list.
static void printAccessTypes(OpAsmPrinter &printer, Operation *, Type global,
                             TypeRange indices) {
  printer << global;
  for (Type index : indices)
    printer << ", " << index;
}

static ParseResult parseAccessTypes(OpAsmParser &parser, Type &global,
                                    SmallVectorImpl<Type> &indices) {
  if (parser.parseType(global))
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseType(indices.emplace_back()))
      return failure();
  return success();
}

/// Prints a type of this dialect with its prefix, which the generated printer
/// would omit.
static void printWholeType(OpAsmPrinter &printer, Operation *, Type type) {
  printer << type;
}

static ParseResult parseWholeType(OpAsmParser &parser, Type &type) {
  return parser.parseType(type);
}

/// Parses `axis` as a bare number; an I64Attr would print its type.
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
