//===- Cursor.h - Position in the tokens ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The current token and the first error, shared by all parts of the parser.
// Parsing functions return false after an error, and so does Cursor::error:
// `return cursor.error(…);`.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PARSER_CURSOR_H
#define TESSERA_LIB_EMULATOR_PARSER_CURSOR_H

#include "Lexer.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace tessera::emu::parsing {

class Cursor {
public:
  Cursor(StringRef text, StringRef name) : lexer(text), name(name) {
    advance();
  }

  const Token &get() const { return token; }
  Token take() {
    Token taken = token;
    advance();
    return taken;
  }
  void advance();
  /// Returns the token after the current one.
  Token peek() const { return Lexer(lexer).next(); }

  /// Checks whether there are no more tokens, or an error.
  bool isEnd() const {
    return token.kind == Token::End || token.kind == Token::Error;
  }
  bool is(StringRef punctuation) const { return token.is(punctuation); }
  bool isIdentifier() const { return token.kind == Token::Identifier; }
  bool isDotWord() const { return token.kind == Token::DotWord; }
  bool isDotWord(StringRef text) const {
    return isDotWord() && token.text == text;
  }

  /// Consumes the token if it is `punctuation`.
  bool consume(StringRef punctuation);
  bool consumeDotWord(StringRef text);
  /// Consumes the token, or fails. `what` names it in the error: "an
  /// instruction", "';' after a directive".
  bool expect(StringRef punctuation, const llvm::Twine &what);
  bool expectIdentifier(Token &identifier, const llvm::Twine &what);

  bool error(const Token &at, const llvm::Twine &message);
  bool error(unsigned line, unsigned column, const llvm::Twine &message);
  /// Fails with "expected …, found 'x'", at the current token.
  bool errorExpected(const llvm::Twine &what);

  llvm::Error takeError();

private:
  Lexer lexer;
  StringRef name;
  Token token;
  std::string message;
};

} // namespace tessera::emu::parsing

#endif // TESSERA_LIB_EMULATOR_PARSER_CURSOR_H
