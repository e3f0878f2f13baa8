//===- OutlineReader.cpp - Declarations among tokens ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the tokens with a stack of open braces and brackets. `kernel`
// and `fn` clear the stack, as they do in the parser. Two-phase name resolution
// in a header: its names are collected before its words are looked up, because
// a dimension may name a later parameter.
//
//===----------------------------------------------------------------------===//

#include "tessera/Frontend/Outline.h"
#include "tessera/Frontend/Vocabulary.h"

#include "Diagnostics.h"
#include "Names/Entity.h"
#include "Parser/Lexer.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tessera;
using namespace tessera::frontend;

namespace tessera::frontend {
class OutlineReader {
public:
  explicit OutlineReader(Outline &outline) : outline(outline) {}

  void read() {
    readTokens();
    size_t i = declareUses();
    declareFunctions(i);
    while (i < tokens.size())
      i = isDeclaration(i) ? readDeclaration(i) : i + 1;
    outline.resolveLabels();
  }

private:
  using Kind = OutlineName::Kind;
  using TokenKind = frontend::TokenKind;

  TokenKind kindOf(size_t i) const {
    return i < tokens.size() ? tokens[i].kind : TokenKind::EndOfFile;
  }
  bool at(size_t i, TokenKind kind) const { return kindOf(i) == kind; }
  StringRef textOf(size_t i) const { return tokens[i].spelling; }
  size_t offsetOf(size_t i) const {
    return i < tokens.size() ? textOf(i).begin() - outline.source.begin()
                             : outline.source.size();
  }
  size_t endOf(size_t i) const { return offsetOf(i) + textOf(i).size(); }
  bool isDeclaration(size_t i) const {
    return at(i, TokenKind::KwKernel) || at(i, TokenKind::KwFn);
  }
  void mark(size_t i, OutlineToken::Kind kind, int name = OutlineName::none) {
    outline.tokens[i].kind = kind;
    outline.tokens[i].name = name;
  }

  void readTokens();
  size_t declareUses();
  void declareFunctions(size_t begin);
  size_t readDeclaration(size_t i);
  size_t skipGroup(size_t i, size_t end) const;
  bool opensGroup(size_t i) const {
    return at(i, TokenKind::LParen) || at(i, TokenKind::LBracket) ||
           at(i, TokenKind::LBrace);
  }
  void readCompileTimeParameters(size_t begin, size_t end);
  void readParameters(size_t begin, size_t end, bool isKernel);
  void readAxes(size_t begin, size_t end);
  void readEntries(size_t begin, size_t end);
  void resolveHeader(size_t begin, size_t end);
  size_t readBody(size_t i);
  void declare(size_t i, Kind kind, size_t begin, StringRef text);
  void resolve(size_t i);
  /// Checks whether a token begins the operand of a statement.
  bool beginsOperand(size_t i) const;

  Outline &outline;
  std::vector<Token> tokens;
  /// The kernels and fns of the file.
  llvm::StringMap<int> functions;
  /// The currently visible names.
  llvm::StringMap<int> visible;
  std::vector<int> declared;
  llvm::StringMap<unsigned> ordinals;
  int owner = OutlineName::none;
  size_t ownerBegin = 0;
  /// Whether the last body has a `}`.
  bool isClosed = false;
};
} // namespace tessera::frontend

Outline::Outline(StringRef source) : source(source) {
  OutlineReader(*this).read();
}

void OutlineReader::readTokens() {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  // The front end reports the same errors.
  mlir::ScopedDiagnosticHandler silence(
      &context, [](mlir::Diagnostic &) { return success(); });
  Diagnostics diagnostics(&context, "");
  Lexer lexer(outline.source, diagnostics);
  for (Token token = lexer.next(); !token.is(TokenKind::EndOfFile);
       token = lexer.next()) {
    tokens.push_back(token);
    bool isWord = llvm::isAlpha(token.spelling.front()) &&
                  !token.is(TokenKind::Identifier);
    bool isNumber = token.is(TokenKind::Integer) ||
                    token.is(TokenKind::Float) || token.is(TokenKind::KwInf) ||
                    token.is(TokenKind::KwNan);
    outline.tokens.push_back({isNumber ? OutlineToken::Kind::Number
                              : isWord ? OutlineToken::Kind::Keyword
                                       : OutlineToken::Kind::Other,
                              offsetOf(tokens.size() - 1),
                              token.spelling.size()});
  }
}

/// Declares the names of each `use "path" (names);`. Returns the index after
/// them.
size_t OutlineReader::declareUses() {
  size_t i = 0;
  while (i < tokens.size() && tokens[i].isWord("use")) {
    size_t begin = offsetOf(i);
    mark(i++, OutlineToken::Kind::Keyword);
    StringRef path;
    if (at(i, TokenKind::String))
      path = textOf(i++).drop_front().drop_back();
    for (; i < tokens.size() && !isDeclaration(i) && !tokens[i].isWord("use");
         ++i) {
      if (at(i, TokenKind::Semicolon)) {
        ++i;
        break;
      }
      if (!at(i, TokenKind::Identifier))
        continue;
      int number = outline.names.size();
      outline.names.push_back({Kind::UsedFn, textOf(i), offsetOf(i), begin,
                               outline.source.size(), OutlineName::none, path});
      functions.try_emplace(textOf(i), number);
      mark(i, OutlineToken::Kind::Function, number);
    }
  }
  return i;
}

void OutlineReader::declareFunctions(size_t begin) {
  for (size_t i = begin; i < tokens.size(); ++i) {
    if (!isDeclaration(i) || !at(i + 1, TokenKind::Identifier))
      continue;
    int number = outline.names.size();
    bool isKernel = at(i, TokenKind::KwKernel);
    outline.names.push_back({isKernel ? Kind::Kernel : Kind::Fn, textOf(i + 1),
                             offsetOf(i + 1), offsetOf(i), offsetOf(i),
                             OutlineName::none, ""});
    functions.try_emplace(textOf(i + 1), number);
    mark(i + 1, OutlineToken::Kind::Function, number);
  }
}

/// Returns the index after the bracket that closes the one at `i`; at most
/// `end`.
size_t OutlineReader::skipGroup(size_t i, size_t end) const {
  bool isAngle = at(i, TokenKind::Less);
  unsigned depth = 0;
  for (; i < end; ++i) {
    switch (kindOf(i)) {
    case TokenKind::Less:
    case TokenKind::Greater:
      if (!isAngle || depth > 1)
        continue;
      depth += at(i, TokenKind::Less) ? 1 : -1;
      break;
    case TokenKind::LParen:
    case TokenKind::LBracket:
    case TokenKind::LBrace:
      ++depth;
      break;
    case TokenKind::RParen:
    case TokenKind::RBracket:
    case TokenKind::RBrace:
      depth -= depth != 0;
      break;
    default:
      continue;
    }
    if (depth == 0)
      return i + 1;
  }
  return end;
}

size_t OutlineReader::readDeclaration(size_t i) {
  size_t first = i++;
  if (!at(i, TokenKind::Identifier))
    return i;
  size_t last = i;
  while (last < tokens.size() && !isDeclaration(last))
    ++last;
  bool isKernel = at(first, TokenKind::KwKernel);
  owner = outline.tokens[i].name;
  ownerBegin = offsetOf(first);
  visible.clear();
  ordinals.clear();
  declared.clear();
  size_t begin = ++i;
  if (isKernel && at(i, TokenKind::Less)) {
    size_t end = skipGroup(i, last);
    readCompileTimeParameters(i + 1, end);
    i = end;
  }
  if (at(i, TokenKind::LParen)) {
    size_t end = skipGroup(i, last);
    readParameters(i + 1, end, isKernel);
    i = end;
  }
  while (i < last && at(i, TokenKind::Identifier)) {
    mark(i, OutlineToken::Kind::Keyword);
    size_t end = at(i + 1, TokenKind::LParen) ? skipGroup(i + 1, last) : i + 1;
    if (textOf(i) == "grid")
      readAxes(i + 2, end);
    else
      readEntries(i + 2, end);
    i = end;
  }
  resolveHeader(begin, i);
  OutlineName &name = outline.names[owner];
  name.text = outline.source.slice(ownerBegin, i ? endOf(i - 1) : 0);
  isClosed = false;
  size_t end = at(i, TokenKind::LBrace) ? readBody(i) : i;
  // An incomplete declaration extends to the next one.
  size_t endOffset = isClosed ? endOf(end - 1) : offsetOf(last);
  outline.names[owner].end = endOffset;
  // Names that are declared outside of blocks are visible throughout.
  for (int number : declared)
    outline.names[number].end = endOffset;
  return std::max(end, first + 1);
}

void OutlineReader::declare(size_t i, Kind kind, size_t begin, StringRef text) {
  int number = outline.names.size();
  outline.names.push_back({kind, textOf(i), offsetOf(i), begin,
                           outline.source.size(), owner, text,
                           /*hasValue=*/false, ordinals[textOf(i)]++});
  mark(i, OutlineToken::Kind::Name, number);
  visible[textOf(i)] = number;
  declared.push_back(number);
}

void OutlineReader::readCompileTimeParameters(size_t begin, size_t end) {
  for (size_t i = begin; i < end;) {
    size_t next = i;
    while (next < end && !at(next, TokenKind::Comma) &&
           !(at(next, TokenKind::Greater) && next + 1 == end))
      next = opensGroup(next) ? skipGroup(next, end) : next + 1;
    if (at(i, TokenKind::Identifier) && at(i + 1, TokenKind::Colon)) {
      declare(i, Kind::CompileTimeParameter, ownerBegin,
              outline.source.slice(offsetOf(i), endOf(next - 1)));
      // The values of `in {…}` precede the default.
      size_t after = at(i + 3, TokenKind::KwIn) ? skipGroup(i + 4, end) : i + 3;
      outline.names.back().hasValue = at(after, TokenKind::Equal);
    }
    i = next + 1;
  }
}

void OutlineReader::readParameters(size_t begin, size_t end, bool isKernel) {
  for (size_t i = begin; i < end;) {
    size_t first = i, next = i;
    while (next < end && !at(next, TokenKind::Comma) &&
           !(at(next, TokenKind::RParen) && next + 1 == end)) {
      next = opensGroup(next) ? skipGroup(next, end) : next + 1;
    }
    if (at(i, TokenKind::KwIn))
      ++i;
    // `out` and `inout` are names unless a name follows.
    if (isKernel && at(i, TokenKind::Identifier) &&
        at(i + 1, TokenKind::Identifier))
      mark(i++, OutlineToken::Kind::Keyword);
    if (i < next && at(i, TokenKind::Identifier))
      declare(i, Kind::Parameter, ownerBegin,
              outline.source.slice(offsetOf(first), endOf(next - 1)));
    i = next + 1;
  }
}

void OutlineReader::readAxes(size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    if (!at(i, TokenKind::Identifier) || !at(i + 1, TokenKind::KwIn))
      continue;
    size_t next = i + 1;
    while (next < end && !at(next, TokenKind::Comma) &&
           !(at(next, TokenKind::RParen) && next + 1 == end))
      next = at(next, TokenKind::LParen) ? skipGroup(next, end) : next + 1;
    declare(i, Kind::Axis, ownerBegin,
            outline.source.slice(offsetOf(i), endOf(next - 1)));
  }
}

void OutlineReader::readEntries(size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i)
    if (at(i, TokenKind::Identifier) &&
        (i == begin || at(i - 1, TokenKind::Comma)))
      mark(i, OutlineToken::Kind::Label);
}

void OutlineReader::resolveHeader(size_t begin, size_t end) {
  unsigned brackets = 0;
  for (size_t i = begin; i < end; ++i) {
    if (at(i, TokenKind::LBracket))
      ++brackets;
    else if (at(i, TokenKind::RBracket))
      brackets -= brackets != 0;
    if (!at(i, TokenKind::Identifier) ||
        outline.tokens[i].kind != OutlineToken::Kind::Other)
      continue;
    resolve(i);
    // In a dimension, a name that nothing else declares is a size.
    if (outline.tokens[i].kind == OutlineToken::Kind::Name &&
        outline.tokens[i].name == OutlineName::none && brackets != 0 &&
        outline.names[owner].kind == Kind::Kernel)
      declare(i, Kind::Size, ownerBegin, textOf(i));
  }
}

bool OutlineReader::beginsOperand(size_t i) const {
  switch (i < tokens.size() ? kindOf(i) : TokenKind::EndOfFile) {
  case TokenKind::Identifier:
  case TokenKind::Integer:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
  case TokenKind::KwIf:
  case TokenKind::LParen:
  case TokenKind::Exclaim:
  case TokenKind::Minus:
  case TokenKind::Tilde:
    return true;
  default:
    return false;
  }
}

void OutlineReader::resolve(size_t i) {
  StringRef text = textOf(i);
  if (i != 0 && at(i - 1, TokenKind::Dot))
    return mark(i, OutlineToken::Kind::Member);
  // `reduce(x, axis = 0, with = merge)` names a fn without a call.
  bool isCombiner =
      i > 1 && at(i - 1, TokenKind::Equal) && textOf(i - 2) == "with";
  if (isCombiner || at(i + 1, TokenKind::LParen)) {
    auto function = functions.find(text);
    if (function != functions.end())
      return mark(i, OutlineToken::Kind::Function, function->second);
    if (isBuiltinFunction(text))
      return mark(i, OutlineToken::Kind::Function);
  }
  bool isArgument =
      i != 0 && (at(i - 1, TokenKind::LParen) || at(i - 1, TokenKind::Comma));
  if (isArgument && at(i + 1, TokenKind::Equal))
    return mark(i, OutlineToken::Kind::Label);
  bool beginsStatement =
      i != 0 && (at(i - 1, TokenKind::LBrace) || at(i - 1, TokenKind::RBrace) ||
                 at(i - 1, TokenKind::Semicolon));
  if (text == "break" && beginsStatement && at(i + 1, TokenKind::Semicolon))
    return mark(i, OutlineToken::Kind::Keyword);
  bool isAfterDomain =
      text == "while" && i != 0 && at(i - 1, TokenKind::RParen);
  if ((text == "check" || text == "while") &&
      (beginsStatement || isAfterDomain) && beginsOperand(i + 1))
    return mark(i, OutlineToken::Kind::Keyword);
  auto found = visible.find(text);
  if (found != visible.end())
    return mark(i, OutlineToken::Kind::Name, found->second);
  // `apply(gelu, x)` names a fn without a call.
  if (auto function = functions.find(text);
      isArgument && function != functions.end())
    return mark(i, OutlineToken::Kind::Function, function->second);
  if (isReservedTypeName(text))
    return mark(i, OutlineToken::Kind::Type);
  if (text == "of" && i != 0 && !isArgument)
    return mark(i, OutlineToken::Kind::Keyword);
  mark(i, OutlineToken::Kind::Name);
}

/// Reads a body from its `{` on; the place after its `}`.
size_t OutlineReader::readBody(size_t i) {
  // The numbers of names that were declared when each block began.
  std::vector<size_t> blocks;
  int loop = OutlineName::none;
  for (; i < tokens.size() && !isDeclaration(i); ++i) {
    switch (kindOf(i)) {
    case TokenKind::LBrace:
      blocks.push_back(declared.size());
      if (loop != OutlineName::none)
        declare(loop, Kind::Loop, offsetOf(i), "");
      loop = OutlineName::none;
      break;
    case TokenKind::RBrace: {
      size_t begin = blocks.back();
      blocks.pop_back();
      if (blocks.empty()) {
        isClosed = true;
        return i + 1;
      }
      for (; declared.size() > begin; declared.pop_back()) {
        outline.names[declared.back()].end = offsetOf(i);
        visible.erase(outline.names[declared.back()].name);
      }
      break;
    }
    case TokenKind::KwLet:
    case TokenKind::KwVar: {
      Kind kind = at(i, TokenKind::KwLet) ? Kind::Let : Kind::Var;
      while (at(i + 1, TokenKind::Identifier)) {
        declare(i + 1, kind, offsetOf(i + 1), "");
        ++i;
        if (!at(i + 1, TokenKind::Comma))
          break;
        ++i;
      }
      break;
    }
    case TokenKind::KwFor:
      if (at(i + 1, TokenKind::Identifier)) {
        loop = ++i;
        mark(loop, OutlineToken::Kind::Name);
      }
      break;
    case TokenKind::Identifier:
      resolve(i);
      break;
    default:
      break;
    }
  }
  return i;
}
