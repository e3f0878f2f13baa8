//===- Token.h - Tokens of the tile language --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tokens that the lexer makes and the parser reads. A token knows its place
// as a line and a column (in bytes, from 1) of a file, which is all that a
// FileLineColLoc needs.
//
// Keywords can never be names. `use`, `break`, `check`, `while`, `grid`,
// `schedule`, `numerics`, `out`, `inout` and `of` are contextual: each has a
// meaning in one place and is a name elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_TOKEN_H
#define TESSERA_FRONTEND_TOKEN_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace tessera::frontend {

/// A place in a source file.
struct SourcePlace {
  uint32_t line = 1;
  uint32_t column = 1;
  /// The number of the file in Diagnostics; 0 for the main file.
  uint32_t file = 0;

  bool isInMainFile() const { return file == 0; }
};

enum class TokenKind : uint8_t {
  EndOfFile,
  /// The lexer has reported an error here.
  Error,
  Identifier,
  Integer,
  Float,
  String,

  // Keywords.
  KwAs,
  KwAssert,
  KwElse,
  KwFalse,
  KwFn,
  KwFor,
  KwIf,
  KwIn,
  KwInf,
  KwKernel,
  KwLet,
  KwNan,
  KwReturn,
  KwTrue,
  KwVar,

  // Punctuation.
  LParen,
  RParen,
  LBracket,
  RBracket,
  LBrace,
  RBrace,
  Comma,
  Semicolon,
  Colon,
  Dot,
  DotDot,
  Underscore,
  Equal,
  PlusEqual,
  MinusEqual,
  StarEqual,
  SlashEqual,
  Plus,
  Minus,
  Star,
  Slash,
  Percent,
  At,
  Exclaim,
  EqualEqual,
  ExclaimEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  AmpAmp,
  PipePipe,
  Amp,
  Pipe,
  Caret,
  Tilde,
  LessLess,
  GreaterGreater,
};

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  SourcePlace place;
  llvm::StringRef spelling;

  bool is(TokenKind other) const { return kind == other; }
  /// Checks for the name `word`, a contextual keyword.
  bool isWord(llvm::StringRef word) const {
    return kind == TokenKind::Identifier && spelling == word;
  }
};

/// Names a kind of token in a message: "`;`", "a name", "the end of the file".
llvm::StringRef describe(TokenKind kind);

/// Names this token in a message.
std::string describe(const Token &token);

/// Returns the precedence of a binary operator; 0 for other tokens.
unsigned getPrecedence(TokenKind kind);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_TOKEN_H
