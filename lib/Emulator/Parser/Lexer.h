//===- Lexer.h - Lexer of PTX -----------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, 4 "Syntax". A directive, and each part of an instruction's name
// after the first one, is a separate token that starts with a dot.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PARSER_LEXER_H
#define TESSERA_LIB_EMULATOR_PARSER_LEXER_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace tessera::emu::parsing {

using llvm::StringRef;

struct Token {
  enum Kind : uint8_t {
    End,
    Error,      // `text` is its start; see Lexer::getError
    Identifier, // add, %r1, $L__BB0_1, _
    DotWord,    // .reg, .shared::cta, .2d
    Number,     // 1, 0xFFU, 0f3F800000, 8.8
    String,     // with quotes
    Punctuation,
  };
  Kind kind = End;
  StringRef text;
  unsigned line = 1, column = 1;

  bool is(StringRef punctuation) const {
    return kind == Punctuation && text == punctuation;
  }
  /// Checks whether the token directly follows `before`.
  bool follows(const Token &before) const {
    return before.text.end() == text.begin();
  }
};

class Lexer {
public:
  explicit Lexer(StringRef text)
      : position(text.begin()), end(text.end()), lineStart(text.begin()) {}

  Token next();
  /// Returns the error of the last token of kind Error.
  const std::string &getError() const { return error; }

private:
  bool skipBlanks(Token &token);
  void skipLineComment();
  bool skipBlockComment();
  void newLine() {
    ++line;
    lineStart = position + 1;
  }
  void lexNumber();
  void lexDotWord();
  bool lexString();
  char peek(size_t ahead) const {
    return ahead < static_cast<size_t>(end - position) ? position[ahead] : '\0';
  }
  void place(Token &token) const;

  const char *position, *end, *lineStart;
  unsigned line = 1;
  std::string error;
};

} // namespace tessera::emu::parsing

#endif // TESSERA_LIB_EMULATOR_PARSER_LEXER_H
