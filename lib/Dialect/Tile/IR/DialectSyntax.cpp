//===- DialectSyntax.cpp - Text of both dialects ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/DialectSyntax.h"

#include "llvm/ADT/StringExtras.h"

using namespace tessera;

StringAttr tessera::getArgumentName(Builder &builder, StringRef ssaName,
                                    StringRef prefix, size_t position) {
  StringRef name = ssaName.drop_front();
  if (!name.empty() && llvm::isDigit(name.front()))
    return builder.getStringAttr(prefix + Twine(position));
  return builder.getStringAttr(name);
}

ParseResult
tessera::parseKernelParams(OpAsmParser &parser, StringAttr &kernel,
                           ArrayAttr &names,
                           SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  Builder &builder = parser.getBuilder();
  SmallVector<Attribute> found;
  auto parseParam = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument, /*allowType=*/true))
      return failure();
    found.push_back(
        getArgumentName(builder, argument.ssaName.name, "arg", found.size()));
    return success();
  };
  if (parser.parseSymbolName(kernel) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseParam))
    return failure();
  names = builder.getArrayAttr(found);
  return success();
}

void tessera::printKernelParams(OpAsmPrinter &printer, StringRef kernel,
                                ArrayRef<BlockArgument> params) {
  printer << " ";
  printer.printSymbolName(kernel);
  printer << "(";
  llvm::interleaveComma(params, printer, [&](BlockArgument argument) {
    printer.printRegionArgument(argument);
  });
  printer << ")";
}

ParseResult tessera::parseOptionalSchedule(OpAsmParser &parser,
                                           tile::ScheduleAttr &schedule) {
  if (failed(parser.parseOptionalKeyword("schedule")))
    return success();
  schedule = dyn_cast_if_present<tile::ScheduleAttr>(
      tile::ScheduleAttr::parse(parser, {}));
  return success(static_cast<bool>(schedule));
}

void tessera::printOptionalSchedule(OpAsmPrinter &printer,
                                    tile::ScheduleAttr schedule) {
  if (!schedule)
    return;
  printer << " schedule";
  schedule.print(printer);
}

ParseResult
tessera::parseKernelBody(OpAsmParser &parser, OperationState &result,
                         ArrayRef<OpAsmParser::Argument> arguments) {
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void tessera::printKernelBody(OpAsmPrinter &printer, Operation *kernel,
                              ArrayRef<StringRef> elided) {
  printer.printOptionalAttrDictWithKeyword(kernel->getAttrs(), elided);
  printer << " ";
  printer.printRegion(kernel->getRegion(0), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

ParseResult tessera::parsePlainInteger(OpAsmParser &parser,
                                       IntegerAttr &value) {
  int64_t integer;
  if (parser.parseInteger(integer))
    return failure();
  value = parser.getBuilder().getI64IntegerAttr(integer);
  return success();
}

void tessera::printPlainInteger(OpAsmPrinter &printer, Operation *,
                                IntegerAttr value) {
  printer << value.getInt();
}

ParseResult tessera::parseAccessTypes(OpAsmParser &parser, Type &global,
                                      SmallVectorImpl<Type> &indices) {
  if (parser.parseType(global))
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseType(indices.emplace_back()))
      return failure();
  return success();
}

void tessera::printAccessTypes(OpAsmPrinter &printer, Operation *, Type global,
                               TypeRange indices) {
  printer << global;
  for (Type index : indices)
    printer << ", " << index;
}
