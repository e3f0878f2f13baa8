//===- DiagnosticExcerpt.cpp - Short lines in messages ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Installs a handler of diagnostics that cuts the source line and the message,
// and escapes control characters. Invariant: a cut is at the start of a UTF-8
// character.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/DiagnosticExcerpt.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/WithColor.h"

using llvm::SMDiagnostic;
using llvm::StringRef;

/// Largest number of bytes of a line; longer lines are cut around the column.
static constexpr size_t kMaxLine = 240;
static constexpr size_t kMaxMessage = 4000;
static constexpr llvm::StringLiteral kCut = "...";

/// Moves `position` back to the start of a UTF-8 character.
static size_t alignToCharacter(StringRef text, size_t position) {
  while (position > 0 && position < text.size() &&
         (text[position] & 0xc0) == 0x80)
    --position;
  return position;
}

/// Returns `text` without characters that a terminal interprets.
static std::string makePrintable(StringRef text) {
  std::string printable = text.str();
  for (char &c : printable)
    if ((c >= 0 && c < ' ' && c != '\t' && c != '\n') || c == 0x7f)
      c = '?';
  return printable;
}

static std::string cutMessage(StringRef text) {
  if (text.size() <= kMaxMessage)
    return makePrintable(text);
  size_t head = alignToCharacter(text, kMaxMessage / 2);
  size_t tail = alignToCharacter(text, text.size() - kMaxMessage / 2);
  return makePrintable(
      (text.take_front(head) + kCut + text.drop_front(tail)).str());
}

/// Prints a caret below byte `column` of a line as LLVM prints the line: tabs
/// are extended to a multiple of 8.
static void printCaret(StringRef line, size_t column, llvm::raw_ostream &os) {
  size_t width = 0;
  for (char c : line.take_front(column))
    width = c == '\t' ? (width / 8 + 1) * 8 : width + ((c & 0xc0) != 0x80);
  llvm::WithColor(os.indent(width), llvm::raw_ostream::GREEN, /*Bold=*/true)
      << "^";
  os << '\n';
}

static void print(const SMDiagnostic &diagnostic, void *context) {
  llvm::raw_ostream &os = *static_cast<llvm::raw_ostream *>(context);
  StringRef line = diagnostic.getLineContents();
  int column = diagnostic.getColumnNo();
  std::string excerpt;
  std::string file = makePrintable(diagnostic.getFilename());
  // The name that LLVM gives to no file.
  if (file == "<unknown>")
    file.clear();
  if (line.size() <= kMaxLine) {
    excerpt = makePrintable(line);
  } else {
    size_t at = std::min<size_t>(std::max(column, 0), line.size());
    size_t first = alignToCharacter(line, at - std::min(at, kMaxLine / 2));
    size_t end =
        alignToCharacter(line, std::min(first + kMaxLine, line.size()));
    if (first > 0)
      excerpt = kCut;
    if (column >= 0)
      column = at - first + excerpt.size();
    excerpt += makePrintable(line.slice(first, end));
    if (end < line.size())
      excerpt += kCut;
    // The column is that in the whole line.
    llvm::WithColor(os, llvm::raw_ostream::SAVEDCOLOR, /*Bold=*/true)
        << file << ":" << diagnostic.getLineNo() << ":"
        << diagnostic.getColumnNo() + 1 << ": ";
    file.clear();
  }
  // Ranges and hints refer to columns; Tessera's messages have none.
  SMDiagnostic shown(*diagnostic.getSourceMgr(), diagnostic.getLoc(), file,
                     diagnostic.getLineNo(), column, diagnostic.getKind(),
                     cutMessage(diagnostic.getMessage()), excerpt, {});
  shown.print(/*ProgName=*/nullptr, os);
  // LLVM shows no caret below characters above ASCII.
  if (column >= 0 && !llvm::isASCII(excerpt))
    printCaret(excerpt, column, os);
}

void tessera::tools::printExcerpts(llvm::SourceMgr &sourceMgr,
                                   llvm::raw_ostream &os) {
  sourceMgr.setDiagHandler(print, &os);
}
