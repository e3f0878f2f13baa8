//===- TextPositions.cpp - Positions of the protocol ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextPositions.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera::tools;

/// Returns the number of UTF-16 units of the character that begins with this
/// byte; 0 for the other bytes of a character.
static unsigned countUnits(char c) {
  auto byte = static_cast<unsigned char>(c);
  return (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
}

TextPositions::TextPositions(llvm::StringRef text) : text(text), lineBegins{0} {
  for (auto [offset, c] : llvm::enumerate(text))
    if (c == '\n')
      lineBegins.push_back(offset + 1);
}

llvm::StringRef TextPositions::getLine(size_t line) const {
  size_t end =
      line + 1 < lineBegins.size() ? lineBegins[line + 1] - 1 : text.size();
  return text.slice(lineBegins[line], end);
}

llvm::lsp::Position TextPositions::getPosition(size_t offset) const {
  offset = std::min(offset, text.size());
  size_t line = llvm::upper_bound(lineBegins, offset) - lineBegins.begin() - 1;
  unsigned units = 0;
  for (char c : text.slice(lineBegins[line], offset))
    units += countUnits(c);
  return {static_cast<int>(line), static_cast<int>(units)};
}

size_t TextPositions::getOffset(llvm::lsp::Position position) const {
  if (position.line < 0)
    return 0;
  size_t line = position.line;
  if (line >= lineBegins.size())
    return text.size();
  int units = 0;
  size_t offset = lineBegins[line];
  for (char c : getLine(line)) {
    units += countUnits(c);
    if (units > position.character)
      break;
    ++offset;
  }
  return offset;
}

size_t TextPositions::getOffset(unsigned line, unsigned column) const {
  if (line == 0 || line > lineBegins.size())
    return text.size();
  return std::min<size_t>(lineBegins[line - 1] + column - (column != 0),
                          text.size());
}
