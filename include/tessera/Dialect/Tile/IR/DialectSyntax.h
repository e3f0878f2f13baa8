//===- DialectSyntax.h - Text of both dialects ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of kernels, accesses and numbers that both dialects have.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_DIALECTSYNTAX_H
#define TESSERA_DIALECT_TILE_IR_DIALECTSYNTAX_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera {

//===----------------------------------------------------------------------===//
// Kernels: "@name(%x: …) … schedule<…> attributes {…} {…}"
//===----------------------------------------------------------------------===//

/// Returns an SSA name without its '%'. The number of a numbered value does not
/// survive printing, so the value gets a name from its position.
StringAttr getArgumentName(Builder &builder, StringRef ssaName,
                           StringRef prefix, size_t position);

ParseResult
parseKernelParams(OpAsmParser &parser, StringAttr &kernel, ArrayAttr &names,
                  SmallVectorImpl<OpAsmParser::Argument> &arguments);
void printKernelParams(OpAsmPrinter &printer, StringRef kernel,
                       ArrayRef<BlockArgument> params);

ParseResult parseOptionalSchedule(OpAsmParser &parser,
                                  tile::ScheduleAttr &schedule);
void printOptionalSchedule(OpAsmPrinter &printer, tile::ScheduleAttr schedule);

/// Parses the attributes and the body of a kernel, which may lack a terminator.
ParseResult parseKernelBody(OpAsmParser &parser, OperationState &result,
                            ArrayRef<OpAsmParser::Argument> arguments);
/// Prints them, without the attributes that the syntax has elsewhere.
void printKernelBody(OpAsmPrinter &printer, Operation *kernel,
                     ArrayRef<StringRef> elided);

//===----------------------------------------------------------------------===//
// Custom directives of assembly formats
//===----------------------------------------------------------------------===//

/// A number without the type that an I64Attr would print.
ParseResult parsePlainInteger(OpAsmParser &parser, IntegerAttr &value);
void printPlainInteger(OpAsmPrinter &printer, Operation *op, IntegerAttr value);

/// The types of a global tensor and of its indices, as one list.
ParseResult parseAccessTypes(OpAsmParser &parser, Type &global,
                             SmallVectorImpl<Type> &indices);
void printAccessTypes(OpAsmPrinter &printer, Operation *op, Type global,
                      TypeRange indices);

} // namespace tessera

#endif // TESSERA_DIALECT_TILE_IR_DIALECTSYNTAX_H
