//===- Lexer.h - From characters to tokens ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits the source into tokens, one at a time. Comments run from `//` to the
// end of the line. Text is UTF-8; outside of comments and strings it is ASCII.
// Other bytes, NUL included, are diagnosed here and skipped.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_LEXER_H
#define TESSERA_FRONTEND_LEXER_H

#include "Diagnostics.h"
#include "Token.h"

namespace tessera::frontend {

class Lexer {
public:
  /// `file` is the number of the file in `diagnostics`.
  Lexer(llvm::StringRef source, Diagnostics &diagnostics, uint32_t file = 0);

  /// Returns the next token; always EndOfFile at the end of the source.
  Token next();

  /// Checks whether the last token, a name, begins a statement of this name:
  /// its operand follows. `check (x), …` does, unlike the call `check(x);`.
  bool isBeforeOperand() const;
  /// Checks whether an axis of a grid follows: `(n in`.
  bool isBeforeAxis() const;

private:
  /// Returns the byte `ahead` of the current one, or 0 past the end.
  char peek(size_t ahead = 0) const {
    return position + ahead < source.size() ? source[position + ahead] : '\0';
  }
  bool atEnd() const { return position >= source.size(); }
  SourcePlace getPlace(size_t at) const {
    return {line, static_cast<uint32_t>(at - lineStart + 1), file};
  }

  void skipBlanksAndComments();
  void skipComment();
  /// Skips an operator, a comment or a quoted text of another language, so that
  /// it is reported once.
  void skipForeign(llvm::StringRef spelling);
  /// Skips one character above ASCII. Reports an error and returns false if it
  /// is not UTF-8.
  bool skipWideCharacter();
  Token finish(TokenKind kind, size_t start, SourcePlace place);
  Token lexWord(size_t start, SourcePlace place);
  Token lexNumber(size_t start, SourcePlace place);
  Token lexString(size_t start, SourcePlace place);
  Token lexPunctuation(size_t start, SourcePlace place);

  llvm::StringRef source;
  Diagnostics &diagnostics;
  uint32_t file;
  size_t position = 0;
  size_t lineStart = 0;
  uint32_t line = 1;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_LEXER_H
