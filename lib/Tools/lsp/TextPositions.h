//===- TextPositions.h - Positions of the protocol --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts positions. The protocol counts lines from 0 and, in a line, units of
// UTF-16. The front end counts lines from 1 and bytes. Offsets in bytes connect
// the two.
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
  /// The text must outlive the object.
  explicit TextPositions(llvm::StringRef text);

  llvm::lsp::Position getPosition(size_t offset) const;
  llvm::lsp::Range getRange(size_t begin, size_t end) const {
    return {getPosition(begin), getPosition(end)};
  }
  /// Returns the nearest offset for a position that may be outside of the text.
  size_t getOffset(llvm::lsp::Position position) const;
  /// Returns it for a line and a column in bytes, both from 1.
  size_t getOffset(unsigned line, unsigned column) const;

private:
  llvm::StringRef getLine(size_t line) const;

  llvm::StringRef text;
  std::vector<size_t> lineBegins;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LSP_TEXTPOSITIONS_H
