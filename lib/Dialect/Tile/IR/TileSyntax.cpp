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

#include "tessera/Dialect/Tile/IR/DialectSyntax.h"

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

/// Prints a type of this dialect with its prefix, which the generated printer
/// would omit.
static void printWholeType(OpAsmPrinter &printer, Operation *, Type type) {
  printer << type;
}

static ParseResult parseWholeType(OpAsmParser &parser, Type &type) {
  return parser.parseType(type);
}

#define GET_OP_CLASSES
#include "dialects/Tile/IR/TileOps.cpp.inc"
