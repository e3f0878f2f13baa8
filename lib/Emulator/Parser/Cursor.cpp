//===- Cursor.cpp - Position in the tokens --------------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cursor.h"

#include "llvm/ADT/StringExtras.h"

namespace tessera::emu::parsing {

void Cursor::advance() {
  // An error is the last token: each loop over tokens stops there.
  if (token.kind == Token::Error)
    return;
  token = lexer.next();
  if (token.kind == Token::Error)
    error(token, lexer.getError());
}

bool Cursor::consume(StringRef punctuation) {
  if (!is(punctuation))
    return false;
  advance();
  return true;
}

bool Cursor::consumeDotWord(StringRef text) {
  if (!isDotWord(text))
    return false;
  advance();
  return true;
}

bool Cursor::expect(StringRef punctuation, const llvm::Twine &what) {
  return consume(punctuation) || errorExpected(what);
}

bool Cursor::expectIdentifier(Token &identifier, const llvm::Twine &what) {
  if (!isIdentifier())
    return errorExpected(what);
  identifier = take();
  return true;
}

bool Cursor::error(const Token &at, const llvm::Twine &text) {
  return error(at.line, at.column, text);
}

bool Cursor::error(unsigned line, unsigned column, const llvm::Twine &text) {
  if (message.empty())
    message = (name + ":" + llvm::Twine(line) + ":" + llvm::Twine(column) +
               ": " + text)
                  .str();
  return false;
}

bool Cursor::errorExpected(const llvm::Twine &what) {
  std::string found = isEnd() ? std::string("the end of the file")
                              : ("'" + token.text.take_front(40) + "'").str();
  return error(token, "expected " + what + ", found " + found);
}

llvm::Error Cursor::takeError() {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

} // namespace tessera::emu::parsing
