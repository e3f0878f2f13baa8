//===- Lexer.cpp - Lexer of PTX -------------------------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hand-written lexer with one character of lookahead (two for comments and
// operators). It skips blanks and comments, and returns the longest token from
// its first character on. Errors are tokens of kind Error, with the message in
// the lexer.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include "llvm/ADT/StringExtras.h"

namespace tessera::emu::parsing {

static bool isNamePart(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$';
}

/// Checks whether a name starts here; "%" alone is an operator.
static bool isNameStart(char c, char next) {
  return (isNamePart(c) && !llvm::isDigit(c)) || (c == '%' && isNamePart(next));
}

static std::string describe(char c) {
  if (llvm::isPrint(c))
    return std::string("unexpected character '") + c + "'";
  return "unexpected character 0x" +
         llvm::utohexstr(static_cast<uint8_t>(c), /*LowerCase=*/false, 2);
}

void Lexer::place(Token &token) const {
  token.line = line;
  token.column = static_cast<unsigned>(position - lineStart) + 1;
}

void Lexer::skipLineComment() {
  while (position != end && *position != '\n')
    ++position;
}

bool Lexer::skipBlockComment() {
  for (position += 2; position != end; ++position) {
    if (*position == '\n')
      newLine();
    if (*position == '*' && peek(1) == '/') {
      position += 2;
      return true;
    }
  }
  return false;
}

/// Skips blanks and comments. Fails, with `token` at its start, for a comment
/// without an end.
bool Lexer::skipBlanks(Token &token) {
  while (position != end) {
    if (*position == '\n') {
      newLine();
      ++position;
    } else if (llvm::isSpace(*position)) {
      ++position;
    } else if (*position == '/' && peek(1) == '/') {
      skipLineComment();
    } else if (*position == '/' && peek(1) == '*') {
      place(token);
      token.text = StringRef(position, 2);
      if (!skipBlockComment())
        return false;
    } else {
      break;
    }
  }
  return true;
}

/// Consumes all characters that can belong to a number; the parser decides
/// whether it is one.
void Lexer::lexNumber() {
  const char *start = position;
  while (position != end && (isNamePart(*position) || *position == '.'))
    ++position;
  StringRef text(start, position - start);
  bool isDecimal = text.find_first_not_of("0123456789.eE") == StringRef::npos;
  bool hasOpenExponent = text.ends_with_insensitive("e");
  if (!isDecimal || !hasOpenExponent || (peek(0) != '+' && peek(0) != '-'))
    return;
  ++position;
  while (position != end && llvm::isDigit(*position))
    ++position;
}

void Lexer::lexDotWord() {
  ++position;
  while (position != end) {
    if (isNamePart(*position))
      ++position;
    else if (*position == ':' && peek(1) == ':' && isNamePart(peek(2)))
      position += 2;
    else
      break;
  }
}

bool Lexer::lexString() {
  for (++position; position != end && *position != '\n'; ++position) {
    if (*position == '"') {
      ++position;
      return true;
    }
    if (*position == '\\' && peek(1) != '\0' && peek(1) != '\n')
      ++position;
  }
  return false;
}

Token Lexer::next() {
  Token token;
  if (!skipBlanks(token)) {
    token.kind = Token::Error;
    error = "comment without an end";
    return token;
  }
  place(token);
  const char *start = position;
  if (position == end) {
    token.text = StringRef(position, 0);
    return token;
  }

  if (isNameStart(*position, peek(1))) {
    token.kind = Token::Identifier;
    for (++position; position != end && isNamePart(*position);)
      ++position;
  } else if (llvm::isDigit(*position)) {
    token.kind = Token::Number;
    lexNumber();
  } else if (*position == '.' && isNamePart(peek(1))) {
    token.kind = Token::DotWord;
    lexDotWord();
  } else if (*position == '"') {
    bool isClosed = lexString();
    token.kind = isClosed ? Token::String : Token::Error;
    if (!isClosed)
      error = "string without an end";
  } else {
    static constexpr StringRef kPairs[] = {
        "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    static constexpr StringRef kSingles = "{}[]()<>,;:@!|+-*/%&^~?=";
    StringRef rest(position, end - position);
    size_t length = 1;
    for (StringRef pair : kPairs)
      if (rest.starts_with(pair))
        length = 2;
    bool isKnown = kSingles.contains(*position);
    token.kind = isKnown ? Token::Punctuation : Token::Error;
    if (!isKnown)
      error = describe(*position);
    position += length;
  }
  token.text = StringRef(start, position - start);
  return token;
}

} // namespace tessera::emu::parsing
