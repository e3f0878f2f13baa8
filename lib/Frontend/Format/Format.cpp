//===- Format.cpp - The layout of .tile sources -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the source to check it, splits it into pieces, and arranges the pieces
// in lines. The syntax tree is discarded: it has no comments and no brackets.
// The tokens of a correct source determine the role of each piece.
//
//===----------------------------------------------------------------------===//

#include "tessera/Frontend/Format.h"

#include "Layout.h"
#include "Parser/Parser.h"

#include "llvm/Support/SourceMgr.h"

using namespace tessera;
using namespace tessera::frontend;

std::optional<std::string>
tessera::frontend::formatTile(llvm::SourceMgr &sourceMgr,
                              MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
  Diagnostics diagnostics(context, buffer->getBufferIdentifier());
  Program program;
  Lexer lexer(buffer->getBuffer(), diagnostics);
  Parser(lexer, diagnostics, program).parseProgram();
  if (diagnostics.hadError())
    return std::nullopt;

  Pieces pieces = readPieces(buffer->getBuffer(), diagnostics);
  findStructure(pieces);
  Layout layout(std::move(pieces));
  layout.arrange();
  layout.alignAssignments();
  layout.alignComments();
  return layout.print();
}
