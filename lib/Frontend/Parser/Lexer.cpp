//===- Lexer.cpp - From characters to tokens --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hand-written lexer with maximal munch. Each function that makes a token
// starts at its first byte and leaves `position` after its last one. `peek`
// returns NUL at the end, so the lexer never reads past it; `atEnd`
// distinguishes a NUL inside of the text.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include "tessera/Frontend/Vocabulary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace tessera::frontend;
using llvm::StringRef;

Lexer::Lexer(llvm::StringRef source, Diagnostics &diagnostics, uint32_t file)
    : source(source), diagnostics(diagnostics), file(file) {
  // A byte order mark is not text.
  if (source.starts_with("\xEF\xBB\xBF"))
    position = 3;
}

static bool isNameByte(char c) { return llvm::isAlnum(c) || c == '_'; }

Token Lexer::finish(TokenKind kind, size_t start, SourcePlace place) {
  return {kind, place, source.slice(start, position)};
}

/// Checks whether the UTF-8 text of one character is a bidirectional control:
/// U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
static bool isBidirectionalControl(StringRef character) {
  if (character == "\xD8\x9C")
    return true;
  if (!character.consume_front("\xE2") || character.size() != 2)
    return false;
  auto last = static_cast<unsigned char>(character[1]);
  if (character[0] == '\x80')
    return last == 0x8e || last == 0x8f || (last >= 0xaa && last <= 0xae);
  return character[0] == '\x81' && last >= 0xa6 && last <= 0xa9;
}

bool Lexer::skipWideCharacter() {
  const auto *begin =
      reinterpret_cast<const llvm::UTF8 *>(source.data()) + position;
  const auto *end =
      reinterpret_cast<const llvm::UTF8 *>(source.data()) + source.size();
  unsigned length = llvm::getNumBytesForUTF8(*begin);
  if (length <= static_cast<size_t>(end - begin) &&
      llvm::isLegalUTF8Sequence(begin, begin + length)) {
    StringRef character = source.substr(position, length);
    if (isBidirectionalControl(character)) {
      diagnostics.error(getPlace(position))
          << "a bidirectional control character (bytes "
          << llvm::toHex(character, /*LowerCase=*/true)
          << ") shows text in another order than it is read; remove it";
      position += length;
      return false;
    }
    position += length;
    return true;
  }
  diagnostics.error(getPlace(position)) << "the source is not valid UTF-8";
  ++position;
  // One message for a run of such bytes.
  while (!atEnd() && static_cast<unsigned char>(peek()) >= 0x80)
    ++position;
  return false;
}

void Lexer::skipComment() {
  bool complained = false;
  while (!atEnd() && peek() != '\n') {
    if (peek() == '\0' && !complained) {
      diagnostics.error(getPlace(position))
          << "unexpected NUL byte in the source";
      complained = true;
    }
    if (static_cast<unsigned char>(peek()) < 0x80)
      ++position;
    else
      skipWideCharacter();
  }
}

void Lexer::skipBlanksAndComments() {
  while (!atEnd()) {
    char c = peek();
    if (c == '\n') {
      ++position;
      ++line;
      lineStart = position;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++position;
    } else if (c == '/' && peek(1) == '/') {
      skipComment();
    } else {
      return;
    }
  }
}

void Lexer::skipForeign(StringRef spelling) {
  size_t end = position + spelling.size();
  if (spelling == "#" || spelling.starts_with("--")) {
    end = source.find('\n', end);
  } else if (spelling == "/*") {
    end = source.find("*/", end);
    end = end == StringRef::npos ? end : end + 2;
  } else if (spelling == "'") {
    size_t quote = source.find_first_of("'\n", end);
    if (quote < source.size() && source[quote] == '\'')
      end = quote + 1;
  }
  for (end = std::min(end, source.size()); position != end; ++position) {
    if (peek() != '\n')
      continue;
    ++line;
    lineStart = position + 1;
  }
}

bool Lexer::isBeforeOperand() const {
  llvm::StringRef rest = source.drop_front(position);
  unsigned depth = 0;
  // Skips blanks, comments, and the parenthesis after the name.
  while (true) {
    rest = rest.ltrim(" \t\r\n");
    if (rest.starts_with("//"))
      rest = rest.drop_until([](char c) { return c == '\n'; });
    else if (depth != 0 && rest.starts_with("\""))
      rest = rest.drop_front().drop_until([](char c) { return c == '"'; });
    else if (rest.starts_with("("))
      ++depth;
    else if (depth == 0 || rest.empty())
      break;
    else if (rest.starts_with(")") && --depth == 0)
      return !rest.drop_front().ltrim(" \t\r\n").starts_with(";");
    if (!rest.starts_with("\n"))
      rest = rest.drop_front();
  }
  if (rest.empty() || rest.starts_with("-="))
    return false;
  return isNameByte(rest.front()) ||
         llvm::StringRef("!-~").contains(rest.front());
}

bool Lexer::isBeforeAxis() const {
  llvm::StringRef rest = source.drop_front(position).ltrim();
  if (!rest.consume_front("("))
    return false;
  llvm::StringRef name = rest.ltrim().take_while(isNameByte);
  rest = rest.ltrim().drop_front(name.size()).ltrim();
  return !name.empty() && rest.consume_front("in") &&
         (rest.empty() || !isNameByte(rest.front()));
}

namespace {
struct Keyword {
  llvm::StringLiteral word;
  TokenKind kind;
};
} // namespace

static constexpr Keyword keywords[] = {
    {"as", TokenKind::KwAs},         {"assert", TokenKind::KwAssert},
    {"else", TokenKind::KwElse},     {"false", TokenKind::KwFalse},
    {"fn", TokenKind::KwFn},         {"for", TokenKind::KwFor},
    {"if", TokenKind::KwIf},         {"in", TokenKind::KwIn},
    {"inf", TokenKind::KwInf},       {"kernel", TokenKind::KwKernel},
    {"let", TokenKind::KwLet},       {"nan", TokenKind::KwNan},
    {"return", TokenKind::KwReturn}, {"true", TokenKind::KwTrue},
    {"var", TokenKind::KwVar},
};

std::vector<llvm::StringRef> tessera::frontend::getKeywords() {
  std::vector<llvm::StringRef> words;
  for (const Keyword &entry : keywords)
    words.push_back(entry.word);
  return words;
}

Token Lexer::lexWord(size_t start, SourcePlace place) {
  while (isNameByte(peek()))
    ++position;
  llvm::StringRef word = source.slice(start, position);
  const auto *keyword = llvm::find_if(
      keywords, [&](const Keyword &entry) { return entry.word == word; });
  TokenKind kind = word == "_"                     ? TokenKind::Underscore
                   : keyword == std::end(keywords) ? TokenKind::Identifier
                                                   : keyword->kind;
  return finish(kind, start, place);
}

Token Lexer::lexNumber(size_t start, SourcePlace place) {
  TokenKind kind = TokenKind::Integer;
  auto skipDigits = [&] {
    while (llvm::isDigit(peek()))
      ++position;
  };
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') &&
      llvm::isHexDigit(peek(2))) {
    position += 2;
    while (llvm::isHexDigit(peek()))
      ++position;
  } else {
    skipDigits();
    if (peek() == '.' && llvm::isDigit(peek(1))) {
      kind = TokenKind::Float;
      ++position;
      skipDigits();
    }
    bool hasSign = peek(1) == '+' || peek(1) == '-';
    if ((peek() == 'e' || peek() == 'E') &&
        llvm::isDigit(peek(hasSign ? 2 : 1))) {
      kind = TokenKind::Float;
      position += hasSign ? 2 : 1;
      skipDigits();
    }
  }
  bool endsInPoint = peek() == '.' && peek(1) != '.' && !isNameByte(peek(1));
  if (!isNameByte(peek()) && !endsInPoint)
    return finish(kind, start, place);
  if (endsInPoint)
    ++position;
  while (isNameByte(peek()))
    ++position;
  diagnostics.error(place)
      << "invalid number " << describe(finish(kind, start, place))
      << "; a number is written like `12`, `0x1f`, `0.5` or `1e-5`";
  return finish(TokenKind::Error, start, place);
}

Token Lexer::lexString(size_t start, SourcePlace place) {
  ++position;
  bool valid = true;
  while (!atEnd() && peek() != '"' && peek() != '\n') {
    if (peek() == '\\' && (peek(1) == '"' || peek(1) == '\\')) {
      position += 2;
    } else if (peek() == '\0') {
      diagnostics.error(getPlace(position))
          << "unexpected NUL byte in a string";
      valid = false;
      ++position;
    } else if (static_cast<unsigned char>(peek()) < 0x80) {
      ++position;
    } else {
      valid &= skipWideCharacter();
    }
  }
  if (peek() != '"') {
    diagnostics.error(place) << "this string has no closing `\"` on its line";
    return finish(TokenKind::Error, start, place);
  }
  ++position;
  return finish(valid ? TokenKind::String : TokenKind::Error, start, place);
}

/// Returns how the language writes a sign above ASCII; empty for others.
static StringRef findAsciiForm(StringRef character) {
  return llvm::StringSwitch<StringRef>(character)
      .Cases({"×", "·"}, "a product is written `*`")
      .Cases({"−", "–"}, "minus is written `-`")
      .Case("÷", "a quotient is written `/`")
      .Case("≤", "it is written `<=`")
      .Case("≥", "it is written `>=`")
      .Case("≠", "it is written `!=`")
      .Case("∞", "it is written `inf`")
      .Cases({"“", "”", "„"}, "a string is written in `\"`")
      .Default("");
}

Token Lexer::lexPunctuation(size_t start, SourcePlace place) {
  auto make = [&](TokenKind kind, unsigned length) {
    position += length;
    return finish(kind, start, place);
  };
  bool equalFollows = peek(1) == '=';
  bool isTwice = peek(1) == peek();
  if (ForeignOperator other = findForeignOperator(source.substr(position));
      !other.spelling.empty()) {
    diagnostics.error(place)
        << "unexpected `" << other.spelling.rtrim() << "`; " << other.hint;
    skipForeign(other.spelling);
    return finish(TokenKind::Error, start, place);
  }
  switch (peek()) {
  case '(':
    return make(TokenKind::LParen, 1);
  case ')':
    return make(TokenKind::RParen, 1);
  case '[':
    return make(TokenKind::LBracket, 1);
  case ']':
    return make(TokenKind::RBracket, 1);
  case '{':
    return make(TokenKind::LBrace, 1);
  case '}':
    return make(TokenKind::RBrace, 1);
  case ',':
    return make(TokenKind::Comma, 1);
  case ';':
    return make(TokenKind::Semicolon, 1);
  case ':':
    return make(TokenKind::Colon, 1);
  case '%':
    return make(TokenKind::Percent, 1);
  case '@':
    return make(TokenKind::At, 1);
  case '.':
    return peek(1) == '.' ? make(TokenKind::DotDot, 2)
                          : make(TokenKind::Dot, 1);
  case '+':
    return equalFollows ? make(TokenKind::PlusEqual, 2)
                        : make(TokenKind::Plus, 1);
  case '-':
    return equalFollows ? make(TokenKind::MinusEqual, 2)
                        : make(TokenKind::Minus, 1);
  case '*':
    return equalFollows ? make(TokenKind::StarEqual, 2)
                        : make(TokenKind::Star, 1);
  case '/':
    return equalFollows ? make(TokenKind::SlashEqual, 2)
                        : make(TokenKind::Slash, 1);
  case '=':
    return equalFollows ? make(TokenKind::EqualEqual, 2)
                        : make(TokenKind::Equal, 1);
  case '!':
    return equalFollows ? make(TokenKind::ExclaimEqual, 2)
                        : make(TokenKind::Exclaim, 1);
  case '<':
    if (isTwice)
      return make(TokenKind::LessLess, 2);
    return equalFollows ? make(TokenKind::LessEqual, 2)
                        : make(TokenKind::Less, 1);
  case '>':
    if (isTwice)
      return make(TokenKind::GreaterGreater, 2);
    return equalFollows ? make(TokenKind::GreaterEqual, 2)
                        : make(TokenKind::Greater, 1);
  case '&':
    return isTwice ? make(TokenKind::AmpAmp, 2) : make(TokenKind::Amp, 1);
  case '|':
    return isTwice ? make(TokenKind::PipePipe, 2) : make(TokenKind::Pipe, 1);
  case '^':
    return make(TokenKind::Caret, 1);
  case '~':
    return make(TokenKind::Tilde, 1);
  case '\0':
    diagnostics.error(place) << "unexpected NUL byte in the source";
    // One message for a run of them.
    while (!atEnd() && peek() == '\0')
      ++position;
    return finish(TokenKind::Error, start, place);
  default:
    break;
  }
  if (static_cast<unsigned char>(peek()) >= 0x80) {
    bool isCharacter = skipWideCharacter();
    StringRef ascii = findAsciiForm(source.slice(start, position));
    if (isCharacter)
      diagnostics.error(place)
          << "unexpected character `" << source.slice(start, position) << "`; "
          << (ascii.empty() ? "outside of comments and strings the source is "
                              "ASCII"
                            : ascii);
    return finish(TokenKind::Error, start, place);
  }
  if (peek() == '?')
    diagnostics.error(place) << "unexpected character `?`; a choice is written "
                                "`if c { a } else { b }`, and `where(c, a, b)` "
                                "for tiles";
  else if (llvm::isPrint(peek()))
    diagnostics.error(place)
        << "unexpected character `" << source.substr(start, 1) << "`";
  else
    diagnostics.error(place) << "unexpected control character (byte "
                             << static_cast<unsigned>(peek()) << ")";
  return make(TokenKind::Error, 1);
}

Token Lexer::next() {
  // After so many errors there is nothing more to say.
  if (diagnostics.isFull())
    position = source.size();
  skipBlanksAndComments();
  SourcePlace place = getPlace(position);
  if (atEnd())
    return finish(TokenKind::EndOfFile, position, place);
  char c = peek();
  if (llvm::isAlpha(c) || c == '_')
    return lexWord(position, place);
  if (llvm::isDigit(c))
    return lexNumber(position, place);
  if (c == '"')
    return lexString(position, place);
  return lexPunctuation(position, place);
}
