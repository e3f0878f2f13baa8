//===- TextPositions.h - Places as the protocol has them --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The protocol counts lines from 0 and, in a line, units of UTF-16; the front
// end counts lines from 1 and bytes. Places in between are offsets in bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_LSP_TEXTPOSITIONS_H
#define TESSERA_LIB_TOOLS_LSP_TEXTPOSITIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LSP/Protocol.h"

#include <vector>

namespace tessera::tools {

class TextPositions {
public:
  /// The text must outlive this.
  explicit TextPositions(llvm::StringRef text);

  llvm::lsp::Position getPosition(size_t offset) const;
  llvm::lsp::Range getRange(size_t begin, size_t end) const {
    return {getPosition(begin), getPosition(end)};
  }
  /// The nearest offset, of a position that the text may not have.
  size_t getOffset(llvm::lsp::Position position) const;
  /// The same of a line and a column in bytes, both from 1.
  size_t getOffset(unsigned line, unsigned column) const;

private:
  llvm::StringRef getLine(size_t line) const;

  llvm::StringRef text;
  std::vector<size_t> lineBegins;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LSP_TEXTPOSITIONS_H
